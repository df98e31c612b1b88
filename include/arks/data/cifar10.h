#pragma once
#include <arks/data/dataset.h>

#include <filesystem>

namespace arks {

/// CIFAR-10: small photographs in colour, 50000 to train and 10000 to test, 10 classes.
///   inputs [n,3,32,32] in [0,1], held as bytes; targets [n] in 0 … 9.
/// Reads the official binary files data_batch_1.bin … data_batch_5.bin and test_batch.bin: records of 3073 bytes, the
/// label and the planes red, green, blue, each row by row. They are looked for in data_dir/cifar-10-batches-bin,
/// data_dir/cifar10 and data_dir (dataset_folders). Any whole number of records is taken, so that a cut-down copy
/// works; list_datasets says when it is one, and verify_dataset insists on the official content. Throws Error naming
/// file and record when a file is missing, is cut off within a record, or holds a label above 9; sizes are checked
/// before memory is taken, and the images are read to where they stay. Krizhevsky, "Learning Multiple Layers of
/// Features from Tiny Images", 2009.
DatasetPtr load_cifar10(const std::filesystem::path& data_dir, Split split);

}  // namespace arks
