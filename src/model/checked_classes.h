#pragma once
#include <arks/support/error.h>

#include <cstdint>

namespace arks {

/// The number of classes of a network that needs at least two; `model` begins the message.
inline int64_t checked_classes(int64_t classes, const char* model) {
  ARKS_CHECK(classes >= 2, model, ": num_classes must be at least 2, got ", classes);
  return classes;
}

}  // namespace arks
