#pragma once
// What is said of layers that cannot be taken into a graph, whether they are modules of torch or of a TorchScript file.
#include <string>

namespace arks {

/// "layer 3 (torch::nn::SoftmaxImpl)"; a model that is one layer has no number.
inline std::string layer_called(const std::string& class_name, const std::string& path) {
  return path.empty() ? "model " + class_name : "layer " + path + " (" + class_name + ")";
}

namespace not_known {

constexpr const char* kMaxPooling = ": max pooling with ceil_mode, dilation or return_indices is not supported";
constexpr const char* kAveragePooling =
    ": average pooling with ceil_mode, divisor_override or uncounted padding is not supported";
constexpr const char* kBatchNorm = ": batch norm without running statistics mixes the samples of a batch";
constexpr const char* kFlattening = ": only flattening of everything but the batch is supported";

}  // namespace not_known

}  // namespace arks
