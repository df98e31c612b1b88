#include "report/utf8.h"

#include <utf8.h>

#include <algorithm>
#include <iterator>

namespace arks {

namespace {

constexpr char32_t kReplacement = 0xfffd;

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

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string points;
  for (auto at = text.begin(); at != text.end();) {
    auto next = at;
    try {
      points.push_back(static_cast<char32_t>(utf8::next(next, text.end())));
    } catch (const utf8::exception&) {
      points.push_back(kReplacement);
      next = at + 1;
    }
    at = next;
  }
  return points;
}

std::string encode_utf8(std::u32string_view points) {
  std::string text;
  for (const char32_t point : points) utf8::append(point, std::back_inserter(text));
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
