#pragma once
#include <benchmark/benchmark.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arks::bench {

/// Seconds in each round, by benchmark.
using Rounds = std::map<std::string, std::vector<double>>;

double median(std::vector<double> values);

/// Median of a benchmark's rounds; none when it did not run.
std::optional<double> median_of(const Rounds& rounds, const std::string& name);

/// Median over the rounds of (time of `slow`)/(time of `fast`); none unless both ran in every round.
std::optional<double> median_ratio(const Rounds& rounds, const std::string& slow, const std::string& fast);

/// Two sides shown to do the same work.
struct SameWork {
  std::string what;
  double difference = 0, allowed = 0;
};

/// The benchmarks and what they measured. Every round runs each of them once, in the order they were added, so that
/// what is compared runs next to each other; before its first round each runs once untimed.
class Suite {
 public:
  /// Times `work` and counts it as `parts` equal ones.
  void add(const std::string& name, int64_t parts, std::function<void()> work);

  /// Runs those that were added since the last time and pass --benchmark_filter; false when there are none.
  bool run(int64_t rounds);

  /// Says by how much two sides differ, and throws RunError when it is more than allowed: a comparison would mean
  /// nothing.
  void require_same_work(const std::string& what, double difference, double allowed);

  const Rounds& rounds() const { return rounds_; }
  const std::vector<SameWork>& same_work() const { return same_work_; }

 private:
  Rounds rounds_;
  std::vector<SameWork> same_work_;
};

/// Made when it is first asked for: what the filter leaves out costs nothing. Copies share it.
template <typename Value>
class Lazy {
 public:
  explicit Lazy(std::function<std::shared_ptr<Value>()> make) : state_(std::make_shared<State>()) {
    state_->make = std::move(make);
  }
  Value& get() const {
    if (!state_->value) state_->value = state_->make();
    return *state_->value;
  }
  Value* operator->() const { return &get(); }

 private:
  struct State {
    std::function<std::shared_ptr<Value>()> make;
    std::shared_ptr<Value> value;
  };
  std::shared_ptr<State> state_;
};

}  // namespace arks::bench
