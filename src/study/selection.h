#pragma once
// Which point of a search is taken.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace arks::study {

/// The method that the paper's rule compares the others with.
const std::string& baseline_method();

/// A point as selection sees it.
struct Candidate {
  bool complete = false;                ///< all its seeds are there
  std::map<std::string, double> means;  ///< of the metrics, over the seeds
};

struct CandidateGroup {
  std::string name, method;
  std::vector<Candidate> points;
  /// Settings that differ among the points and give their losses different units: all losses, or those that the classes
  /// are weighted in; or that give the strength of an attack another meaning. What depends on them is not compared.
  /// Empty where there are none.
  std::string other_units = "", other_weights = "", other_strengths = "";
  bool predicts_numbers = false;  ///< known before there are results: who scales targets does

  /// The one that keeps this metric from being compared; empty where it can be. Methods that are searched minimise
  /// different surrogates.
  const std::string& incomparable(const std::string& metric) const;
};

/// `paper`: the hyper-parameters of ERM are those with the lowest clean error, averaged over the seeds; those of every
/// other method the ones whose clean error comes closest to it; it chooses on the test part, as published. `best`: the
/// smallest mean of the metric in each group, on the validation part.
/// Of points that are as good (to nine digits: means that were rounded differently are the same), the one with the
/// smaller validation (test) error is taken, then loss, then errors and losses under attack; of these the first in the
/// file. No rule takes a point if another one of its group is better in all of these metrics.
struct SelectionRule {
  enum class Kind { kPaper, kBest };
  Kind kind = Kind::kBest;
  std::string
      metric;  ///< of kPaper the clean error of the test part: test_error, or test_loss where there are no classes

  bool on_test() const { return kind == Kind::kPaper; }
  std::string describe() const;
};

/// "paper" or "best:METRIC". Throws Error for anything else, and for a metric that is not among `metrics`, with the
/// nearest and the list.
SelectionRule parse_rule(const std::string& text, const std::vector<std::string>& metrics);

/// Throws Error when the rule is the paper's and no group is of ERM, or one searches the method itself, and when it
/// compares what is not comparable in a group.
void check_rule(const SelectionRule& rule, const std::vector<CandidateGroup>& groups);

/// What was chosen in a group.
struct Choice {
  std::optional<size_t> point;   ///< none while there is nothing to choose from
  std::optional<double> value;   ///< its mean of the rule's metric
  std::optional<double> target;  ///< of the paper's rule, groups that are not of ERM: the error to come close to
  int64_t tied = 0;              ///< other points that the rule's metric finds as good
  int64_t left_out = 0;          ///< points without a mean of the metric, or with seeds missing or failed
};

/// One choice for each group; none in one whose points the metric does not compare. Of several groups of ERM the best
/// point of all is the target.
std::vector<Choice> select(const SelectionRule& rule, const std::vector<CandidateGroup>& groups);

}  // namespace arks::study
