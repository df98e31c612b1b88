#pragma once
// `arks evaluate`: its settings, what it loads (evaluate_load.cpp), and what it does with that (evaluate.cpp).
#include "cli/command.h"
#include "cli/evaluate_settings.h"
#include "cli/test_sets.h"
#include "report/evaluation_report.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arks::cli {

class EvaluateCommand : public Command {
 public:
  explicit EvaluateCommand(CommandLine& line);
  void fill_defaults() override;
  void check_together() override;
  int run() override;

 private:
  /// An attack mode: white-box, or crafted on the source.
  struct Mode {
    std::string title;
    Problem* source = nullptr;
  };
  void fill_settings();
  void check_strengths() const;
  void check_units() const;
  void load();
  void prepare_attack();
  bool white_box() const;
  /// Nothing is differentiated for a shift, nor where no sample is moved.
  bool needs_gradients() const;
  void make_problems(const std::vector<Run>& runs);
  void make_modes(const std::vector<Run>& runs);
  std::vector<TestSet> load_test_sets(const std::vector<Run>& runs);
  void limit_samples();
  std::optional<Bounds> bounds_of(const TestView& view) const;
  /// The samples as this model takes them, in the first test set.
  const Dataset& samples_of(size_t model) const { return test_sets_.front().samples_of(model); }
  const AttackMethod& method() const { return *attack_; }
  std::string attack_name() const { return *settings_.attack; }
  AttackMethod& choose_attack();
  std::vector<double> radii() const { return parse_numbers(*settings_.eps, "--eps"); }
  int64_t repeats() const { return method().draws() ? *settings_.repeats : 1; }
  std::vector<EvaluationPoint> attack_views(const TestSet& set, double eps, EvaluateOptions options,
                                            const std::function<void(int64_t done)>& on_samples);
  void attack_all(EvaluationReport& report);
  void draw(const EvaluationReport& report, double largest_eps);
  ConfigRows config(bool shows_loss) const;
  void warn() const;

  std::vector<std::string> model_names_;
  EvaluateSettings settings_;
  Choice<AttackMethod> attack_{"attack", attacks()};
  TestSettings test_;
  SourceSettings test_data_;                      // where no run says how the data were divided
  ScalingSettings scaling_{"TorchScript files"};  // in front of TorchScript files
  EvaluateOutput output_;

  std::string data_, source_name_;
  std::vector<TestSet> test_sets_;
  std::vector<std::unique_ptr<SupervisedProblem>> problems_;
  std::vector<NamedProblem> models_;
  std::unique_ptr<SupervisedProblem> source_;
  std::vector<Mode> modes_;
};

}  // namespace arks::cli
