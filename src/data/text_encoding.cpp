#include "data/text_encoding.h"

#include "support/file.h"
#include "support/free_memory.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <utf8.h>
#include <zlib.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace arks {

namespace fs = std::filesystem;

namespace {

bool is_gzip_name(const fs::path& path) {
  return lower_case(path.extension().string()) == ".gz";
}

bool begins_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

/// The first byte from `at` that is not ASCII. Block by block, which the compiler turns into a few instructions: most
/// tables are ASCII throughout.
size_t skip_ascii(std::string_view text, size_t at) {
  constexpr size_t kBlock = 256;
  for (; at + kBlock <= text.size(); at += kBlock) {
    unsigned char all = 0;
    for (size_t i = 0; i < kBlock; ++i) all |= static_cast<unsigned char>(text[at + i]);
    if (all >= 0x80) break;
  }
  while (at < text.size() && is_ascii(text[at])) ++at;
  return at;
}

/// Where the first letters stand that are not UTF-8; the size of the text when there are none.
size_t find_not_utf8(std::string_view text) {
  size_t begin = 0;
  while ((begin = skip_ascii(text, begin)) < text.size()) {
    const auto* const from = text.data() + begin;
    const auto* const to = std::find_if(from, text.data() + text.size(), is_ascii);
    if (!utf8::is_valid(from, to)) return begin;
    begin = static_cast<size_t>(to - text.data());
  }
  return begin;
}

std::string from_windows_1252(std::string_view bytes) {
  // of 0x80 to 0x9f; the other bytes are the letters of these numbers, and the five that stand for nothing stay so
  constexpr char32_t kPoints[] = {0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                  0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
                                  0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                  0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    utf8::append(byte >= 0x80 && byte < 0xa0 ? kPoints[byte - 0x80] : char32_t{byte}, std::back_inserter(text));
  }
  return text;
}

std::string from_utf16(std::string_view bytes, bool big_end_first, const std::string& name) {
  std::u16string units;
  units.reserve(bytes.size() / 2);
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto first = static_cast<unsigned char>(bytes[i]), second = static_cast<unsigned char>(bytes[i + 1]);
    units += static_cast<char16_t>(big_end_first ? 256 * first + second : 256 * second + first);
  }
  std::string text;
  try {
    utf8::utf16to8(units.begin(), units.end(), std::back_inserter(text));
  } catch (const utf8::exception&) {
    units.clear();
  }
  ARKS_CHECK(bytes.size() % 2 == 0 && (!units.empty() || bytes.empty()), name,
             " is damaged: it starts like UTF-16 but is not valid UTF-16");
  return text;
}

[[noreturn]] void refuse_long_text(const fs::path& path, double most) {
  throw Error(path.string() + " holds more than " + human_bytes(most) +
              " of text, too much for the memory of this machine; divide the file");
}

std::string decompressed(const fs::path& path, double most) {
  std::error_code ignored;
  ARKS_CHECK(fs::is_regular_file(path, ignored), "cannot read ", path.string(), ": not a file");
  gzFile file = gzopen(path.c_str(), "rb");
  ARKS_CHECK(file != nullptr, "cannot read ", path.string());
  constexpr size_t kPiece = size_t{1} << 22;
  std::string text;
  int got = 0;
  do {
    const size_t before = text.size();
    text.resize(before + kPiece);
    got = gzread(file, text.data() + before, kPiece);
    text.resize(before + static_cast<size_t>(std::max(got, 0)));
  } while (got > 0 && static_cast<double>(text.size()) <= most);
  const bool whole = gzclose(file) == Z_OK && got == 0;
  if (got > 0) refuse_long_text(path, most);
  ARKS_CHECK(whole, path.string(), " is damaged: it cannot be decompressed");
  return text;
}

std::string read_plain(const fs::path& path, double most) {
  std::error_code ignored;
  const auto bytes = fs::is_regular_file(path, ignored) ? fs::file_size(path, ignored) : 0;
  if (!ignored && static_cast<double>(bytes) > most) refuse_long_text(path, most);
  return read_file(path);
}

}  // namespace

DecodedText to_utf8(std::string bytes, const std::string& name) {
  constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf", kLittleMark = "\xff\xfe", kBigMark = "\xfe\xff";
  const bool big = begins_with(bytes, kBigMark);
  if (big || begins_with(bytes, kLittleMark)) return {from_utf16(std::string_view(bytes).substr(2), big, name), {}};
  if (begins_with(bytes, kUtf8Mark)) bytes.erase(0, kUtf8Mark.size());
  const size_t wrong = find_not_utf8(bytes);
  if (wrong == bytes.size()) return {std::move(bytes), {}};
  const auto line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(wrong), '\n');
  return {from_windows_1252(bytes),
          {"line " + std::to_string(line) + " is not UTF-8, so the file is read as Windows-1252"}};
}

double most_bytes_of_text() {
  return physical_memory_bytes() / 2;
}

DecodedText read_text(const fs::path& path, double most) {
  return to_utf8(is_gzip_name(path) ? decompressed(path, most) : read_plain(path, most), path.string());
}

std::string text_extension(const fs::path& path) {
  return lower_case((is_gzip_name(path) ? path.stem() : path).extension().string());
}

}  // namespace arks
