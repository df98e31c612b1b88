#include "cli/class_weights.h"

#include "data/labels.h"
#include "support/text.h"

#include <arks/problem/weighted_cross_entropy.h>
#include <arks/support/error.h>

#include <algorithm>

namespace arks::cli {

namespace {

std::vector<double> parsed(const std::string& text) {
  std::vector<double> weights;
  for (const auto& part : split(text, ',')) weights.push_back(parse_number(part, "--class-weights"));
  return weights;
}

}  // namespace

void check_class_weights(const std::string& text) {
  if (text == "none" || text == "balanced") return;
  const bool number = !text.empty() && text.find_first_not_of("0123456789.,eE+- ") == std::string::npos;
  ARKS_CHECK(number, "--class-weights must be none, balanced or one number for each class, as 1,5,2; got ", text);
  for (const double weight : parsed(text)) {
    ARKS_CHECK(weight > 0, "--class-weights must be positive, got ", text);
  }
}

std::vector<double> class_weights(const std::string& text, const Dataset& train_set) {
  if (text == "none") return {};
  const auto& info = train_set.info();
  ARKS_CHECK(info.num_classes > 0, "--class-weights: ", info.name, " has no classes; leave it out");
  if (text == "balanced") return balanced_weights(labels_of(train_set), info.num_classes);
  auto weights = parsed(text);
  ARKS_CHECK(static_cast<int64_t>(weights.size()) == info.num_classes, "--class-weights: ", info.name, " has ",
             info.num_classes, " classes, got ", weights.size(), " weights: ", text);
  return weights;
}

}  // namespace arks::cli
