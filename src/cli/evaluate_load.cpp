// What `arks evaluate` attacks, on which samples: from what was typed to models and test sets.
#include "cli/evaluate_command.h"
#include "cli/evaluation_pictures.h"
#include "cli/field_data.h"
#include "cli/load_data.h"
#include "cli/load_run.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks::cli {

/// One radius must mean one thing for all models. Shifts act on the user's own numbers, whatever they are scaled by.
void EvaluateCommand::check_units() const {
  if (!needs_gradients()) return;
  const auto& views = test_sets_.front().views;
  for (const auto& view : views) {
    ARKS_CHECK(view.unscaled.empty(), model_names_[view.models.front()], " takes '", view.unscaled, "' as it is, and ",
               model_names_[views.front().models.front()], " takes standardised numbers, so one --eps would mean two ",
               "things; name ", model_names_[view.models.front()], " first");
  }
}

/// The first --limit samples of each, and the bounds that attacks stay in.
void EvaluateCommand::limit_samples() {
  for (auto& set : test_sets_) {
    for (auto& view : set.views) {
      view.samples = limited(view.samples, *test_.limit);
      if (test_.bounds.has_value()) check_inputs(*view.samples, to_bounds(*test_.bounds, "--bounds"));
    }
  }
}

std::optional<Bounds> EvaluateCommand::bounds_of(const TestView& view) const {
  return test_.bounds.has_value() ? to_bounds(*test_.bounds, "--bounds") : view.samples->info().bounds;
}

std::vector<TestSet> EvaluateCommand::load_test_sets(const std::vector<Run>& runs) {
  const bool one_view = settings_.source.has_value();  // what was crafted on one model is shown to all
  if (!has_field_data(runs, test_data_)) {
    data_ = test_.data.value_or("");
    auto set = load_own_part(runs, *test_.split, one_view, data_, test_data_, common_);
    const auto& file = test_data_.own.test_data;
    if (file.given() && *test_.split == "test") set.name = named_files(*file, file.flag()).front().name;
    return {std::move(set)};
  }
  ARKS_CHECK(!test_.data.given() && !test_.split.given(), test_.data.given() ? "--data" : "--split",
             ": --test-data says what the models are tested on; leave it out");
  data_ = trained_on(runs);
  return load_field_data(runs, one_view, test_data_, common_);
}

void EvaluateCommand::load() {
  auto typed = model_names_;
  if (settings_.source.has_value()) typed.push_back(*settings_.source);
  const auto runs = read_runs(typed, test_data_.own);
  check_scaling(scaling_, runs);
  test_sets_ = load_test_sets(runs);
  limit_samples();
  prepare_attack();
  check_units();
  make_problems(runs);
  fit_threads(common_, test_sets_.front().first().info(), problems_);
  make_modes(runs);
}

/// Checks what it takes on all samples, and that the outputs asked for can be made of them.
void EvaluateCommand::prepare_attack() {
  auto info = test_sets_.front().first().info();
  ARKS_CHECK(output_.metric.value_or("") != "error" || info.num_classes > 0, "--metric error: ", data_,
             " has no classes, so there are no errors to count; use --metric loss");
  if (output_.grid.has_value()) check_grid(info);
  info.name = data_;  // samples from the field are called by their file
  attack_->prepare(published_settings(info));
  for (const auto& set : test_sets_) {
    for (const auto& view : set.views) {
      attack_->look_at(view.samples->info());
      attack_->check_samples(*view.samples);
      check_strengths();
    }
  }
  attack_->look_at(test_sets_.front().first().info());
}

void EvaluateCommand::make_problems(const std::vector<Run>& runs) {
  std::vector<std::string> typed;
  for (size_t i = 0; i < model_names_.size(); ++i) typed.push_back(runs[i].name);
  const auto names = shown_names(typed, output_.names.value_or(""));
  for (size_t i = 0; i < model_names_.size(); ++i) {
    problems_.push_back(make_checked_problem(runs[i], samples_of(i), scaling_, parse_engine(*common_.engine),
                                             white_box() && needs_gradients()));
    models_.push_back({names[i], problems_.back().get()});
    if (*common_.verbose) say(engine_line(names[i], *problems_.back(), samples_of(i).info()));
  }
}

void EvaluateCommand::make_modes(const std::vector<Run>& runs) {
  if (method().is_shift()) {
    modes_.push_back({attack_name(), nullptr});
    return;
  }
  if (settings_.source.has_value()) {
    const auto& source = runs.back();
    const auto shown =
        std::find_if(runs.begin(), runs.end() - 1, [&](const Run& run) { return run.name == source.name; });
    source_name_ = shown == runs.end() - 1 ? source.name : models_[static_cast<size_t>(shown - runs.begin())].name;
    source_ = make_checked_problem(source, samples_of(runs.size() - 1), scaling_, parse_engine(*common_.engine),
                                   needs_gradients());
    modes_.push_back({attack_name() + " from " + source_name_, source_.get()});
  }
  if (white_box()) modes_.push_back({attack_name() + " white-box", nullptr});
}

}  // namespace arks::cli
