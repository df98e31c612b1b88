#pragma once
// The official files of CIFAR-10: how they are called, and what is in them.
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace arks {

constexpr const char* kCifar10Name = "cifar10";
constexpr const char* kCifar10Folder = "cifar-10-batches-bin";  ///< as the official archive names it
constexpr int64_t kCifar10RecordBytes = 3073;
constexpr int64_t kCifar10Classes = 10;

/// One file as it must be.
struct Cifar10File {
  std::string name;
  int64_t records = 0;
  uint32_t crc32 = 0;
};

/// The official six, training files first, in order.
std::vector<Cifar10File> cifar10_files();

/// The official batches.meta.txt: the names of the classes, one a line.
std::string cifar10_meta();

/// Reads the files and compares them with what they must be; a line of `out` for each. Throws Error at the first that
/// differs. batches.meta.txt, which no one needs, may be missing but must name the classes where it is there.
void verify_cifar10_files(const std::filesystem::path& folder, const std::vector<Cifar10File>& files,
                          std::ostream& out);

}  // namespace arks
