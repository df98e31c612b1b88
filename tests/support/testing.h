#pragma once
// What all tests share: derivative checks, error checks, a folder that cleans up after itself, tiny data files.
#include <arks/arks.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim.h>

#include <filesystem>
#include <functional>
#include <string>

namespace arks::testing {

using TensorFunction = std::function<torch::Tensor(const torch::Tensor&)>;

/// The gradient of Σ f(at) by autograd equals central differences in float64, in every coordinate.
void expect_derivative_matches(const TensorFunction& f, const torch::Tensor& at, double tolerance = 1e-6);

/// Largest |a−b|; NaN anywhere counts as infinite.
double max_difference(const torch::Tensor& a, const torch::Tensor& b);

/// The call throws arks::Error and its message holds `part`.
void expect_error(const std::function<void()>& call, const std::string& part);
/// Likewise arks::RunError.
void expect_run_error(const std::function<void()>& call, const std::string& part);

/// Equal in type, shape and every bit.
bool identical(const torch::Tensor& a, const torch::Tensor& b);

/// A fresh folder, removed with everything in it at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// float64 tensor of standard normal numbers from its own seed.
torch::Tensor normal(std::vector<int64_t> shape, uint64_t seed = 1);

/// A small classification set with structure to learn: `count` samples of `shape` in [0,1], float32, class means apart.
DatasetPtr toy_dataset(int64_t count, std::vector<int64_t> shape = {1, 28, 28}, int64_t classes = 10,
                       uint64_t seed = 1);

/// All samples of a set, in its order.
Batch all_of(const Dataset& set);

/// A made-up set of the kind that the network of this name takes.
DatasetInfo info_for(const std::string& model, int64_t classes = 10);

/// An IDX file (magic, dimensions, bytes), gzipped when the name ends in .gz.
void write_idx(const std::filesystem::path& path, const std::vector<int64_t>& shape, const std::string& bytes);
void write_bytes(const std::filesystem::path& path, const std::string& bytes, bool gzip);

/// A folder `root/fashion-mnist` with the four files and learnable content.
void write_toy_fashion_mnist(const std::filesystem::path& root, int64_t train = 128, int64_t test = 64);

}  // namespace arks::testing
