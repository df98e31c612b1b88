#include "png_palette.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace arks {

namespace {

constexpr size_t kPalette = 256, kExact = 64;

struct Colour {
  std::array<uint8_t, 3> channels{};
  uint64_t count = 0;
};

uint32_t code(const uint8_t* pixel) {
  return static_cast<uint32_t>(pixel[0]) << 16 | static_cast<uint32_t>(pixel[1]) << 8 | pixel[2];
}

/// The commonest first; ties by their value, so that the same drawing always gives the same file.
std::vector<Colour> colours_of(const std::vector<uint8_t>& pixels) {
  std::unordered_map<uint32_t, Colour> counts;
  for (size_t i = 0; i < pixels.size(); i += 3) {
    auto& colour = counts[code(&pixels[i])];
    colour.channels = {pixels[i], pixels[i + 1], pixels[i + 2]};
    ++colour.count;
  }
  std::vector<Colour> colours;
  for (const auto& entry : counts) colours.push_back(entry.second);
  std::sort(colours.begin(), colours.end(), [](const Colour& a, const Colour& b) {
    return a.count != b.count ? a.count > b.count : a.channels < b.channels;
  });
  return colours;
}

/// Colours [begin, end) that are drawn as one.
struct Box {
  size_t begin, end;
  size_t channel = 0;  ///< in which they differ most
  double weight = 0;   ///< how badly one colour stands for all
};

Box make_box(const std::vector<Colour>& colours, size_t begin, size_t end) {
  Box box{begin, end};
  uint64_t count = 0;
  for (size_t i = begin; i < end; ++i) count += colours[i].count;
  for (size_t channel = 0; channel < 3; ++channel) {
    uint8_t low = 255, high = 0;
    for (size_t i = begin; i < end; ++i) {
      low = std::min(low, colours[i].channels[channel]);
      high = std::max(high, colours[i].channels[channel]);
    }
    const double width = high - low, weight = width * width * static_cast<double>(count);
    if (weight > box.weight) box.channel = channel;
    box.weight = std::max(box.weight, weight);
  }
  return box;
}

/// Orders the colours of a box along its channel and returns where half of the pixels are reached.
size_t cut(std::vector<Colour>& colours, const Box& box) {
  const auto at = [&](size_t i) { return colours.begin() + static_cast<std::ptrdiff_t>(i); };
  std::sort(at(box.begin), at(box.end), [&](const Colour& a, const Colour& b) {
    const auto left = a.channels[box.channel], right = b.channels[box.channel];
    return left != right ? left < right : a.channels < b.channels;
  });
  uint64_t total = 0, seen = 0;
  for (size_t i = box.begin; i < box.end; ++i) total += colours[i].count;
  size_t middle = box.begin;
  while (middle + 1 < box.end && 2 * seen < total) seen += colours[middle++].count;
  return std::max(middle, box.begin + 1);
}

std::vector<Box> boxes_of(std::vector<Colour>& colours) {
  std::vector<Box> boxes;
  const size_t exact = colours.size() <= kPalette ? colours.size() : kExact;
  for (size_t i = 0; i < exact; ++i) boxes.push_back({i, i + 1});
  if (exact < colours.size()) boxes.push_back(make_box(colours, exact, colours.size()));
  while (boxes.size() < kPalette) {
    const auto worst =
        std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.weight < b.weight; });
    if (worst->weight == 0) break;
    const size_t middle = cut(colours, *worst), end = worst->end;
    *worst = make_box(colours, worst->begin, middle);
    boxes.push_back(make_box(colours, middle, end));
  }
  return boxes;
}

/// The mean of the pixels of a box.
std::array<uint8_t, 3> mean(const std::vector<Colour>& colours, const Box& box) {
  std::array<uint8_t, 3> result{};
  for (size_t channel = 0; channel < 3; ++channel) {
    uint64_t sum = 0, count = 0;
    for (size_t i = box.begin; i < box.end; ++i) {
      sum += colours[i].count * colours[i].channels[channel];
      count += colours[i].count;
    }
    result[channel] = static_cast<uint8_t>((sum + count / 2) / count);
  }
  return result;
}

std::string encode(png_image& image, const std::vector<uint8_t>& indices, const std::vector<uint8_t>& palette) {
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = static_cast<png_uint_32>(palette.size() / 3);
  png_alloc_size_t size = 0;
  if (!png_image_write_to_memory(&image, nullptr, &size, 0, indices.data(), 0, palette.data())) return "";
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, indices.data(), 0, palette.data())) return "";
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string with_palette(std::string_view png) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, png.data(), png.size())) return std::string(png);
  image.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image));
  const png_color white{255, 255, 255};
  if (!png_image_finish_read(&image, &white, pixels.data(), 0, nullptr)) return std::string(png);

  auto colours = colours_of(pixels);
  const auto boxes = boxes_of(colours);
  std::unordered_map<uint32_t, uint8_t> index_of;
  std::vector<uint8_t> palette, indices;
  for (size_t box = 0; box < boxes.size(); ++box) {
    for (size_t i = boxes[box].begin; i < boxes[box].end; ++i) {
      index_of[code(colours[i].channels.data())] = static_cast<uint8_t>(box);
    }
    for (const uint8_t channel : mean(colours, boxes[box])) palette.push_back(channel);
  }
  for (size_t i = 0; i < pixels.size(); i += 3) indices.push_back(index_of[code(&pixels[i])]);
  const auto encoded = encode(image, indices, palette);
  return encoded.empty() || encoded.size() > png.size() ? std::string(png) : encoded;
}

}  // namespace arks
