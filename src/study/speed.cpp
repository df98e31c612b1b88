// The ratios of script/bench, from its JSON: the one given, else the one that ships with the tool.
#include "study/embedded.h"
#include "study/kinds.h"
#include "study/speed_figure.h"
#include "support/file.h"

namespace arks::study {

void study_speed(Study& study) {
  study.settings_are_read();
  const auto& given = study.options().benchmark;
  const auto what = given.empty() ? std::string("benchmark.json") : given;
  const auto json = given.empty() ? std::string(study_file(what)) : read_file(given);
  const auto ratios = read_speed_ratios(json, what);
  const auto footnote = speed_footnote(json, what);
  if (study.plan_only()) return;
  study.write(study.experiment().id + ".csv", speed_csv(ratios));
  study.draw([&](const std::filesystem::path& file) { write_speed_figure({file}, ratios, footnote); });
  study.tell(footnote);
}

}  // namespace arks::study
