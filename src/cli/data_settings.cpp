#include "cli/data_settings.h"

#include "cli/toml_text.h"

#include <arks/support/error.h>
#include <arks/support/text.h>

namespace arks::cli {

namespace fs = std::filesystem;

namespace {

enum class Source { kCsv, kNpyTable, kNpyImages, kFolder, kBuiltIn };

Source source_of(const std::string& data) {
  if (!is_own_data(data)) return Source::kBuiltIn;
  if (fs::path(data).extension() == ".csv") return Source::kCsv;
  if (data_kind(data) == DataKind::kTable) return Source::kNpyTable;
  return fs::path(data).extension() == ".npy" ? Source::kNpyImages : Source::kFolder;
}

const char* describe(Source source) {
  switch (source) {
    case Source::kCsv:
    case Source::kNpyTable:
      return "a table";
    case Source::kNpyImages:
      return "a file of images";
    case Source::kFolder:
      return "a folder";
    case Source::kBuiltIn:
      return "built in";
  }
  return "";
}

/// "64x48"
ImageSize parse_image_size(const std::string& text, const std::string& flag) {
  const auto sides = split(text, 'x');
  ARKS_CHECK(sides.size() == 2, flag, ": expected HEIGHTxWIDTH in pixels, e.g. 64x48, got '", text, "'");
  const ImageSize size{parse_whole_number(sides[0], flag), parse_whole_number(sides[1], flag)};
  check(size, flag.c_str());
  return size;
}

}  // namespace

void DataSettings::found(const DataSplits& splits, const std::string& data) {
  for (auto* path : {&targets, &test_data, &test_targets}) {
    if (*path) *path = resolved_data(**path);
  }
  const auto source = source_of(data);
  if (source == Source::kCsv || source == Source::kBuiltIn) target = splits.target;
  const TabularOptions defaults;
  split_seed = split_seed.value_or(static_cast<int64_t>(defaults.split_seed()));
  if (splits.divided) {
    test_fraction = test_fraction.value_or(defaults.test_fraction());
  } else {
    test_fraction.reset();
  }
  if (source != Source::kFolder) task = to_string(splits.task);
  if (data_kind(data) == DataKind::kTable) {
    standardise = splits.standardised;
  } else {
    standardise.reset();
  }
}

void add_data_settings(Flags& flags, DataSettings& s) {
  flags.group(kDataGroup);
  flags.option("--target", s.target, "tables: name of the column to predict [the last one]", "COLUMN");
  flags.option("--targets", s.targets, "the .npy file to predict, beside --data FILE.npy with the inputs", "FILE");
  flags.option("--task", s.task,
               "classification | regression [classification for text, for whole numbers of which at most 20 differ, "
               "and for images with targets of an integer type]");
  flags.option("--test-data", s.test_data,
               "test samples of their own, in the form of --data; classes are numbered as there [a part of --data]",
               "FILE|DIR");
  flags.option("--test-targets", s.test_targets, "their targets, where --test-data is an .npy file", "FILE");
  flags.option("--test-fraction", s.test_fraction,
               "of the rows or, in a folder, of each class, that is kept for the test, in (0,1) [0.2]");
  flags.option("--split-seed", s.split_seed, "decides which samples are kept for the test [0]");
  flags.flag("--standardise,!--no-standardise", s.standardise,
             "tables: scale every input to mean 0 and deviation 1 on the training samples [.csv, .npy: yes, but no in "
             "front of a TorchScript file; iris, diabetes: no]");
  flags.option("--resize", s.resize, "folders: every image to this size in pixels, bilinear [they must have one size]",
               "HxW");
  flags.option("--channels", s.channels, "folders: 1 or 3 [1 when all images are grey, else 3]");
  flags.option("--layout", s.layout,
               "chw | hwc: how images lie in .npy files (uint8, or floating point with 1, 3 or 4 channels; others are "
               "tables), as [n,c,h,w] or [n,h,w,c] [by where the 1, 3 or 4 is]");
  flags.option("--data-checksum", s.checksum,
               "refuse the sources when their check sum is another; every run records its own [no check]", "HEX");
}

std::vector<std::string> given_flags(const DataSettings& s) {
  std::vector<std::string> given;
  const auto add = [&](bool is_given, const char* flag) {
    if (is_given) given.emplace_back(flag);
  };
  add(s.target.has_value(), "--target");
  add(s.targets.has_value(), "--targets");
  add(s.task.has_value(), "--task");
  add(s.test_data.has_value(), "--test-data");
  add(s.test_targets.has_value(), "--test-targets");
  add(s.test_fraction.has_value(), "--test-fraction");
  add(s.split_seed.has_value(), "--split-seed");
  add(s.standardise.has_value(), "--standardise");
  add(s.resize.has_value(), "--resize");
  add(s.channels.has_value(), "--channels");
  add(s.layout.has_value(), "--layout");
  add(s.checksum.has_value(), "--data-checksum");
  return given;
}

void check_fit(const DataSettings& s, const std::string& data) {
  if (data_kind(data) == DataKind::kOfficial) return;
  const auto source = source_of(data);
  const auto only = [&](bool given, const char* flag, const char* who, bool fits) {
    ARKS_CHECK(!given || fits, flag, " is for ", who, "; ", data, " is ", describe(source));
  };
  const bool folder = source == Source::kFolder, npy_images = source == Source::kNpyImages;
  const bool npy = npy_images || source == Source::kNpyTable;
  only(s.target.has_value(), "--target", "tables with named columns", !folder && !npy);
  only(s.targets.has_value(), "--targets", ".npy files", npy);
  only(s.test_targets.has_value(), "--test-targets", ".npy files", npy);
  only(s.task.has_value(), "--task", "tables and .npy files", !folder);
  only(s.test_data.has_value(), "--test-data", "files and folders", source != Source::kBuiltIn);
  only(s.standardise.value_or(false), "--standardise", "tables", !folder && !npy_images);
  only(s.resize.has_value(), "--resize", "folders of images", folder);
  only(s.channels.has_value(), "--channels", "folders of images", folder);
  only(s.layout.has_value(), "--layout", ".npy files of images", npy_images);
  only(s.checksum.has_value(), "--data-checksum", "files and folders", source != Source::kBuiltIn);
  ARKS_CHECK(!s.test_targets || s.test_data, "--test-targets goes with --test-data");
  if (!s.test_data) return;
  ARKS_CHECK(is_own_data(*s.test_data), "--test-data ", *s.test_data,
             " is no folder, and no file ending in .csv or .npy");
  const auto test_source = source_of(*s.test_data);
  std::error_code ignored;
  ARKS_CHECK(test_source == source || !fs::exists(*s.test_data, ignored),
             "--test-data must have the form of --data: ", *s.test_data, " is ", describe(test_source), ", ", data,
             " is ", describe(source));
  ARKS_CHECK(!npy || s.test_targets, "--test-data ", *s.test_data, " needs --test-targets FILE.npy");
}

DataOptions data_options(const DataSettings& s, const fs::path& data_dir, int64_t train_limit) {
  TabularOptions table;
  ImageFolderOptions folder;
  NpyImagesOptions images;
  const auto test_data = s.test_data.value_or(""), test_targets = s.test_targets.value_or("");
  table.target(s.target.value_or("")).standardise(s.standardise).train_limit(train_limit);
  table.test_data(test_data).test_targets(test_targets);
  folder.test_data(test_data);
  images.test_data(test_data).test_targets(test_targets);
  if (s.task) {
    table.task(parse_task(*s.task));
    images.task(parse_task(*s.task));
  }
  if (s.test_fraction) {
    table.test_fraction(*s.test_fraction);
    folder.test_fraction(*s.test_fraction);
    images.test_fraction(*s.test_fraction);
  }
  if (s.split_seed) {
    ARKS_CHECK(*s.split_seed >= 0, "--split-seed must not be negative, got ", *s.split_seed);
    const auto seed = static_cast<uint64_t>(*s.split_seed);
    table.split_seed(seed);
    folder.split_seed(seed);
    images.split_seed(seed);
  }
  if (s.resize) folder.resize(parse_image_size(*s.resize, "--resize"));
  if (s.channels) {
    ARKS_CHECK(*s.channels == 1 || *s.channels == 3, "--channels must be 1 or 3, got ", *s.channels);
    folder.channels(*s.channels);
  }
  if (s.layout) images.layout(parse_image_layout(*s.layout));
  return DataOptions(data_dir).targets(s.targets.value_or("")).tabular(table).image_folder(folder).npy_images(images);
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
  s.test_data = text("test-data");
  s.test_targets = text("test-targets");
  s.resize = text("resize");
  s.layout = text("layout");
  s.checksum = text("data-checksum");
  if (const auto value = text("test-fraction")) s.test_fraction = parse_number(*value, "test-fraction");
  if (const auto value = text("split-seed")) s.split_seed = parse_whole_number(*value, "split-seed");
  if (const auto value = text("channels")) s.channels = parse_whole_number(*value, "channels");
  if (const auto value = text("standardise")) s.standardise = *value == "true";
  return s;
}

std::vector<std::pair<std::string, std::string>> as_toml(const DataSettings& s, const std::string& data) {
  std::vector<std::pair<std::string, std::string>> rows;
  if (data_kind(data) == DataKind::kOfficial) return rows;
  const auto text = [&](const char* key, const std::optional<std::string>& value) {
    if (value) rows.emplace_back(key, quoted(*value));
  };
  text("target", s.target);
  text("targets", s.targets);
  text("task", s.task);
  text("test-data", s.test_data);
  text("test-targets", s.test_targets);
  if (s.test_fraction) rows.emplace_back("test-fraction", real_of(*s.test_fraction));
  if (s.split_seed) rows.emplace_back("split-seed", std::to_string(*s.split_seed));
  if (s.standardise) rows.emplace_back("standardise", *s.standardise ? "true" : "false");
  text("resize", s.resize);
  if (s.channels) rows.emplace_back("channels", std::to_string(*s.channels));
  text("layout", s.layout);
  text("data-checksum", s.checksum);
  return rows;
}

std::string resolved_data(const std::string& data) {
  if (!is_own_data(data)) return data;
  const auto path = fs::absolute(data).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

}  // namespace arks::cli
