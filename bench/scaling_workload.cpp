#include "scaling_workload.h"
#include "arks_workload.h"
#include "format.h"
#include "report/table.h"
#include "support/one_thread.h"
#include "support/samples.h"
#include "support/text.h"

#include <torch/utils.h>

#include <optional>
#include <ostream>

namespace arks::bench {

namespace {

constexpr int64_t kImages[] = {32, 64, 128, 256, 512, 1024};
constexpr int64_t kSteps[] = {1, 5, 15, 30, 60};
constexpr int64_t kUsualImages = 256, kUsualSteps = 15, kManySteps = 60;

std::string name_of(int64_t images, int64_t steps, int threads) {
  return "scaling/" + std::to_string(images) + "x" + std::to_string(steps) + "/" + std::to_string(threads) +
         (threads == 1 ? "_thread" : "_threads");
}

/// Short ones are repeated, so that a time is never that of a moment.
int64_t repetitions(int64_t images, int64_t steps) {
  constexpr int64_t kEnough = 1920;
  return std::max<int64_t>(1, kEnough / (images * steps));
}

/// Each benchmark has its own, so that none finds what another has left.
Lazy<Ours> ours_with(int64_t steps) {
  return Lazy<Ours>([=] {
    const auto setting = setting_for("fashion-mnist");
    return std::make_shared<Ours>(setting, ascent_of(setting, InnerMode::kEval).steps(steps));
  });
}

}  // namespace

struct Scaling::Row {
  Point point;
  double one = 0, two = 0;  // seconds on one thread and on two, medians
  double speedup = 0;       // median of the rounds' ratios
  double to_linear = 0;     // time on two threads over what linear growth says
  int64_t one_bytes = 0, two_bytes = 0;
};

void Scaling::add_to(Suite& suite) {
  const auto add = [&](int64_t images, int64_t steps) {
    const auto batch = random_batch(setting_for("fashion-mnist"), images);
    const int64_t times = repetitions(images, steps);
    for (const int threads : {2, 1}) {
      const auto name = name_of(images, steps, threads);
      const auto ours = ours_with(steps);
      suite.add(name, times, [=] {
        // not torch::set_num_threads, which starts a pool of its own whose threads spin for a while
        std::optional<OneThread> one;
        if (threads == 1) one.emplace();
        for (int64_t i = 0; i < times; ++i) ours->maximize(batch);
        workspace_bytes_[name] = ours->info().workspace_bytes;
      });
    }
  };
  for (const int64_t images : kImages) add(images, kUsualSteps);
  for (const int64_t steps : kSteps) {
    if (steps != kUsualSteps) add(kUsualImages, steps);
  }
}

std::vector<Scaling::Row> Scaling::rows(const Rounds& rounds) const {
  const auto two_threads = [&](int64_t images, int64_t steps) {
    return median_of(rounds, name_of(images, steps, 2)).value_or(0);
  };
  const double usual = two_threads(kUsualImages, kUsualSteps), many = two_threads(kUsualImages, kManySteps);
  const double slope = (many - usual) / (kManySteps - kUsualSteps);
  std::vector<Row> found;
  const auto add = [&](int64_t images, int64_t steps, double linear) {
    const auto one = median_of(rounds, name_of(images, steps, 1)), two = median_of(rounds, name_of(images, steps, 2));
    const auto speedup = median_ratio(rounds, name_of(images, steps, 1), name_of(images, steps, 2));
    if (!one || !two || !speedup) return;
    found.push_back({{images, steps},
                     *one,
                     *two,
                     *speedup,
                     linear > 0 ? *two / linear : 0,
                     workspace_bytes_.at(name_of(images, steps, 1)),
                     workspace_bytes_.at(name_of(images, steps, 2))});
  };
  for (const int64_t images : kImages) add(images, kUsualSteps, usual * static_cast<double>(images) / kUsualImages);
  for (const int64_t steps : kSteps) {
    const double line = usual > 0 && many > 0 ? usual + slope * static_cast<double>(steps - kUsualSteps) : 0;
    if (steps != kUsualSteps) add(kUsualImages, steps, line);
  }
  return found;
}

void Scaling::print(std::ostream& out, const Rounds& rounds) const {
  const auto found = rows(rounds);
  if (found.empty()) return;
  const auto passes = rounds.at(name_of(found.front().point.images, found.front().point.steps, 1)).size();
  Table table({"images", "steps", "1 thread", "2 threads", "per image\nand step", "to\nlinear", "speed-up", "verdict",
               "plan,\n1 thread", "plan,\n2 threads"});
  const auto memory = [](int64_t bytes) { return bytes == 0 ? "-" : human_bytes(static_cast<double>(bytes)); };
  for (const auto& row : found) {
    const auto work = static_cast<double>(row.point.images * row.point.steps);
    table.add_row({std::to_string(row.point.images), std::to_string(row.point.steps), duration(row.one),
                   duration(row.two), duration(row.two / work), row.to_linear > 0 ? number(row.to_linear, 2) : "-",
                   number(row.speedup, 2), row.speedup < kWantedThreadSpeedup ? "MISSED" : "reached",
                   memory(row.one_bytes), memory(row.two_bytes)});
  }
  out << "\nInner maximisation of ARKS, Fashion-MNIST network; medians of " << counted(passes, "round")
      << "; two threads at least " << number(kWantedThreadSpeedup, 1) << " times as fast as one.\n"
      << "Linear is, in images, in proportion to " << kUsualImages << "; in steps, the line through " << kUsualSteps
      << " and " << kManySteps << ", which does not start at zero:\nthe last iterate's value takes one more forward "
      << "pass. The plan's memory is to be the same for all numbers of images.\n\n"
      << table.str();
}

nlohmann::json Scaling::to_json(const Rounds& rounds) const {
  auto list = nlohmann::json::array();
  for (const auto& row : rows(rounds)) {
    nlohmann::json entry = {
        {"images", row.point.images},
        {"steps", row.point.steps},
        {"one_thread_seconds", row.one},
        {"two_threads_seconds", row.two},
        {"seconds_per_image_and_step", row.two / static_cast<double>(row.point.images * row.point.steps)},
        {"speedup", row.speedup},
        {"wanted_speedup", kWantedThreadSpeedup},
        {"workspace_bytes_one_thread", row.one_bytes},
        {"workspace_bytes_two_threads", row.two_bytes}};
    if (row.to_linear > 0) entry["to_linear"] = row.to_linear;
    list.push_back(entry);
  }
  return list;
}

}  // namespace arks::bench
