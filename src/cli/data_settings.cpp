#include "cli/data_settings.h"

#include <arks/support/error.h>
#include <arks/support/file.h>
#include <arks/support/text.h>
#include <zlib.h>

namespace arks::cli {

namespace fs = std::filesystem;

namespace {

bool is_file(const std::string& data) {
  const auto extension = fs::path(data).extension();
  return extension == ".csv" || extension == ".npy";
}

}  // namespace

void DataSettings::found(const TabularSplits& splits) {
  if (targets) {
    targets = resolved_data(*targets);
  } else {
    target = splits.target;
  }
  task = to_string(splits.task);
  const TabularOptions defaults;
  test_fraction = test_fraction.value_or(defaults.test_fraction());
  split_seed = split_seed.value_or(static_cast<int64_t>(defaults.split_seed()));
  standardise = splits.standardised;
}

void add_data_settings(Flags& flags, DataSettings& s) {
  flags.group("Tables (.csv, .npy, iris, diabetes)");
  flags.option("--target", s.target, "name of the column to predict [the last one]", "COLUMN");
  flags.option("--targets", s.targets, "the .npy file to predict, beside --data FILE.npy with the inputs", "FILE");
  flags.option("--task", s.task,
               "classification | regression [classification for text, and for whole numbers of which at most 20 "
               "differ]");
  flags.option("--test-fraction", s.test_fraction, "of the rows that are kept for the test, in (0,1) [0.2]");
  flags.option("--split-seed", s.split_seed, "decides which rows are kept for the test [0]");
  flags.flag("--standardise,!--no-standardise", s.standardise,
             "scale every input to mean 0 and deviation 1 on the training samples [files: yes; iris, diabetes: no]");
  flags.option("--data-checksum", s.checksum,
               "refuse the files when their check sum is another; every run records its own [no check]", "HEX");
}

void check_unchanged(DataSettings& s, const std::string& data) {
  if (!is_file(data)) return;
  uLong sum = 0;
  for (const auto& file : {data, s.targets.value_or("")}) {
    if (file.empty()) continue;
    const auto content = read_file(file);
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(content.data()), content.size());
  }
  const auto found = hex(static_cast<uint32_t>(sum));
  ARKS_CHECK(!s.checksum || *s.checksum == found, data, " has changed since the run was trained on it (check sum ",
             found, ", then ", s.checksum.value_or(""), "): split and scaling would be others");
  s.checksum = found;
}

std::vector<std::string> given_flags(const DataSettings& s) {
  std::vector<std::string> given;
  if (s.target) given.emplace_back("--target");
  if (s.targets) given.emplace_back("--targets");
  if (s.task) given.emplace_back("--task");
  if (s.test_fraction) given.emplace_back("--test-fraction");
  if (s.split_seed) given.emplace_back("--split-seed");
  if (s.standardise) given.emplace_back("--standardise");
  return given;
}

DataOptions data_options(const DataSettings& s, const fs::path& data_dir, int64_t train_limit) {
  TabularOptions table;
  table.target(s.target.value_or("")).standardise(s.standardise).train_limit(train_limit);
  if (s.task) table.task(parse_task(*s.task));
  if (s.test_fraction) table.test_fraction(*s.test_fraction);
  if (s.split_seed) {
    ARKS_CHECK(*s.split_seed >= 0, "--split-seed must not be negative, got ", *s.split_seed);
    table.split_seed(static_cast<uint64_t>(*s.split_seed));
  }
  return DataOptions(data_dir).targets(s.targets.value_or("")).tabular(table);
}

DataSettings data_settings_from(const std::map<std::string, std::string>& config) {
  DataSettings s;
  const auto text = [&](const char* key) {
    const auto found = config.find(key);
    return found == config.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  s.target = text("target");
  s.targets = text("targets");
  s.task = text("task");
  s.checksum = text("data-checksum");
  if (const auto value = text("test-fraction")) s.test_fraction = parse_number(*value, "test-fraction");
  if (const auto value = text("split-seed")) s.split_seed = parse_whole_number(*value, "split-seed");
  if (const auto value = text("standardise")) s.standardise = *value == "true";
  return s;
}

std::string resolved_data(const std::string& data) {
  if (!is_file(data)) return data;
  return fs::absolute(data).lexically_normal().string();
}

}  // namespace arks::cli
