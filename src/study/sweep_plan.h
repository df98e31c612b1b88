#pragma once
// A search for hyper-parameters, as a TOML file describes it:
//
//   seeds = [0, 10, 20]        # [0]
//   [train]                    # flags of arks train, for every point
//   data = "fashion-mnist"
//   [evaluate]                 # flags of arks evaluate: attack every model and take its errors as metrics
//   eps = [0.1, 0.2]
//   [[search]]                 # one or more groups
//   name = "arks"              # [the method]
//   [search.train]             # flags of this group
//   method = "arks"
//   [search.grid]              # every combination
//   sigma = [0.1, 0.5, 1]
//   [search.random]            # `points` draws, each with all of the grid
//   points = 20
//   seed = 0                   # [0]
//   lr = {log = [1e-4, 0.2]}   # see SearchDraw
//
// A single group may stand at the top, as [grid] and [random] beside [train]. Where [train] and one of several groups
// set the same flag, the group wins; within a group a flag stands once.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/settings.h"

namespace arks::study {

/// Part of the training samples by which a search chooses, where its file does not say.
inline constexpr const char* kSearchValidation = "0.2";

struct SweepPoint {
  FlagValues flags;                                             ///< all that are given, without the seed
  std::vector<std::pair<std::string, std::string>> parameters;  ///< those searched, in the order of the file
};

struct SweepGroup {
  std::string name;    ///< unique; letters, digits, dots, dashes
  std::string method;  ///< empty when it is searched itself
  std::vector<std::string> parameters;
  std::vector<SweepPoint> points;  ///< no two alike; random draws outside, the first parameter of the grid next
};

struct SweepPlan {
  StepDefaults defaults;  ///< of what the file does not say
  std::vector<int64_t> seeds;
  std::vector<SweepGroup> groups;
  std::optional<FlagValues> evaluate;
  /// The paper's protocol: no validation part, and the metrics that select are those of the test part.
  bool on_test = false;

  /// How many models a point has for each seed: its folds, or one.
  int64_t folds_of(const SweepPoint& point) const;
  /// Over what the numbers of a point spread: "3 seeds", "5 folds", "3 seeds, 5 folds each"; empty for a single model.
  std::string repeats_of(const SweepPoint& point) const;
  /// Gives points without validation part or folds a validation part, and lets [evaluate] attack that part, unless
  /// on_test. Returns how many points were given one. Throws Error when [evaluate] names another part or other data.
  int64_t validate_points();

  /// The parameters of all groups, in the order of their first mention.
  std::vector<std::string> parameters() const;
  int64_t num_points() const;
};

/// Throws Error, naming the file and the place, for keys that nobody reads (with the nearest one), flags that are
/// not for a file to give, empty lists and tables, and reversed ranges.
SweepPlan read_sweep_plan(const toml::table& root, const std::string& file, const KnownFlags& known,
                          const StepDefaults& defaults);
/// The same of a text.
SweepPlan read_sweep_plan(const std::string& toml, const std::string& file, const KnownFlags& known,
                          const StepDefaults& defaults);

/// Asks for every point, and for the attack, whether the command takes it.
void check_points(const SweepPlan& plan, const FlagCheck& check);

}  // namespace arks::study
