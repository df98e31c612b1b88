#include "support/file.h"
#include "support/testing.h"

namespace arks {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::expect_run_error;
using testing::TemporaryFolder;

namespace {

int64_t files_in(const TemporaryFolder& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

}  // namespace

TEST(WriteFileAtomically, WritesTheContentAndNothingBesideIt) {
  const TemporaryFolder folder;
  const std::string content("line\n\0\xff end", 11);
  write_file_atomically(folder / "file", content);
  EXPECT_EQ(read_file(folder / "file"), content);
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFileAtomically, ReplacesALongerFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "file", std::string(100000, 'a'));
  write_file_atomically(folder / "file", "short");
  EXPECT_EQ(read_file(folder / "file"), "short");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFileAtomically, WritesPartsOneAfterTheOther) {
  const TemporaryFolder folder;
  const std::string first(100000, 'a'), second("b\0c", 3);
  write_file_atomically(folder / "file", {first, "", second});
  EXPECT_EQ(read_file(folder / "file"), first + second);
  write_file_atomically(folder / "file", std::vector<std::string_view>{});
  EXPECT_EQ(read_file(folder / "file"), "");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFileAtomically, WritesAnEmptyFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "file", "");
  EXPECT_EQ(read_file(folder / "file"), "");
}

TEST(WriteFileAtomically, OverwritesWhatAnInterruptedRunLeft) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "file.partial", "half a fi", /*gzip=*/false);
  write_file_atomically(folder / "file", "whole");
  EXPECT_EQ(read_file(folder / "file"), "whole");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFileAtomically, SaysWhyTheFolderDoesNotTakeTheFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "file", "old");
  expect_run_error([&] { write_file_atomically(folder / "file" / "below", "x"); }, "Not a directory");
  expect_run_error([&] { write_file_atomically(folder / "nowhere" / "file", "x"); }, "No such file or directory");
  EXPECT_EQ(read_file(folder / "file"), "old");
}

TEST(WriteFileAtomically, LeavesNothingWhenTheNameIsAFolder) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "taken");
  expect_run_error([&] { write_file_atomically(folder / "taken", "x"); },
                   "cannot write " + (folder / "taken").string());
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFileAtomically, FailsOnAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const TemporaryFolder folder;
  fs::create_symlink("/dev/full", folder / "file.partial");
  expect_run_error([&] { write_file_atomically(folder / "file", "x"); }, "No space left on device");
  EXPECT_EQ(files_in(folder), 0);
}

TEST(ReadFile, ReadsMoreThanOneChunk) {
  const TemporaryFolder folder;
  const std::string content(200001, 'x');
  write_file_atomically(folder / "file", content);
  EXPECT_EQ(read_file(folder / "file"), content);
}

TEST(ReadFile, NamesWhatCannotBeRead) {
  const TemporaryFolder folder;
  expect_error([&] { read_file(folder / "nowhere"); },
               "cannot read " + (folder / "nowhere").string() + ": No such file or directory");
  expect_error([&] { read_file(folder.path()); }, folder.path().string() + " is a folder; expected a file");
}

TEST(ReadFile, NoticesADiskThatFailsWhileReading) {
  const fs::path memory = "/proc/self/mem";  // opens, and then fails at address 0
  if (!fs::exists(memory)) GTEST_SKIP() << "no /proc";
  expect_error([&] { read_file(memory); }, "cannot read /proc/self/mem");
}

TEST(FileCrc32, IsThatOfTheWholeContent) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "check", "123456789", /*gzip=*/false);
  EXPECT_EQ(file_crc32(folder / "check"), 0xcbf43926U);                               // the check value of CRC-32
  testing::write_bytes(folder / "zeros", std::string(200000, '\0'), /*gzip=*/false);  // several pieces
  testing::write_bytes(folder / "other", std::string(199999, '\0') + "\1", /*gzip=*/false);
  EXPECT_NE(file_crc32(folder / "zeros"), file_crc32(folder / "other"));
  expect_error([&] { file_crc32(folder / "nowhere"); }, "cannot read " + (folder / "nowhere").string());
}

}  // namespace arks
