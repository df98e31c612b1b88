#pragma once
// The kinds of experiments. Those on robust least squares share a source file, the others have one each. A kind reads
// the settings, then runs its steps, then draws.
#include "study/study.h"

namespace arks::study {

/// Error or loss against the strength of an attack or a shift, for several methods over several seeds.
void study_curves(Study& study);

/// What ARKS makes of images: clean, worst case, difference.
void study_pictures(Study& study);

/// The loss, its k-transform, and the inner maximisation for one sample, on robust least squares.
void study_landscape(Study& study);
/// ERM, ARKS and RO on robust least squares under a growing shift.
void study_tradeoff(Study& study);
/// Samples and adversarial samples of ARKS on robust least squares, with their MMD.
void study_histogram(Study& study);

/// Bounds of the loss within a transport distance, and what is attained, for several models.
void study_certificates(Study& study);

/// A search for hyper-parameters by the paper's rule.
void study_search(Study& study);

/// The ratios of the benchmark.
void study_speed(Study& study);

}  // namespace arks::study
