#include "study/stand_in.h"

#include <arks/support/error.h>

namespace arks::study {

bool can_stand_in(const std::string&) {
  return false;
}

void make_stand_in(const std::string& name, const std::filesystem::path&) {
  throw Error("nothing stands in for " + name);
}

}  // namespace arks::study
