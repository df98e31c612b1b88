#include "study/experiment.h"

#include "study/embedded.h"
#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks::study {

std::vector<std::string> scale_names() {
  return {"smoke", "laptop", "paper"};
}

std::vector<std::string> experiment_ids() {
  return {"fig-landscape", "fig-fashion",  "fig-cifar", "fig-celeba",   "fig-celeba-faces", "fig-tradeoff",
          "fig-histogram", "fig-diabetes", "fig-iris",  "table-search", "fig-certificate",  "fig-speed"};
}

std::string experiment_toml(const std::string& id) {
  place_of(id, experiment_ids(), "experiment");
  return std::string(study_file(id + ".toml"));
}

Experiment read_experiment(const std::string& id, const std::string& toml, const std::string& what,
                           const std::string& scale) {
  const auto names = scale_names();
  ARKS_CHECK(contains(names, scale), "--scale: unknown scale '", scale, "'", did_you_mean(scale, names),
             "; known: ", join(names));
  const auto file = Settings::parse(toml, what);
  const auto scales = file.table("scale");
  for (const auto& name : scales.keys()) {
    ARKS_CHECK(contains(names, name), what, ": unknown scale [scale.", name, "]", did_you_mean(name, names),
               "; known: ", join(names));
  }
  std::vector<std::string> takes;
  for (const auto& name : names) takes.push_back(scales.table(name).text("takes", "-"));
  auto settings = file.without("scale").overlaid(scales.table(scale));
  Experiment experiment{id,    toml,    settings.text("kind"), settings.text("shows"), settings.text("paper"), {},
                        takes, settings};
  experiment.data = settings.has("data") ? settings.texts("data") : std::vector<std::string>{};
  settings.text("takes", "");
  return experiment;
}

}  // namespace arks::study
