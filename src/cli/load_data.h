#pragma once
// The data on which models are tested.
#include "cli/command_line.h"
#include "cli/data_settings.h"
#include "cli/image_settings.h"
#include "cli/load_run.h"

namespace arks::cli {

/// How data are divided and read, where all models are TorchScript files; a run knows it.
struct TestDataSettings {
  DataSettings own;
  CelebaSettings celeba;
};

void add_test_data_settings(Flags& flags, TestDataSettings& settings);

/// One part of the set called `data`, of the first run when that is empty, then filled in. Tables and data of the
/// user's own are divided and scaled as the runs did, which must agree; only where all models are files do `settings`
/// say how. Throws Error when no run knows the data and none are given.
DatasetPtr load_data(const std::vector<Run>& runs, Split split, std::string& data, const TestDataSettings& settings,
                     const CommonOptions& common);

}  // namespace arks::cli
