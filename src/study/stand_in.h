#pragma once
#include <filesystem>
#include <string>

namespace arks::study {

bool can_stand_in(const std::string& name);
void make_stand_in(const std::string& name, const std::filesystem::path& folder);

}  // namespace arks::study
