#include "data/npy_images.h"

#include "data/npy.h"
#include "data/splits.h"
#include "data/targets.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace fs = std::filesystem;

namespace {

/// Grey, RGB, RGB with alpha.
bool is_number_of_channels(int64_t size) {
  return size == 1 || size == 3 || size == 4;
}

/// Of a type and shape that images may have.
bool may_be_images(const NpyHeader& header) {
  const bool type = header.type == torch::kByte || c10::isFloatingType(header.type);
  return type && (header.shape.size() == 3 || header.shape.size() == 4);
}

/// The same, and hardly anything else has them: floating point without a dimension of channels may be time series.
bool must_be_images(const NpyHeader& header) {
  if (!may_be_images(header) || header.type == torch::kByte) return may_be_images(header);
  const auto& shape = header.shape;
  return shape.size() == 4 && (is_number_of_channels(shape[1]) || is_number_of_channels(shape[3]));
}

NpyHeader read_images_header(const fs::path& path) {
  auto header = read_npy_header(path);
  ARKS_CHECK(may_be_images(header), path.string(), ": images must be uint8, float32 or float64 of shape [n, h, w], ",
             "[n, c, h, w] or [n, h, w, c], got ", header.type, " of shape ", c10::IntArrayRef(header.shape));
  return header;
}

bool channels_last(const std::vector<int64_t>& shape, std::optional<ImageLayout> layout, const std::string& file) {
  if (layout) return *layout == ImageLayout::kChannelsLast;
  const bool first = is_number_of_channels(shape[1]), last = is_number_of_channels(shape[3]);
  constexpr const char* kLayouts = "--layout chw is [n, c, h, w], --layout hwc is [n, h, w, c]";
  ARKS_CHECK(first || last, file, ": the shape ", c10::IntArrayRef(shape),
             " has no dimension of 1, 3 or 4 channels; if these are images with more of them, say where: ", kLayouts);
  ARKS_CHECK(first != last, file, ": the shape ", c10::IntArrayRef(shape), " does not show where the channels are; ",
             kLayouts);
  return last;
}

struct ReadImages {
  torch::Tensor values;  // [n,c,h,w] uint8 or float32
  double low = 0, high = 1;
  std::vector<std::string> notes;
};

/// Rows [k,…] of the file as [k,c,h,w].
torch::Tensor as_planes(const torch::Tensor& rows, bool last) {
  if (rows.dim() == 3) return rows.unsqueeze(1);
  return last ? rows.permute({0, 3, 1, 2}) : rows;
}

bool is_channels_last(const NpyHeader& header, std::optional<ImageLayout> layout, const std::string& file) {
  return header.shape.size() == 4 && channels_last(header.shape, layout, file);
}

std::vector<int64_t> shape_of_planes(const NpyHeader& header, bool last) {
  return as_planes(torch::empty(header.shape, torch::TensorOptions(torch::kMeta)), last).sizes().vec();
}

/// [k,c,h,w] → [k,c,height,width] of the same type, as PlaneResizer does.
torch::Tensor resized(const torch::Tensor& planes, const ImageSize& size) {
  const auto values = torch::upsample_bilinear2d(planes.to(torch::kDouble), {size.height, size.width}, false);
  return planes.scalar_type() == torch::kByte ? values.round().to(torch::kByte) : values;
}

/// Bytes that were saved as floating point become bytes again. Of other values that no network expects, a note says how
/// they are taken.
void settle_values(ReadImages& images, bool whole, const std::string& file) {
  constexpr double kMostByte = 255, kUnusual = 20;
  const auto [low, high] = torch::aminmax(images.values);
  images.low = low.item<double>();
  images.high = high.item<double>();
  const auto name = fs::path(file).filename().string();
  if (whole && images.low >= 0 && images.high > kUnusual && images.high <= kMostByte && images.low < images.high) {
    images.values = images.values.to(torch::kByte);
    images.notes.push_back(c10::str(name, ": floating point, but all values are whole numbers from ",
                                    shortest(images.low), " to ", shortest(images.high),
                                    "; read as bytes, x/255, so the model takes 0 to 1"));
    images.low = 0;
    images.high = 1;
  } else if (std::max(std::abs(images.low), std::abs(images.high)) > kUnusual) {
    images.notes.push_back(c10::str(name, ": values from ", six_digits(images.low), " to ", six_digits(images.high),
                                    " are taken as they are; networks learn better from about 0 to 1, so divide them",
                                    images.low >= 0 && images.high <= kMostByte ? " by 255" : ""));
  }
}

ReadImages read_images(const fs::path& path, std::optional<ImageLayout> layout, std::optional<ImageSize> size) {
  const auto file = path.string();
  const auto header = read_images_header(path);
  const bool last = is_channels_last(header, layout, file);
  auto shape = shape_of_planes(header, last);
  const int64_t image = std::max<int64_t>(1, c10::multiply_integers(shape) / shape[0]);
  const bool other_size = size && (size->height != shape[2] || size->width != shape[3]);
  if (other_size) {
    shape[2] = size->height;
    shape[3] = size->width;
  }
  const bool bytes = header.type == torch::kByte;
  ReadImages images;
  images.values = torch::empty(shape, bytes ? torch::kByte : torch::kFloat);
  bool whole = true;  // in the file; resizing makes fractions
  constexpr int64_t kValuesAtOnce = 1 << 22;
  read_npy_rows(path, std::max<int64_t>(1, kValuesAtOnce / image), [&](int64_t first, const torch::Tensor& rows) {
    check_finite(rows, file, first);
    whole = whole && (bytes || rows.equal(rows.round()));
    const auto planes = as_planes(rows, last);
    images.values.narrow(0, first, rows.size(0)).copy_(other_size ? resized(planes, *size) : planes);
  });
  if (bytes) return images;
  if (whole && other_size) images.values.round_();
  settle_values(images, whole, file);
  return images;
}

/// [0,1] when all values are within, else what they span.
Bounds bounds_of(double low, double high, const std::string& file) {
  if (low >= 0 && high <= 1) return {0, 1};
  ARKS_CHECK(low < high, file, ": all values are ", shortest(low), ", so there is nothing to learn");
  return {low, high};
}

std::string describe_bounds(const ReadImages& images, const Bounds& bounds) {
  if (images.values.scalar_type() == torch::kByte) return "; bytes as x/255, bounds [0, 1]";
  const bool unit = bounds.low() == 0 && bounds.high() == 1;
  return c10::str("; bounds ", to_string(bounds), unit ? "" : ", which is what the values span");
}

std::string describe_targets(const Targets& targets) {
  if (targets.class_names.empty()) return "regression";
  const auto counts = torch::bincount(targets.values, {}, static_cast<int64_t>(targets.class_names.size()));
  const auto* begin = counts.data_ptr<int64_t>();
  return describe_classes(targets.class_names, {begin, begin + counts.numel()});
}

void check_same_kind(const ReadImages& train, const fs::path& train_file, const ReadImages& test,
                     const fs::path& test_file) {
  ARKS_CHECK(train.values.sizes().slice(1) == test.values.sizes().slice(1), test_file.string(), ": images of shape ",
             test.values.sizes().slice(1), ", but those of ", train_file.string(), " have ",
             train.values.sizes().slice(1), "; --resize HEIGHTxWIDTH brings them to one size");
  ARKS_CHECK(train.values.scalar_type() == test.values.scalar_type(), test_file.string(), " and ", train_file.string(),
             " must both be uint8 or both floating point");
}

Targets read_targets(const fs::path& targets, const fs::path& inputs, int64_t count, std::optional<Task> task,
                     const Targets* like = nullptr) {
  const auto flag = like != nullptr ? "--test-targets" : "--targets";
  const auto numbers = read_npy_targets(targets.string(), inputs.string(), count, flag);
  // of images there may well be a hundred classes and more, and who saves quantities has no reason to round them
  if (!task && !c10::isFloatingType(read_npy_header(targets).type)) task = Task::kClassification;
  return number_targets(numbers, task, {inputs.filename().string(), targets.filename().string()}, like);
}

DatasetPtr dataset_of(const ReadImages& images, const Targets& targets, const DatasetInfo& info) {
  const auto values = targets.class_names.empty() ? targets.values.to(torch::kFloat) : targets.values;
  return std::make_shared<TensorDataset>(images.values, values, info);
}

}  // namespace

ImageLayout parse_image_layout(const std::string& name) {
  return named_value<ImageLayout>(name, image_layout_names(), "layout");
}

std::vector<std::string> image_layout_names() {
  return {"chw", "hwc"};
}

bool is_npy_images(const fs::path& path) {
  if (path.extension() != ".npy") return false;
  try {
    return must_be_images(read_npy_header(path));
  } catch (const Error&) {
    return false;  // whoever reads the file says what is wrong with it
  }
}

std::vector<int64_t> npy_image_shape(const fs::path& path, std::optional<ImageLayout> layout) {
  const auto header = read_images_header(path);
  const auto shape = shape_of_planes(header, is_channels_last(header, layout, path.string()));
  return {shape.begin() + 1, shape.end()};
}

NpyImageValues read_npy_images(const fs::path& path, std::optional<ImageLayout> layout, std::optional<ImageSize> size) {
  auto images = read_images(path, layout, size);
  return {std::move(images.values), std::move(images.notes)};
}

DataSplits load_npy_images(const fs::path& inputs, const fs::path& targets, const NpyImagesOptions& options) {
  ARKS_CHECK(!targets.empty(), inputs.string(),
             " holds the inputs; the targets are needed too, in a second .npy file (--targets)");
  const auto& test_file = options.test_data();
  ARKS_CHECK(!test_file.empty() || options.test_targets().empty(), "test targets (", options.test_targets().string(),
             ") need test data");
  const auto count = read_images_header(inputs).shape.front();
  const auto train_targets = read_targets(targets, inputs, count, options.task());
  check_number_of_classes(train_targets, {inputs.filename().string(), targets.filename().string()});
  const auto train = read_images(inputs, options.layout(), options.resize());
  DatasetInfo info;
  info.name = inputs.filename().string();
  info.class_names = train_targets.class_names;
  info.num_classes = static_cast<int64_t>(info.class_names.size());
  info.target_names = npy_target_names(train_targets);
  DataSplits splits;
  splits.task = info.num_classes > 0 ? Task::kClassification : Task::kRegression;
  splits.target = targets.filename().string();
  splits.divided = test_file.empty();
  splits.notes = train.notes;
  if (auto note = one_hot_note(train_targets, splits.target); !note.empty()) splits.notes.push_back(std::move(note));
  if (splits.divided) {
    info.bounds = bounds_of(train.low, train.high, inputs.string());
    const auto parts = divide(count, options.test_fraction(), options.split_seed(), info.name);
    const auto all = dataset_of(train, train_targets, info);
    splits.train = std::make_shared<Selection>(all, parts.train);
    splits.test = std::make_shared<Selection>(all, parts.test);
  } else {
    const auto test = read_images(test_file, options.layout(), options.resize());
    check_same_kind(train, inputs, test, test_file);
    splits.notes.insert(splits.notes.end(), test.notes.begin(), test.notes.end());
    const auto test_targets =
        read_targets(options.test_targets(), test_file, test.values.size(0), options.task(), &train_targets);
    info.bounds = bounds_of(std::min(train.low, test.low), std::max(train.high, test.high), inputs.string());
    splits.train =
        std::make_shared<Selection>(dataset_of(train, train_targets, info), mixed_order(count, options.split_seed()));
    splits.test = dataset_of(test, test_targets, info);
  }
  const auto& found = splits.train->info();
  splits.summary = c10::str(
      info.name, ": ", count, " images of ", c10::Join("x", found.input_shape), " (channels, height, width), ",
      found.stored, "; target '", splits.target, "', ", describe_targets(train_targets),
      splits.divided ? "" : c10::str("; ", splits.test->size(), " test images in ", test_file.filename().string()),
      describe_bounds(train, *info.bounds));
  return splits;
}

}  // namespace arks
