#include <arks/attack/evaluate.h>

#include "attack/answers.h"
#include "data/batches.h"
#include "metric/group_statistics.h"
#include "support/stopwatch.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <arks/support/random.h>
#include <fmt/format.h>

namespace arks {

namespace {

/// What is known of the points before the first sample.
std::vector<EvaluationPoint> empty_points(const std::vector<NamedProblem>& models, const Attack& attack,
                                          const EvaluateOptions& options) {
  std::vector<EvaluationPoint> points(models.size());
  for (size_t m = 0; m < models.size(); ++m) {
    points[m].model = models[m].name;
    points[m].data = options.data_name();
    points[m].attack = attack.name();
    points[m].norm = attack.measure();
    points[m].eps = attack.eps();
    points[m].source = options.source() != nullptr && !attack.is_shift() ? options.source_name() : "";
    points[m].repeats = options.repeats();
  }
  return points;
}

/// The attack made ready once for every model, or for the one that stands for all.
class Attackers {
 public:
  Attackers(const std::vector<NamedProblem>& models, const Attack& attack, const EvaluateOptions& options,
            const std::optional<Bounds>& bounds)
      : models_(models), is_shift_(attack.is_shift()), shared_(options.source() != nullptr || is_shift_) {
    if (shared_) {
      bound_.push_back(attack.bind(options.source() != nullptr ? *options.source() : *models.front().problem, bounds));
    } else {
      for (const auto& model : models) bound_.push_back(attack.bind(*model.problem, bounds));
    }
  }

  /// Attacks one batch and adds what every model answers.
  void attack(const Batch& batch, std::vector<torch::Generator>& generators, std::vector<Answers>& answers,
              std::vector<EvaluationPoint>& points) {
    AttackResult attacked;
    double shared_seconds = 0;
    if (shared_) {
      const Stopwatch watch;
      attacked = bound_.front()->perturb(batch.inputs, batch.targets, generators.front());
      if (is_shift_) keep_filled(batch, attacked.inputs);
      shared_seconds = watch.seconds() / static_cast<double>(models_.size());
    }
    for (size_t m = 0; m < models_.size(); ++m) {
      const Stopwatch watch;
      if (!shared_) attacked = bound_[m]->perturb(batch.inputs, batch.targets, generators[m]);
      answers[m].add(attacked.inputs, batch);
      points[m].zero_gradients += attacked.zero_gradients;
      points[m].seconds += watch.seconds() + shared_seconds;
    }
  }

 private:
  /// What drifts in the field is what is measured. Where nothing is, the model goes on seeing what is filled in.
  static void keep_filled(const Batch& batch, torch::Tensor& shifted) {
    const auto& filled = batch.marks.filled;
    if (filled.defined()) shifted = torch::where(filled, batch.inputs, shifted);
  }

  const std::vector<NamedProblem>& models_;
  const bool is_shift_;
  const bool shared_;  // by all models: a transfer attack, or a shift
  std::vector<std::unique_ptr<BoundAttack>> bound_;
};

}  // namespace

std::string EvaluationPoint::brief_report(const std::string& samples) const {
  const std::string crafted = source.empty() ? " (white-box)" : " (transfer from " + source + ")";
  const std::string how =
      eps == 0 ? "clean"
               : attack + (norm.empty() ? "" : " " + norm) + " eps " + c10::str(eps) + (norm.empty() ? "" : crafted);
  const std::string wrong = errors < 0 ? "" : fmt::format("error {:.1f} %, ", 100 * error);
  const std::string drawn = repeats > 1 ? fmt::format(", {} draws of each", repeats) : "";
  return fmt::format("{}: {}loss {:.4f} on {}{}\n", how, wrong, without_sign_of_nan(loss), count_of(n, samples), drawn);
}

EvaluationPoint evaluate(Problem& problem, const DatasetPtr& dataset, const Attack& attack,
                         const EvaluateOptions& options) {
  return evaluate_models({{"model", &problem}}, dataset, attack, options).front();
}

std::vector<EvaluationPoint> evaluate_models(const std::vector<NamedProblem>& models, const DatasetPtr& dataset,
                                             const Attack& attack, const EvaluateOptions& options) {
  ARKS_CHECK(!models.empty(), "evaluate: no model given");
  ARKS_CHECK(options.repeats() > 0, "evaluate: repeats must be positive, got ", options.repeats());
  const Batches batches(*dataset, options.batch_size());
  auto points = empty_points(models, attack, options);
  Attackers attackers(models, attack, options, options.bounds() ? options.bounds() : dataset->info().bounds);
  std::vector<Answers> answers;
  for (const auto& model : models) answers.emplace_back(*model.problem, dataset->info());
  int64_t done = 0;
  for (int64_t repeat = 0; repeat < options.repeats(); ++repeat) {
    // one per model, so that its result does not depend on the others
    std::vector<torch::Generator> generators;
    for (size_t m = 0; m < models.size(); ++m) {
      generators.push_back(make_generator(options.seed(), Stream::kAttack, static_cast<uint64_t>(repeat)));
    }
    for (int64_t i = 0; i < batches.count(); ++i) {
      const auto batch = batches.get(i);
      attackers.attack(batch, generators, answers, points);
      done += batch.inputs.size(0);
      if (options.on_samples()) options.on_samples()(done);
    }
    for (auto& answer : answers) answer.end_repeat();
  }
  for (size_t m = 0; m < models.size(); ++m) answers[m].finish(points[m]);
  return points;
}

namespace {

/// All draws of a row gave the same.
bool right_or_wrong(const torch::Tensor& rows) {
  return (rows == rows.round()).all().item<bool>();
}

}  // namespace

std::vector<ModelComparison> compare_models(const std::vector<EvaluationPoint>& points) {
  std::vector<ModelComparison> comparisons;
  for (size_t m = 1; m < points.size(); ++m) {
    const auto &first = points.front(), &second = points[m];
    const auto& groups = first.row_groups;
    const double scale = first.errors >= 0 ? 1 : 0;
    ModelComparison comparison{first.model, second.model, second.attack, second.source, second.data, second.eps, "",
                               {}};
    if (first.errors >= 0 && second.errors >= 0) {
      comparison.quantity = "error";
      comparison.result = groups.defined() ? paired_group_test(second.row_errors - first.row_errors, groups)
                          : right_or_wrong(first.row_errors) && right_or_wrong(second.row_errors)
                              ? mcnemar_test(first.row_errors > 0, second.row_errors > 0)
                              : paired_t_test(first.row_errors, second.row_errors);
      comparisons.push_back(comparison);
    }
    comparison.quantity = "loss";
    comparison.result = groups.defined()
                            ? paired_group_test(loss_differences(first.row_losses, second.row_losses, scale), groups)
                            : paired_loss_test(first.row_losses, second.row_losses, scale);
    comparisons.push_back(comparison);
  }
  return comparisons;
}

}  // namespace arks
