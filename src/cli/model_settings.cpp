#include "cli/model_settings.h"

#include "support/contains.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/model/normalised.h>
#include <arks/model/registry.h>
#include <arks/support/error.h>
#include <zlib.h>

#include <algorithm>

namespace arks::cli {

namespace fs = std::filesystem;

bool are_positive(const NumberList& list) {
  return std::all_of(list.values.begin(), list.values.end(), [](double number) { return number > 0; });
}

bool is_model_file(const std::string& model) {
  const auto known = model_names();
  if (contains(known, model)) return false;
  const auto extension = fs::path(model).extension();
  std::error_code ignored;
  return model.find('/') != std::string::npos || extension == ".pt" || extension == ".pth" ||
         fs::is_regular_file(model, ignored);
}

std::string read_model_file(const fs::path& file, ModelSettings& s) {
  std::error_code ignored;
  ARKS_CHECK(fs::exists(file, ignored), "model ", file.string(), " does not exist");
  ARKS_CHECK(fs::is_regular_file(file, ignored), "model ", file.string(),
             " is not a file; expected a TorchScript FILE.pt");
  auto content = read_file(file);
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  const auto found = hex(static_cast<uint32_t>(sum));
  ARKS_CHECK(!s.checksum.has_value() || *s.checksum == found, "model ", file.string(), " has checksum ", found,
             ", expected ", s.checksum.value_or(""), "; this is a different file");
  s.checksum.found(found);
  return content;
}

bool ScalingSettings::given() const {
  ARKS_CHECK(mean.has_value() == deviation.has_value(),
             "--mean and --std go together: ", mean.has_value() ? "--std" : "--mean", " is missing");
  return mean.has_value();
}

Model scaled(const Model& net, const ScalingSettings& s, const DatasetInfo& data) {
  return s.given() ? normalised(net, s.mean->values, s.deviation->values, data.input_shape) : net;
}

}  // namespace arks::cli
