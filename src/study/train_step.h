#pragma once
#include <filesystem>
#include <string>

#include "study/settings.h"
#include "study/step.h"

namespace arks::study {

/// What tells one copy of a data set from another without reading it: number and size of its files; empty for data of
/// one's own and for a set that is not there. Models of the 574 faces of a trial are not those of all of CelebA.
std::string data_identity(const std::string& data, const std::filesystem::path& data_dir);

/// The step that trains a model: the flags of `arks train` and a seed. It is named by what it does alone and its flags
/// are sorted, so that figures and searches find each other's models. Its cost is in passes over the training set.
Step make_train_step(FlagValues flags, int64_t seed, const std::string& identity, const StepDefaults& defaults);

}  // namespace arks::study
