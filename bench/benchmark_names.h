#pragma once
#include <string>

namespace arks::bench {

// The names of the benchmarks; what --benchmark_filter looks at.

/// One inner step on a batch of the Fashion-MNIST network.
const std::string kInnerStepOurs = "inner_step/ours";
const std::string kInnerStepFrozen = "inner_step/frozen";
const std::string kInnerStepPublished = "inner_step/published";
const std::string kSgemm = "sgemm";

/// A batch of ARKS: batch/NAME/ours with NAME fashion-mnist, cifar10-eval, cifar10-train, celeba.
const std::string kBatch = "batch/";
/// A batch of ERM, the mean over a few: erm/NAME/ours with the name of a data set.
const std::string kErm = "erm/";
const std::string kPgd = "pgd_evaluation";
const std::string kOurs = "/ours";
const std::string kPublished = "/published";
const std::string kPlain = "/plain";

const std::string kLbfgs80Ours = "lbfgs_80/ours";
const std::string kLbfgs80SampleBySample = "lbfgs_80/sample_by_sample";
const std::string kLbfgs256Ours = "lbfgs_256/ours";
const std::string kLbfgs256SampleBySample = "lbfgs_256/sample_by_sample";

/// Image files of CelebA's size, decoded and resized: per image, on two threads and on one. The real ones only where
/// ARKS_DATA_DIR has them.
const std::string kDecodeMadeTwo = "decode_made/2_threads";
const std::string kDecodeMadeOne = "decode_made/1_thread";
const std::string kDecodeRealTwo = "decode_celeba/2_threads";
const std::string kDecodeRealOne = "decode_celeba/1_thread";

/// A batch of each of the paper's image sets: having it, and a step of ERM on it. With the name of the set behind.
const std::string kLoading = "load_batch/";
const std::string kErmStep = "erm_step/";

}  // namespace arks::bench
