// The paper's table of hyper-parameters: a search over some of them by the paper's rule, beside what was published. The
// file has what `arks sweep` takes (sweep_plan.h), and for each data set
//   [[set]]    data, and whatever is different for it
//   published  in a set: for each group the values of the paper's table
#include "study/kinds.h"
#include "study/result_table.h"
#include "study/selection.h"
#include "study/sweep_figure.h"
#include "study/sweep_results.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <map>

namespace arks::study {

namespace {

struct Search {
  std::string data;
  SweepPlan plan;
  std::vector<SweepRun> runs;
  std::map<std::string, FlagValues> published;  // by group
};

std::vector<Search> read_searches(Study& study) {
  const auto& settings = study.settings();
  auto common = settings;
  for (const char* key : {"kind", "shows", "paper", "data", "takes", "set"}) common = common.without(key);
  std::vector<Search> searches;
  for (const auto& set : settings.tables("set")) {
    Search search;
    search.data = set.text("data");
    const auto published = set.table("published");
    for (const auto& group : published.keys()) {
      search.published[group] = study.flags(published.table(group), "train");
    }
    const auto file = common.overlaid(set.without("data").without("published"));
    search.plan = read_sweep_plan(file.values(), set.what(), study.options().known_flags, study.options().defaults);
    search.plan.on_test = true;  // as published
    for (auto& group : search.plan.groups) {
      for (auto& point : group.points) point.flags["data"] = search.data;
    }
    check_points(search.plan,
                 [&](const std::string& command, const FlagValues& flags) { study.check_step(command, flags); });
    search.runs = runs_of(search.plan, study.options().data_dir);
    check_rule(parse_rule("paper", metrics_of(search.plan)), groups_of(search.plan, /*regression=*/false));
    searches.push_back(std::move(search));
  }
  ARKS_CHECK(!searches.empty(), settings.what(), ": at least one [[set]] is needed");
  return searches;
}

/// "sigma 0.5, inner-lr 0.01"
std::string values_text(const std::vector<std::pair<std::string, std::string>>& values) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) parts.push_back(name + " " + value);
  return join(parts);
}

/// One value of each parameter that was searched: "{0.1, 0.5, 1}".
std::string searched_text(const SweepGroup& group) {
  std::vector<std::string> parts;
  for (const auto& name : group.parameters) {
    std::vector<std::string> values;
    for (const auto& point : group.points) {
      for (const auto& [key, value] : point.parameters) {
        if (key == name && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
      }
    }
    parts.push_back(name + " {" + join(values) + "}");
  }
  return join(parts);
}

}  // namespace

void study_search(Study& study) {
  const auto searches = read_searches(study);
  ResultTable table({"data", "group", "searched", "chosen", "clean error", "in the paper"});
  for (const auto& search : searches) {
    study.run(steps_of(search.runs));
    if (study.plan_only()) continue;
    const auto results = collect(search.plan, search.runs, study.store());
    const auto rule = parse_rule("paper", results.metrics);
    const auto choices = select(rule, results.candidates(search.plan));
    for (size_t g = 0; g < search.plan.groups.size(); ++g) {
      const auto& group = search.plan.groups[g];
      const auto& choice = choices[g];
      const auto published = search.published.find(group.name);
      std::vector<std::pair<std::string, std::string>> in_paper;
      if (published != search.published.end()) in_paper.assign(published->second.begin(), published->second.end());
      auto clean = choice.point ? percent(choice.value, 1) : "-";
      if (choice.target) clean += " (ERM " + percent(choice.target, 1) + ")";
      table.add_row({search.data, group.name, searched_text(group),
                     choice.point ? values_text(group.points[*choice.point].parameters) : "-", clean,
                     values_text(in_paper)});
    }
    study.write("points-" + search.data + ".csv", results_csv(search.plan, results));
    study.draw_into(search.data, [&](const std::filesystem::path& folder) {
      return write_sweep_figures(folder, search.plan, results, rule.metric);
    });
  }
  if (study.plan_only()) return;
  study.tell(table.console());
  study.write(study.experiment().id + ".csv", table.csv());
  study.write(study.experiment().id + ".md", table.markdown());
}

}  // namespace arks::study
