#pragma once
#include <string>

namespace arks::study {

/// The peak of a training or an attack on this data set, in bytes; measured, with some air.
double memory_of(const std::string& data);

}  // namespace arks::study
