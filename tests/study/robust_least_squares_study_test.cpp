#include "study/robust_least_squares_study.h"

#include <cmath>

#include "sdp/solver.h"
#include "study/spread.h"
#include "support/testing.h"

namespace arks::study {

using testing::expect_error;

namespace {

Spread losses_of(const std::vector<TradeoffRun>& runs, size_t method, size_t delta) {
  std::vector<double> losses;
  for (const auto& run : runs) losses.push_back(run.losses.at(method).at(delta));
  return spread(losses);
}

/// Numbers that show what they must.
TradeoffRun made_up_run() {
  TradeoffRun run;
  run.seed = 3;
  run.deltas = {0, 4};
  run.methods = {"ERM of the population", "ERM", "ARKS σ 1", "RO"};
  run.losses = {{1.0, 7.0}, {1.1, 8.0}, {1.2, 3.0}, {1.3, 2.0}};
  return run;
}

/// The statements missing after one number of the made-up run is changed.
std::vector<std::string> missing_with(size_t method, size_t delta, double loss) {
  auto run = made_up_run();
  run.losses[method][delta] = loss;
  return missing_statements({run});
}

using Sentences = std::vector<std::string>;

}  // namespace

class Tradeoff : public testing::WithSdpComponent {};

TEST_F(Tradeoff, OfErmAndRoComesNearToTheExpectedLosses) {
  TradeoffSettings settings;
  settings.sigmas = {};
  settings.deltas = {0, 1, 2, 3, 4};
  std::vector<TradeoffRun> runs;
  for (uint64_t seed = 0; seed < 10; ++seed) runs.push_back(run_tradeoff(settings, seed));
  ASSERT_EQ(runs[0].methods, (Sentences{"ERM of the population", "ERM", "RO"}));
  const double population[] = {1.0564, 1.8051, 3.0529, 4.7998, 7.0459}, ro[] = {1.347, 1.411, 1.518, 1.669, 1.862};
  for (size_t delta = 0; delta < 5; ++delta) {
    const auto of_population = losses_of(runs, 0, delta), of_ro = losses_of(runs, 2, delta);
    EXPECT_LT(std::abs(of_population.mean - population[delta]), 3 * of_population.error) << delta;
    EXPECT_LT(std::abs(of_ro.mean - ro[delta]), 3 * of_ro.error + 5e-4) << delta;  // known to three digits
  }
  const auto erm = losses_of(runs, 1, 0);
  EXPECT_NEAR(erm.mean, 1.125, 5e-4);
  EXPECT_NEAR(erm.error, 0.019, 5e-4);
  EXPECT_EQ(missing_statements(runs), Sentences{});
}

TEST_F(Tradeoff, ShowsWhatItMust) {
  TradeoffSettings settings;
  settings.sigmas = {0.41, 10};
  settings.deltas = {0, 4};
  const std::vector<TradeoffRun> runs = {run_tradeoff(settings, 0), run_tradeoff(settings, 1)};
  EXPECT_EQ(runs[1].seed, 1u);
  EXPECT_EQ(runs[0].methods, (Sentences{"ERM of the population", "ERM", "ARKS σ 0.41", "ARKS σ 10", "RO"}));
  EXPECT_NE(runs[0].losses, runs[1].losses);
  EXPECT_EQ(missing_statements(runs), Sentences{});
  for (const auto& run : runs) {
    for (const size_t delta : {0, 1}) EXPECT_NEAR(run.losses[3][delta], run.losses[4][delta], 0.01);  // σ → ∞ is RO
  }
}

TEST_F(Tradeoff, WithASmallBandwidthIsErm) {
  TradeoffSettings settings;
  settings.sigmas = {0.001};
  settings.deltas = {0, 4};
  const auto run = run_tradeoff(settings, 0);
  for (const size_t delta : {0, 1}) EXPECT_NEAR(run.losses[2][delta] / run.losses[1][delta], 1, 1e-4);
}

TEST_F(Tradeoff, FromTheSamplesAloneDoesNotReachRo) {
  TradeoffSettings settings;
  settings.sigmas = {10};
  settings.deltas = {0, 4};
  const auto from_ends = run_tradeoff(settings, 0);
  settings.one_start = true;
  const auto from_samples = run_tradeoff(settings, 0);
  EXPECT_EQ(from_samples.losses[1], from_ends.losses[1]);
  EXPECT_NEAR(from_ends.losses[2][1], from_ends.losses[3][1], 0.01);
  EXPECT_GT(std::abs(from_samples.losses[2][1] - from_samples.losses[3][1]), 0.01);
}

TEST(TradeoffSettings, RefusesWhatCannotBeRun) {
  const auto expect_refused = [](const std::function<void(TradeoffSettings&)>& change, const std::string& part) {
    TradeoffSettings settings;
    change(settings);
    expect_error([&] { run_tradeoff(settings, 0); }, part);
  };
  expect_refused([](auto& s) { s.sigmas = {1, 0.5}; }, "sigmas must increase, got 0.5 after 1");
  expect_refused([](auto& s) { s.sigmas = {0, 1}; }, "sigmas must be positive, got 0");
  expect_refused([](auto& s) { s.deltas = {}; }, "at least one delta is needed");
  expect_refused([](auto& s) { s.deltas = {0, 0}; }, "deltas must increase, got 0 after 0");
  expect_refused([](auto& s) { s.deltas = {INFINITY}; }, "deltas must be finite, got inf");
  expect_refused([](auto& s) { s.train_samples = 0; }, "numbers of samples must be positive, got 0");
}

TEST(TradeoffStatements, FailOnNumbersThatContradictThem) {
  EXPECT_EQ(missing_statements({made_up_run()}), Sentences{});
  EXPECT_EQ(missing_with(2, 0, 0.9), (Sentences{"at the smallest Δ ARKS σ 1 beats the optimum"}));
  EXPECT_EQ(missing_with(2, 1, 9),
            (Sentences{"at the largest Δ the loss grows with ARKS σ 1", "the loss rises faster with Δ at ARKS σ 1"}));
  EXPECT_EQ(missing_with(3, 1, 3.05),
            (Sentences{"at the largest Δ the loss grows with RO"}));  // a rise of 1.75 against 1.8
  EXPECT_EQ(missing_with(1, 0, 1.5), (Sentences{"at the smallest Δ RO beats ERM"}));
}

TEST(TradeoffStatements, AreAboutTheMeansOverRuns) {
  auto low = made_up_run(), high = made_up_run();
  low.losses[2][0] = 0.9;  // beats the optimum, but not in the mean
  high.losses[2][0] = 1.5;
  EXPECT_EQ(missing_statements({low, high}), Sentences{});
  high.losses[2][0] = 1.05;
  EXPECT_EQ(missing_statements({low, high}), (Sentences{"at the smallest Δ ARKS σ 1 beats the optimum"}));
}

TEST(TradeoffStatements, RefuseRunsThatDoNotFitTogether) {
  expect_error([] { missing_statements({}); }, "at least one run is needed");
  auto other = made_up_run();
  other.seed = 4;
  other.deltas = {0, 5};
  expect_error([&] { missing_statements({made_up_run(), other}); }, "seeds 3 and 4 do not have the same methods");
  auto wrong = made_up_run();
  std::swap(wrong.methods[0], wrong.methods[3]);
  expect_error([&] { missing_statements({wrong}); }, "the methods must be ERM of the population, ERM, ARKS");
}

TEST(TradeoffJson, GoesThereAndBack) {
  auto run = made_up_run();
  run.seed = 0xffffffffffffffff;
  run.losses[1][1] = 0.1 + 0.2;
  const auto back = parse_tradeoff_run(to_json(run));
  EXPECT_EQ(back.seed, run.seed);
  EXPECT_EQ(back.deltas, run.deltas);
  EXPECT_EQ(back.methods, run.methods);
  EXPECT_EQ(back.losses, run.losses);
}

TEST(TradeoffJson, RefusesWhatIsNoRun) {
  auto uneven = made_up_run();
  uneven.losses[1].pop_back();
  auto infinite = made_up_run();
  infinite.losses[1][1] = INFINITY;
  for (const std::string& text : {std::string(), std::string("[1]"), std::string("{\"seed\": 1}"), to_json(uneven),
                                  to_json(infinite), to_json(made_up_run()).substr(0, 50)}) {
    expect_error([&] { parse_tradeoff_run(text); }, "not a run of the trade-off, with seed, deltas, methods");
  }
}

TEST(Histogram, HasAdversarialSamplesInTheDomainFurtherOutThanTheSamples) {
  const auto run = run_histogram(0.41, 10, /*one_start=*/false, 0);
  ASSERT_EQ(run.samples.size(), 10u);
  ASSERT_EQ(run.adversarial.size(), 10u);
  double moved = 0;
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_LE(std::abs(run.samples[i]), 0.5);
    EXPECT_LE(std::abs(run.adversarial[i]), 1);
    moved += std::abs(run.adversarial[i]) - std::abs(run.samples[i]);
  }
  EXPECT_GT(moved / 10, 0.05);
  EXPECT_EQ(run.sigma, 0.41);
}

TEST(Histogram, GivesTheMmdBetweenBothByItsFormula) {
  const auto run = run_histogram(0.41, 4, /*one_start=*/false, 5);
  const auto mean_kernel = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (const double x : a) {
      for (const double z : b) sum += std::exp(-(x - z) * (x - z) / (2 * 0.41 * 0.41));
    }
    return sum / static_cast<double>(a.size() * b.size());
  };
  const double squared = mean_kernel(run.samples, run.samples) + mean_kernel(run.adversarial, run.adversarial) -
                         2 * mean_kernel(run.samples, run.adversarial);
  EXPECT_NEAR(run.mmd, std::sqrt(squared), 1e-12);
}

TEST(Histogram, GivesTheNumbersThatTheResultsRestOn) {
  EXPECT_NEAR(run_histogram(0.41, 10, /*one_start=*/false, 0).mmd, 0.225468, 1e-6);
  EXPECT_NEAR(run_histogram(0.41, 10, /*one_start=*/false, 1).mmd, 0.196952, 1e-6);
}

TEST(Histogram, WithASmallBandwidthMovesNothing) {
  const auto run = run_histogram(0.001, 10, /*one_start=*/false, 0);
  for (size_t i = 0; i < 10; ++i) EXPECT_NEAR(run.adversarial[i], run.samples[i], 1e-4);
}

TEST(Histogram, RefusesWhatCannotBeRun) {
  expect_error([] { run_histogram(0, 10, false, 0); }, "sigma must be positive and finite, got 0");
  expect_error([] { run_histogram(1, 0, false, 0); }, "the number of samples must be positive, got 0");
}

TEST(HistogramJson, GoesThereAndBack) {
  HistogramRun run;
  run.seed = 7;
  run.sigma = 0.41;
  run.samples = {-0.1, 1.0 / 3};
  run.adversarial = {-0.7, 1};
  run.mmd = 0.1 + 0.2;
  const auto back = parse_histogram_run(to_json(run));
  EXPECT_EQ(back.seed, run.seed);
  EXPECT_EQ(back.sigma, run.sigma);
  EXPECT_EQ(back.samples, run.samples);
  EXPECT_EQ(back.adversarial, run.adversarial);
  EXPECT_EQ(back.mmd, run.mmd);
  run.samples.pop_back();
  expect_error([&] { parse_histogram_run(to_json(run)); }, "not a run of the histogram");
  expect_error([] { parse_histogram_run("{}"); }, "not a run of the histogram");
}

}  // namespace arks::study
