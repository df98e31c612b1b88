#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace arks {

/// How config.toml of a run begins; a file of that name without it is somebody else's.
constexpr const char* kConfigMark = "# arks ";

/// True for a folder with a run in it, by the content of its files: others use the same names.
bool holds_a_run(const std::filesystem::path& folder);

/// True for a folder that does not exist, or holds nothing but what is left of a run that was killed in its first
/// write.
bool is_free_for_a_run(const std::filesystem::path& folder);

/// Names of the files that a run in this folder consists of.
std::vector<std::string> files_of_run(const std::filesystem::path& folder);

/// Removes the files of a run but for config.toml, which says that the folder is one. `unfinished_only`: only those
/// that were not written to their end.
void clear_run_folder(const std::filesystem::path& folder, bool unfinished_only);

/// One of the names that files in a run folder have.
bool is_run_file(const std::filesystem::path& name);

}  // namespace arks
