#include "objective/method_settings.h"

#include "data/matrix.h"
#include "support/samples.h"
#include "support/text.h"

#include <arks/kernel/mahalanobis.h>
#include <arks/objective/worst_case.h>
#include <arks/support/error.h>
#include <c10/util/accumulate.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace arks {

namespace {

constexpr int64_t kMostSamples = 20000;  // a covariance is no better known for more, and they have to fit into memory

CostPtr make_mahalanobis(const CostSettings& s, const Dataset& train_set) {
  if (s.mahalanobis.has_value()) {
    auto cost = std::make_shared<Mahalanobis>(read_matrix(*s.mahalanobis));
    const int64_t per_sample = c10::multiply_integers(train_set.info().input_shape);
    ARKS_CHECK(cost->matrix().size(0) == per_sample, "--mahalanobis: ", *s.mahalanobis, " is a matrix for ",
               cost->matrix().size(0), " numbers per sample, but ", train_set.info().name, " has ", per_sample);
    return cost;
  }
  const auto some = torch::arange(std::min(train_set.size(), kMostSamples), torch::kLong);
  return std::make_shared<Mahalanobis>(estimate_mahalanobis(train_set.get(some).inputs, *s.mahalanobis_ridge));
}

}  // namespace

CostSettings::CostSettings(SettingGroup* parent, std::function<std::optional<std::string>()> otherwise)
    : SettingGroup(parent, "Kernel and cost"),
      cost(this, arks::text("cost", "how far u is from x")
                     .words(cost_names())
                     .quietly(std::move(otherwise))
                     .written_if_given()),
      mahalanobis(this, arks::text("mahalanobis", "file with the matrix M of (u-x)'M(u-x)/2, numbers or .npy")
                            .input_file()
                            .default_words("from the inputs' covariance")
                            .only_if([this] { return is_mahalanobis(); }, "with --cost mahalanobis")),
      mahalanobis_ridge(this, real("mahalanobis-ridge", "regularises the covariance, as a part of the mean variance")
                                  .positive()
                                  .otherwise(0.1)
                                  .only_if([this] { return is_mahalanobis() && !mahalanobis.has_value(); },
                                           "with --cost mahalanobis")) {}

void CostSettings::check() const {
  ARKS_CHECK(is_mahalanobis() || (!mahalanobis.given() && !mahalanobis_ridge.given()),
             "--mahalanobis and --mahalanobis-ridge are for --cost mahalanobis");
  ARKS_CHECK(!mahalanobis.given() || !mahalanobis_ridge.given(),
             "--mahalanobis gives the matrix, --mahalanobis-ridge regularises an estimated one; give only one of them");
}

CostPtr CostSettings::make(const Dataset& train_set) const {
  return is_mahalanobis() ? make_mahalanobis(*this, train_set) : make_cost(*cost);
}

KernelSettings::KernelSettings(Method* method)
    : SettingGroup(method, "Kernel and cost"),
      kernel(this, arks::text("kernel", "how the weight of u fades with its distance from x")
                       .words({"gaussian", "laplacian", "imq", "c-exponential"})
                       .quietly([this] { return chosen(); })),
      sigma(this, real("sigma", "bandwidth of k = exp(-|u-x|^2/(2 sigma^2))")
                      .unit("input units")
                      .positive()
                      .or_infinity()
                      .otherwise([this, method]() -> std::optional<double> {
                        const auto& published = method->published();
                        if (!lacks_bandwidth()) return std::nullopt;
                        if (published.strengths) return published.sigma;
                        return published.reach ? std::optional(published.reach->sigma()) : std::nullopt;
                      })),
      temperature(
          this,
          real("temperature", "tau itself in k = exp(-cost/tau), instead of --sigma").unit("cost units").positive()),
      imq_scale(this,
                real("imq-scale", "C of --kernel imq, k = (1 + |u-x|^2/C^2)^(-1/2)").unit("input units").positive()) {}

std::string KernelSettings::chosen() const {
  if (kernel.given()) return *kernel;
  return temperature.given() && cost.cost.given() ? "c-exponential" : "gaussian";
}

std::optional<std::string> KernelSettings::usual_cost() const {
  if (chosen() == "gaussian") return "half-sq-l2";
  if (chosen() == "laplacian") return "l1";
  return std::nullopt;  // imq takes none, c-exponential has to be given one
}

void KernelSettings::check() const {
  ARKS_CHECK(!sigma.given() || !temperature.given(), "--sigma and --temperature cannot be used together");
  const bool any_width = sigma.given() || temperature.given();
  const auto name = chosen(), given_cost = cost.cost.value_or("");
  if (name == "gaussian") {
    ARKS_CHECK(!cost.cost.given() || given_cost == "half-sq-l2", "--cost ", given_cost,
               " cannot be used with --kernel gaussian (half-sq-l2); --kernel c-exponential takes any cost");
  } else if (name == "laplacian") {
    ARKS_CHECK(!cost.cost.given() || given_cost == "l1" || given_cost == "l2", "--cost ", given_cost,
               " cannot be used with --kernel laplacian; use l1 or l2");
    ARKS_CHECK(any_width,
               "--kernel laplacian needs --sigma or --temperature: the paper gives a value for gaussian only");
  } else if (name == "imq") {
    ARKS_CHECK(imq_scale.given(), "--kernel imq needs --imq-scale C, in units of the input");
    ARKS_CHECK(!any_width && !cost.cost.given(),
               "--kernel imq takes only --imq-scale, not --sigma, --temperature or --cost");
  } else {
    ARKS_CHECK(cost.cost.given() && temperature.given(),
               "--kernel c-exponential is exp(-cost/temperature): it needs --cost and --temperature");
  }
  ARKS_CHECK(!imq_scale.given() || name == "imq", "--imq-scale needs --kernel imq");
  cost.check();
}

bool KernelSettings::lacks_bandwidth() const {
  return chosen() == "gaussian" && !sigma.given() && !temperature.given();
}

std::optional<GuardStrength> KernelSettings::strength() const {
  if (chosen() != "gaussian" || temperature.has_value()) return std::nullopt;
  return GuardStrength{&sigma, GuardScale::sigma()};
}

std::string KernelSettings::endless() const {
  if (chosen() == "imq") return "--kernel imq";
  return sigma.given() && std::isinf(*sigma) ? "--sigma inf" : "";
}

std::optional<double> KernelSettings::bandwidth() const {
  if (chosen() != "gaussian") return std::nullopt;
  if (sigma.has_value()) return *sigma;
  return temperature.has_value() ? std::optional(std::sqrt(*temperature)) : std::nullopt;
}

Kernel KernelSettings::make(const Dataset& train_set) const {
  if (*kernel == "imq") return InverseMultiquadricKernel(*imq_scale);
  const auto made = cost.make(train_set);
  if (temperature.has_value()) return {made, *temperature};
  if (*kernel == "gaussian") return GaussianKernel(*sigma);
  return LaplacianKernel(*sigma, made->name() == "l1" ? LaplacianNorm::kL1 : LaplacianNorm::kL2);
}

DomainSettings::DomainSettings(SettingGroup* parent)
    : SettingGroup(parent, "Domain"),
      domain(this, ranges("domain", "compact set that u is searched in, or a range per feature as in --bounds")
                       .unit("input units")
                       .verify([](const RangeList& given) { to_bounds(given, "--domain"); })) {}

void DomainSettings::need(const std::string& who) const {
  ARKS_CHECK(domain.has_value(), who, " needs --domain lo,hi: without a compact set the supremum is infinite for an ",
             "unbounded loss");
}

std::optional<Bounds> DomainSettings::bounds() const {
  return domain.has_value() ? std::optional<Bounds>(to_bounds(*domain, "--domain")) : std::nullopt;
}

void DomainSettings::check_samples(const Dataset& train_set) const {
  if (!domain.has_value()) return;
  try {
    check_inputs(train_set, *bounds());
  } catch (const Error& error) {
    throw Error(std::string("--domain: ") + error.what());
  }
}

InnerSettings::InnerSettings(Method* method, Rule rule_kind, std::function<std::optional<double>()> usual_rate,
                             std::function<int64_t()> usual_steps)
    : SettingGroup(method, "Inner maximisation"),
      steps(this, whole("inner-steps", "ascent steps per batch")
                      .unit("steps")
                      .not_negative()
                      .otherwise([method, usual_steps = std::move(usual_steps)] {
                        return std::optional(usual_steps ? usual_steps() : method->published().inner_steps);
                      })),
      rate(this, real("inner-lr", "step of the ascent; lbfgs: length tried first")
                     .unit("input units")
                     .positive()
                     .otherwise([this, method, usual_rate = std::move(usual_rate)]() -> std::optional<double> {
                       // L-BFGS tries a length of 1 first, as in the paper, which is no use to other rules
                       const bool lbfgs = method->published().inner_optimizer == "lbfgs";
                       if (rule && rule->value_or(method->published().inner_optimizer) == "lbfgs") return 1;
                       return rule && lbfgs ? 0.01 : usual_rate();
                     })),
      rate_decay(this, yes_no("inner-lr-decay", "divide step t by the square root of t").otherwise(false)),
      tolerance(this, real("inner-tol", "a sample stops when no entry of its gradient is above this")
                          .not_negative()
                          .otherwise(0.0)),
      returned(this, arks::text("inner-return", "iterate that is kept; the paper took the last")
                         .words({"best", "last"})
                         .otherwise(std::string("best"))),
      mode(this, inner_mode_setting()) {
  if (rule_kind == Rule::kSteepest) return;
  rule.emplace(
      this,
      arks::text("inner-opt", "how a step is made from a gradient").words(ascent_rule_names()).otherwise([method] {
        return std::optional(method->published().inner_optimizer);
      }));
}

std::optional<double> InnerSettings::step_for(std::optional<double> length, const PublishedSettings& published,
                                              double otherwise) const {
  const auto name = rule ? rule->value_or(published.inner_optimizer) : published.inner_optimizer;
  if (published.inputs == 0 || published.strengths || name == "sgd" || name == "lbfgs") return otherwise;
  if (!length && published.reach_follows) return std::nullopt;
  if (!length || !std::isfinite(*length)) return otherwise;
  constexpr double kFurther = 2;
  constexpr int64_t kFewest = 6;  // a step of half the length may already be too long
  const double step = kFurther * *length / static_cast<double>(std::max(kFewest, steps.value_or(kFewest)));
  return two_digits(name == "normalized" ? step : step / std::sqrt(static_cast<double>(published.inputs)));
}

bool InnerSettings::searches_lines() const {
  return rule && rule->value_or("") == "lbfgs";
}

std::optional<double> InnerSettings::first_step(int64_t inputs) const {
  const auto name = rule ? **rule : std::string("sign");
  if (name == "sgd" || name == "lbfgs") return std::nullopt;
  return name == "normalized" ? *rate : *rate * std::sqrt(static_cast<double>(inputs));
}

std::string how_to_move(const InnerSettings& inner, const std::string& otherwise, std::optional<double> length,
                        int64_t inputs) {
  if (*inner.steps == 0) return "--inner-steps is 0";
  const auto step = inner.first_step(inputs);
  const auto rate = c10::str("--inner-lr ", shortest(*inner.rate));
  const auto reason = otherwise + ", or the loss does not change with the inputs (a constant model?)";
  if (inner.searches_lines()) {
    // it shortens a length by itself, but not for ever
    constexpr double kFar = 100, kUsual = 1;
    const bool far = *inner.rate > kUsual && *inner.rate > kFar * length.value_or(kUsual);
    return far ? rate + ", the length that lbfgs tries first, is too far: lower it (1 is usual)" : reason;
  }
  if (!length || !step) return rate + " is too large, " + reason;
  const auto first =
      c10::str("the first step of ", rate, " over ", inputs, " inputs is ", shortest(two_digits(*step)), " long, ");
  if (*step <= *length / 2) return first + "short enough, so " + reason;
  return first + "too far for a reach of " + shortest(two_digits(*length)) + ": lower it";
}

std::string how_to_stay_near(const InnerSettings& inner) {
  if (*inner.returned != "last" || *inner.steps == 0) return "";
  return c10::str(
      "the steps of --inner-lr ", shortest(*inner.rate),
      " go past them, and --inner-return last keeps where they end: lower --inner-lr, or use --inner-return "
      "best");
}

AscentOptions InnerSettings::options() const {
  auto options = AscentOptions()
                     .steps(*steps)
                     .learning_rate(*rate)
                     .learning_rate_decay(*rate_decay)
                     .tolerance(*tolerance)
                     .returned(*returned == "best" ? InnerReturn::kBest : InnerReturn::kLast)
                     .mode(parse_inner_mode(*mode));
  if (rule) options.rule(parse_ascent_rule(**rule));
  return options;
}

RestartSettings::RestartSettings(SettingGroup* inner)
    : SettingGroup(inner, inner->title()),
      count(this, whole("inner-restarts", "starts per sample, the first at the sample, others anywhere in --domain")
                      .unit("starts")
                      .positive()
                      .otherwise(WorstCaseOptions({0, 1}).restarts())) {}

BallSettings::BallSettings(Method* method, Norms norms, std::function<double()> radius)
    : SettingGroup(method, "Ball"),
      eps(this, real("eps", "radius of the ball")
                    .unit("input units")
                    .not_negative()
                    .otherwise([this, method, radius = std::move(radius)]() -> std::optional<double> {
                      if (method->published().strengths) return radius();
                      const auto& reach = method->published().reach;
                      return reach ? std::optional(reach->eps(norm->value_or("linf"))) : std::nullopt;
                    })),
      eps_scale(this, eps_scale_setting()) {
  // a method of one norm has the setting as well: another norm is an error and not a flag without effect
  norm.emplace(this, norms == Norms::kAll ? norm_setting() : norm_setting().words({"linf"}).written_if_given());
}

torch::Tensor BallSettings::factors() const {
  return to_factors(eps_scale);
}

std::optional<GuardStrength> BallSettings::strength() const {
  return GuardStrength{&eps, GuardScale::eps(norm->value_or("linf"))};
}

void BallSettings::check_samples(const Dataset& train_set) const {
  check_factors(eps_scale, train_set);
}

std::string falls_short(const InnerSettings& inner, const BallSettings& ball) {
  double reach = 0;
  for (int64_t step = 1; step <= *inner.steps && reach < *ball.eps; ++step) {
    reach += *inner.rate_decay ? *inner.rate / std::sqrt(static_cast<double>(step)) : *inner.rate;
  }
  if (*inner.steps == 0 || reach >= *ball.eps * (1 - 1e-9)) return "";
  const bool one = *inner.steps == 1;
  return c10::str(*inner.steps, one ? " step of " : " steps of ", *inner.rate, one ? " reaches " : " reach ", reach,
                  ", not eps ", *ball.eps);
}

namespace {

constexpr const char* kInnerMode = "inner-mode";

}  // namespace

InnerMode parse_inner_mode(const std::string& word) {
  return word == "train" ? InnerMode::kTrain : InnerMode::kEval;
}

bool climbs_in_evaluation_mode(const SettingGroup& method) {
  const auto* mode = method.find(kInnerMode);
  return mode != nullptr && mode->has_value() && parse_inner_mode(mode->text()) == InnerMode::kEval;
}

Declaration<std::string> inner_mode_setting() {
  return arks::text(kInnerMode, "mode of the network in the inner loop; the paper used train")
      .words({"eval", "train"})
      .otherwise(std::string("eval"));
}

Declaration<std::string> norm_setting() {
  return arks::text("norm", "how eps is measured").words(norm_names()).otherwise(std::string("linf"));
}

Declaration<NumberList> eps_scale_setting() {
  return numbers("eps-scale", "factor for eps and step per feature; 0 keeps it fixed; linf only");
}

Declaration<bool> random_start_setting() {
  return yes_no("random-start", "start anywhere in the ball, not at the sample").otherwise(false);
}

Declaration<RangeList> bounds_setting() {
  return ranges("bounds", "valid range of inputs, or one per feature: lo,hi;lo,hi")
      .unit("input units")
      .verify([](const RangeList& given) { to_bounds(given, "--bounds"); })
      .default_words("the data set's")
      .in_data();
}

Bounds to_bounds(const RangeList& ranges, const std::string& flag) {
  std::vector<double> lows, highs;
  for (const auto& pair : ranges.pairs) {
    lows.push_back(pair[0]);
    highs.push_back(pair[1]);
  }
  const auto bounds = lows.size() == 1
                          ? Bounds(lows[0], highs[0])
                          : Bounds(torch::tensor(lows, torch::kDouble), torch::tensor(highs, torch::kDouble));
  try {
    check(bounds);
  } catch (const Error& error) {
    // bounds and domain are checked by the same words, which begin with "bounds: "
    const std::string words = error.what();
    throw Error(flag + words.substr(words.find(':')));
  }
  return bounds;
}

RangeList to_ranges(const Bounds& bounds) {
  const auto lows = bounds.lows().flatten(), highs = bounds.highs().flatten();
  RangeList ranges;
  for (int64_t j = 0; j < lows.size(0); ++j) ranges.pairs.push_back({lows[j].item<double>(), highs[j].item<double>()});
  return ranges;
}

torch::Tensor to_factors(const Setting<NumberList>& setting) {
  return setting.has_value() ? torch::tensor(setting->values, torch::kDouble) : torch::Tensor();
}

void check_factors(const Setting<NumberList>& setting, const Dataset& samples) {
  if (!setting.has_value()) return;
  const auto& features = samples.info().features;
  const auto count = setting->values.size();
  if (!features.empty() && count != 1) {
    std::vector<std::string> names;
    for (const auto& feature : features) names.push_back(feature.name);
    ARKS_CHECK(count == names.size(), setting.flag(), ": got ", count, " factors for ", names.size(),
               " inputs: ", join(names), "; give one for each, in this order, or one for all");
  }
  const auto one = samples.get(torch::zeros({1}, torch::kLong)).inputs;
  per_feature(to_factors(setting), one, setting.flag());  // checks the number of them
}

}  // namespace arks
