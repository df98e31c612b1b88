#pragma once
#include <arks/data/dataset.h>

#include <filesystem>

namespace arks {

/// Fashion-MNIST: grey images of clothes, 60000 to train and 10000 to test, 10 classes.
///   inputs [n,1,28,28] in [0,1], targets [n] in 0 … 9.
/// Looks for the official files (train-images-idx3-ubyte and so on), gzipped or plain, in data_dir/fashion-mnist and
/// then in data_dir itself. Any number of samples is taken, so that a cut-down copy works; verify_dataset insists on
/// the official content. Throws Error when a file is missing or damaged, the images are not 28x28, their number is not
/// that of the labels, or a label is above 9. Xiao, Rasul, Vollgraf, "Fashion-MNIST: a Novel Image Dataset for
/// Benchmarking Machine Learning Algorithms", 2017.
DatasetPtr load_fashion_mnist(const std::filesystem::path& data_dir, Split split);

}  // namespace arks
