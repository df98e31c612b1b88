#include "data/idx.h"
#include "support/file.h"
#include "support/testing.h"

#include <zlib.h>

#include <cstring>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::TemporaryFolder;
using testing::write_bytes;
using testing::write_idx;

namespace {

/// Bytes with some structure, so that gzip makes them smaller without making them nothing.
std::string content(int64_t count) {
  std::string bytes;
  for (int64_t i = 0; i < count; ++i) bytes.push_back(static_cast<char>((i * i / 7 + i / 16) % 251));
  return bytes;
}

std::string header(const std::vector<uint32_t>& words) {
  std::string bytes;
  for (const uint32_t word : words) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>((word >> shift) & 0xff));
  }
  return bytes;
}

std::string gzipped(const TemporaryFolder& folder, const std::string& bytes) {
  write_bytes(folder / "whole.gz", bytes, /*gzip=*/true);
  return read_file(folder / "whole.gz");
}

/// Both kinds of file with these bytes inside must be refused with this message.
void expect_refused(const std::string& bytes, const std::string& part) {
  const TemporaryFolder folder;
  for (const bool gzip : {false, true}) {
    const auto path = folder / (gzip ? "file.gz" : "file");
    write_bytes(path, bytes, gzip);
    expect_error([&] { read_idx(path); }, part);
    expect_error([&] { read_idx(path); }, path.string());
  }
}

}  // namespace

TEST(Idx, ReadsShapeAndValues) {
  const TemporaryFolder folder;
  write_idx(folder / "file", {2, 3}, {'\x00', '\x01', '\x02', '\x7f', '\x80', '\xff'});
  const auto expected = torch::tensor({{0, 1, 2}, {127, 128, 255}}, torch::kByte);
  EXPECT_TRUE(identical(read_idx(folder / "file"), expected));
}

TEST(Idx, GivesTheSameForPlainAndGzippedFilesInOneToFourDimensions) {
  const TemporaryFolder folder;
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{120}, std::vector<int64_t>{4, 30},
                                            std::vector<int64_t>{2, 3, 20}, std::vector<int64_t>{2, 3, 4, 5}}) {
    write_idx(folder / "file", shape, content(120));
    write_idx(folder / "file.gz", shape, content(120));
    const auto plain = read_idx_file(folder / "file");
    const auto gzip = read_idx_file(folder / "file.gz");
    EXPECT_EQ(plain.tensor.sizes(), c10::IntArrayRef(shape));
    EXPECT_TRUE(identical(plain.tensor, gzip.tensor));
    EXPECT_EQ(plain.crc32, gzip.crc32);
  }
}

TEST(Idx, TellsGzipByContentAndNotByName) {
  const TemporaryFolder folder;
  write_idx(folder / "file", {100}, content(100));
  write_idx(folder / "file.gz", {100}, content(100));
  std::filesystem::rename(folder / "file", folder / "plain.gz");
  std::filesystem::rename(folder / "file.gz", folder / "zipped");
  EXPECT_TRUE(identical(read_idx(folder / "plain.gz"), read_idx(folder / "zipped")));
}

TEST(Idx, ReadsMoreThanOneChunk) {
  const TemporaryFolder folder;
  const int64_t count = 2500000;
  write_idx(folder / "file", {count}, content(count));
  write_idx(folder / "file.gz", {count}, content(count));
  const auto expected = content(count);
  const auto found = read_idx(folder / "file.gz");
  EXPECT_EQ(std::memcmp(found.data_ptr(), expected.data(), expected.size()), 0);
  EXPECT_TRUE(identical(read_idx(folder / "file"), found));
}

TEST(Idx, GivesTheCheckSumOfTheWholeContent) {
  const TemporaryFolder folder;
  write_idx(folder / "file.gz", {500}, content(500));
  const auto whole = header({0x801, 500}) + content(500);
  const auto expected = ::crc32(0, reinterpret_cast<const Bytef*>(whole.data()), static_cast<uInt>(whole.size()));
  EXPECT_EQ(read_idx_file(folder / "file.gz").crc32, expected);
}

TEST(Idx, ReadsGzipFilesOfSeveralMembers) {
  const TemporaryFolder folder;
  const auto front = gzipped(folder, header({0x801, 500}) + content(100));
  const auto back = gzipped(folder, content(500).substr(100));
  write_bytes(folder / "both.gz", front + back, /*gzip=*/false);
  write_idx(folder / "plain", {500}, content(500));
  EXPECT_TRUE(identical(read_idx(folder / "both.gz"), read_idx(folder / "plain")));
}

TEST(Idx, SaysWhyAFileCannotBeOpened) {
  const TemporaryFolder folder;
  expect_error([&] { read_idx(folder / "nowhere"); },
               "cannot open " + (folder / "nowhere").string() + ": No such file or directory");
  expect_error([&] { read_idx(folder.path()); }, "cannot open " + folder.path().string() + ": not a regular file");
  write_bytes(folder / "file", "x", /*gzip=*/false);
  expect_error([&] { read_idx(folder / "file" / "below"); }, "Not a directory");
}

TEST(Idx, RefusesAnotherMagicNumberAndPrintsBoth) {
  expect_refused(header({0x00000d03, 1, 1, 1}) + content(4),
                 "magic number 0x00000d03, expected 0x00000801 to 0x00000804");
  expect_refused(header({0x01000801, 1}) + content(1), "magic number 0x01000801, expected");
  expect_refused("<!DOCTYPE html>", "magic number 0x3c21444f, expected");
}

TEST(Idx, RefusesNoneAndMoreThanFourDimensions) {
  expect_refused(header({0x00000800}) + content(1), "magic number 0x00000800, expected");
  expect_refused(header({0x00000805, 1, 1, 1, 1, 1}) + content(1), "magic number 0x00000805, expected");
  expect_refused(header({0x000008ff, 1}) + content(1), "magic number 0x000008ff, expected");
}

TEST(Idx, RefusesAFileThatEndsInItsHeader) {
  expect_refused("", "ends within the header");
  expect_refused(header({0x803}).substr(0, 3), "ends within the header");
  expect_refused(header({0x803, 10, 28}), "ends within the header");
  expect_refused(header({0x803, 10, 28, 28}).substr(0, 15), "ends within the header");
}

TEST(Idx, RefusesASizeOfZero) {
  expect_refused(header({0x803, 0, 28, 28}), "announces the shape [0, 28, 28]; every size must be at least 1");
  expect_refused(header({0x802, 0x80000000, 0}), "announces the shape [2147483648, 0]");
}

TEST(Idx, RefusesSizesWhoseProductOverflows) {
  expect_refused(header({0x802, 0x80000000, 0x80000000}),
                 "announces the shape [2147483648, 2147483648], more than the 1099511627776 bytes");
  expect_refused(header({0x804, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}), "more than the 1099511627776 bytes");
  // 2^64, which is 0 in 64 bits
  expect_refused(header({0x803, 0x80000000, 0x80000000, 4}), "more than the 1099511627776 bytes");
  expect_refused(header({0x802, 0x80000000, 513}), "more than the 1099511627776 bytes");
}

TEST(Idx, RefusesAClaimThatTheFileOnDiskCannotHoldBeforeTakingMemory) {
  const TemporaryFolder folder;
  const auto bytes = header({0x802, 0x80000000, 512}) + content(10);  // exactly 2^40
  write_bytes(folder / "file", bytes, /*gzip=*/false);
  expect_error([&] { read_idx(folder / "file"); }, "file: ends after 10 of 1099511627776 bytes");
  write_bytes(folder / "file.gz", bytes, /*gzip=*/true);
  const auto on_disk = std::filesystem::file_size(folder / "file.gz");
  expect_error([&] { read_idx(folder / "file.gz"); },
               c10::str("file.gz: the header announces 1099511627776 bytes, but a gzip file of ", on_disk,
                        " bytes holds at most ", on_disk * 1032));
}

TEST(Idx, AcceptsTheBestThatGzipCanDo) {
  const TemporaryFolder folder;
  const std::string zeros(10000000, '\0');
  write_idx(folder / "file.gz", {10000000}, zeros);
  EXPECT_EQ(read_idx(folder / "file.gz").count_nonzero().item<int64_t>(), 0);
}

TEST(Idx, SaysAfterHowManyBytesTruncatedDataEnds) {
  expect_refused(header({0x803, 2, 5, 10}) + content(99), "ends after 99 of 100 bytes");
  expect_refused(header({0x801, 100}), "ends after 0 of 100 bytes");
}

TEST(Idx, RefusesBytesAfterTheData) {
  const TemporaryFolder folder;
  const auto bytes = header({0x801, 100}) + content(103);
  write_bytes(folder / "file", bytes, /*gzip=*/false);
  expect_error([&] { read_idx(folder / "file"); }, "file: 3 bytes follow the 100 that the header announces");
  write_bytes(folder / "file.gz", bytes, /*gzip=*/true);
  expect_error([&] { read_idx(folder / "file.gz"); }, "file.gz: has more bytes than its header announces");
}

TEST(Idx, RefusesAGzipFileCutOffAnywhere) {
  const TemporaryFolder folder;
  const auto whole = gzipped(folder, header({0x802, 20, 30}) + content(600));
  for (size_t length = 0; length < whole.size(); ++length) {
    write_bytes(folder / "cut.gz", whole.substr(0, length), /*gzip=*/false);
    EXPECT_THROW(read_idx(folder / "cut.gz"), Error) << "after " << length << " of " << whole.size() << " bytes";
  }
}

TEST(Idx, SaysWhereAGzipFileIsCutOff) {
  const TemporaryFolder folder;
  const auto whole = gzipped(folder, header({0x802, 200, 300}) + content(60000));
  write_bytes(folder / "cut.gz", whole.substr(0, whole.size() / 2), /*gzip=*/false);
  expect_error([&] { read_idx(folder / "cut.gz"); }, "cut.gz: ends after ");
  expect_error([&] { read_idx(folder / "cut.gz"); }, " of 60000 bytes");
  write_bytes(folder / "cut.gz", whole.substr(0, whole.size() - 4), /*gzip=*/false);
  expect_error([&] { read_idx(folder / "cut.gz"); }, "cut.gz: the gzip stream is cut off at its end");
}

TEST(Idx, NeverGivesOtherValuesFromADamagedGzipFile) {
  const TemporaryFolder folder;
  const auto whole = gzipped(folder, header({0x802, 20, 30}) + content(600));
  const auto expected = read_idx(folder / "whole.gz");
  int64_t refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    auto damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write_bytes(folder / "damaged.gz", damaged, /*gzip=*/false);
    try {
      EXPECT_TRUE(identical(read_idx(folder / "damaged.gz"), expected)) << "byte " << i;
    } catch (const Error&) {
      ++refused;
    }
  }
  // only gzip's time stamp and the like may change unnoticed
  EXPECT_GE(refused, static_cast<int64_t>(whole.size()) - 10);
}

TEST(Idx, NamesTheFileOnceWhenGzipDataIsCorrupt) {
  const TemporaryFolder folder;
  auto bytes = gzipped(folder, header({0x802, 200, 300}) + content(60000));
  for (size_t i = 0; i < 8; ++i) bytes[bytes.size() / 2 + i] = '\x55';
  const auto path = folder / "corrupt.gz";
  write_bytes(path, bytes, /*gzip=*/false);
  expect_error([&] { read_idx(path); }, path.string() + ": corrupt gzip data: ");
  bytes = gzipped(folder, header({0x801, 100}) + content(100));
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
  write_bytes(path, bytes, /*gzip=*/false);
  expect_error([&] { read_idx(path); }, path.string() + ": corrupt gzip data: incorrect data check");
}

TEST(Idx, IgnoresBytesBehindTheGzipStreamAsGzipDoes) {
  const TemporaryFolder folder;
  const auto whole = gzipped(folder, header({0x801, 100}) + content(100));
  write_bytes(folder / "more.gz", whole + "padding", /*gzip=*/false);
  EXPECT_TRUE(identical(read_idx(folder / "more.gz"), read_idx(folder / "whole.gz")));
}

}  // namespace arks
