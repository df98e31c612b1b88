#include "speed_figure.h"
#include "report/bar_figure.h"
#include "report/csv_field.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace arks::study {

namespace {

/// "9.2×", or "142 %" of a share.
std::string shown(const SpeedRatio& ratio) {
  return ratio.is_share ? fmt::format("{:.0f} %", 100 * ratio.ratio) : fmt::format("{:.1f}×", ratio.ratio);
}

std::string group_of(const SpeedRatio& ratio) {
  if (ratio.is_share) return "Not a speed-up: operations per second, 1 = those of " + ratio.against;
  return "Against " + ratio.against;
}

/// Neighbours by what they are compared against, in the order of appearance; shares last.
std::vector<SpeedRatio> grouped(const std::vector<SpeedRatio>& ratios) {
  std::vector<std::string> groups;
  for (const bool share : {false, true}) {
    for (const auto& ratio : ratios) {
      const bool known = std::find(groups.begin(), groups.end(), group_of(ratio)) != groups.end();
      if (ratio.is_share == share && !known) groups.push_back(group_of(ratio));
    }
  }
  std::vector<SpeedRatio> result;
  for (const auto& group : groups) {
    std::copy_if(ratios.begin(), ratios.end(), std::back_inserter(result),
                 [&](const SpeedRatio& ratio) { return group_of(ratio) == group; });
  }
  return result;
}

std::string number(const std::optional<double>& value) {
  return value ? shortest(*value) : "";
}

}  // namespace

void write_speed_figure(const std::vector<std::filesystem::path>& files, const std::vector<SpeedRatio>& ratios,
                        const std::string& footnote) {
  ARKS_CHECK(!ratios.empty(), "speed figure: no comparisons to draw");
  std::vector<Bar> bars;
  for (const auto& ratio : grouped(ratios)) {
    Bar bar{ratio.work, ratio.ratio, shown(ratio), group_of(ratio)};
    bar.mark = ratio.least;
    bar.low = ratio.lowest_round;
    bar.high = ratio.highest_round;
    bars.push_back(bar);
  }
  const auto options = BarFigureOptions()
                           .title("Speed of arks against other ways to do the same work")
                           .value_label("times as fast (time of the other / time of arks)")
                           .mark_label("minimum that was required")
                           .whisker_label("lowest and highest round")
                           .guide(1)
                           .guide_label("equally fast")
                           .note(footnote);
  for (const auto& file : files) write_bar_figure(file, bars, options);
}

std::string speed_csv(const std::vector<SpeedRatio>& ratios) {
  std::string text =
      "name,work,against,kind,ratio,lowest_round,highest_round,least,aim,ours_seconds,theirs_seconds,rounds\r\n";
  for (const auto& ratio : ratios) {
    text += join({csv_field(ratio.name), csv_field(ratio.work), csv_field(ratio.against),
                  ratio.is_share ? "share" : "ratio", shortest(ratio.ratio), number(ratio.lowest_round),
                  number(ratio.highest_round), number(ratio.least), number(ratio.aim), shortest(ratio.ours_seconds),
                  shortest(ratio.theirs_seconds), ratio.rounds > 0 ? std::to_string(ratio.rounds) : ""},
                 ",") +
            "\r\n";
  }
  return text;
}

}  // namespace arks::study
