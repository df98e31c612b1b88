#pragma once
#include <arks/data/dataset.h>

#include <string>
#include <vector>

namespace arks {

/// The names of all classes; their numbers where they have none. Empty without classes.
inline std::vector<std::string> names_of_classes(const DatasetInfo& info) {
  auto names = info.class_names;
  for (auto c = static_cast<int64_t>(names.size()); c < info.num_classes; ++c) names.push_back(std::to_string(c));
  return names;
}

}  // namespace arks
