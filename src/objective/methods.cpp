#include "objective/method.h"

#include <arks/objective/methods.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

namespace arks {

#define ARKS_METHOD(name) MethodEntry name##_method();
#include "objective/methods.def"
#undef ARKS_METHOD

const std::vector<MethodEntry>& methods() {
#define ARKS_METHOD(name) name##_method(),
  static const std::vector<MethodEntry> table{
#include "objective/methods.def"
  };
#undef ARKS_METHOD
  return table;
}

std::vector<std::string> Method::prepare(const PublishedSettings& published) {
  published_ = published;
  check_given();
  auto said = fill();
  check_filled();
  return said;
}

void Method::need_strength(const char* method, const char* flags, bool given) const {
  ARKS_CHECK(published_.strengths || given, "--method ", method, " needs ", flags,
             " here: the paper gives no value for this data set");
}

std::vector<std::string> method_names() {
  return names_of(methods());
}

std::unique_ptr<Objective> make_objective(const std::string& method, const SettingValues& settings,
                                          const Dataset& train_set) {
  const auto made = make_chosen("method", methods(), method, settings);
  made->prepare(published_settings(train_set.info().name, train_set.info()));
  made->check_samples(train_set);
  return made->make({train_set, train_set.info().bounds});
}

}  // namespace arks
