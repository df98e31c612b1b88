#include <arks/engine/network.h>

#include "engine/network_plans.h"
#include "engine/processor.h"
#include "support/modes_guard.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <torch/autograd.h>

namespace arks {

Engine parse_engine(const std::string& name) {
  return named_value<Engine>(name, engine_names(), "engine");
}

std::vector<std::string> engine_names() {
  return {"auto", "libtorch"};
}

namespace engine {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Predictions without derivatives, in chunks: memory does not grow with the batch.
torch::Tensor predict(NetworkPlans& plans, const Plan& plan, const torch::Tensor& x) {
  const int64_t images = x.size(0), threads = threads_for(images), chunk = chunk_for(plan, images, threads);
  auto arena = plan.arena(threads * chunk, 0);
  plans.workspace().prepare(threads, plan.scratch_size(), 0);
  auto found = torch::empty({images, plan.outputs()});
  for_chunks(images, threads, chunk, [&](int64_t thread, int64_t first, int64_t count) {
    const auto pass = plan.pass(arena, thread * chunk, count, 0, plans.workspace().scratch(thread));
    copy_rows(x.data_ptr<float>() + first * plan.sample_numbers(), plan.sample_numbers(), pass.value(0),
              plan.sample_stride(), count, plan.sample_numbers());
    plan.forward(pass);
    copy_rows(pass.value(plan.output()), plan.output_stride(), found.data_ptr<float>() + first * plan.outputs(),
              plan.outputs(), count, plan.outputs());
  });
  return found;
}

/// What backward needs of one forward pass; its arena goes back when the graph goes.
struct ForwardState : torch::CustomClassHolder {
  ForwardState(std::shared_ptr<NetworkPlans> the_plans, Compiled the_compiled, int64_t images)
      : plans(std::move(the_plans)),
        compiled(std::move(the_compiled)),
        arena(plans->take_arena(compiled.plan, images)),
        modes(plans->model().training_modes()) {}
  ~ForwardState() override {
    const auto lock = plans->lock();
    plans->give_back(compiled.plan, std::move(arena));
  }

  std::shared_ptr<NetworkPlans> plans;
  Compiled compiled;
  std::unique_ptr<Arena> arena;
  std::vector<bool> modes;  // the model's
  bool input_wanted = false, weights_wanted = false;
};

torch::Tensor run_forward(ForwardState& state, const torch::Tensor& x) {
  const auto lock = state.plans->lock();
  const auto& plan = *state.compiled.plan;
  copy_rows(x.data_ptr<float>(), plan.sample_numbers(), state.arena->value(0), plan.sample_stride(), x.size(0),
            plan.sample_numbers());
  forward(plan, *state.arena, state.plans->workspace(), /*move_statistics=*/true);
  auto found = torch::empty({x.size(0), plan.outputs()});
  copy_rows(state.arena->value(plan.output()), plan.output_stride(), found.data_ptr<float>(), plan.outputs(), x.size(0),
            plan.outputs());
  return found;
}

/// The plan as a function that autograd knows: the input, then the parameters of the model.
struct PlanFunction : torch::autograd::Function<PlanFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, at::TensorList parameters,
                               const c10::intrusive_ptr<ForwardState>& state) {
    variable_list saved{x};
    saved.insert(saved.end(), parameters.begin(), parameters.end());
    context->save_for_backward(saved);
    context->saved_data["state"] = c10::IValue::make_capsule(state);
    return run_forward(*state, x.detach().contiguous());
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto capsule = context->saved_data["state"].toCapsule();
    auto& state = *static_cast<ForwardState*>(capsule.get());
    const auto saved = context->get_saved_variables();
    variable_list result(saved.size() + 1);  // one for the state
    if (torch::GradMode::is_enabled()) return twice_differentiable(state, saved, gradients[0], std::move(result));
    const auto dy = gradients[0].contiguous();
    const auto& plan = *state.compiled.plan;
    auto dx = state.input_wanted ? torch::empty(saved[0].sizes(), torch::kFloat) : torch::Tensor();
    const auto lock = state.plans->lock();
    const auto of_weights = engine::backward(plan, *state.arena, state.plans->workspace(), dy.data_ptr<float>(),
                                             dx.defined() ? dx.data_ptr<float>() : nullptr, state.weights_wanted);
    result[0] = dx;
    for (size_t i = 0; i < of_weights.size(); ++i) {
      const size_t parameter = state.compiled.parameter_of[i];
      if (parameter + 1 < saved.size() && saved[parameter + 1].requires_grad()) result[parameter + 1] = of_weights[i];
    }
    return result;
  }

  /// Whoever wants derivatives of these derivatives gets them from libtorch, which computes the model anew.
  static variable_list twice_differentiable(ForwardState& state, const variable_list& saved, const torch::Tensor& dy,
                                            variable_list result) {
    ARKS_CHECK(!state.compiled.plan->coupled(),
               "second derivatives through batch norm in training mode need libtorch; ",
               "make the problem with Engine::kLibtorch");
    const ModesGuard as_it_was(state.plans->model(), state.modes);
    variable_list wanted;
    for (const auto& tensor : saved) {
      if (tensor.requires_grad()) wanted.push_back(tensor);
    }
    const auto found = torch::autograd::grad({state.plans->model()(saved[0])}, wanted, {dy}, /*retain_graph=*/true,
                                             /*create_graph=*/true, /*allow_unused=*/true);
    size_t next = 0;
    for (size_t i = 0; i < saved.size(); ++i) {
      if (saved[i].requires_grad()) result[i] = found[next++];
    }
    return result;
  }
};

}  // namespace

Network::Network(Model model, Engine engine)
    : model_(std::move(model)), plans_(std::make_shared<NetworkPlans>(model_, engine)) {}

torch::Tensor Network::operator()(const torch::Tensor& x) const {
  c10::intrusive_ptr<ForwardState> state;
  const auto parameters = model_.parameters();
  {
    const auto lock = plans_->lock();
    const auto& compiled = plans_->find(x);
    const bool weights = torch::GradMode::is_enabled() &&
                         std::any_of(parameters.begin(), parameters.end(),
                                     [](const torch::Tensor& parameter) { return parameter.requires_grad(); });
    const bool input = torch::GradMode::is_enabled() && x.requires_grad();
    if (!compiled.plan || (weights && !compiled.weights_trained)) return model_(x);
    if (!weights && !input && !compiled.plan->coupled())
      return predict(*plans_, *compiled.plan, x.detach().contiguous());
    state = c10::make_intrusive<ForwardState>(plans_, compiled, x.size(0));
    state->input_wanted = input;
    state->weights_wanted = weights;
  }
  return PlanFunction::apply(x, at::TensorList(parameters), state);
}

Compilation Network::compilation(torch::IntArrayRef sample_shape, bool training) const {
  const auto lock = plans_->lock();
  const auto& compiled = plans_->find(sample_shape, training);
  return {compiled.plan != nullptr, compiled.why_not, instruction_set()};
}

}  // namespace engine

}  // namespace arks
