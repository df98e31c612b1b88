#include "study/step_memory.h"

#include "data/registry.h"

namespace arks::study {

double memory_of(const std::string& data) {
  for (const auto& entry : known_datasets()) {
    if (entry.name == data) return entry.memory_bytes;
  }
  return DatasetEntry().memory_bytes;
}

}  // namespace arks::study
