#include "certify/float64_guard.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/load_data.h"
#include "cli/load_run.h"
#include "cli/progress.h"
#include "objective/method_settings.h"
#include "support/stopwatch.h"

#include <ATen/Parallel.h>
#include <arks/certify/certificate.h>
#include <arks/certify/certificate_kind.h>
#include <arks/certify/convexity.h>
#include <arks/certify/kernel_cost.h>
#include <arks/problem/state_guard.h>
#include <arks/report/certificate_report.h>
#include <arks/report/figure.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace arks::cli {

namespace {

class CertifySettings : public SettingGroup {
 public:
  CertifySettings() : SettingGroup("Certificate") {}

  const CertificateKind& kind() const { return find_certificate_kind(*method); }

  Setting<std::string> method{
      this, text("method", "which supremum is bounded").words(certificate_kind_names()).otherwise("arks")};
  Setting<std::string> rho{this, text("rho", "radii, in units of the cost: a number, a list a,b or a range a:b:step")
                                     .type("LIST")
                                     .default_words("0:0.5:0.05")};
  Setting<NumberList> sigma{this, numbers("sigma", "arks: bandwidths, the best counts for each rho; ke: of its kernel")
                                      .or_infinity()
                                      .default_words("searched for each rho")};
  Setting<NumberList> gamma{
      this, numbers("gamma", "wrm, ke, c-transform: what multiplies the cost").default_words("searched for each rho")};
  Setting<NumberList> temperature{
      this, numbers("temperature", "tau itself, instead of --sigma or --gamma = 1/tau").or_infinity()};
  CostSettings cost{this};
  Setting<double> kernel_temperature{this,
                                     real("kernel-temperature", "ke: tau of its kernel exp(-cost/tau), for any cost")
                                         .positive()
                                         .default_words("imq: 1")};
  Setting<double> imq_scale{this,
                            real("imq-scale", "C of the cost ln(1 + |u-x|^2/C^2)/2, in units of the input").positive()};
  Setting<std::string> quantity{
      this, text("quantity", "c-transform: what is bounded").words({"log_loss", "loss"}).default_words("loss")};
  Setting<std::string> label{this, text("label", "what stands behind the bound")
                                       .words({"verified", "estimated", "population"})
                                       .otherwise("verified")};
  Setting<double> delta{this, real("delta", "population: how often the statement may be wrong, in (0,1)")};
  Setting<double> floor{this, real("floor", "population: losses below count as this")};
  Setting<double> cap{this, real("cap", "population: losses above count as this")};
  DomainSettings domain{this};
  Setting<double> lipschitz{this,
                            real("lipschitz", "G of the quantity, where you know it").default_words("from the layers")};
  Setting<double> curvature{
      this,
      real("curvature", "L, largest eigenvalue of its Hessian, where you know it").default_words("from the layers")};
  Setting<bool> convexity{
      this, yes_no("convexity", "for which sigma the inner problem is provably concave; with --rho a curve too")
                .otherwise(false)};

  bool has_curve() const { return !*convexity || rho.has_value(); }
  /// Throws Error for what does not go together.
  void check() const;
};

class AscentSettings : public SettingGroup {
 public:
  AscentSettings() : SettingGroup("Inner maximisation (L-BFGS in float64)") {}

  Setting<int64_t> starts{this, whole("starts", "ascents per sample, the first at the sample, others at random")
                                    .positive()
                                    .default_words("2; convexity: 5")};
  Setting<int64_t> inner_steps{
      this,
      whole("inner-steps", "steps at most; it ends when the gradient is below 1e-8").not_negative().otherwise(50)};
};

class SampleSettings : public SettingGroup {
 public:
  SampleSettings() : SettingGroup("Data") {}

  Setting<std::string> data{this, text("data", "data set, file or folder; needed for a TorchScript file")
                                      .words(dataset_names)
                                      .open()
                                      .path("NAME")
                                      .in_data()
                                      .default_words("that of MODEL")};
  Setting<std::string> split{this, text("split", "which samples").words({"test", "train"}).otherwise("test")};
  Setting<int64_t> limit{this,
                         whole("limit", "use the first N samples; 0 = all").not_negative().in_data().otherwise(100)};
  Setting<int64_t> batch_size{this, whole("batch-size", "samples at once").positive().otherwise(256)};
  Setting<int64_t> seed{this, whole("seed", "of random starts").not_negative().otherwise(0)};
};

class CertifyOutput : public SettingGroup {
 public:
  CertifyOutput() : SettingGroup("Output") {}

  Setting<std::string> csv{this, text("csv", "write the curve as CSV; - = stdout").path("FILE|-").output()};
  Setting<std::string> figure{
      this, text("figure", "draw bound and attained curve: .svg or .png, several with commas").path().output()};
  Setting<bool> force{this, yes_no("force", "overwrite output files").otherwise(false).output()};
};

class CertifyCommand : public Command {
 public:
  explicit CertifyCommand(CommandLine& line);
  void fill_defaults() override;
  int run() override;

 private:
  void check_settings() const;
  void load();
  Split split() const { return *samples_.split == "train" ? Split::kTrain : Split::kTest; }
  std::string rhos() const { return settings_.rho.value_or("0:0.5:0.05"); }
  std::optional<std::vector<double>> temperatures(const Cost& cost) const;
  CostPtr base_cost() const;
  CostPtr cost() const;
  CTransformOptions transform(int64_t usual_starts) const;
  CertificateOptions certificate_options() const;
  ConvexityOptions convexity_options() const;
  void draw(const Certificate& certificate) const;
  std::vector<std::pair<std::string, ConfigValue>> config(const CertificateReport& report) const;

  std::string model_name_;
  CertifySettings settings_;
  AscentSettings ascent_;
  SampleSettings samples_;
  TestDataSettings test_data_;                   // where no run says how the data were divided
  ScalingSettings scaling_{"TorchScript file"};  // in front of a TorchScript file
  CertifyOutput output_;

  std::string run_name_, data_;
  DatasetPtr data_set_;
  std::vector<std::pair<std::string, std::string>> data_rows_;  // how the samples were chosen
  CostPtr mahalanobis_;                                         // known when the data are
  std::unique_ptr<SupervisedProblem> problem_;
};

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
  flags_.add(settings_);
  flags_.add(ascent_);
  flags_.add(samples_);
  test_data_.add_to(flags_);
  flags_.add(scaling_);
  flags_.add(output_);
  flags_.add(common_);
}

void CertifyCommand::fill_defaults() {
  settings_.fill();
  ascent_.fill();
  samples_.fill();
  output_.fill();
  common_.fill();
  test_data_.choose(samples_.data.value_or(""));
}

void CertifySettings::check() const {
  const auto& form = kind();
  ARKS_CHECK(!quantity.given() || form.any_quantity, "--quantity goes with --method c-transform; ", *method,
             " has its own");
  ARKS_CHECK(!sigma.given() || form.takes_sigma, "--sigma goes with arks and ke; ", *method, " takes --gamma");
  ARKS_CHECK(!gamma.given() || form.takes_gamma, "--gamma goes with wrm, ke and c-transform; arks takes --sigma");
  ARKS_CHECK(!temperature.given() || (!gamma.given() && (form.of_kernel || !sigma.given())),
             "--temperature excludes --", gamma.given() ? "gamma" : "sigma");
  ARKS_CHECK(!form.of_kernel || domain.domain.has_value(), "--method ", *method, " needs --domain lo,hi: its cost is ",
             "bounded, so without a compact set the supremum is infinite");
  ARKS_CHECK(!form.of_kernel || sigma.given() || kernel_temperature.given() || imq_scale.given(), "--method ", *method,
             " needs --sigma, the bandwidth of its kernel, or --kernel-temperature");
  ARKS_CHECK(!kernel_temperature.given() || form.of_kernel, "--kernel-temperature goes with --method ke");
  ARKS_CHECK(!kernel_temperature.given() || !sigma.given(), "--sigma and --kernel-temperature exclude one another");
  cost.check();
  ARKS_CHECK(!imq_scale.given() || !cost.cost.given(), "--imq-scale is a cost of its own and excludes --cost");
  ARKS_CHECK(*label == "population" || !has_curve() || (!delta.given() && !floor.given() && !cap.given()),
             "--delta, --floor and --cap go with --label population, not ", *label);
}

void CertifyCommand::check_settings() const {
  settings_.check();
  if (settings_.has_curve()) check(certificate_options());
  const auto json = common_.json.value_or(""), csv = output_.csv.value_or(""), figure = output_.figure.value_or("");
  ARKS_CHECK(settings_.has_curve() || (csv.empty() && figure.empty()),
             "--convexity alone has no curve for --csv or --figure; give --rho for a certificate too");
  check_output_file(json, *output_.force, "--json");
  check_output_file(csv, *output_.force, "--csv");
  check_picture_files(figure, *output_.force, "--figure");
  check_distinct_outputs({{json}, {csv}, arks::split(figure, ',')});
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
  data_ = samples_.data.value_or("");
  data_set_ = limited(load_data(runs, split(), data_, test_data_, common_), *samples_.limit);
  data_rows_ = used_data_settings(runs, data_, test_data_);
  problem_ = make_checked_problem(run, *data_set_, scaling_, parse_engine(*common_.engine), /*needs_gradient=*/true,
                                  *common_.quiet);
  if (run.is_file()) check_float64(*problem_, *data_set_, run.name);
  if (settings_.cost.is_mahalanobis()) {
    // the samples that training has seen, so that the cost is the one it may have been trained with
    const auto limit = run.config.count("train-limit") == 1 ? run.config.at("train-limit") : "0";
    const auto train_part =
        limited(load_data(runs, Split::kTrain, data_, test_data_, common_), parse_whole_number(limit, "train-limit"));
    mahalanobis_ = settings_.cost.make(*train_part, settings_.kind().cost);
  }
}

CostPtr CertifyCommand::base_cost() const {
  if (settings_.imq_scale.has_value()) return std::make_shared<LogQuadratic>(*settings_.imq_scale);
  if (!settings_.cost.is_mahalanobis()) return make_cost(settings_.cost.cost.value_or(settings_.kind().cost));
  if (mahalanobis_) return mahalanobis_;
  return std::make_shared<HalfSquaredL2>();  // of the same kind, for checking settings before the data are there
}

CostPtr CertifyCommand::cost() const {
  const auto base = base_cost();
  if (!settings_.kind().of_kernel) return base;
  const auto& sigma = settings_.sigma;
  if (!sigma.has_value()) {
    return std::make_shared<KernelCost>(Kernel(base, settings_.kernel_temperature.value_or(1)));
  }
  ARKS_CHECK(sigma->values.size() == 1, "--sigma: the kernel of ke has one bandwidth, got ", sigma->text);
  return std::make_shared<KernelCost>(Kernel(base, temperatures_of_sigmas(sigma->values, *base).front()));
}

/// Nothing where they are to be searched.
std::optional<std::vector<double>> CertifyCommand::temperatures(const Cost& cost) const {
  if (settings_.temperature.has_value()) return settings_.temperature->values;
  if (settings_.gamma.has_value()) return temperatures_of_gammas(settings_.gamma->values);
  if (settings_.sigma.has_value() && !settings_.kind().of_kernel) {
    return temperatures_of_sigmas(settings_.sigma->values, cost);
  }
  return std::nullopt;
}

CTransformOptions CertifyCommand::transform(int64_t usual_starts) const {
  auto options =
      CTransformOptions()
          .quantity(settings_.quantity.has_value() ? parse_quantity(*settings_.quantity) : settings_.kind().quantity)
          .cost(cost())
          .lipschitz(settings_.lipschitz.optional())
          .curvature(settings_.curvature.optional())
          .seed(static_cast<uint64_t>(*samples_.seed))
          .batch_size(*samples_.batch_size)
          .starts(ascent_.starts.value_or(usual_starts));
  if (const auto domain = settings_.domain.bounds()) options.domain(*domain);
  options.ascent().steps(*ascent_.inner_steps);
  return options;
}

constexpr int64_t kStarts = 2, kConvexityStarts = 5;

CertificateOptions CertifyCommand::certificate_options() const {
  const auto inner = transform(kStarts);
  return CertificateOptions()
      .method(*settings_.method)
      .transform(inner)
      .rhos(parse_numbers(rhos(), "--rho"))
      .temperatures(temperatures(*inner.cost()))
      .label(parse_certificate_label(*settings_.label))
      .delta(settings_.delta.optional())
      .floor(settings_.floor.optional())
      .cap(settings_.cap.optional())
      .split(split());
}

ConvexityOptions CertifyCommand::convexity_options() const {
  auto options = ConvexityOptions().transform(transform(kConvexityStarts));
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
  const auto options =
      FigureOptions()
          .title(c10::str(run_name_, ", ", certificate.samples, " ", *samples_.split, " samples of ", data_))
          .x_label("radius rho, cost " + certificate.cost)
          .y_label(certificate.quantity == Quantity::kLogLoss ? "mean log loss" : "mean loss");
  for (const auto& file : arks::split(*output_.figure, ',')) write_figure(file, curves, options);
}

std::vector<std::pair<std::string, ConfigValue>> CertifyCommand::config(const CertificateReport& report) const {
  std::vector<std::pair<std::string, ConfigValue>> rows{{"model", model_name_}, {"data", data_}};
  rows.insert(rows.end(), data_rows_.begin(), data_rows_.end());
  rows.emplace_back("split", *samples_.split);
  rows.emplace_back("method", *settings_.method);
  rows.emplace_back("cost", cost()->name());
  rows.emplace_back("quantity", to_string(transform(kStarts).quantity()));
  if (report.certificate) {
    rows.emplace_back("label", *settings_.label);
    rows.emplace_back("rho", rhos());
  }
  // the rest as it was given: lists and ranges in their own words
  for (const AnySetting* setting :
       std::initializer_list<const AnySetting*>{&settings_.sigma, &settings_.gamma, &settings_.temperature}) {
    if (setting->has_value()) rows.emplace_back(setting->name(), setting->text());
  }
  for (const AnySetting* setting : std::initializer_list<const AnySetting*>{
           &settings_.kernel_temperature, &settings_.imq_scale, &settings_.cost.mahalanobis,
           &settings_.cost.mahalanobis_ridge, &settings_.delta, &settings_.floor, &settings_.cap, &settings_.lipschitz,
           &settings_.curvature}) {
    if (setting->has_value() && setting->applies()) rows.emplace_back(setting->name(), setting->value());
  }
  if (const auto domain = settings_.domain.bounds()) rows.emplace_back("domain", to_ranges(*domain).pairs);
  rows.emplace_back("convexity", *settings_.convexity);
  if (report.certificate) rows.emplace_back("starts", ascent_.starts.value_or(kStarts));
  if (report.convexity) rows.emplace_back("convexity-starts", ascent_.starts.value_or(kConvexityStarts));
  rows.emplace_back("inner-steps", *ascent_.inner_steps);
  if (scaling_.given()) {
    for (const auto* setting : scaling_.all()) rows.emplace_back(setting->name(), setting->value());
  }
  rows.emplace_back("limit", *samples_.limit);
  rows.emplace_back("batch-size", *samples_.batch_size);
  rows.emplace_back("threads", int64_t{at::get_num_threads()});
  return rows;
}

int CertifyCommand::run() {
  const Stopwatch watch;
  apply(common_);
  fill_defaults();
  check_settings();
  load();
  catch_interrupts();
  ProgressBar bar("samples", !*common_.quiet);
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
  if (*settings_.convexity) {
    auto options = convexity_options();
    const auto rounds = static_cast<int64_t>(std::max<size_t>(1, options.temperatures().size()));
    options.transform().on_samples(follow(rounds * data_set_->size(), "convexity"));
    report.convexity = check_convexity(*problem_, *data_set_, options);
  }
  if (settings_.has_curve()) {
    auto options = certificate_options();
    // a searched temperature takes about three tries for each rho
    const size_t rounds = options.temperatures() ? options.temperatures()->size() : 3 * options.rhos().size();
    options.transform().on_samples(follow(done + static_cast<int64_t>(rounds) * data_set_->size(), "certificate"));
    report.certificate = certify(*problem_, *data_set_, options);
  }
  bar.clear();
  report.config = config(report);
  report.seed = static_cast<uint64_t>(*samples_.seed);
  report.wall_seconds = watch.seconds();
  const auto json = common_.json.value_or(""), csv = output_.csv.value_or("");
  if (json != "-" && csv != "-") std::cout << console_report(report);
  if (!json.empty()) write_output(json, json_report(report));
  if (!csv.empty()) write_output(csv, csv_report(report));
  if (output_.figure.has_value()) draw(*report.certificate);
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_certify_command(CommandLine& line) {
  return std::make_unique<CertifyCommand>(line);
}

}  // namespace arks::cli
