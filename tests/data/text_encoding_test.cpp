#include "data/text_encoding.h"
#include "support/testing.h"

namespace arks {

using testing::expect_error;
using Notes = std::vector<std::string>;

namespace {

std::string utf16(const std::u16string& text, bool big_end_first) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
    bytes += big_end_first ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

}  // namespace

TEST(TextEncoding, LeavesUtf8AsItIs) {
  for (const std::string text : {"", "a,b\n1,2\n", "größe,µm\n", "naïve €, 日本\n"}) {
    EXPECT_EQ(to_utf8(text, "t").text, text);
    EXPECT_TRUE(to_utf8(text, "t").notes.empty()) << text;
    EXPECT_EQ(to_utf8("\xef\xbb\xbf" + text, "t").text, text);
  }
  // letters across the blocks in which ASCII is skipped
  const auto text = std::string(255, 'a') + "ö" + std::string(600, 'b') + "ü";
  EXPECT_EQ(to_utf8(text, "t").text, text);
}

TEST(TextEncoding, ReadsOtherBytesAsWindows1252AndSaysSo) {
  const auto found = to_utf8(
      "a,b\nx,gr\xf6\xdf"
      "e \x80\n",
      "t");
  EXPECT_EQ(found.text, "a,b\nx,größe €\n");
  EXPECT_EQ(found.notes, Notes{"line 2 is not UTF-8, so the file is read as Windows-1252"});
  EXPECT_EQ(to_utf8(std::string(700, 'a') + "\xf6", "t").text, std::string(700, 'a') + "ö");
}

TEST(TextEncoding, ReadsUtf16WithAMark) {
  const std::u16string text = u"gr\u00f6\u00dfe\t\u20ac \U0001f600\r\n";
  for (const bool big : {false, true}) {
    const auto found = to_utf8(utf16(u"\ufeff" + text, big), "t");
    EXPECT_EQ(found.text, "größe\t€ 😀\r\n");
    EXPECT_TRUE(found.notes.empty());
  }
  EXPECT_EQ(to_utf8("\xff\xfe", "t").text, "");
  expect_error(
      [] {
        to_utf8(
            "\xff\xfe"
            "a",
            "t.csv");
      },
      "t.csv is damaged: it starts like UTF-16 but is not valid UTF-16");
  expect_error(
      [] {
        to_utf8(utf16(u"\ufeff\xd800"
                      u"a",
                      true),
                "t.csv");
      },
      "t.csv is damaged: it starts like UTF-16 but is not valid UTF-16");
}

TEST(TextEncoding, RefusesMoreTextThanThereIsMemoryFor) {
  const testing::TemporaryFolder folder;
  const std::string text(5000, 'x');
  testing::write_bytes(folder / "a.csv", text, /*gzip=*/false);
  testing::write_bytes(folder / "a.csv.gz", text, /*gzip=*/true);
  for (const char* name : {"a.csv", "a.csv.gz"}) {
    EXPECT_EQ(read_text(folder / name, 5000).text, text) << name;
    expect_error([&] { read_text(folder / name, 4000); },
                 std::string(name) + " holds more than 4.0 kB of text, too much for the memory of this machine");
  }
}

TEST(TextEncoding, KnowsEndingsWhateverTheirLetters) {
  EXPECT_EQ(text_extension("x/A.CSV"), ".csv");
  EXPECT_EQ(text_extension("a.Tsv.GZ"), ".tsv");
  EXPECT_EQ(text_extension("a.gz"), "");
}

}  // namespace arks
