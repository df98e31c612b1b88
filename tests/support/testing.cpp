#include "support/testing.h"

#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

namespace arks::testing {

namespace fs = std::filesystem;

void expect_derivative_matches(const TensorFunction& f, const torch::Tensor& at, double tolerance) {
  ASSERT_EQ(at.scalar_type(), torch::kDouble) << "derivatives are checked in float64";
  auto x = at.detach().clone().set_requires_grad(true);
  const auto gradient = torch::autograd::grad({f(x).sum()}, {x})[0];
  torch::NoGradGuard no_grad;
  const double h = 1e-5;
  for (int64_t i = 0; i < x.numel(); ++i) {
    auto up = at.detach().clone(), down = at.detach().clone();
    up.view(-1)[i] += h;
    down.view(-1)[i] -= h;
    const double expected = (f(up).sum() - f(down).sum()).item<double>() / (2 * h);
    const double found = gradient.reshape(-1)[i].item<double>();
    EXPECT_NEAR(found, expected, tolerance * std::max(1.0, std::abs(expected))) << "coordinate " << i;
  }
}

double max_difference(const torch::Tensor& a, const torch::Tensor& b) {
  const double found = (a.to(torch::kDouble) - b.to(torch::kDouble)).abs().max().item<double>();
  return std::isnan(found) ? std::numeric_limits<double>::infinity() : found;
}

namespace {

template <typename Kind>
void expect_thrown(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "no error; expected one with '" << part << "'";
  } catch (const Kind& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << "'" << error.what() << "' does not hold '" << part << "'";
  }
}

}  // namespace

void expect_error(const std::function<void()>& call, const std::string& part) {
  expect_thrown<Error>(call, part);
}

void expect_run_error(const std::function<void()>& call, const std::string& part) {
  expect_thrown<RunError>(call, part);
}

bool identical(const torch::Tensor& a, const torch::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && torch::equal(a, b);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "arks-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw RunError("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

torch::Tensor normal(std::vector<int64_t> shape, uint64_t seed) {
  auto generator = make_generator(seed, Stream::kInitialisation);
  return torch::empty(shape, torch::kDouble).normal_(0, 1, generator);
}

namespace {

/// Labels 0,1,2,… in turn and inputs in [0,1] that scatter around one mean per class.
std::pair<torch::Tensor, torch::Tensor> toy_samples(int64_t count, const std::vector<int64_t>& shape, int64_t classes,
                                                    uint64_t seed) {
  const auto labels = torch::arange(count, torch::kLong).remainder(classes);
  auto mean_shape = shape, sample_shape = shape;
  mean_shape.insert(mean_shape.begin(), classes);
  sample_shape.insert(sample_shape.begin(), count);
  const auto means = 0.5 + 0.25 * normal(mean_shape, 7).clamp(-1, 1);  // the same for every seed: one distribution
  const auto inputs = means.index_select(0, labels) + 0.15 * normal(sample_shape, seed);
  return {inputs.clamp(0, 1), labels};
}

std::string to_bytes(const torch::Tensor& values) {
  const auto bytes = values.to(torch::kByte).contiguous();
  return {static_cast<const char*>(bytes.data_ptr()), static_cast<size_t>(bytes.numel())};
}

}  // namespace

DatasetPtr toy_dataset(int64_t count, std::vector<int64_t> shape, int64_t classes, uint64_t seed) {
  const auto [inputs, labels] = toy_samples(count, shape, classes, seed);
  DatasetInfo info;
  info.name = "toy";
  info.num_classes = classes;
  info.bounds = Bounds{0, 1};
  return std::make_shared<TensorDataset>(inputs.to(torch::kFloat), labels, info);
}

Batch all_of(const Dataset& set) {
  return set.get(torch::arange(set.size(), torch::kLong));
}

DatasetInfo info_for(const std::string& model, int64_t classes) {
  DatasetInfo info;
  info.name = "toy";
  info.num_classes = classes;
  info.input_shape = {1, 28, 28};
  if (model == "resnet20") info.input_shape = {3, 32, 32};
  if (model == "celeba-cnn") info.input_shape = {3, 64, 48};
  return info;
}

void write_bytes(const fs::path& path, const std::string& bytes, bool gzip) {
  fs::create_directories(path.parent_path());
  if (gzip) {
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
  } else {
    std::ofstream(path, std::ios::binary) << bytes;
  }
}

void write_idx(const fs::path& path, const std::vector<int64_t>& shape, const std::string& bytes) {
  std::string file{'\0', '\0', '\x08', static_cast<char>(shape.size())};
  for (const int64_t size : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) file.push_back(static_cast<char>((size >> shift) & 0xff));
  }
  write_bytes(path, file + bytes, path.extension() == ".gz");
}

void write_toy_fashion_mnist(const fs::path& root, int64_t train, int64_t test) {
  const auto folder = root / "fashion-mnist";
  for (const auto& [prefix, count, seed] : {std::tuple{"train", train, 1}, std::tuple{"t10k", test, 2}}) {
    const auto [inputs, labels] = toy_samples(count, {28, 28}, 10, static_cast<uint64_t>(seed));
    write_idx(folder / (std::string(prefix) + "-images-idx3-ubyte.gz"), {count, 28, 28}, to_bytes(inputs * 255));
    write_idx(folder / (std::string(prefix) + "-labels-idx1-ubyte.gz"), {count}, to_bytes(labels));
  }
}

}  // namespace arks::testing
