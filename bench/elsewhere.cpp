#include "elsewhere.h"

#include "format.h"
#include "suite.h"

#include <arks/support/error.h>

#include <fstream>

namespace arks::bench {

namespace {

nlohmann::json read_json(const std::filesystem::path& path) {
  if (path.empty()) return {};
  std::ifstream file(path);
  auto document = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  ARKS_CHECK(file && !document.is_discarded(), path.string(), ": cannot be read as JSON");
  return document;
}

}  // namespace

Elsewhere read_elsewhere(const std::filesystem::path& python, const std::filesystem::path& instructions) {
  return {read_json(python), read_json(instructions)};
}

std::map<std::string, double> python_batches(const Elsewhere& elsewhere) {
  std::map<std::string, double> found;
  if (elsewhere.python.is_null()) return found;
  for (const auto& [name, seconds] : elsewhere.python.at("batch_seconds").items()) {
    found[name] = median(seconds.get<std::vector<double>>());
  }
  return found;
}

std::string instructions_text(const Elsewhere& elsewhere) {
  if (elsewhere.instructions.is_null()) return "";
  const auto count = elsewhere.instructions.at("instructions_per_step").get<double>();
  const auto images = elsewhere.instructions.at("images").get<double>();
  return "callgrind, one inner step of " + number(images, 0) + " images on one thread: " + number(count / 1e6, 2) +
         " million instructions, " + number(count / images / 1e6, 2) + " million an image" +
         (elsewhere.instructions.at("compiled").get<bool>() ? " (compiled plan)\n" : " (libtorch)\n");
}

}  // namespace arks::bench
