#include "certify/constant_prediction.h"
#include "certify/float64_guard.h"
#include "cli/certify_settings.h"
#include "cli/command.h"
#include "cli/field_data.h"
#include "cli/load_data.h"
#include "cli/load_run.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "problem/state_guard.h"
#include "report/certificate_report.h"
#include "report/figure.h"
#include "report/loss_unit.h"
#include "support/interrupt.h"
#include "support/stopwatch.h"
#include "support/text.h"

#include <arks/certify/certificate.h>
#include <arks/certify/convexity.h>
#include <arks/support/error.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace arks::cli {

namespace {

class CertifyCommand : public Command {
 public:
  explicit CertifyCommand(CommandLine& line);
  void fill_defaults() override;
  void check_together() override;
  int run() override;

 private:
  void fill();
  void check_files() const;
  void load();
  DatasetPtr load_samples(const std::vector<Run>& runs);
  DatasetPtr load_training_samples(const std::vector<Run>& runs);
  Split split() const { return *samples_.split == "train" ? Split::kTrain : Split::kTest; }
  CTransformOptions transform(int64_t usual_starts) const;
  CertificateOptions certificate_options() const;
  ConvexityOptions convexity_options() const;
  void draw(const CertificateReport& report) const;
  ConfigRows config(const CertificateReport& report) const;

  std::vector<std::string> model_names_;
  CertifySettings settings_;
  CertifyAscent ascent_;
  CertifySamples samples_;
  SourceSettings test_data_;                     // where no run says how the data were divided
  ScalingSettings scaling_{"TorchScript file"};  // in front of a TorchScript file
  CertifyOutput output_;

  std::vector<std::string> names_;  // as reports call the models
  std::string data_;
  bool of_field_ = false;       // the samples are those of --test-data
  DatasetPtr part_, data_set_;  // the whole part, and the first samples of it
  CostPtr mahalanobis_;         // known when the data are
  std::vector<std::unique_ptr<SupervisedProblem>> problems_;
};

CertifyCommand::CertifyCommand(CommandLine& line)
    : Command(line.add_command(
          "certify", "Prove how large the loss can become when the data shift",
          "For every distribution within transport cost rho of the samples, the mean log loss (arks) or the mean loss\n"
          "(wrm, ke) is at most the bound. The label says how the bound is justified. estimated: ascent searched for\n"
          "the inner supremum, and nothing is proved. verified: it was bounded from above for every sample, by the\n"
          "norms of the layers. population: it holds for the distribution that the samples were drawn from, except\n"
          "with probability delta, for losses clipped to [floor, cap]. Population statements are about this one\n"
          "model: the uniform statement over all models (Rademacher complexity) is out of scope. arks measures rho\n"
          "with |u-x|^2/2 and wrm with |u-x|^2, so their values of rho differ by a factor of 2.\n"
          "Several models are put side by side, by default by the loss and the error: a log loss makes an\n"
          "overconfident model look safer than it is. A bound that says nothing is marked vacuous.\n\n"
          "Example (after the example of arks train --help):\n"
          "  arks certify runs/example --rho 0:0.2:0.1 --sigma 0.2,0.5 --limit 4 --inner-steps 20")) {
  flags_.arguments("MODEL", model_names_, "run folders, checkpoints, or TorchScript files (others' with --data)",
                   /*required=*/true);
  flags_.add(settings_);
  flags_.add(ascent_);
  flags_.add(samples_);
  test_data_.add_to(flags_);
  flags_.add(scaling_);
  flags_.add(output_);
  flags_.add(common_);
}

void CertifyCommand::fill() {
  settings_.compares = model_names_.size() > 1;
  settings_.fill();
  ascent_.fill();
  samples_.fill();
  output_.fill();
}

void CertifyCommand::fill_defaults() {
  fill();
  common_.fill();
  const auto data = test_data_.take_from(model_names_, samples_.data.value_or(""));
  if (!data.empty()) samples_.data.found(data);
}

void CertifyCommand::check_together() {
  fill();
  settings_.check();
  if (settings_.has_curve()) check(certificate_options());
}

void CertifyCommand::check_files() const {
  ARKS_CHECK(settings_.has_curve() || !(output_.csv.given() || output_.figure.given()),
             "--convexity alone has no curve for --csv or --figure; add --rho for a certificate");
  check_outputs({&common_.json, &output_.csv, &output_.figure}, *output_.force, files_read(model_names_));
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
                ": certificates are computed in float64, but this model does not run in it (frozen weights, or a " +
                "cast to float32 inside?); script it with its weights as parameters");
  }
}

/// The samples that certificates are about. All models look at the same numbers.
DatasetPtr CertifyCommand::load_samples(const std::vector<Run>& runs) {
  data_ = samples_.data.value_or("");
  if (!has_field_data(runs, test_data_)) {
    return load_own_part(runs, *samples_.split, /*one_view=*/true, data_, test_data_, common_).views.front().samples;
  }
  ARKS_CHECK(!samples_.data.given() && !samples_.split.given(), samples_.data.given() ? "--data" : "--split",
             ": --test-data says what the certificate is about; leave it out");
  const auto sets = load_field_data(runs, /*one_view=*/true, test_data_, common_);
  ARKS_CHECK(sets.size() == 1, "--test-data: a certificate is about one set of samples, got ", sets.size(), " files");
  data_ = sets.front().name;
  of_field_ = true;
  return sets.front().views.front().samples;
}

DatasetPtr CertifyCommand::load_training_samples(const std::vector<Run>& runs) {
  ARKS_CHECK(!of_field_, "--cost mahalanobis without a matrix takes it from the training samples, which --test-data ",
             "does not hold; --mahalanobis FILE gives one");
  SourceSettings of_models;
  if (const auto& targets = test_data_.own.targets; targets.has_value()) of_models.own.targets.found(*targets);
  const auto* knows = first_that_knows(runs);
  const auto options = find_data(runs, data_, knows != nullptr ? of_models : test_data_, common_);
  // those that training has seen, so that the cost is the one it may have been trained with
  return limited(load_dataset(data_, options, Split::kTrain), knows != nullptr ? knows->train_limit() : 0);
}

void CertifyCommand::load() {
  const auto runs = read_runs(model_names_, test_data_.own);
  std::vector<std::string> typed;
  for (const auto& run : runs) typed.push_back(run.name);
  names_ = shown_names(typed, output_.names.value_or(""));
  check_scaling(scaling_, runs);
  part_ = load_samples(runs);
  data_set_ = limited(part_, *samples_.limit);
  for (size_t i = 0; i < runs.size(); ++i) {
    problems_.push_back(make_checked_problem(runs[i], *data_set_, scaling_, parse_engine(*common_.engine),
                                             /*needs_gradient=*/true));
    if (runs[i].is_file()) check_float64(*problems_.back(), *data_set_, runs[i].name);
    if (*common_.verbose) {
      say((runs.size() > 1 ? names_[i] + ": " : "") +
          "engine: certificates are computed in float64 on libtorch, whatever --engine says");
    }
  }
  fit_threads(common_, data_set_->info(), problems_);
  if (settings_.cost.is_mahalanobis()) {
    mahalanobis_ = settings_.cost.make(*load_training_samples(runs));
  }
  if (runs.size() > 1 && settings_.has_curve() && parse_quantity(*settings_.quantity) == Quantity::kLogLoss) {
    warn_of(
        "models are compared by their log loss: an overconfident model looks safer than it is, since the logarithms of "
        "losses near 0 hide its errors, and nothing follows for the error; leave out --method and --sigma to compare "
        "loss and error");
  }
}

CTransformOptions CertifyCommand::transform(int64_t usual_starts) const {
  auto options = CTransformOptions()
                     .quantity(parse_quantity(*settings_.quantity))
                     .cost(settings_.transport_cost(mahalanobis_))
                     .lipschitz(settings_.lipschitz.optional())
                     .curvature(settings_.curvature.optional())
                     .seed(static_cast<uint64_t>(*samples_.seed))
                     .batch_size(*samples_.batch_size)
                     .starts(ascent_.starts.value_or(usual_starts));
  if (const auto domain = settings_.domain.bounds()) options.domain(*domain);
  options.ascent().steps(*ascent_.inner_steps);
  return options;
}

CertificateOptions CertifyCommand::certificate_options() const {
  const auto inner = transform(CertifyAscent::kStarts);
  return CertificateOptions()
      .method(*settings_.method)
      .transform(inner)
      .rhos(parse_numbers(*settings_.rho, "--rho"))
      .temperatures(settings_.temperatures(*inner.cost()))
      .label(parse_certificate_label(*settings_.label))
      .delta(settings_.delta.optional())
      .floor(settings_.floor.optional())
      .cap(settings_.cap.optional())
      .split(split());
}

ConvexityOptions CertifyCommand::convexity_options() const {
  auto options = ConvexityOptions().transform(transform(CertifyAscent::kConvexityStarts));
  return options.temperatures(settings_.temperatures(*options.transform().cost()).value_or(std::vector<double>{}));
}

/// One model: bound, paper's form, estimate and attained values. Several: bound and attained values of each, in the
/// colour of the model.
std::vector<Curve> curves_of(const Certificate& certificate, const std::string& name, bool several) {
  const std::string of = several ? name + ", " : "";
  Curve bound{of + to_string(certificate.label) + " bound", {}, {}, {}}, paper{"paper's form", {}, {}, {}};
  Curve estimated{"estimated", {}, {}, {}}, attained{of + "attained", {}, {}, {}};
  for (const auto& point : certificate.curve) {
    for (auto* curve : {&bound, &paper, &estimated, &attained}) curve->x.push_back(point.rho);
    bound.y.push_back(point.bound);
    paper.y.push_back(point.bound_paper.value_or(HUGE_VAL));
    estimated.y.push_back(point.estimated);
    attained.y.push_back(point.attained);
  }
  std::vector<Curve> curves{bound};
  if (!several && certificate.quantity == Quantity::kLogLoss) curves.push_back(paper);
  if (!several && certificate.label != CertificateLabel::kEstimated) curves.push_back(estimated);
  if (several) {
    attained.kind = CurveKind::kReference;
    attained.like = bound.label;
  }
  curves.push_back(attained);
  return curves;
}

/// From which radius on a bound says nothing.
std::string vacuous_note(const CertifiedModel& model) {
  for (const auto& point : model.certificate->curve) {
    if (model.certificate->vacuous(point)) return model.model + ": vacuous from rho " + shortest(point.rho) + " on. ";
  }
  return "";
}

void CertifyCommand::draw(const CertificateReport& report) const {
  std::vector<Curve> curves;
  std::string note;
  const bool several = report.models.size() > 1;
  for (const auto& model : report.models) {
    for (auto& curve : curves_of(*model.certificate, model.model, several)) curves.push_back(std::move(curve));
    note += vacuous_note(model);
  }
  const auto& certificate = *report.models.front().certificate;
  if (!report.cross_entropy && !report.loss_unit.empty()) note += "loss: " + report.loss_unit;
  const auto data = std::filesystem::path(data_).filename().string();
  const auto options =
      FigureOptions()
          .title(c10::str(several ? "" : report.models.front().model + ", ", certificate.samples, " ",
                          of_field_ ? "" : *samples_.split + " ", report.samples, " of ", data.empty() ? data_ : data))
          .x_label("radius rho, cost " + certificate.cost)
          .y_label(certificate.quantity == Quantity::kLogLoss ? "mean log loss" : "mean loss")
          .note(note);
  for (const auto& file : arks::split(*output_.figure, ',')) write_figure(file, curves, options);
}

ConfigRows CertifyCommand::config(const CertificateReport& report) const {
  ConfigRows rows{{"model", model_names_.front()}};
  if (model_names_.size() > 1) rows.emplace_back("models", model_names_);
  rows.emplace_back("data", data_);
  add_in_force(rows, test_data_.groups(data_));
  rows.emplace_back("cost", settings_.transport_cost(mahalanobis_)->name());
  if (report.models.front().certificate) rows.emplace_back("starts", ascent_.starts.value_or(CertifyAscent::kStarts));
  if (report.models.front().convexity) {
    rows.emplace_back("convexity-starts", ascent_.starts.value_or(CertifyAscent::kConvexityStarts));
  }
  add_in_force(rows, {&settings_, &ascent_, &scaling_, &samples_, &common_});
  return rows;
}

int CertifyCommand::run() {
  const Stopwatch watch;
  apply(common_);
  check_together();
  check_files();
  load();
  catch_interrupts();
  const auto samples = samples_word(data_set_->info());
  ProgressBar bar(samples, !*common_.quiet, ProgressBar::kFirstLine);
  const bool plain_lines = !*common_.quiet && ::isatty(STDERR_FILENO) == 0;
  int64_t done = 0;
  const auto follow = [&](int64_t expected, const char* what) {
    return [&bar, &done, expected, what](int64_t samples) {
      done += samples;
      bar.update(done, std::max(done, expected), done, what);
      if (interrupted()) throw RunError("interrupted; nothing was written");
    };
  };
  CertificateReport report;
  report.samples = samples;
  report.cross_entropy = data_set_->info().num_classes > 0;
  if (parse_quantity(*settings_.quantity) == Quantity::kLoss) report.loss_unit = loss_unit(data_set_->info());
  for (size_t i = 0; i < problems_.size(); ++i) {
    CertifiedModel model;
    model.model = names_[i];
    if (plain_lines) {
      std::cerr << names_[i] << ": certifying " << count_of(data_set_->size(), samples) << "\n";
    }
    if (*settings_.convexity) {
      auto options = convexity_options();
      const auto rounds = static_cast<int64_t>(std::max<size_t>(1, options.temperatures().size()));
      options.transform().on_samples(follow(done + rounds * data_set_->size(), "convexity"));
      model.convexity = check_convexity(*problems_[i], *data_set_, options);
    }
    if (settings_.has_curve()) {
      auto options = certificate_options();
      // a searched temperature takes about three tries for each rho
      const size_t rounds = options.temperatures() ? options.temperatures()->size() : 3 * options.rhos().size();
      options.transform().on_samples(follow(done + static_cast<int64_t>(rounds) * data_set_->size(), "certificate"));
      model.certificate = certify(*problems_[i], *data_set_, options);
      const auto same_for_all = constant_prediction(*part_, *data_set_, *model.certificate);
      model.certificate->constant = same_for_all.quantity;
      report.constant_error = same_for_all.error;
    }
    report.models.push_back(std::move(model));
  }
  bar.clear();
  report.config = config(report);
  report.seed = static_cast<uint64_t>(*samples_.seed);
  report.wall_seconds = watch.seconds();
  const auto json = common_.json.value_or(""), csv = output_.csv.value_or("");
  if (json != "-" && csv != "-") std::cout << console_report(report);
  if (!json.empty()) write_output(json, json_report(report));
  if (!csv.empty()) write_output(csv, csv_report(report));
  if (output_.figure.has_value()) draw(report);
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_certify_command(CommandLine& line) {
  return std::make_unique<CertifyCommand>(line);
}

}  // namespace arks::cli
