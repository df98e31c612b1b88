#pragma once
// Before <hwy/foreach_target.h>. The kernels keep vectors in arrays, which those of unknown length cannot be in; and
// nobody has SSSE3 without SSE4 any more.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
