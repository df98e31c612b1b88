#include "data/float32_range.h"
#include "data/image_folder.h"
#include "data/labels.h"
#include "data/model_interface.h"
#include "data/npy.h"
#include "data/npy_images.h"
#include "data/table_like.h"
#include "data/targets.h"
#include "image_name.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks {

namespace fs = std::filesystem;

namespace {

/// Loads one file or folder.
class LikeLoader {
 public:
  LikeLoader(const ModelInterface& interface, fs::path path, const LikeOptions& options)
      : interface_(interface), path_(std::move(path)), options_(options), info_(interface.info()) {
    info_.name = path_.filename().string();
  }

  LikeData load() {
    std::error_code ignored;
    ARKS_CHECK(fs::exists(path_, ignored), path_.string(), " does not exist");
    if (fs::is_directory(path_, ignored)) {
      load_folder();
    } else if (is_csv_name(path_)) {
      load_table();
    } else {
      ARKS_CHECK(path_.extension() == ".npy", path_.string(), " is neither a folder nor a file ending in ",
                 kTableEndings);
      load_npy();
    }
    return std::move(result_);
  }

 private:
  bool classes() const { return interface_.num_classes > 0; }
  std::string trained_on() const { return "the model was trained on " + interface_.data; }
  Targets known_targets() const { return {{}, class_names_of(info_), classes() ? 1 : num_outputs(info_)}; }

  void check_images(const char* what) const {
    ARKS_CHECK(interface_.input_shape.size() == 3 && !interface_.table, path_.string(), " is ", what, ", but ",
               trained_on(), ", ", interface_.table ? "a table" : "which has no images");
  }

  void finish(torch::Tensor inputs, torch::Tensor targets, SampleMarks marks = {},
              const std::vector<int64_t>& lines = {}) {
    const auto rows = torch::arange(inputs.size(0));
    const auto raw = inputs;
    if (interface_.input_mean.defined()) {
      inputs = (inputs.to(torch::kDouble) - interface_.input_mean) / interface_.input_deviation;
    }
    if (inputs.scalar_type() != torch::kByte) {
      inputs = to_float32(inputs, raw, rows, {path_.string(), lines, columns_of(info_.features)});
    }
    if (!targets.defined()) {
      targets = classes() ? torch::zeros({inputs.size(0)}, torch::kLong)
                          : torch::zeros({inputs.size(0), num_outputs(info_)}, torch::kFloat);
    } else if (!classes()) {
      auto scaled = targets;
      if (info_.target_mean.defined()) {
        scaled = (targets.reshape({inputs.size(0), -1}) - info_.target_mean) / info_.target_deviation;
      }
      const auto& file = lines.empty() ? options_.targets_file : path_;
      targets = to_float32(scaled.reshape(targets.sizes()), targets, rows, {file.string(), lines, info_.target_names});
    }
    leave_bounds(inputs);
    info_.stored = "";
    result_.samples = std::make_shared<TensorDataset>(std::move(inputs), std::move(targets), info_, std::move(marks));
  }

  /// Data from the field may leave the range of those in training; attacks then have none to stay in.
  void leave_bounds(const torch::Tensor& inputs) {
    if (!info_.bounds || inputs.scalar_type() == torch::kByte) return;
    const double low = inputs.min().item<double>(), high = inputs.max().item<double>();
    if (low >= info_.bounds->low() && high <= info_.bounds->high()) return;
    result_.notes.push_back(c10::str("values from ", six_digits(low), " to ", six_digits(high), ", but ", trained_on(),
                                     " with ", to_string(*info_.bounds), "; other units? No bounds are used"));
    info_.bounds.reset();
  }

  void load_table() {
    ARKS_CHECK(interface_.table || interface_.features.empty(), path_.string(), " cannot be read as ", interface_.data,
               " was: its inputs were scaled over all of its rows before the model saw them; scale yours likewise and ",
               "give them as .npy, or train on a file of your own");
    ARKS_CHECK(interface_.table, path_.string(), " is a table with named columns, but ", trained_on(),
               ", which has none");
    CsvOptions given;
    given.separator = options_.separator;
    given.decimal = options_.decimal;
    given.header = options_.header;
    const auto names = target_columns(interface_);
    auto rows =
        read_table_like(path_, {*interface_.table, names, known_targets()}, given, options_.targets, options_.cells);
    result_.notes = std::move(rows.notes);
    result_.warnings = std::move(rows.warnings);
    result_.cells = std::move(rows.cells);
    if (rows.marks.groups.defined()) info_.group = interface_.table->group();
    finish(std::move(rows.inputs), std::move(rows.targets), std::move(rows.marks), rows.lines);
  }

  /// Images are never standardised, but tables of their shape may be.
  bool takes_images_of(const NpyHeader& header) const {
    const bool type = header.type == torch::kByte || c10::isFloatingType(header.type);
    const bool shape = header.shape.size() == 3 || header.shape.size() == 4;
    return type && shape && interface_.input_shape.size() == 3 && !interface_.input_mean.defined();
  }

  /// The one in which the images are as the model takes them, sizes apart; the model may have been trained on another.
  std::optional<ImageLayout> layout_of(const NpyHeader& header) {
    if (header.shape.size() != 4) return std::nullopt;
    const auto &file = header.shape, &model = interface_.input_shape;
    const bool first = std::equal(model.begin(), model.end(), file.begin() + 1);
    const bool last = model[0] == file[3] && model[1] == file[1] && model[2] == file[2];
    if (!first && !last) return layout_by_channels(header);
    if (first && last && file[1] > 1) {
      result_.notes.push_back("channels, height and width are equally many: read as [n, c, h, w]");
    }
    return first ? ImageLayout::kChannelsFirst : ImageLayout::kChannelsLast;
  }

  ImageLayout layout_by_channels(const NpyHeader& header) const {
    const auto &file = header.shape, &model = interface_.input_shape;
    const bool first = file[1] == model[0], last = file[3] == model[0];
    ARKS_CHECK(first != last, path_.string(), ": samples of shape [", file[1], ", ", file[2], ", ", file[3], "], but ",
               trained_on(), " with [", c10::Join(", ", model), "] (channels, height, width)",
               first ? "; resize them, since the shape does not show where the channels are"
                     : "; other sizes are resized, but the number of channels must be that");
    return first ? ImageLayout::kChannelsFirst : ImageLayout::kChannelsLast;
  }

  /// Bytes, or floating point on the scale that the model takes.
  torch::Tensor load_npy_images(const NpyHeader& header) {
    const auto layout = layout_of(header);
    const auto file = npy_image_shape(path_, layout), model = interface_.input_shape;
    ARKS_CHECK(file[0] == model[0], path_.string(), ": images of ", file[0], file[0] == 1 ? " channel" : " channels",
               ", but ", trained_on(), " with ", model[0]);
    auto [values, notes] = read_npy_images(path_, layout, ImageSize{model[1], model[2]});
    if (file != model) {
      result_.notes.push_back(c10::str("images of ", file[1], "x", file[2], " are resized to ", model[1], "x", model[2],
                                       " (height x width)"));
    }
    const auto scaled = on_scale(values);
    // the notes are about values that are then not those of the file
    if (scaled.scalar_type() == values.scalar_type()) {
      result_.notes.insert(result_.notes.end(), notes.begin(), notes.end());
    }
    return scaled;
  }

  /// Bytes stand for 0 to 1; a model that was trained on bytes takes that, too.
  torch::Tensor on_scale(const torch::Tensor& values) {
    const bool bytes = values.scalar_type() == torch::kByte, takes_bytes = interface_.stored == "uint8";
    if (bytes == takes_bytes) return values;
    if (takes_bytes) {
      const auto [low, high] = torch::aminmax(values);
      ARKS_CHECK(low.item<double>() >= 0 && high.item<double>() <= 1, path_.string(), " holds floating point from ",
                 six_digits(low.item<double>()), " to ", six_digits(high.item<double>()), ", but ", trained_on(),
                 " with bytes; expected bytes, or their x/255, from 0 to 1");
      result_.notes.push_back("values from 0 to 1 are taken as they are, the x/255 of bytes");
      return values;
    }
    const auto bounds = interface_.bounds.value_or(Bounds(0, 1));
    if (bounds.low() == 0 && bounds.high() == 1) {
      result_.notes.push_back("bytes are read as x/255, since " + trained_on() + " with [0, 1]");
      return values;
    }
    ARKS_CHECK(bounds.low() >= 0 && bounds.high() > 20, path_.string(), " holds bytes, but ", trained_on(),
               " with floating point in ", to_string(bounds), "; scale them as those were");
    return values.to(torch::kFloat);
  }

  void load_npy() {
    ARKS_CHECK(!interface_.table, path_.string(), " holds numbers without names of columns, but ", trained_on(),
               ", a table; expected a text file with its columns");
    const auto header = read_npy_header(path_);
    torch::Tensor inputs;
    if (takes_images_of(header)) {
      inputs = load_npy_images(header);
    } else {
      inputs = read_npy(path_);
      check_finite(inputs, path_.string());
      inputs = inputs.to(torch::kDouble);
    }
    ARKS_CHECK(inputs.sizes().slice(1) == torch::IntArrayRef(interface_.input_shape), path_.string(),
               ": samples of shape [", c10::Join(", ", inputs.sizes().slice(1)), "], but ", trained_on(), " with [",
               c10::Join(", ", interface_.input_shape), "]");
    torch::Tensor targets;
    if (options_.targets) {
      const auto like = known_targets();
      ARKS_CHECK(!options_.targets_file.empty(), path_.string(), " needs its targets, --test-targets FILE.npy");
      const auto numbers =
          read_npy_targets(options_.targets_file.string(), path_.string(), inputs.size(0), "--test-targets");
      targets = number_targets(numbers, std::nullopt, {path_.string(), options_.targets_file.string()}, &like).values;
    }
    finish(std::move(inputs), std::move(targets));
  }

  void load_folder() {
    check_images("a folder of images");
    const auto found = list_labelled_images(path_, options_.targets);
    result_.notes = found.notes;
    std::vector<int64_t> labels;
    const auto like = known_targets();
    for (const auto& name : found.classes) {
      if (!options_.targets) break;
      const auto known = std::find(like.class_names.begin(), like.class_names.end(), name);
      ARKS_CHECK(known != like.class_names.end(), path_.string(), ": the class '", name, "' is not one of ",
                 join(like.class_names), "; ", trained_on());
      labels.push_back(known - like.class_names.begin());
    }
    const auto& shape = interface_.input_shape;
    const auto files = ImageFilesOptions(options_.image_files)
                           .size(ImageSize{shape[1], shape[2]})
                           .channels(shape[0])
                           .tells_sizes(true);
    result_.files = found.files;
    finish(load_images(found.files, files), options_.targets ? torch::tensor(labels, torch::kLong) : torch::Tensor());
  }

  const ModelInterface& interface_;
  const fs::path path_;
  const LikeOptions& options_;
  DatasetInfo info_;
  LikeData result_;
};

}  // namespace

LikeData load_like(const ModelInterface& interface, const fs::path& path, const LikeOptions& options) {
  return LikeLoader(interface, path, options).load();
}

}  // namespace arks
