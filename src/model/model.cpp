#include <arks/model/model.h>
#include <arks/support/error.h>

namespace arks {

Model::Model(Function forward, std::vector<torch::Tensor> parameters)
    : forward_(std::move(forward)), parameters_(std::move(parameters)) {
  ARKS_CHECK(forward_, "model: the forward function is empty");
}

std::vector<torch::Tensor> Model::parameters() const {
  return module_ ? module_->parameters() : parameters_;
}

NamedTensors Model::state() const {
  NamedTensors named;
  if (module_) {
    for (const auto& item : module_->named_parameters()) named.emplace_back(item.key(), item.value());
    for (const auto& item : module_->named_buffers()) named.emplace_back(item.key(), item.value());
  } else {
    for (const auto& parameter : parameters_) named.emplace_back(c10::str("parameter", named.size()), parameter);
  }
  return named;
}

torch::ScalarType Model::floating_type() const {
  for (const auto& parameter : parameters()) {  // a scaling around the network may be more precise than it is
    if (parameter.is_floating_point()) return parameter.scalar_type();
  }
  for (const auto& [name, tensor] : state()) {
    if (tensor.is_floating_point()) return tensor.scalar_type();
  }
  return torch::kFloat;
}

Model& Model::named(std::string architecture) {
  architecture_ = std::move(architecture);
  return *this;
}

Model& Model::with_script(std::string script) {
  script_ = std::move(script);
  return *this;
}

std::vector<bool> Model::training_modes() const {
  std::vector<bool> modes;
  if (!module_) return modes;
  for (const auto& module : module_->modules()) modes.push_back(module->is_training());
  return modes;
}

void Model::set_training_modes(const std::vector<bool>& modes) const {
  if (!module_) return;
  const auto modules = module_->modules();
  // a model that has grown since: all as the outermost was
  if (modules.size() != modes.size()) return module_->train(modes.empty() || modes.front());
  // modules() lists a parent before its children, and train() reaches down, so the children's own mode wins
  for (size_t i = 0; i < modules.size(); ++i) modules[i]->train(modes[i]);
}

void Model::train(bool on) const {
  if (module_) module_->train(on);
}

}  // namespace arks
