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
};

/// `paper`: the hyper-parameters of ERM are those with the lowest clean error, averaged over the seeds; those of every
/// other method the ones whose clean error comes closest to it. `best`: the smallest mean of the metric in each group.
struct SelectionRule {
  enum class Kind { kPaper, kBest };
  Kind kind = Kind::kBest;
  std::string metric;  ///< of kPaper the clean error: test_error, or test_loss where there are no classes

  std::string describe() const;
};

/// "paper" or "best:METRIC". Throws Error for anything else, and for a metric that is not among `metrics`, with the
/// nearest and the list.
SelectionRule parse_rule(const std::string& text, const std::vector<std::string>& metrics);

/// Throws Error when the rule is the paper's and no group is of ERM, or one searches the method itself.
void check_rule(const SelectionRule& rule, const std::vector<CandidateGroup>& groups);

/// What was chosen in a group.
struct Choice {
  std::optional<size_t> point;   ///< the first of several that are as good; none while there is nothing to choose from
  std::optional<double> value;   ///< its mean of the rule's metric
  std::optional<double> target;  ///< of the paper's rule, groups that are not of ERM: the error to come close to
  int64_t left_out = 0;          ///< points without a mean of the metric, or with seeds missing or failed
};

/// One choice for each group. Of several groups of ERM the best point of all is the target.
std::vector<Choice> select(const SelectionRule& rule, const std::vector<CandidateGroup>& groups);

}  // namespace arks::study
