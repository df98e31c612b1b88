#include "cli/model_settings.h"

#include <arks/model/normalised.h>
#include <arks/model/registry.h>
#include <arks/support/error.h>
#include <arks/support/file.h>
#include <arks/support/text.h>
#include <zlib.h>

#include <algorithm>

namespace arks::cli {

namespace fs = std::filesystem;

void add_model_settings(Flags& flags, ModelSettings& s) {
  flags.flag("--reinit", s.reinit,
             "--model FILE.pt: draw its weights anew from --seed, torch's default for dense and convolutional layers "
             "[start from the weights in the file]");
  add_scaling_settings(flags, s);
  flags.option("--model-checksum", s.checksum,
               "--model FILE.pt: refuse the file when its check sum is another; every run records its own [no check]",
               "HEX");
}

void add_scaling_settings(Flags& flags, ModelSettings& s) {
  flags.option("--mean", s.mean,
               "the network sees (x-mean)/std; one number for all or one per channel of an image, per column of a "
               "table, in units of the input; eps, sigma and bounds stay in those units [no scaling]",
               "LIST");
  flags.option("--std", s.std, "with --mean: likewise, > 0", "LIST");
}

ModelSettings model_settings_from(const std::map<std::string, std::string>& config) {
  ModelSettings s;
  const auto text = [&](const char* key) {
    const auto found = config.find(key);
    return found == config.end() ? std::string() : found->second;
  };
  s.mean = text("mean");
  s.std = text("std");
  s.reinit = text("reinit") == "true";
  if (config.count("model-checksum") == 1) s.checksum = text("model-checksum");
  return s;
}

bool is_model_file(const std::string& model) {
  const auto known = model_names();
  if (std::find(known.begin(), known.end(), model) != known.end()) return false;
  const auto extension = fs::path(model).extension();
  std::error_code ignored;
  return model.find('/') != std::string::npos || extension == ".pt" || extension == ".pth" ||
         fs::is_regular_file(model, ignored);
}

std::string read_model_file(const fs::path& file, ModelSettings& s) {
  std::error_code ignored;
  ARKS_CHECK(fs::exists(file, ignored), "model ", file.string(), " does not exist");
  ARKS_CHECK(fs::is_regular_file(file, ignored), "model ", file.string(), " is no file; expected TorchScript, FILE.pt");
  auto content = read_file(file);
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  const auto found = hex(static_cast<uint32_t>(sum));
  ARKS_CHECK(!s.checksum || *s.checksum == found, "model ", file.string(),
             " is not the file the run began with (check ", "sum ", found, ", then ", s.checksum.value_or(""), ")");
  s.checksum = found;
  return content;
}

bool has_scaling(const ModelSettings& s) {
  ARKS_CHECK(s.mean.empty() == s.std.empty(), "--mean and --std go together: ", s.mean.empty() ? "--mean" : "--std",
             " is missing");
  return !s.mean.empty();
}

Model scaled(const Model& net, const ModelSettings& s, const DatasetInfo& data) {
  if (!has_scaling(s)) return net;
  return normalised(net, parse_numbers(s.mean, "--mean"), parse_numbers(s.std, "--std"), data.input_shape);
}

}  // namespace arks::cli
