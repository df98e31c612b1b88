#pragma once
#include <arks/data/load.h>

#include <optional>
#include <string>
#include <vector>

namespace arks {

/// What the user's own images can turn out to be, as far as a glance tells: the header of a file, or one image of a
/// folder. It holds what published_settings looks at: shape, whether there are classes, width of the bounds. Of other
/// data that function asks nothing, and there is one without content. Never an Error: where nothing can be read,
/// everything is possible.
std::vector<DatasetInfo> possible_infos(const std::string& data, const DataOptions& options);

/// How many of the user's own images there are, for training and test together; none where that cannot be seen.
std::optional<int64_t> count_images(const std::string& data, const DataOptions& options);

}  // namespace arks
