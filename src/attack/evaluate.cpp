#include <arks/attack/evaluate.h>

#include "data/batches.h"
#include "problem/state_guard.h"
#include "support/stopwatch.h"

#include <arks/support/error.h>
#include <arks/support/random.h>
#include <fmt/format.h>

namespace arks {

namespace {

/// Adds the answers of one model to perturbed samples; point.loss holds the sum until the end.
void add(EvaluationPoint& point, Problem& problem, const torch::Tensor& inputs, const torch::Tensor& targets) {
  torch::NoGradGuard no_grad;
  const ModeGuard eval(problem, /*training=*/false);
  const auto evaluation = problem.evaluate(inputs, targets);
  point.n += inputs.size(0);
  point.loss += evaluation.loss.sum(torch::kDouble).item<double>();
  if (evaluation.wrong.defined()) {
    point.errors += evaluation.wrong.sum().item<int64_t>();
  } else {
    point.errors = -1;
  }
}

/// What is known of the points before the first sample.
std::vector<EvaluationPoint> empty_points(const std::vector<NamedProblem>& models, const Attack& attack,
                                          const EvaluateOptions& options) {
  std::vector<EvaluationPoint> points(models.size());
  for (size_t m = 0; m < models.size(); ++m) {
    points[m].model = models[m].name;
    points[m].attack = attack.name();
    points[m].norm = attack.measure();
    points[m].eps = attack.eps();
    points[m].source = options.source() != nullptr && !attack.is_shift() ? options.source_name() : "";
  }
  return points;
}

/// The attack made ready once for every model, or for the one that stands for all.
class Attackers {
 public:
  Attackers(const std::vector<NamedProblem>& models, const Attack& attack, const EvaluateOptions& options,
            const std::optional<Bounds>& bounds)
      : models_(models), shared_(options.source() != nullptr || attack.is_shift()) {
    if (shared_) {
      bound_.push_back(attack.bind(options.source() != nullptr ? *options.source() : *models.front().problem, bounds));
    } else {
      for (const auto& model : models) bound_.push_back(attack.bind(*model.problem, bounds));
    }
  }

  /// Attacks one batch and adds what every model answers.
  void attack(const Batch& batch, std::vector<torch::Generator>& generators, std::vector<EvaluationPoint>& points) {
    AttackResult attacked;
    double shared_seconds = 0;
    if (shared_) {
      const Stopwatch watch;
      attacked = bound_.front()->perturb(batch.inputs, batch.targets, generators.front());
      shared_seconds = watch.seconds() / static_cast<double>(models_.size());
    }
    for (size_t m = 0; m < models_.size(); ++m) {
      const Stopwatch watch;
      if (!shared_) attacked = bound_[m]->perturb(batch.inputs, batch.targets, generators[m]);
      add(points[m], *models_[m].problem, attacked.inputs, batch.targets);
      points[m].zero_gradients += attacked.zero_gradients;
      points[m].seconds += watch.seconds() + shared_seconds;
    }
  }

 private:
  const std::vector<NamedProblem>& models_;
  const bool shared_;  // by all models: a transfer attack, or a shift
  std::vector<std::unique_ptr<BoundAttack>> bound_;
};

}  // namespace

std::string EvaluationPoint::brief_report() const {
  const std::string crafted = source.empty() ? " (white-box)" : " (transfer from " + source + ")";
  const std::string how =
      attack + (norm.empty() ? "" : " " + norm) + " eps " + c10::str(eps) + (norm.empty() ? "" : crafted);
  const std::string wrong = errors < 0 ? "" : fmt::format("error {:.1f} %, ", 100 * error);
  return fmt::format("{}: {}loss {:.4f} on {} samples\n", how, wrong, loss, n);
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
  int64_t done = 0;
  for (int64_t repeat = 0; repeat < options.repeats(); ++repeat) {
    // one per model, so that its result does not depend on the others
    std::vector<torch::Generator> generators;
    for (size_t m = 0; m < models.size(); ++m) {
      generators.push_back(make_generator(options.seed(), Stream::kAttack, static_cast<uint64_t>(repeat)));
    }
    for (int64_t i = 0; i < batches.count(); ++i) {
      const auto batch = batches.get(i);
      attackers.attack(batch, generators, points);
      done += batch.inputs.size(0);
      if (options.on_samples()) options.on_samples()(done);
    }
  }
  for (auto& point : points) {
    point.loss /= static_cast<double>(point.n);
    point.error = point.errors < 0 ? 0 : static_cast<double>(point.errors) / static_cast<double>(point.n);
  }
  return points;
}

}  // namespace arks
