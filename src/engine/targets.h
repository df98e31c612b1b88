#pragma once
// Before <hwy/foreach_target.h>: the kernels keep vectors in arrays, which those of unknown length cannot be in.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
