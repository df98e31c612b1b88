#include "cli/data_settings.h"

#include "cli/messages.h"
#include "cli/progress.h"
#include "data/checksum.h"
#include "data/image_cache.h"
#include "data/registry.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <memory>

namespace arks::cli {

namespace fs = std::filesystem;

namespace {

enum class Source { kCsv, kNpyTable, kNpyImages, kFolder, kBuiltIn };

Source source_of(const std::string& data) {
  if (!is_own_data(data)) return Source::kBuiltIn;
  if (is_csv_name(data)) return Source::kCsv;
  if (data_kind(data) == DataKind::kTable) return Source::kNpyTable;
  return fs::path(data).extension() == ".npy" ? Source::kNpyImages : Source::kFolder;
}

const char* words_for(Source source) {
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

}  // namespace

Declaration<std::string> data_setting(std::string help) {
  return text("data", std::move(help)).words(dataset_names).open().path("NAME").in_data();
}

Declaration<int64_t> limit_setting(std::string name, std::string help) {
  return whole(std::move(name), std::move(help)).unit("samples").not_negative().in_data();
}

Declaration<std::string> separator_setting() {
  return text("sep", "text files: what stands between columns")
      .words(csv_separators())
      .open()
      .verify([](const std::string& given) { parse_separator(given); })
      .default_words("found in the file")
      .in_data();
}

Declaration<std::string> decimal_setting() {
  return text("decimal", "text files: the decimal sign of numbers")
      .words(decimal_signs())
      .default_words("found in the file")
      .in_data();
}

Declaration<bool> header_setting() {
  return yes_no("header", "text files: the first line names the columns")
      .negatable()
      .default_words("found in the file")
      .in_data();
}

ImageSize parse_image_size(const std::string& text) {
  const std::string flag = "--resize";
  const auto sides = split(text, 'x');
  ARKS_CHECK(sides.size() == 2, flag, ": expected HEIGHTxWIDTH in pixels, e.g. 64x48, got '", text, "'");
  const ImageSize size{parse_whole_number(sides[0], flag), parse_whole_number(sides[1], flag)};
  check(size, flag.c_str());
  return size;
}

DataSettings::DataSettings() : SettingGroup("Tables, files and folders") {}
DataSettings::~DataSettings() = default;

void DataSettings::found(const DataSplits& splits, const std::string& data) {
  for (auto* path : {&targets, &test_data, &test_targets}) {
    if (path->has_value()) path->found(resolved_data(**path));
  }
  const auto source = source_of(data);
  if (source == Source::kCsv || source == Source::kBuiltIn) target.found(splits.target);
  const TabularOptions defaults;
  split_seed.found(split_seed.value_or(static_cast<int64_t>(defaults.split_seed())));
  if (splits.divided) {
    test_fraction.found(test_fraction.value_or(defaults.test_fraction()));
  } else {
    test_fraction.reset();
  }
  if (source != Source::kFolder) task.found(to_string(splits.task));
  if (data_kind(data) == DataKind::kTable) {
    standardise.found(splits.standardised);
    standardise_targets.found(splits.train->info().target_mean.defined());
  } else {
    standardise.reset();
  }
  if (splits.task != Task::kRegression || data_kind(data) != DataKind::kTable) standardise_targets.reset();
  if (source == Source::kCsv) missing.found(missing.value_or(to_string(TabularOptions().missing())));
}

void DataSettings::fill_scaling(const std::string& data, bool program) {
  if (data_kind(data) != DataKind::kTable) return;
  if (!standardise.has_value()) standardise.found(is_own_data(data) && !program);
  if (program && !standardise_targets.has_value()) standardise_targets.found(false);
}

void check_fit(const DataSettings& s, const std::string& data) {
  if (data_kind(data) == DataKind::kOfficial) return;
  const auto source = source_of(data);
  const auto only = [&](const AnySetting& setting, const char* who, bool fits) {
    const bool given = setting.given() && setting.text() != "false";
    ARKS_CHECK(!given || fits, setting.flag(), " is for ", who, "; ", data, " is ", words_for(source));
  };
  const bool folder = source == Source::kFolder, npy_images = source == Source::kNpyImages;
  const bool npy = npy_images || source == Source::kNpyTable;
  only(s.target, "tables with named columns", !folder && !npy);
  const bool text_file = source == Source::kCsv;
  only(s.separator, "text files", text_file);
  only(s.decimal, "text files", text_file);
  only(s.header, "text files", text_file);
  only(s.drop, "text files", text_file);
  only(s.categorical, "text files", text_file);
  only(s.dates, "text files", text_file);
  only(s.missing, "text files", text_file);
  only(s.standardise_targets, "tables", !folder && !npy_images);
  only(s.group, "tables with named columns", !folder && !npy);
  only(s.targets, ".npy files", npy);
  only(s.test_targets, ".npy files", npy);
  only(s.task, "tables and .npy files", !folder);
  only(s.test_data, "files and folders", source != Source::kBuiltIn);
  only(s.standardise, "tables", !folder && !npy_images);
  only(s.resize, "images", folder || npy_images);
  only(s.channels, "folders of images", folder);
  only(s.layout, ".npy files of images", npy_images);
  only(s.checksum, "files and folders", source != Source::kBuiltIn);
  ARKS_CHECK(!s.test_targets.has_value() || s.test_data.has_value(), "--test-targets needs --test-data");
  if (!s.test_data.has_value()) return;
  std::error_code failed;
  ARKS_CHECK(fs::exists(*s.test_data, failed), "--test-data ", *s.test_data, " does not exist");
  ARKS_CHECK(is_own_data(*s.test_data), "--test-data ", *s.test_data, " is neither a folder nor a file ending in ",
             kTableEndings);
  const auto test_source = source_of(*s.test_data);
  ARKS_CHECK(test_source == source, "--test-data must have the same form as --data: ", *s.test_data, " is ",
             words_for(test_source), ", ", data, " is ", words_for(source));
  ARKS_CHECK(!npy || s.test_targets.has_value(), "--test-data ", *s.test_data, " needs --test-targets FILE.npy");
}

DataOptions data_options(const DataSettings& s, const fs::path& data_dir, int64_t train_limit) {
  TabularOptions table;
  ImageFolderOptions folder;
  NpyImagesOptions images;
  const auto test_data = s.test_data.value_or(""), test_targets = s.test_targets.value_or("");
  table.target(s.target.value_or("")).standardise(s.standardise.optional()).train_limit(train_limit);
  table.standardise_targets(s.standardise_targets.optional()).header(s.header.optional());
  if (s.separator.has_value()) table.separator(parse_separator(*s.separator));
  if (s.decimal.has_value()) table.decimal(parse_decimal(*s.decimal));
  table.drop(names_in(s.drop.value_or(""), s.drop.flag()));
  table.categorical(names_in(s.categorical.value_or(""), s.categorical.flag()));
  if (s.dates.has_value()) table.day_first(*s.dates == "day-first");
  if (s.missing.has_value()) table.missing(parse_missing(*s.missing));
  table.group(s.group.value_or(""));
  table.test_data(test_data).test_targets(test_targets);
  folder.test_data(test_data);
  images.test_data(test_data).test_targets(test_targets);
  if (s.task.has_value()) {
    table.task(parse_task(*s.task));
    images.task(parse_task(*s.task));
  }
  if (s.test_fraction.has_value()) {
    table.test_fraction(*s.test_fraction);
    folder.test_fraction(*s.test_fraction);
    images.test_fraction(*s.test_fraction);
  }
  if (s.split_seed.has_value()) {
    const auto seed = static_cast<uint64_t>(*s.split_seed);
    table.split_seed(seed);
    folder.split_seed(seed);
    images.split_seed(seed);
  }
  if (s.resize.has_value()) {
    folder.resize(parse_image_size(*s.resize));
    images.resize(parse_image_size(*s.resize));
  }
  if (s.channels.has_value()) folder.channels(*s.channels);
  if (s.layout.has_value()) images.layout(parse_image_layout(*s.layout));
  return DataOptions(data_dir).targets(s.targets.value_or("")).tabular(table).image_folder(folder).npy_images(images);
}

void check_unchanged(DataSettings& s, const std::string& data) {
  if (!is_own_data(data)) return;
  std::string found;
  if (source_of(data) == Source::kFolder) {
    // absolute, so that the names come out the same however the folders were given
    found = checksum_of_folder(resolved_data(data), s.test_data.has_value() ? resolved_data(*s.test_data) : "");
  } else {
    std::vector<fs::path> files{data};
    for (const auto* more : {&s.targets, &s.test_data, &s.test_targets}) {
      if (more->has_value()) files.emplace_back(**more);
    }
    found = checksum_of_files(files);
  }
  ARKS_CHECK(!s.checksum.has_value() || *s.checksum == found, data, " has checksum ", found, ", expected ",
             s.checksum.value_or(""), "; other data would be divided and scaled differently");
  s.checksum.found(found);
}

std::string resolved_data(const std::string& data) {
  if (!is_own_data(data)) return data;
  const auto path = fs::absolute(data).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

LikeOptions like_options(const Setting<std::string>& separator, const Setting<std::string>& decimal,
                         const Setting<bool>& header, const CommonSettings& common) {
  LikeOptions options;
  options.header = header.optional();
  if (separator.has_value()) options.separator = parse_separator(*separator);
  if (decimal.has_value()) options.decimal = parse_decimal(*decimal);
  options.image_files = image_files_options(common);
  return options;
}

ImageFilesOptions image_files_options(const CommonSettings& common) {
  const bool quiet = *common.quiet, verbose = *common.verbose;
  const auto bar = std::make_shared<ProgressBar>("images", !quiet);
  ImageFilesOptions options;
  if (!*common.no_cache) options.cache_dir(default_cache_dir());
  options.progress([bar](int64_t done, int64_t total) {
    bar->update(done, total, done, "reading images");
    if (done == total) bar->clear();
    return true;
  });
  options.note([verbose](const std::string& text, bool important) {  // of what changes numbers, also with --quiet
    if (verbose || important) note_of(text);
  });
  return options;
}

}  // namespace arks::cli
