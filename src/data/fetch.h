#pragma once
#include <arks/data/data_dir.h>
#include <torch/arg.h>

#include <filesystem>
#include <functional>
#include <string>

namespace arks {

/// How a data set is got from elsewhere.
struct FetchOptions {
  explicit FetchOptions(std::filesystem::path data_dir) : data_dir_(std::move(data_dir)) {}
  TORCH_ARG(std::filesystem::path, data_dir);                    // the set becomes a folder in this one
  TORCH_ARG(bool, force) = false;                                // replace a set that is there and not the official one
  TORCH_ARG(std::function<void(const std::string& line)>, say);  // told what is being done
  TORCH_ARG(std::function<bool()>, stop_requested);              // asked often; true: RunError, what is done is kept
};

}  // namespace arks
