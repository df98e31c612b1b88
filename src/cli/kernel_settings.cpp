#include "cli/kernel_settings.h"

#include <arks/data/matrix.h>
#include <arks/kernel/mahalanobis.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

#include <c10/util/accumulate.h>

#include <algorithm>

namespace arks::cli {

namespace {

constexpr int64_t kMostSamples = 20000;  // a covariance is no better known for more, and they have to fit into memory
constexpr double kRidge = 0.1;

CostPtr make_mahalanobis(const KernelSettings& s, const Dataset& train_set) {
  if (s.mahalanobis) {
    auto cost = std::make_shared<Mahalanobis>(read_matrix(*s.mahalanobis));
    const int64_t numbers = c10::multiply_integers(train_set.info().input_shape);
    ARKS_CHECK(cost->matrix().size(0) == numbers, "--mahalanobis: ", *s.mahalanobis, " is a matrix for ",
               cost->matrix().size(0), " numbers per sample, ", train_set.info().name, " has ", numbers);
    return cost;
  }
  const auto some = torch::arange(std::min(train_set.size(), kMostSamples), torch::kLong);
  return std::make_shared<Mahalanobis>(
      estimate_mahalanobis(train_set.get(some).inputs, s.mahalanobis_ridge.value_or(kRidge)));
}

}  // namespace

void add_mahalanobis_settings(Flags& flags, KernelSettings& s) {
  flags.option("--mahalanobis", s.mahalanobis,
               "cost mahalanobis: file with the matrix M of (u-x)'M(u-x)/2, as numbers or .npy [the inverse "
               "covariance of the training inputs, regularised]",
               "FILE");
  flags.option("--mahalanobis-ridge", s.mahalanobis_ridge,
               "cost mahalanobis: regularisation, as a part of the mean variance [0.1]");
}

void add_kernel_settings(Flags& flags, KernelSettings& s) {
  flags.option("--kernel", s.kernel,
               "arks, ke, ki: gaussian | laplacian | imq | c-exponential = exp(-cost/temperature) [gaussian]");
  flags.number_or_infinity(
      "--sigma", s.sigma,
      "arks, ke, ki: bandwidth, in units of the input; gaussian: k = exp(-|u-x|^2/(2 sigma^2)) (the paper prints 2 "
      "sigma but used 2 sigma^2), laplacian: k = exp(-|u-x|/sigma); inf, with --domain: k = 1 [fashion-mnist: 0.5, "
      "cifar10: 0.1, celeba: 0.2]");
  flags.option("--temperature", s.temperature,
               "arks, ke, ki: tau itself in k = exp(-cost/tau), instead of --sigma; with --cost any cost");
  flags.option("--imq-scale", s.imq_scale, "imq: C in k = (1 + |u-x|^2/C^2)^(-1/2), in units of the input");
  flags.option("--cost", s.cost,
               "half-sq-l2 | sq-l2 | l2 | l1 | linf | mahalanobis [gaussian: half-sq-l2, laplacian: l1; wrm: sq-l2]");
  add_mahalanobis_settings(flags, s);
  flags.option("--domain", s.domain,
               "lo,hi: the compact set that u is searched in, or one range per feature as in --bounds; needed by ke, "
               "ro, imq and --sigma inf",
               "LO,HI");
}

void check_kernel(KernelSettings& s) {
  if (!s.kernel) s.kernel = s.temperature && s.cost ? "c-exponential" : "gaussian";
  const std::vector<std::string> known{"gaussian", "laplacian", "imq", "c-exponential"};
  ARKS_CHECK(std::find(known.begin(), known.end(), *s.kernel) != known.end(), "unknown kernel '", *s.kernel, "'",
             did_you_mean(*s.kernel, known), "; known: ", join(known));
  ARKS_CHECK(!s.sigma || !s.temperature, "--sigma and --temperature exclude one another");
  const bool any_width = s.sigma || s.temperature;
  if (*s.kernel == "gaussian") {
    ARKS_CHECK(s.cost.value_or("half-sq-l2") == "half-sq-l2", "--cost ", *s.cost,
               " does not go with --kernel gaussian (half-sq-l2); --kernel c-exponential takes any cost");
  } else if (*s.kernel == "laplacian") {
    const auto cost = s.cost.value_or("l1");
    ARKS_CHECK(cost == "l1" || cost == "l2", "--cost ", cost, " does not go with --kernel laplacian: l1 or l2");
    ARKS_CHECK(any_width, "--kernel laplacian needs --sigma: the paper gives a value for gaussian only");
  } else if (*s.kernel == "imq") {
    ARKS_CHECK(s.imq_scale, "--kernel imq needs --imq-scale C, in units of the input");
    ARKS_CHECK(!any_width && !s.cost, "--kernel imq has --imq-scale alone: no --sigma, --temperature or --cost");
  } else {
    ARKS_CHECK(s.cost && s.temperature,
               "--kernel c-exponential is exp(-cost/temperature): it needs --cost and "
               "--temperature");
  }
  ARKS_CHECK(!s.imq_scale || *s.kernel == "imq", "--imq-scale goes with --kernel imq");
}

bool lacks_bandwidth(const KernelSettings& s) {
  return *s.kernel == "gaussian" && !s.sigma && !s.temperature;
}

CostPtr make_cost(const KernelSettings& s, const std::string& otherwise, const Dataset& train_set) {
  const auto name = s.cost.value_or(otherwise);
  ARKS_CHECK(name == "mahalanobis" || (!s.mahalanobis && !s.mahalanobis_ridge),
             "--mahalanobis and --mahalanobis-ridge go with --cost mahalanobis, not with ", name);
  ARKS_CHECK(!s.mahalanobis || !s.mahalanobis_ridge,
             "--mahalanobis gives the matrix, --mahalanobis-ridge regularises an estimated one: only one of both");
  return name == "mahalanobis" ? make_mahalanobis(s, train_set) : arks::make_cost(name);
}

Kernel make_kernel(const KernelSettings& s, const Dataset& train_set) {
  if (*s.kernel == "imq") return InverseMultiquadricKernel(*s.imq_scale);
  const auto cost = make_cost(s, *s.kernel == "laplacian" ? "l1" : "half-sq-l2", train_set);
  if (s.temperature) return {cost, *s.temperature};
  if (*s.kernel == "gaussian") return GaussianKernel(*s.sigma);
  return LaplacianKernel(*s.sigma, cost->name() == "l1" ? LaplacianNorm::kL1 : LaplacianNorm::kL2);
}

std::optional<Bounds> domain_of(const KernelSettings& s) {
  return s.domain ? std::optional<Bounds>(parse_bounds(*s.domain, "--domain")) : std::nullopt;
}

}  // namespace arks::cli
