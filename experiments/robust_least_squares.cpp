// The paper's trade-off on robust least squares: ERM, RO and ARKS are trained on a few ξ ~ U[−½,½] and tested under
// (1+Δ)·ξ. Beside them the ERM of the whole training distribution, which nothing can beat at Δ = 0.
//   arks-robust-least-squares [--runs 10] [--sigma 0.1,0.2,…] [--delta 0:4:0.5] [--out FOLDER] [--check]
// ERM is solved in closed form, RO on |ξ| ≤ 1 by the El Ghaoui–Lebret SDP, ARKS by gradient descent-ascent: L-BFGS for
// u, projected onto [−1,1], inside of L-BFGS for θ. Prints a table, the MMD between samples and adversarial samples,
// and whether the trade-off shows; writes losses.csv and mmd.csv.
#include <arks/arks.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace arks {

namespace {

struct Settings {
  int64_t runs = 10, train_samples = 10, test_samples = 500;
  std::vector<double> sigmas, deltas;
  std::filesystem::path out;
  bool one_start = false, check = false;
};

constexpr double kHalfWidth = 0.5;  // of the training distribution
constexpr double kMmdSigma = 0.41;  // of ARKS and of the MMD in the paper's figure

/// Losses of one method: [shift][run].
struct Row {
  std::string method;
  std::vector<std::vector<double>> losses;
};

struct Spread {
  double mean = 0, deviation = 0, error = 0;  // standard deviation, standard error of the mean
};

Spread spread(const std::vector<double>& values) {
  const auto all = torch::tensor(values, torch::kDouble);
  Spread result;
  result.mean = all.mean().item<double>();
  if (values.size() > 1) result.deviation = all.std().item<double>();
  result.error = result.deviation / std::sqrt(static_cast<double>(values.size()));
  return result;
}

/// ξ ~ U[−½,½], [n,1].
torch::Tensor draw(int64_t count, uint64_t seed, uint64_t which) {
  auto generator = make_generator(seed, Stream::kSamples, which);
  return torch::empty({count, 1}, torch::kDouble).uniform_(-kHalfWidth, kHalfWidth, generator);
}

/// ARKS as gradient descent-ascent with u in [−1,1].
class DescentAscent {
 public:
  DescentAscent(RobustLeastSquares& problem, double sigma, bool one_start)
      : problem_(problem), kernel_(GaussianKernel(sigma)), one_start_(one_start) {
    const auto ascent = AscentOptions().rule(AscentRule::kLbfgs).steps(10).learning_rate(1);
    maximizer_ = make_maximizer(problem_, product_, kernel_.cost(), ascent, std::make_shared<Box>(Bounds{-1, 1}));
  }

  /// u* for every sample. A loss that is convex in u has a maximum on either side, so that the ascent from ξ alone
  /// finds the nearer one; the ends of the domain are starts too.
  InnerResult maximize(const torch::Tensor& xi) {
    auto best = maximizer_->maximize(xi, {});
    if (one_start_) return best;
    for (const double end : {-1, 1}) best.take_better(maximizer_->maximize(xi, {}, torch::full_like(xi, end)));
    return best;
  }

  /// Minimises the surrogate, which is convex in θ, from the ERM solution.
  void train(const torch::Tensor& xi) {
    problem_.set_theta(problem_.erm_solution(xi));
    // with a search for the step length: where u* jumps from one end to the other the surrogate has a kink
    torch::optim::LBFGS optimizer(problem_.parameters(),
                                  torch::optim::LBFGSOptions(1.0).max_iter(200).line_search_fn("strong_wolfe"));
    optimizer.step([&] {
      optimizer.zero_grad();
      const auto inner = maximize(xi);
      const auto surrogate = product_->value(problem_.per_sample_loss(inner.u, {}), inner.costs).mean();
      surrogate.backward();
      return surrogate;
    });
  }

  /// MMD (biased) between the samples and what the ascent makes of them.
  double mmd(const torch::Tensor& xi) { return arks::mmd(kernel_, xi, maximize(xi).u); }

 private:
  RobustLeastSquares& problem_;
  Kernel kernel_;
  bool one_start_;
  std::shared_ptr<KernelProduct> product_ = std::make_shared<KernelProduct>(kernel_.temperature());
  std::unique_ptr<Maximizer> maximizer_;
};

class Experiment {
 public:
  explicit Experiment(Settings settings) : settings_(std::move(settings)) {
    add_row("ERM of the population");
    add_row("ERM");
    for (const double sigma : settings_.sigmas) add_row("ARKS σ " + shortest(sigma));
    add_row("RO");
    worst_case_ = solve_worst_case(problem_);
  }

  void run() {
    for (int64_t i = 0; i < settings_.runs; ++i) run_once(static_cast<uint64_t>(i));
  }

  std::string table() const;
  std::string losses_csv() const;
  const std::vector<double>& mmds() const { return mmds_; }
  double worst_case_value() const { return worst_case_.value; }
  /// What must show in the means and does not; empty when all does.
  std::vector<std::string> missing() const;

 private:
  void add_row(const std::string& method) {
    rows_.push_back({method, std::vector<std::vector<double>>(settings_.deltas.size())});
  }

  void run_once(uint64_t seed) {
    const auto train = draw(settings_.train_samples, seed, 0), test = draw(settings_.test_samples, seed, 1);
    problem_.set_theta(problem_.population_solution(kHalfWidth));
    measure(rows_[kPopulation], test);
    problem_.set_theta(problem_.erm_solution(train));
    measure(rows_[kErm], test);
    for (size_t i = 0; i < settings_.sigmas.size(); ++i) {
      DescentAscent(problem_, settings_.sigmas[i], settings_.one_start).train(train);
      measure(rows_[kErm + 1 + i], test);
    }
    problem_.set_theta(worst_case_.theta);
    measure(rows_.back(), test);
    DescentAscent arks(problem_, kMmdSigma, settings_.one_start);
    arks.train(train);
    mmds_.push_back(arks.mmd(train));
  }

  void measure(Row& row, const torch::Tensor& test) {
    torch::NoGradGuard no_grad;
    for (size_t d = 0; d < settings_.deltas.size(); ++d) {
      const auto shifted = (1 + settings_.deltas[d]) * test;
      row.losses[d].push_back(problem_.per_sample_loss(shifted, {}).mean().item<double>());
    }
  }

  static constexpr size_t kPopulation = 0, kErm = 1;

  double mean(size_t row, size_t delta) const { return spread(rows_[row].losses[delta]).mean; }

  Settings settings_;
  RobustLeastSquares problem_ = RobustLeastSquares::boyd_vandenberghe_6_15();
  WorstCaseSolution worst_case_;
  std::vector<Row> rows_;  // the two ERM, ARKS in the order of σ, RO
  std::vector<double> mmds_;
};

std::string Experiment::table() const {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << "| method |";
  for (const double delta : settings_.deltas) text << " Δ " << shortest(delta) << " |";
  text << "\n|---|";
  for (size_t d = 0; d < settings_.deltas.size(); ++d) text << "---|";
  text << "\n";
  for (const auto& row : rows_) {
    text << "| " << row.method << " |";
    for (const auto& losses : row.losses) {
      const auto found = spread(losses);
      text << " " << found.mean << " ± " << found.error << " |";
    }
    text << "\n";
  }
  return text.str();
}

std::string Experiment::losses_csv() const {
  std::string text = "method,delta,mean,standard_error,runs\n";
  for (const auto& row : rows_) {
    for (size_t d = 0; d < settings_.deltas.size(); ++d) {
      const auto found = spread(row.losses[d]);
      text += c10::str(row.method, ",", shortest(settings_.deltas[d]), ",", shortest(found.mean), ",",
                       shortest(found.error), ",", row.losses[d].size(), "\n");
    }
  }
  return text;
}

std::vector<std::string> Experiment::missing() const {
  constexpr double kSame = 0.01;  // ARKS reaches RO, so that their order is a matter of the last digit
  std::vector<std::string> found;
  const size_t last = settings_.deltas.size() - 1, ro = rows_.size() - 1;
  const auto rise = [&](size_t row) { return mean(row, last) - mean(row, 0); };
  for (size_t row = kErm; row <= ro; ++row) {
    const auto& name = rows_[row].method;
    if (mean(kPopulation, 0) >= mean(row, 0)) found.push_back("at the smallest Δ " + name + " beats the optimum");
    if (row == kErm) continue;
    if (mean(row, last) > mean(row - 1, last) + kSame) found.push_back("at the largest Δ the loss grows with " + name);
    if (rise(row) > rise(row - 1) + kSame) found.push_back("the loss rises faster with Δ at " + name);
  }
  if (mean(kErm, 0) >= mean(ro, 0)) found.push_back("at the smallest Δ RO beats ERM");
  return found;
}

void write(const Settings& settings, const Experiment& experiment) {
  write_file_atomically(settings.out / "losses.csv", experiment.losses_csv());
  std::string mmds = "run,mmd\n";
  for (size_t i = 0; i < experiment.mmds().size(); ++i) mmds += c10::str(i, ",", shortest(experiment.mmds()[i]), "\n");
  write_file_atomically(settings.out / "mmd.csv", mmds);
  std::cout << "\nwritten: " << (settings.out / "losses.csv").string() << ", " << (settings.out / "mmd.csv").string()
            << "\n";
}

int run(const Settings& settings) {
  Experiment experiment(settings);
  experiment.run();
  std::cout << "Mean loss on " << settings.test_samples << " samples of (1+Δ)·U[−0.5,0.5], trained on "
            << settings.train_samples << " of U[−0.5,0.5]; " << settings.runs << " runs, ± standard error.\n\n"
            << experiment.table() << "\nRO: the worst case over |ξ| ≤ 1 is " << experiment.worst_case_value() << "\n";
  const auto found = spread(experiment.mmds());
  std::cout << std::fixed << std::setprecision(3) << "MMD between samples and adversarial samples, σ = " << kMmdSigma
            << ": " << found.mean << " ± " << found.deviation << " (standard deviation over " << settings.runs
            << " runs; the paper reports 0.167 ± 0.02)\n";
  const auto missing = experiment.missing();
  for (const auto& statement : missing) std::cout << "the trade-off does not show: " << statement << "\n";
  if (missing.empty())
    std::cout << "The trade-off shows: best at the smallest Δ is ERM of the population; from ERM over ARKS with "
                 "growing σ to RO the loss rises ever more slowly.\n";
  if (!settings.out.empty()) write(settings, experiment);
  return settings.check && !missing.empty() ? 1 : 0;
}

Settings parse(int argc, char** argv) {
  Settings settings;
  std::string sigmas = "0.1,0.2,0.41,1,2,10", deltas = "0:4:0.5";
  CLI::App app("The trade-off between ERM, ARKS and RO on robust least squares");
  app.add_option("--runs", settings.runs, "seeds 0, 1, …")->capture_default_str();
  app.add_option("--train-samples", settings.train_samples)->capture_default_str();
  app.add_option("--test-samples", settings.test_samples)->capture_default_str();
  app.add_option("--sigma", sigmas, "bandwidths of ARKS, rising")->capture_default_str();
  app.add_option("--delta", deltas, "shifts of the test distribution, rising")->capture_default_str();
  app.add_option("--out", settings.out, "folder for losses.csv and mmd.csv");
  app.add_flag("--one-start", settings.one_start, "climb from the samples alone and not from -1 and 1 too");
  app.add_flag("--check", settings.check, "fail when the trade-off does not show");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    std::exit(0);
  } catch (const CLI::ParseError& error) {
    throw Error(error.what());
  }
  settings.sigmas = parse_numbers(sigmas, "--sigma");
  settings.deltas = parse_numbers(deltas, "--delta");
  for (const char* file : {"losses.csv", "mmd.csv"}) {
    ARKS_CHECK(settings.out.empty() || !std::filesystem::exists(settings.out / file),
               "--out: ", (settings.out / file).string(), " exists; give another folder");
  }
  if (!settings.out.empty()) std::filesystem::create_directories(settings.out);
  for (const auto* numbers : {&settings.sigmas, &settings.deltas}) {
    ARKS_CHECK(!numbers->empty() && std::is_sorted(numbers->begin(), numbers->end()),
               "--sigma and --delta must be rising numbers");
  }
  for (const int64_t count : {settings.runs, settings.train_samples, settings.test_samples}) {
    ARKS_CHECK(count > 0, "numbers of runs and samples must be positive, got ", count);
  }
  return settings;
}

}  // namespace

}  // namespace arks

int main(int argc, char** argv) {
  try {
    torch::set_num_threads(1);  // ten samples of ten numbers
    arks::set_blas_threads(1);
    return arks::run(arks::parse(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return dynamic_cast<const arks::Error*>(&error) != nullptr ? 2 : 1;
  }
}
