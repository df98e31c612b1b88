#include "study/run_parts.h"

#include "metric/group_statistics.h"
#include "support/file.h"
#include "support/json_text.h"

#include <arks/train/trainer.h>

namespace arks::study {

namespace {

using Json = nlohmann::ordered_json;

Json part_json(const PartSize& part) {
  return {{"n", part.samples}, {"groups", part.groups}};
}

PartSize part_in(const Json& json) {
  return {json.at("n").get<int64_t>(), json.at("groups").get<int64_t>()};
}

}  // namespace

PartSize size_of_part(const DatasetPtr& part) {
  if (!part) return {};
  const auto groups = arks::groups_of(*part);
  return {part->size(), groups.defined() ? group_count(groups) : 0};
}

std::string to_json(const RunParts& parts) {
  const Json document = {{"samples", parts.word},
                         {"train", part_json(parts.train)},
                         {"validation", part_json(parts.validation)},
                         {"test", part_json(parts.test)}};
  return json_text(document);
}

RunParts read_parts(const std::filesystem::path& run_folder) {
  const auto file = run_folder / run_files::kParts;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  try {
    const auto json = parse_json(read_file(file));
    return {json.at("samples").get<std::string>(), part_in(json.at("train")), part_in(json.at("validation")),
            part_in(json.at("test"))};
  } catch (const std::exception&) {  // a file from elsewhere
    return {};
  }
}

}  // namespace arks::study
