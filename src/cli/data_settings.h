#pragma once
// The settings that say how data of the user's own, and tables, become training and test samples, and the way from them
// to the library.
#include "cli/command_line.h"
#include "data/csv.h"
#include "data/dataset_settings.h"
#include "data/model_interface.h"
#include "data/registry.h"

#include <string>

namespace arks::cli {

/// The setting --data of a command: a known set, or a file or folder.
Declaration<std::string> data_setting(std::string help);
/// --limit or --train-limit.
Declaration<int64_t> limit_setting(std::string name, std::string help);

/// How text files are written, where that is not found: --sep, --decimal and --header.
Declaration<std::string> separator_setting();
Declaration<std::string> decimal_setting();
Declaration<bool> header_setting();

/// "64x48", of --resize. Throws Error for anything else.
ImageSize parse_image_size(const std::string& text);

/// What was not given stays empty until found().
class DataSettings : public SettingGroup {
 public:
  DataSettings();
  ~DataSettings() override;

  Setting<std::string> target{this, text("target", "tables: column to predict; several numbers together as a,b")
                                        .type("COLUMN")
                                        .default_words("the last one")
                                        .in_data()};
  Setting<std::string> separator{this, separator_setting()};
  Setting<std::string> decimal{this, decimal_setting()};
  Setting<bool> header{this, header_setting()};
  Setting<std::string> drop{this, text("drop", "text files: columns that are not used, as a,b").type("LIST").in_data()};
  Setting<std::string> categorical{this, text("categorical", "text files: columns whose numbers are names, as a,b")
                                             .type("LIST")
                                             .default_words("columns of texts with few values")
                                             .in_data()};
  Setting<std::string> dates{this, text("dates", "text files: which comes first in dates such as 1/2/2024")
                                       .words({"day-first", "month-first"})
                                       .default_words("found in the dates")
                                       .in_data()};
  Setting<std::string> missing{this, text("missing", "text files: what stands for a missing cell")
                                         .words(missing_names())
                                         .default_words(to_string(TabularOptions().missing()))
                                         .in_data()};
  Setting<std::string> targets{this,
                               text("targets", "the .npy file to predict, with --data FILE.npy").path().in_data()};
  Setting<std::string> task{
      this, text("task", "what is predicted").words(task_names()).default_words("from the targets").in_data()};
  Setting<std::string> test_data{this, text("test-data", "separate test samples, in the form of --data")
                                           .paths("FILE|DIR")
                                           .default_words("a part of --data")
                                           .in_data()};
  Setting<std::string> test_targets{
      this, text("test-targets", "their targets, where --test-data is an .npy file").paths("FILE").in_data()};
  Setting<double> test_fraction{
      this, real("test-fraction", "part of the rows, or of each class in a folder, kept for testing")
                .checked("above 0 and below 1", [](double given) { return given > 0 && given < 1; })
                .default_words(to_text(TabularOptions().test_fraction()))
                .in_data()};
  Setting<int64_t> split_seed{this, whole("split-seed", "decides which samples are kept for testing")
                                        .not_negative()
                                        .default_words(to_text(static_cast<int64_t>(TabularOptions().split_seed())))
                                        .in_data()};
  Setting<std::string> group{
      this, text("group", "tables: rows with the same value here stay in one part; the column is no input")
                .type("COLUMN")
                .default_words("none")
                .in_data()};
  Setting<bool> standardise{this, yes_no("standardise", "tables: scale inputs by mean and deviation of training rows")
                                      .negatable()
                                      .default_words("files: yes; TorchScript: no")
                                      .in_data()};
  Setting<bool> standardise_targets{
      this, yes_no("standardise-targets", "tables, .npy images: scale numbers to predict likewise")
                .negatable()
                .default_words("as --standardise for files")
                .in_data()};
  Setting<std::string> resize{this, text("resize", "images: resize to this, bilinear")
                                        .unit("pixels")
                                        .type("HxW")
                                        .verify([](const std::string& given) { parse_image_size(given); })
                                        .default_words("none: folders must have one size")
                                        .in_data()};
  Setting<int64_t> channels{this, whole("channels", "folders: grey or colour images")
                                      .checked("1 or 3", [](int64_t c) { return c == 1 || c == 3; })
                                      .default_words("1 when all images are grey, else 3")
                                      .in_data()};
  Setting<std::string> layout{this, text("layout", "layout of .npy images: [n,c,h,w] or [n,h,w,c]")
                                        .words(image_layout_names())
                                        .default_words("from the shape")
                                        .in_data()};
  Setting<std::string> checksum{this, text("data-checksum", "stop if the data do not have this checksum")
                                          .type("HEX")
                                          .default_words("no check")
                                          .in_data()};

  /// Remembers what the data turned out to be, so that the next time they are divided and scaled in the same way. What
  /// has no part in that is forgotten.
  void found(const DataSplits& splits, const std::string& data);
  /// Whether a table is standardised, where nobody said: `program` is a TorchScript file, which takes the numbers as
  /// they are.
  void fill_scaling(const std::string& data, bool program);
};

/// Throws Error for a flag that was given and cannot mean anything for data of this kind: --resize of a table. Official
/// sets are not looked at.
void check_fit(const DataSettings& settings, const std::string& data);

DataOptions data_options(const DataSettings& settings, const std::filesystem::path& data_dir, int64_t train_limit);

/// Throws Error when the sources are not those of the checksum, if there is one; then notes the checksum. Of files it
/// is one of the content, of folders one of the names and the content of the images. Built-in sets have none.
void check_unchanged(DataSettings& settings, const std::string& data);

/// A path to the user's own data as an absolute one, so that a run finds it from anywhere; the name of a known set as
/// it is.
std::string resolved_data(const std::string& data);

/// How data are read for a model that knows the rest. The file of targets is left to be named.
LikeOptions like_options(const Setting<std::string>& separator, const Setting<std::string>& decimal,
                         const Setting<bool>& header, const CommonSettings& common);

/// How image files are read by the tool: kept in the user's cache unless --no-cache, with a progress bar on a terminal,
/// and notes on standard error.
ImageFilesOptions image_files_options(const CommonSettings& common);

}  // namespace arks::cli
