#include "inner/surface_step.h"
#include "objective/method.h"
#include "settings/named_settings.h"
#include "support/text.h"

#include <arks/objective/methods.h>
#include <arks/support/error.h>

namespace arks {

#define ARKS_METHOD(name) MethodEntry name##_method();
#define ARKS_WRAPPER(name) WrapperEntry name##_wrapper();
#include "objective/methods.def"
#undef ARKS_METHOD
#undef ARKS_WRAPPER

const std::vector<MethodEntry>& methods() {
#define ARKS_METHOD(name) name##_method(),
#define ARKS_WRAPPER(name)
  static const std::vector<MethodEntry> table{
#include "objective/methods.def"
  };
#undef ARKS_METHOD
#undef ARKS_WRAPPER
  return table;
}

const std::vector<WrapperEntry>& method_wrappers() {
#define ARKS_METHOD(name)
#define ARKS_WRAPPER(name) name##_wrapper(),
  static const std::vector<WrapperEntry> table{
#include "objective/methods.def"
  };
#undef ARKS_METHOD
#undef ARKS_WRAPPER
  return table;
}

std::vector<std::unique_ptr<MethodWrapper>> make_wrappers() {
  std::vector<std::unique_ptr<MethodWrapper>> wrappers;
  for (const auto& entry : method_wrappers()) wrappers.push_back(entry.make());
  return wrappers;
}

std::unique_ptr<Objective> make_objective(const Method& method,
                                          const std::vector<std::unique_ptr<MethodWrapper>>& wrappers,
                                          const MethodContext& context) {
  auto objective = method.make(context);
  for (const auto& wrapper : wrappers) {
    if (wrapper->is_on()) objective = wrapper->wrap(std::move(objective));
  }
  return objective;
}

std::vector<std::string> Method::prepare(const PublishedSettings& published) {
  published_ = published;
  check_given();
  auto said = fill();
  check_filled();
  return said;
}

void Method::fill_without_checks(const PublishedSettings& published) {
  published_ = published;
  fill();
}

std::optional<double> Method::ball_step(std::optional<double> eps, int64_t steps) const {
  if (!eps) return std::nullopt;
  const bool usual = *eps == published_.ball_eps && steps == published_.ball_steps;
  return published_.strengths && usual ? published_.ball_alpha : surface_step(*eps, steps);
}

void Method::need_strength(const char* method, const char* flags, bool given) const {
  const bool known = published_.strengths || published_.reach || published_.reach_follows;
  ARKS_CHECK(known || given, "--method ", method, " needs ", flags, " here: the paper gives no value for this data set",
             published_.no_reach.empty() ? "" : ", and " + published_.no_reach);
}

std::vector<std::string> method_names() {
  return names_of(methods());
}

std::unique_ptr<Objective> make_objective(const std::string& method, const SettingValues& settings,
                                          const Dataset& train_set) {
  return with_named_settings([&] {
    const auto wrappers = make_wrappers();
    auto of_method = settings;
    for (const auto& wrapper : wrappers) {
      of_method = wrapper->take(of_method);
      wrapper->fill();
    }
    const auto made = make_chosen("method", methods(), method, of_method);
    made->prepare(published_settings(train_set.info()));
    made->check_samples(train_set);
    return make_objective(*made, wrappers, {train_set, train_set.info().bounds});
  });
}

}  // namespace arks
