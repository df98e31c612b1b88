#include "utf8.h"

#include <algorithm>

namespace arks {

namespace {

constexpr char32_t kReplacement = 0xfffd;

/// Bytes of the sequence that starts with `lead`, 0 when no sequence does.
size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

bool is_valid(char32_t point, size_t length) {
  static constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  return point >= kSmallest[length] && point <= 0x10ffff && !surrogate;
}

/// The code point at the front of `text` and its length in bytes; one byte and U+FFFD where there is none.
std::pair<char32_t, size_t> first_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = sequence_length(lead);
  if (length == 1) return {lead, 1};
  if (length == 0 || length > text.size()) return {kReplacement, 1};
  char32_t point = lead & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80U) return {kReplacement, 1};
    point = (point << 6U) | (byte & 0x3fU);
  }
  return is_valid(point, length) ? std::pair{point, length} : std::pair{kReplacement, size_t{1}};
}

bool is_control(char32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029 || point == 0xfffe ||
         point == 0xffff;  // the last two may not stand in XML
}

struct PointRange {
  char32_t first, last;
};

template <size_t n>
bool is_in(char32_t point, const PointRange (&ranges)[n]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const PointRange& range) { return point >= range.first && point <= range.last; });
}

size_t point_width(char32_t point) {
  static constexpr PointRange kNone[] = {{0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
                                         {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}};
  static constexpr PointRange kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                                         {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                                         {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
  if (is_in(point, kNone)) return 0;
  return is_in(point, kWide) ? 2 : 1;
}

void append_point(std::string& text, char32_t point) {
  const auto tail = [&](unsigned shift) { text.push_back(static_cast<char>(0x80U | ((point >> shift) & 0x3fU))); };
  if (point < 0x80) {
    text.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    text.push_back(static_cast<char>(0xc0U | (point >> 6U)));
    tail(0);
  } else if (point < 0x10000) {
    text.push_back(static_cast<char>(0xe0U | (point >> 12U)));
    tail(6), tail(0);
  } else {
    text.push_back(static_cast<char>(0xf0U | (point >> 18U)));
    tail(12), tail(6), tail(0);
  }
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const auto [point, length] = first_point(text);
    points.push_back(point);
    text.remove_prefix(length);
  }
  return points;
}

std::string encode_utf8(std::u32string_view points) {
  std::string text;
  for (const char32_t point : points) append_point(text, point);
  return text;
}

std::string printable(std::string_view text) {
  auto points = decode_utf8(text);
  std::replace_if(points.begin(), points.end(), is_control, U' ');
  return encode_utf8(points);
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (const char32_t point : decode_utf8(text)) width += point_width(point);
  return width;
}

std::string shortened(std::string_view text, size_t width) {
  auto points = decode_utf8(text);
  size_t used = display_width(text);
  if (used <= width) return std::string(text);
  size_t middle = points.size() / 2;
  for (++used; used > width && !points.empty();) {  // one more for the "…"
    middle = points.size() / 2;
    used -= point_width(points[middle]);
    points.erase(middle, 1);
  }
  return encode_utf8(points.insert(middle, 1, U'…'));
}

}  // namespace arks
