#include <arks/support/error.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "study/step.h"
#include "study/step_process.h"
#include "support/free_memory.h"
#include "support/stopwatch.h"

namespace arks::study {

namespace {

/// The steps of one call, handed out to threads. Everything in it is under one lock; the work itself is not.
class Schedule {
 public:
  Schedule(const StepStore& store, const std::vector<Step>& steps, const RunOptions& options)
      : store_(store), options_(options) {
    for (const auto& step : steps) add(step);
    // by cost, and in the given order where that is equal
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [&](size_t a, size_t b) { return items_[a].step.cost > items_[b].step.cost; });
  }

  std::vector<StepOutcome> run(const std::vector<Step>& steps) {
    announce_kept();
    std::vector<std::thread> threads;
    const auto jobs = std::min<size_t>(static_cast<size_t>(std::max<int64_t>(1, options_.jobs)), waiting_.size());
    for (size_t i = 0; i < jobs; ++i) threads.emplace_back([this] { work(); });
    for (auto& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    if (stopped()) throw RunError("interrupted; what is finished is kept, and the same command continues");
    std::vector<StepOutcome> outcomes;
    for (const auto& step : steps) outcomes.push_back(items_[by_key_.at(key_of(step))].outcome);
    return outcomes;
  }

 private:
  struct Item {
    Step step;
    StepOutcome outcome;
    std::vector<std::string> needs;  // keys
  };
  enum class Readiness { kNow, kLater, kNever };

  void add(const Step& step) {
    const auto key = key_of(step);
    if (by_key_.count(key) > 0) return;
    Item item{step, store_.outcome(step), needed_keys(step)};
    item.outcome.kept = item.outcome.done();
    by_key_[key] = items_.size();
    if (!item.outcome.done()) waiting_.push_back(items_.size());
    items_.push_back(std::move(item));
  }

  void announce_kept() {
    for (const auto& item : items_) {
      if (item.outcome.kept) tell(item);
    }
  }

  bool stopped() const { return options_.stop_requested && options_.stop_requested(); }

  Readiness readiness(const Item& item, std::string& why_never) const {
    for (const auto& key : item.needs) {
      const auto needed = by_key_.find(key);
      if (needed == by_key_.end()) continue;  // of an earlier call: the command itself says when it is not there
      const auto& outcome = items_[needed->second].outcome;
      if (outcome.done()) continue;
      if (is_waiting(needed->second) || is_running(needed->second)) return Readiness::kLater;
      why_never = items_[needed->second].step.name + ", which it needs, failed: " + outcome.reason;
      return Readiness::kNever;
    }
    return Readiness::kNow;
  }

  bool is_waiting(size_t i) const { return std::find(waiting_.begin(), waiting_.end(), i) != waiting_.end(); }
  bool is_running(size_t i) const { return std::find(running_.begin(), running_.end(), i) != running_.end(); }

  bool fits(const Item& item) const {
    double taken = item.step.memory_bytes;
    for (const size_t i : running_) taken += items_[i].step.memory_bytes;
    return running_.empty() || taken <= memory_;
  }

  /// The next step to run, or -1 when there is none for this thread now.
  int64_t next() {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      auto& item = items_[*at];
      std::string why_never;
      const auto ready = readiness(item, why_never);
      if (ready == Readiness::kNever) {
        item.outcome.state = StepState::kFailed;
        item.outcome.reason = why_never;
        waiting_.erase(at);
        tell(item);
        at = waiting_.begin();  // what needs this one may stand before it
      } else if (ready == Readiness::kNow && fits(item)) {
        const auto chosen = *at;
        waiting_.erase(at);
        return static_cast<int64_t>(chosen);
      } else {
        ++at;
      }
    }
    return -1;
  }

  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!failure_ && !stopped()) {
      const int64_t chosen = next();
      if (chosen < 0) {
        if (waiting_.empty() || running_.empty()) return;
        changed_.wait_for(lock, std::chrono::milliseconds(200));  // and look whether to stop
        continue;
      }
      const auto index = static_cast<size_t>(chosen);
      running_.push_back(index);
      run_item(items_[index], lock);
      running_.erase(std::find(running_.begin(), running_.end(), index));
      changed_.notify_all();
    }
  }

  void run_item(Item& item, std::unique_lock<std::mutex>& lock) {
    if (options_.on_begun) options_.on_begun(item.step.name);
    auto outcome = item.outcome;
    std::exception_ptr failure;
    lock.unlock();
    try {
      outcome = run_step(store_, item.step, options_.tool, [this] { return failed_ || stopped(); });
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    failed_ = failed_ || failure_ != nullptr;
    item.outcome = outcome;
    if (!failure && (outcome.done() || outcome.state == StepState::kFailed)) {
      worked_cost_ += item.step.cost;
      tell(item);
    }
  }

  /// Called under the lock, or before there are threads.
  void tell(const Item& item) {
    ++finished_;
    if (!options_.on_finished) return;
    StepProgress progress;
    progress.name = item.step.name;
    progress.outcome = item.outcome;
    progress.finished = finished_;
    progress.total = static_cast<int64_t>(items_.size());
    progress.elapsed = watch_.seconds();
    double left = 0;
    for (const size_t i : waiting_) left += items_[i].step.cost;
    // of those that run half is done, on the average
    for (const size_t i : running_) left += items_[i].outcome.key == item.outcome.key ? 0 : items_[i].step.cost / 2;
    progress.remaining = worked_cost_ > 0 ? progress.elapsed * left / worked_cost_ : -1;
    options_.on_finished(progress);
  }

  const StepStore& store_;
  const RunOptions& options_;
  std::vector<Item> items_;
  std::map<std::string, size_t> by_key_;
  std::vector<size_t> waiting_, running_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  int64_t finished_ = 0;
  double worked_cost_ = 0;
  double memory_ = 0.8 * free_memory_bytes();
  Stopwatch watch_;
};

}  // namespace

std::vector<StepOutcome> run_steps(const StepStore& store, const std::vector<Step>& steps, const RunOptions& options) {
  return Schedule(store, steps, options).run(steps);
}

}  // namespace arks::study
