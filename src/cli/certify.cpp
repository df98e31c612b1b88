#include "certify/float64_guard.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/kernel_settings.h"
#include "cli/load_data.h"
#include "cli/load_run.h"
#include "cli/progress.h"

#include <ATen/Parallel.h>
#include <arks/certify/certificate.h>
#include <arks/certify/convexity.h>
#include <arks/certify/kernel_cost.h>
#include <arks/problem/state_guard.h>
#include <arks/report/certificate_report.h>
#include <arks/report/figure.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>

namespace arks::cli {

namespace {

class CertifyCommand : public Command {
 public:
  explicit CertifyCommand(CommandLine& line);
  int run() override;

 private:
  void check_flags() const;
  void load();
  bool has_curve() const { return !convexity_ || rho_.has_value(); }
  std::optional<std::vector<double>> temperatures(const Cost& cost) const;
  bool is_mahalanobis() const { return distance_.cost.value_or("") == "mahalanobis"; }
  std::string usual_cost() const { return method_ == "wrm" ? "sq-l2" : "half-sq-l2"; }
  CostPtr base_cost() const;
  CostPtr cost() const;
  CTransformOptions transform() const;
  CertificateOptions certificate_options() const;
  ConvexityOptions convexity_options() const;
  void draw(const Certificate& certificate) const;
  std::vector<std::pair<std::string, ConfigValue>> config(const CertificateReport& report) const;

  std::string model_name_;
  std::string method_ = "arks", label_ = "verified", split_ = "test";
  std::optional<std::string> rho_, sigma_, gamma_, temperature_, quantity_, domain_;
  KernelSettings distance_;  // of it the cost, and what that needs
  std::optional<double> delta_, floor_, cap_, lipschitz_, curvature_, kernel_temperature_;
  bool convexity_ = false, force_ = false;
  int64_t starts_ = 0, inner_steps_ = 50, limit_ = 100, batch_size_ = 256, seed_ = 0;
  std::string data_, csv_, figure_;
  TestDataSettings test_data_;  // where no run says how the data were divided
  ModelSettings scaling_;       // in front of a TorchScript file

  std::string run_name_;
  DatasetPtr data_set_;
  std::vector<std::pair<std::string, std::string>> data_rows_;  // how the samples were chosen
  CostPtr mahalanobis_;                                         // known when the data are
  std::unique_ptr<SupervisedProblem> problem_;
};

std::vector<std::string> method_names() {
  return {"arks", "wrm", "ke", "c-transform"};
}

CertifyCommand::CertifyCommand(CommandLine& line)
    : Command(line.add_command(
          "certify", "Prove how large the loss can become when the data shift",
          "For every distribution within transport cost rho of the samples the mean of the log loss (arks) or of the\n"
          "loss (wrm, ke) is at most the bound. The label says what stands behind it: estimated, the inner supremum\n"
          "was searched by ascent and nothing is proved; verified, it was bounded from above for every sample, from\n"
          "the norms of the layers; population, it holds for the distribution behind the samples except with\n"
          "probability delta, for losses clipped to [floor, cap]. Population statements are about this one model: the\n"
          "uniform statement over all models (Rademacher complexity) is out of scope. arks measures rho with\n"
          "|u-x|^2/2, wrm with |u-x|^2, so that their rho differ by a factor of 2.\n\n"
          "Example (after the example of arks train --help):\n"
          "  arks certify runs/example --rho 0:0.2:0.1 --sigma 0.2,0.5 --limit 4 --inner-steps 20")) {
  flags_.argument("MODEL", model_name_, "run folder, checkpoint, or TorchScript file (with --data)", true);
  flags_.group("Certificate");
  flags_.option("--method", method_, "arks | wrm | ke | c-transform [arks]");
  flags_.option("--rho", rho_, "radii, in units of the cost: a number, a list a,b or a range a:b:step [0:0.5:0.05]",
                "LIST");
  flags_.option("--sigma", sigma_,
                "arks: bandwidths (|u-x|^2/(2 sigma^2); l1, l2: |u-x|/sigma), the best one counts for each rho; inf "
                "with --domain [searched for each rho]; ke: bandwidth of k, one number",
                "LIST");
  flags_.option("--gamma", gamma_, "wrm, ke, c-transform: what multiplies the cost [searched for each rho]", "LIST");
  flags_.option("--temperature", temperature_, "tau itself, instead of --sigma or --gamma = 1/tau", "LIST");
  flags_.option(
      "--cost", distance_.cost,
      "half-sq-l2 | sq-l2 | l2 | l1 | linf | mahalanobis [wrm: sq-l2; others: half-sq-l2; ke: of its kernel]");
  add_mahalanobis_settings(flags_, distance_);
  flags_.option("--kernel-temperature", kernel_temperature_,
                "ke: tau of its kernel exp(-cost/tau), instead of --sigma, for any cost [imq: 1]");
  flags_.option("--imq-scale", distance_.imq_scale,
                "the cost ln(1 + |u-x|^2/C^2)/2 of the inverse multiquadric kernel, C in units of the input; with "
                "--domain and --temperature");
  flags_.option("--quantity", quantity_, "c-transform: log_loss | loss [loss]");
  flags_.option("--label", label_, "verified | estimated | population [verified]");
  flags_.option("--delta", delta_, "population: how often the statement may be wrong, in (0,1)");
  flags_.option("--floor", floor_, "population: losses below count as this");
  flags_.option("--cap", cap_, "population: losses above count as this");
  flags_.option("--domain", domain_, "compact set that holds all inputs, lo,hi or per feature lo,hi;lo,hi [all space]",
                "LO,HI");
  flags_.option("--lipschitz", lipschitz_, "G of the quantity, where you know it [from the layers]");
  flags_.option("--curvature", curvature_, "L, largest eigenvalue of its Hessian, where you know it [from the layers]");
  flags_.flag("--convexity", convexity_,
              "Proposition 4.1: G, L, the largest sigma with a provably concave inner problem, and how often ascents "
              "from several starts agree; with --rho a certificate too");
  flags_.group("Inner maximisation (L-BFGS in float64)");
  flags_.option("--starts", starts_, "ascents per sample, the first at the sample, others at random [2; convexity: 5]");
  flags_.option("--inner-steps", inner_steps_, "steps at most; it ends when the gradient is below 1e-8 [50]");
  flags_.group("Data");
  flags_.option("--data", data_, "data set [the one MODEL was trained on; needed for a TorchScript file]");
  flags_.option("--split", split_, "test | train [test]");
  flags_.option("--limit", limit_, "use the first N samples; 0 = all [100]");
  flags_.option("--batch-size", batch_size_, "samples at once [256]");
  flags_.option("--seed", seed_, "of random starts [0]");
  add_test_data_settings(flags_, test_data_);
  flags_.group("TorchScript file");
  add_scaling_settings(flags_, scaling_);
  flags_.group("Output");
  flags_.option("--csv", csv_, "write the curve as CSV; - = stdout", "FILE|-");
  flags_.option("--figure", figure_, "draw bound and attained curve, as .svg or .png; several files with commas",
                "FILE");
  flags_.flag("--force", force_, "overwrite output files");
  add_common_options(flags_, common_);
}

/// As parse_numbers, with "inf" in a list.
std::vector<double> parse_strengths(const std::string& text, const std::string& flag) {
  if (text.find("inf") == std::string::npos) return parse_numbers(text, flag);
  std::vector<double> numbers;
  for (const auto& part : split(text, ',')) numbers.push_back(part == "inf" ? HUGE_VAL : parse_number(part, flag));
  return numbers;
}

void CertifyCommand::check_flags() const {
  const auto known = method_names();
  ARKS_CHECK(std::find(known.begin(), known.end(), method_) != known.end(), "unknown method '", method_, "'",
             did_you_mean(method_, known), "; known: ", join(known));
  ARKS_CHECK(split_ == "test" || split_ == "train", "--split must be test or train, got '", split_, "'");
  parse_certificate_label(label_);
  if (quantity_) parse_quantity(*quantity_);
  ARKS_CHECK(!quantity_ || method_ == "c-transform", "--quantity goes with --method c-transform; ", method_,
             " has its own");
  ARKS_CHECK(!sigma_ || method_ == "arks" || method_ == "ke", "--sigma goes with arks and ke; ", method_,
             " takes --gamma");
  ARKS_CHECK(!gamma_ || method_ != "arks", "--gamma goes with wrm, ke and c-transform; arks takes --sigma");
  ARKS_CHECK(!temperature_ || (!gamma_ && (method_ == "ke" || !sigma_)), "--temperature excludes --",
             gamma_ ? "gamma" : "sigma");
  ARKS_CHECK(method_ != "ke" || domain_,
             "--method ke needs --domain lo,hi: its cost is bounded, so without a compact "
             "set the supremum is infinite");
  ARKS_CHECK(method_ != "ke" || sigma_ || kernel_temperature_ || distance_.imq_scale,
             "--method ke needs --sigma, the bandwidth of its kernel, or --kernel-temperature");
  ARKS_CHECK(!kernel_temperature_ || method_ == "ke", "--kernel-temperature goes with --method ke");
  ARKS_CHECK(!kernel_temperature_ || !sigma_, "--sigma and --kernel-temperature exclude one another");
  ARKS_CHECK(is_mahalanobis() || (!distance_.mahalanobis && !distance_.mahalanobis_ridge),
             "--mahalanobis and --mahalanobis-ridge go with --cost mahalanobis");
  ARKS_CHECK(!distance_.imq_scale || !distance_.cost, "--imq-scale is a cost of its own and excludes --cost");
  ARKS_CHECK(starts_ >= 0, "--starts must be positive, got ", starts_);
  ARKS_CHECK(limit_ >= 0, "--limit must not be negative, got ", limit_);
  ARKS_CHECK(batch_size_ > 0, "--batch-size must be positive, got ", batch_size_);
  ARKS_CHECK(seed_ >= 0, "--seed must not be negative, got ", seed_);
  ARKS_CHECK(label_ == "population" || !has_curve() || (!delta_ && !floor_ && !cap_),
             "--delta, --floor and --cap go with --label population, not ", label_);
  if (has_curve()) check(certificate_options());
  ARKS_CHECK(has_curve() || (csv_.empty() && figure_.empty()),
             "--convexity alone has no curve for --csv or --figure; give --rho for a certificate too");
  check_output_file(common_.json, force_, "--json");
  check_output_file(csv_, force_, "--csv");
  for (const auto& file : split(figure_, ',')) check_picture_file(file, force_, "--figure");
  check_distinct_outputs({{common_.json}, {csv_}, split(figure_, ',')});
}

/// Certificates are computed in float64.
void check_float64(Problem& problem, const Dataset& data, const std::string& name) {
  const Float64Guard float64(problem);
  const ModeGuard eval(problem, /*training=*/false);
  torch::NoGradGuard no_grad;
  try {
    problem.predict(data.get(torch::zeros({1}, torch::kLong)).inputs.to(torch::kDouble));
  } catch (const std::exception&) {
    throw Error(name +
                ": certificates are computed in float64, in which this model does not run (frozen weights, or a " +
                "cast to float32 inside); script it with its weights as parameters");
  }
}

void CertifyCommand::load() {
  const std::vector<Run> runs{read_run(model_name_)};
  const auto& run = runs.front();
  run_name_ = run.name;
  check_scaling(scaling_, runs);
  const auto split = split_ == "train" ? Split::kTrain : Split::kTest;
  data_set_ = limited(load_data(runs, split, data_, test_data_, common_), limit_);
  data_rows_ = used_data_settings(runs, data_, test_data_);
  problem_ = make_checked_problem(run, *data_set_, scaling_, parse_engine(common_.engine), /*needs_gradient=*/true,
                                  common_.quiet);
  if (run.is_file()) check_float64(*problem_, *data_set_, run.name);
  if (is_mahalanobis()) {
    // the samples that training has seen, so that the cost is the one it may have been trained with
    const auto limit = run.config.count("train-limit") == 1 ? run.config.at("train-limit") : "0";
    const auto train_part =
        limited(load_data(runs, Split::kTrain, data_, test_data_, common_), parse_whole_number(limit, "train-limit"));
    mahalanobis_ = make_cost(distance_, usual_cost(), *train_part);
  }
}

CostPtr CertifyCommand::base_cost() const {
  if (distance_.imq_scale) return std::make_shared<LogQuadratic>(*distance_.imq_scale);
  if (!is_mahalanobis()) return arks::make_cost(distance_.cost.value_or(usual_cost()));
  if (mahalanobis_) return mahalanobis_;
  return std::make_shared<HalfSquaredL2>();  // of the same kind, for checking flags before the data are there
}

CostPtr CertifyCommand::cost() const {
  const auto base = base_cost();
  if (method_ != "ke") return base;
  if (!sigma_) return std::make_shared<KernelCost>(Kernel(base, kernel_temperature_.value_or(1)));
  const auto sigmas = parse_numbers(*sigma_, "--sigma");
  ARKS_CHECK(sigmas.size() == 1, "--sigma: the kernel of ke has one bandwidth, got ", *sigma_);
  return std::make_shared<KernelCost>(Kernel(base, temperatures_of_sigmas(sigmas, *base).front()));
}

/// Nothing where they are to be searched.
std::optional<std::vector<double>> CertifyCommand::temperatures(const Cost& cost) const {
  if (temperature_) return parse_strengths(*temperature_, "--temperature");
  if (gamma_) return temperatures_of_gammas(parse_numbers(*gamma_, "--gamma"));
  if (sigma_ && method_ == "arks") return temperatures_of_sigmas(parse_strengths(*sigma_, "--sigma"), cost);
  return std::nullopt;
}

CTransformOptions CertifyCommand::transform() const {
  const auto quantity =
      quantity_ ? parse_quantity(*quantity_) : (method_ == "arks" ? Quantity::kLogLoss : Quantity::kLoss);
  auto options = CTransformOptions()
                     .quantity(quantity)
                     .cost(cost())
                     .lipschitz(lipschitz_)
                     .curvature(curvature_)
                     .seed(static_cast<uint64_t>(seed_))
                     .batch_size(batch_size_)
                     .starts(starts_ > 0 ? starts_ : 2);
  if (domain_) options.domain(parse_bounds(*domain_, "--domain"));
  options.ascent().steps(inner_steps_);
  return options;
}

CertificateOptions CertifyCommand::certificate_options() const {
  const auto inner = transform();
  return CertificateOptions()
      .method(method_)
      .transform(inner)
      .rhos(parse_numbers(rho_.value_or("0:0.5:0.05"), "--rho"))
      .temperatures(temperatures(*inner.cost()))
      .label(parse_certificate_label(label_))
      .delta(delta_)
      .floor(floor_)
      .cap(cap_)
      .split(split_ == "train" ? Split::kTrain : Split::kTest);
}

ConvexityOptions CertifyCommand::convexity_options() const {
  auto options = ConvexityOptions().transform(transform().starts(starts_ > 0 ? starts_ : 5));
  return options.temperatures(temperatures(*options.transform().cost()).value_or(std::vector<double>{}));
}

void CertifyCommand::draw(const Certificate& certificate) const {
  Curve bound{to_string(certificate.label) + " bound", {}, {}, {}}, paper{"paper's form", {}, {}, {}};
  Curve estimated{"estimated", {}, {}, {}}, attained{"attained", {}, {}, {}};
  for (const auto& point : certificate.curve) {
    for (auto* curve : {&bound, &paper, &estimated, &attained}) curve->x.push_back(point.rho);
    bound.y.push_back(point.bound);
    paper.y.push_back(point.bound_paper.value_or(HUGE_VAL));
    estimated.y.push_back(point.estimated);
    attained.y.push_back(point.attained);
  }
  std::vector<Curve> curves{bound};
  if (certificate.quantity == Quantity::kLogLoss) curves.push_back(paper);
  if (certificate.label != CertificateLabel::kEstimated) curves.push_back(estimated);
  curves.push_back(attained);
  const auto options = FigureOptions()
                           .title(c10::str(run_name_, ", ", certificate.samples, " ", split_, " samples of ", data_))
                           .x_label("radius rho, cost " + certificate.cost)
                           .y_label(certificate.quantity == Quantity::kLogLoss ? "mean log loss" : "mean loss");
  for (const auto& file : split(figure_, ',')) write_figure(file, curves, options);
}

std::vector<std::pair<std::string, ConfigValue>> CertifyCommand::config(const CertificateReport& report) const {
  std::vector<std::pair<std::string, ConfigValue>> rows{
      {"model", model_name_}, {"data", data_}, {"split", split_}, {"method", method_}, {"cost", cost()->name()}};
  rows.insert(rows.begin() + 2, data_rows_.begin(), data_rows_.end());
  const auto text = [&](const char* name, const std::optional<std::string>& value) {
    if (value) rows.emplace_back(name, *value);
  };
  const auto real = [&](const char* name, const std::optional<double>& value) {
    if (value) rows.emplace_back(name, *value);
  };
  rows.emplace_back("quantity", to_string(transform().quantity()));
  if (report.certificate) {
    rows.emplace_back("label", label_);
    rows.emplace_back("rho", rho_.value_or("0:0.5:0.05"));
  }
  text("sigma", sigma_);
  text("gamma", gamma_);
  text("temperature", temperature_);
  real("kernel-temperature", kernel_temperature_);
  real("imq-scale", distance_.imq_scale);
  text("mahalanobis", distance_.mahalanobis);
  real("mahalanobis-ridge", distance_.mahalanobis_ridge);
  real("delta", delta_);
  real("floor", floor_);
  real("cap", cap_);
  if (domain_) rows.emplace_back("domain", ranges_of(parse_bounds(*domain_, "--domain")));
  real("lipschitz", lipschitz_);
  real("curvature", curvature_);
  rows.emplace_back("convexity", convexity_);
  if (report.certificate) rows.emplace_back("starts", starts_ > 0 ? starts_ : 2);
  if (report.convexity) rows.emplace_back("convexity-starts", starts_ > 0 ? starts_ : 5);
  rows.emplace_back("inner-steps", inner_steps_);
  if (has_scaling(scaling_)) {
    rows.emplace_back("mean", parse_numbers(scaling_.mean, "--mean"));
    rows.emplace_back("std", parse_numbers(scaling_.std, "--std"));
  }
  rows.emplace_back("limit", limit_);
  rows.emplace_back("batch-size", batch_size_);
  rows.emplace_back("threads", int64_t{at::get_num_threads()});
  return rows;
}

int CertifyCommand::run() {
  const auto start = std::chrono::steady_clock::now();
  apply(common_);
  check_flags();
  load();
  catch_interrupts();
  ProgressBar bar("samples", !common_.quiet);
  int64_t done = 0;
  const auto follow = [&](int64_t expected, const char* what) {
    return [&bar, &done, expected, what](int64_t samples) {
      done += samples;
      bar.update(done, std::max(done, expected), done, what);
      if (interrupted()) throw RunError("interrupted; nothing was written");
    };
  };
  CertificateReport report;
  report.model = run_name_;
  report.cross_entropy = data_set_->info().num_classes > 0;
  if (convexity_) {
    auto options = convexity_options();
    const auto rounds = static_cast<int64_t>(std::max<size_t>(1, options.temperatures().size()));
    options.transform().on_samples(follow(rounds * data_set_->size(), "convexity"));
    report.convexity = check_convexity(*problem_, *data_set_, options);
  }
  if (has_curve()) {
    auto options = certificate_options();
    // a searched temperature takes about three tries for each rho
    const size_t rounds = options.temperatures() ? options.temperatures()->size() : 3 * options.rhos().size();
    options.transform().on_samples(follow(done + static_cast<int64_t>(rounds) * data_set_->size(), "certificate"));
    report.certificate = certify(*problem_, *data_set_, options);
  }
  bar.clear();
  report.config = config(report);
  report.seed = static_cast<uint64_t>(seed_);
  report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (common_.json != "-" && csv_ != "-") std::cout << console_report(report);
  if (!common_.json.empty()) write_output(common_.json, json_report(report));
  if (!csv_.empty()) write_output(csv_, csv_report(report));
  if (!figure_.empty()) draw(*report.certificate);
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_certify_command(CommandLine& line) {
  return std::make_unique<CertifyCommand>(line);
}

}  // namespace arks::cli
