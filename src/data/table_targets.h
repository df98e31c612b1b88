#pragma once
// The target columns of a text file: which they are, and what their cells mean.
#include "data/csv.h"
#include "data/targets.h"

#include <optional>
#include <string>
#include <vector>

namespace arks {

/// Target columns as they were named: one, or several divided by commas.
std::vector<std::string> target_columns(const CsvTable& table, const std::string& target);

/// Says that a target holds classes as those of the training rows are, where these are texts.
void read_as_classes(const std::string& target, const Targets& like, CsvOptions& options);

/// The targets in these columns of a text file. Texts are classes, numbered alphabetically; several columns are numbers
/// that are predicted together. `like` are those of the training rows, where there are some: the task and the classes
/// are theirs. Throws Error when a target is missing or infinite, and when numbers and texts are mixed in a column and
/// no task is given.
Targets csv_targets(const CsvTable& table, const std::vector<std::string>& columns, std::optional<Task> task,
                    const Targets* like);

}  // namespace arks
