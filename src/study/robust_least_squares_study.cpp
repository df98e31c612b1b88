#include "study/robust_least_squares_study.h"

#include "sdp/worst_case.h"
#include "study/descent_ascent.h"
#include "study/spread.h"
#include "support/json_text.h"
#include "support/one_thread.h"
#include "support/text.h"

#include <arks/metric/mmd.h>
#include <arks/support/error.h>
#include <arks/support/random.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace arks::study {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kHalfWidth = 0.5;  // of the training distribution
constexpr const char* kPopulationName = "ERM of the population";
constexpr const char* kErmName = "ERM";
constexpr const char* kRoName = "RO";
constexpr size_t kPopulation = 0, kErm = 1;  // then ARKS in the order of σ, RO last

/// ξ ~ U[−½,½], [n,1].
torch::Tensor draw(int64_t count, uint64_t seed, uint64_t which) {
  auto generator = make_generator(seed, Stream::kSamples, which);
  return torch::empty({count, 1}, torch::kDouble).uniform_(-kHalfWidth, kHalfWidth, generator);
}

torch::Tensor draw_training(int64_t count, uint64_t seed) {
  return draw(count, seed, 0);
}

void check_rising(const std::vector<double>& values, const std::string& what) {
  for (size_t i = 0; i < values.size(); ++i) {
    ARKS_CHECK(std::isfinite(values[i]), "trade-off: ", what, " must be finite, got ", values[i]);
    ARKS_CHECK(i == 0 || values[i] > values[i - 1], "trade-off: ", what, " must increase, got ", values[i], " after ",
               values[i - 1]);
  }
}

void check(const TradeoffSettings& settings) {
  check_rising(settings.sigmas, "sigmas");
  check_rising(settings.deltas, "deltas");
  ARKS_CHECK(settings.sigmas.empty() || settings.sigmas.front() > 0, "trade-off: sigmas must be positive, got ",
             settings.sigmas.front());
  ARKS_CHECK(!settings.deltas.empty(), "trade-off: at least one delta is needed, got none");
  for (const int64_t count : {settings.train_samples, settings.test_samples}) {
    ARKS_CHECK(count > 0, "trade-off: numbers of samples must be positive, got ", count);
  }
}

/// Measures the problem at its present θ under every shift, as a new row of the run.
void measure(RobustLeastSquares& problem, const torch::Tensor& test, const std::string& method, TradeoffRun& run) {
  torch::NoGradGuard no_grad;
  std::vector<double> losses;
  for (const double delta : run.deltas) {
    losses.push_back(problem.per_sample_loss((1 + delta) * test, {}).mean().item<double>());
    if (!std::isfinite(losses.back())) {
      throw RunError(c10::str(method, ", seed ", run.seed, ": the loss at Δ = ", delta, " is ", losses.back()));
    }
  }
  run.methods.push_back(method);
  run.losses.push_back(std::move(losses));
}

std::vector<double> numbers(const torch::Tensor& values) {
  const auto flat = values.contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

/// The runs fit together, and the rows are where missing_statements looks for them.
void check(const std::vector<TradeoffRun>& runs) {
  ARKS_CHECK(!runs.empty(), "trade-off: at least one run is needed, got none");
  const auto& first = runs.front();
  ARKS_CHECK(first.methods.size() >= 3 && first.methods[kPopulation] == kPopulationName &&
                 first.methods[kErm] == kErmName && first.methods.back() == kRoName,
             "trade-off: the methods must be ", kPopulationName, ", ", kErmName, ", ARKS by increasing σ, ", kRoName,
             ", got ", join(first.methods));
  for (const auto& run : runs) {
    ARKS_CHECK(run.methods == first.methods && run.deltas == first.deltas, "trade-off: the runs of seeds ", first.seed,
               " and ", run.seed, " do not have the same methods and deltas");
  }
}

bool has_shape(const TradeoffRun& run) {
  if (run.deltas.empty() || run.losses.size() != run.methods.size()) return false;
  for (const auto& losses : run.losses) {
    if (losses.size() != run.deltas.size()) return false;
  }
  return true;
}

/// Reads the text with `read`, which may fail as the JSON library does or return false.
template <typename Read>
void parse(const std::string& text, const std::string& what, Read read) {
  bool fits = false;
  try {
    fits = read(parse_json(text));
  } catch (const Json::exception&) {
    fits = false;
  }
  constexpr size_t kShown = 60;
  ARKS_CHECK(fits, "not ", what, ": '", text.substr(0, std::min(text.find('\n'), kShown)), "'");
}

}  // namespace

TradeoffRun run_tradeoff(const TradeoffSettings& settings, uint64_t seed) {
  check(settings);
  const OneThread one_thread;  // ten samples of ten numbers
  auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  const auto worst_case = solve_worst_case(problem);
  const auto train = draw_training(settings.train_samples, seed), test = draw(settings.test_samples, seed, 1);
  TradeoffRun run;
  run.seed = seed;
  run.deltas = settings.deltas;
  problem.set_theta(problem.population_solution(kHalfWidth));
  measure(problem, test, kPopulationName, run);
  problem.set_theta(problem.erm_solution(train));
  measure(problem, test, kErmName, run);
  for (const double sigma : settings.sigmas) {
    DescentAscent(problem, sigma, settings.one_start).train(train);
    measure(problem, test, "ARKS σ " + shortest(sigma), run);
  }
  problem.set_theta(worst_case.theta);
  measure(problem, test, kRoName, run);
  return run;
}

std::vector<std::string> missing_statements(const std::vector<TradeoffRun>& runs) {
  check(runs);
  constexpr double kSame = 0.01;  // ARKS reaches RO, so that their order is a matter of the last digit
  const auto& methods = runs.front().methods;
  const size_t last = runs.front().deltas.size() - 1, ro = methods.size() - 1;
  const auto mean = [&](size_t method, size_t delta) {
    std::vector<double> losses;
    for (const auto& run : runs) losses.push_back(run.losses.at(method).at(delta));
    return spread(losses).mean;
  };
  const auto rise = [&](size_t method) { return mean(method, last) - mean(method, 0); };
  std::vector<std::string> found;
  for (size_t method = kErm; method <= ro; ++method) {
    const auto& name = methods[method];
    if (mean(kPopulation, 0) >= mean(method, 0)) found.push_back("at the smallest Δ " + name + " beats the optimum");
    if (method == kErm) continue;
    if (mean(method, last) > mean(method - 1, last) + kSame) {
      found.push_back("at the largest Δ the loss grows with " + name);
    }
    if (rise(method) > rise(method - 1) + kSame) found.push_back("the loss rises faster with Δ at " + name);
  }
  if (mean(kErm, 0) >= mean(ro, 0)) found.push_back("at the smallest Δ RO beats ERM");
  return found;
}

HistogramRun run_histogram(double sigma, int64_t train_samples, bool one_start, uint64_t seed) {
  ARKS_CHECK(std::isfinite(sigma) && sigma > 0, "histogram: sigma must be positive and finite, got ", sigma);
  ARKS_CHECK(train_samples > 0, "histogram: the number of samples must be positive, got ", train_samples);
  const OneThread one_thread;
  auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  const auto train = draw_training(train_samples, seed);
  DescentAscent arks(problem, sigma, one_start);
  arks.train(train);
  const auto adversarial = arks.maximize(train).u;
  return {seed, sigma, numbers(train), numbers(adversarial), mmd(arks.kernel(), train, adversarial)};
}

std::string to_json(const TradeoffRun& run) {
  return json_line({{"seed", run.seed}, {"deltas", run.deltas}, {"methods", run.methods}, {"losses", run.losses}});
}

std::string to_json(const HistogramRun& run) {
  return json_line({{"seed", run.seed},
                    {"sigma", run.sigma},
                    {"samples", run.samples},
                    {"adversarial", run.adversarial},
                    {"mmd", run.mmd}});
}

TradeoffRun parse_tradeoff_run(const std::string& text) {
  TradeoffRun run;
  parse(text, "a run of the trade-off, with seed, deltas, methods and losses[method][delta]", [&](const Json& json) {
    json.at("seed").get_to(run.seed);
    json.at("deltas").get_to(run.deltas);
    json.at("methods").get_to(run.methods);
    json.at("losses").get_to(run.losses);
    return has_shape(run);
  });
  return run;
}

HistogramRun parse_histogram_run(const std::string& text) {
  HistogramRun run;
  parse(text, "a run of the histogram, with seed, sigma, mmd and as many samples as adversarial",
        [&](const Json& json) {
          json.at("seed").get_to(run.seed);
          json.at("sigma").get_to(run.sigma);
          json.at("samples").get_to(run.samples);
          json.at("adversarial").get_to(run.adversarial);
          json.at("mmd").get_to(run.mmd);
          return !run.samples.empty() && run.samples.size() == run.adversarial.size();
        });
  return run;
}

}  // namespace arks::study
