#include "data/glance.h"

#include "data/decoded_image.h"
#include "data/image_folder.h"
#include "data/npy.h"
#include "data/npy_images.h"
#include "data/registry.h"

#include <arks/support/error.h>

namespace arks {

namespace fs = std::filesystem;

namespace {

/// What published_settings tells apart, until a glance has told more.
struct Possible {
  // and those that a network of the paper was made for
  std::vector<std::vector<int64_t>> shapes{{1, 1, 1}, {3, 1, 1}, {1, 8, 8}, {3, 8, 8}};
  std::vector<int64_t> classes{0, 2};
  std::vector<double> widths{1, 2};  // of the bounds
};

/// One grey image does not tell whether all are grey.
void look_into_folder(const fs::path& folder, const ImageFolderOptions& options, Possible& possible) {
  possible.classes = {2};
  possible.widths = {1};
  const auto image = decode_image_file(list_image_folder(folder, options.test_data()).front());
  std::vector<int64_t> shape{image.channels, image.size.height, image.size.width};
  if (const auto size = options.resize()) shape = {shape[0], size->height, size->width};
  if (options.channels() != 0) shape[0] = options.channels();
  possible.shapes = {shape};
  if (options.channels() == 0 && shape[0] == 1) possible.shapes.push_back({3, shape[1], shape[2]});
}

void look_at_npy(const fs::path& file, const DataOptions& options, Possible& possible) {
  if (read_npy_header(file).type == torch::kByte) possible.widths = {1};
  auto shape = npy_image_shape(file, options.npy_images().layout());
  if (const auto size = options.npy_images().resize()) shape = {shape[0], size->height, size->width};
  possible.shapes = {shape};
  if (const auto task = options.npy_images().task()) {
    possible.classes = {*task == Task::kClassification ? 2 : 0};
  } else if (!c10::isFloatingType(read_npy_header(options.targets()).type)) {
    possible.classes = {2};
  }
}

bool is_npy(const std::string& data) {
  return fs::path(data).extension() == ".npy";
}

}  // namespace

std::optional<int64_t> count_images(const std::string& data, const DataOptions& options) {
  if (data_kind(data) != DataKind::kImages) return std::nullopt;
  try {
    if (is_npy(data)) return read_npy_header(data).shape.front();
    return static_cast<int64_t>(list_image_folder(data, options.image_folder().test_data()).size());
  } catch (const Error&) {  // whoever loads them says what is wrong
    return std::nullopt;
  }
}

std::vector<DatasetInfo> possible_infos(const std::string& data, const DataOptions& options) {
  if (data_kind(data) != DataKind::kImages) return {DatasetInfo()};
  Possible possible;
  for (const auto& entry : known_datasets()) {
    if (!entry.image_shape.empty()) possible.shapes.push_back(entry.image_shape);
  }
  try {
    if (is_npy(data)) {
      look_at_npy(data, options, possible);
    } else {
      look_into_folder(data, options.image_folder(), possible);
    }
  } catch (const Error&) {  // whoever loads them says what is wrong
  }
  std::vector<DatasetInfo> infos;
  for (const auto& shape : possible.shapes) {
    for (const auto classes : possible.classes) {
      for (const auto width : possible.widths) {
        infos.emplace_back();
        infos.back().input_shape = shape;
        infos.back().num_classes = classes;
        infos.back().bounds = Bounds(0, width);
      }
    }
  }
  return infos;
}

}  // namespace arks
