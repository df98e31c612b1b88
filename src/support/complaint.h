#pragma once
#include <exception>
#include <string>

namespace arks {

/// The line of torch's message, of many, that says what is wrong.
std::string complaint_of(const std::exception& failure);

}  // namespace arks
