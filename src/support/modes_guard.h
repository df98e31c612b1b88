#pragma once
#include <vector>

namespace arks {

/// Puts whatever has modes, a model or a problem, into evaluation or training mode, or into those given, and restores
/// the mode of every module when it goes, also when an exception passes.
template <typename Owner>
class ModesGuard {
 public:
  ModesGuard(Owner& owner, bool training) : owner_(owner), before_(owner.training_modes()) { owner_.train(training); }
  ModesGuard(Owner& owner, const std::vector<bool>& modes) : owner_(owner), before_(owner.training_modes()) {
    owner_.set_training_modes(modes);
  }
  ~ModesGuard() { owner_.set_training_modes(before_); }
  ModesGuard(const ModesGuard&) = delete;
  ModesGuard& operator=(const ModesGuard&) = delete;

 private:
  Owner& owner_;
  std::vector<bool> before_;
};

}  // namespace arks
