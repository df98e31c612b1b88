#include "cli/model_names.h"

#include "support/text.h"

#include <arks/support/error.h>

#include <set>

namespace arks::cli {

Declaration<std::string> names_setting() {
  return text("names", "names of the models in tables, files and figures, comma-separated")
      .type("LIST")
      .default_words("as typed")
      .output();
}

std::vector<std::string> shown_names(const std::vector<std::string>& typed, const std::string& given) {
  if (given.empty()) return typed;
  const auto names = split(given, ',');
  ARKS_CHECK(names.size() == typed.size(), "--names: needs one name for each of the ", typed.size(), " models, got ",
             names.size(), ": ", given);
  for (const auto& name : names) ARKS_CHECK(!name.empty(), "--names: a name is empty in ", given);
  ARKS_CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size(),
             "--names: two models have the same name in ", given);
  return names;
}

std::string engine_line(const std::string& name, const SupervisedProblem& problem, const DatasetInfo& info,
                        bool training) {
  const auto found = problem.network().compilation(info.input_shape, training);
  return c10::str(name.empty() ? "" : name + ": ", "engine: in ", training ? "training" : "evaluation",
                  " mode the network runs on ",
                  found.compiled ? "a compiled plan, " + found.instructions : "libtorch: " + found.why_not);
}

}  // namespace arks::cli
