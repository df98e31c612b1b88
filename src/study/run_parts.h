#pragma once
// How many samples the parts of a run have: what its errors are of.
#include <arks/data/dataset.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace arks::study {

struct PartSize {
  int64_t samples = 0;  ///< 0: there is no such part, or it is not known
  int64_t groups = 0;   ///< of samples that belong together; 0: none
};

struct RunParts {
  std::string word = "samples";  ///< what they are called: "rows"
  PartSize train, validation, test;
};

/// Of a part as it is used, cut to a limit where there is one; null is no part.
PartSize size_of_part(const DatasetPtr& part);

/// {samples, train: {n, groups}, validation: {n, groups}, test: {n, groups}}; `samples` is what they are called.
std::string to_json(const RunParts& parts);

/// What a run folder has of that; nothing is known of runs of earlier versions.
RunParts read_parts(const std::filesystem::path& run_folder);

}  // namespace arks::study
