#include "data/npy.h"
#include "support/testing.h"

namespace arks {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::identical;
using testing::TemporaryFolder;

namespace {

/// An NPY file with this dictionary, padded as NumPy pads it.
std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string header = dictionary;
  const size_t preamble = version == 1 ? 10 : 12;
  while ((preamble + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (size_t i = 0; i < (version == 1 ? 2U : 4U); ++i) file += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  return file + header + data;
}

std::string bytes_of(const torch::Tensor& values) {
  const auto whole = values.contiguous();
  return {static_cast<const char*>(whole.data_ptr()), static_cast<size_t>(whole.numel()) * whole.element_size()};
}

class Npy : public ::testing::Test {
 protected:
  torch::Tensor read(const std::string& content) const {
    testing::write_bytes(path(), content, /*gzip=*/false);
    return read_npy(path());
  }
  void refused(const std::string& content, const std::string& part) const {
    expect_error([&] { read(content); }, path().string() + part);
  }
  fs::path path() const { return folder_ / "x.npy"; }

  TemporaryFolder folder_;
};

const char* const kSmall = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";

}  // namespace

TEST_F(Npy, ReadsEveryTypeAndVersion) {
  const auto numbers = torch::arange(6).view({2, 3});
  for (const auto& [descr, type] :
       {std::pair{"<f4", torch::kFloat}, std::pair{"<f8", torch::kDouble}, std::pair{"<i4", torch::kInt},
        std::pair{"<i8", torch::kLong}, std::pair{"|u1", torch::kByte}}) {
    const auto expected = numbers.to(type);
    const auto dictionary = std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (2, 3), }";
    for (const int version : {1, 2}) {
      EXPECT_TRUE(identical(read(npy(dictionary, bytes_of(expected), version)), expected)) << descr << version;
    }
  }
}

TEST_F(Npy, ReadsFortranOrder) {
  const auto expected = torch::arange(24, torch::kDouble).view({2, 3, 4});
  const auto found =
      read(npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3, 4), }", bytes_of(expected.permute({2, 1, 0}))));
  EXPECT_TRUE(identical(found, expected));
}

TEST_F(Npy, ReadsVectorsAndRefusesSingleNumbers) {
  const auto three = torch::tensor({1.5, -2.0, 4.0}, torch::kDouble);
  EXPECT_TRUE(
      identical(read(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", bytes_of(three))), three));
  const auto single = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", bytes_of(three[0]));
  refused(single, " holds a single number, of shape (); expected an array with rows");
  expect_error([&] { read_npy_header(path()); }, "holds a single number");
}

TEST_F(Npy, RefusesFilesOfAnotherLength) {
  const auto whole = npy(kSmall, std::string(48, '\0'));
  refused(whole.substr(0, whole.size() - 1), ": ends after 47 of 48 bytes of data");
  refused(whole + "x", ": 1 bytes follow the 48 that the header announces");
  for (size_t length = 0; length < whole.size(); length += 5) {
    expect_error([&] { read(whole.substr(0, length)); }, path().string());
  }
}

TEST_F(Npy, TakesNoMemoryForWhatTheFileDoesNotHold) {
  refused(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 3), }", "few"),
          ": ends after 3 of 24000000000000 bytes of data");
  refused(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", ""),
          ": the header announces the shape");
  expect_error([&] { read(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", "")); },
               "does not fit into 64 bits");
}

TEST_F(Npy, RefusesOtherFormats) {
  refused("a,b\n1,2\n3,4\n", " is not an NPY file: it does not begin with \\x93NUMPY");
  refused("short", ": 5 bytes are too few for an NPY file");
  refused(npy(kSmall, std::string(48, '\0'), 3), ": NPY version 3.0; versions 1 and 2 are supported");
  expect_error([&] { read_npy(folder_ / "none.npy"); }, "cannot read");
  expect_error([&] { read_npy(folder_.path()); }, "is a folder");
}

TEST_F(Npy, RefusesOtherTypes) {
  for (const std::string descr : {">f8", "<f2", "<c16", "|O", "<U5", "|b1"}) {
    refused(npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,), }", std::string(8, '\0')),
            ": values of type '" + descr + "' cannot be read; supported: <f4, <f8, <i4, <i8, |u1");
  }
}

TEST_F(Npy, RefusesArraysWithoutValues) {
  refused(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", ""),
          ": the shape is [0, 3], so there are no values");
}

TEST_F(Npy, RefusesHeadersThatAreGarbage) {
  for (const std::string header :
       {"", "garbage", "{", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } more",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}", "{'descr': '<f8"}) {
    refused(npy(header, std::string(8, '\0')), ": the header is not that of one array of numbers");
  }
}

TEST_F(Npy, ReadsInPieces) {
  const auto numbers = torch::arange(42, torch::kFloat).view({7, 3, 2});
  for (const bool fortran : {false, true}) {
    const auto stored = fortran ? numbers.permute({2, 1, 0}) : numbers;
    const std::string order = fortran ? "True" : "False";
    testing::write_bytes(
        path(), npy("{'descr': '<f4', 'fortran_order': " + order + ", 'shape': (7, 3, 2), }", bytes_of(stored)), false);
    for (const int64_t at_once : {1, 3, 7, 100}) {
      std::vector<torch::Tensor> pieces;
      int64_t next = 0;
      read_npy_rows(path(), at_once, [&](int64_t first, const torch::Tensor& rows) {
        EXPECT_EQ(first, next);
        next += rows.size(0);
        pieces.push_back(rows);
      });
      EXPECT_EQ(pieces.size(), static_cast<size_t>((7 + at_once - 1) / at_once));
      EXPECT_TRUE(identical(torch::cat(pieces), numbers));
    }
    const auto header = read_npy_header(path());
    EXPECT_EQ(header.shape, (std::vector<int64_t>{7, 3, 2}));
    EXPECT_EQ(header.type, torch::kFloat);
    EXPECT_EQ(header.fortran_order, fortran);
  }
  const auto nothing = [](int64_t /*first*/, const torch::Tensor& /*rows*/) {};
  expect_error([&] { read_npy_rows(path(), 0, nothing); }, "rows at once must be positive, got 0");
  fs::resize_file(path(), fs::file_size(path()) - 1);
  expect_error([&] { read_npy_rows(path(), 2, nothing); }, "ends after 167 of 168 bytes");
  expect_error([&] { read_npy_header(path()); }, "ends after 167 of 168 bytes");
}

}  // namespace arks
