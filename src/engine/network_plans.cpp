#include "engine/network_plans.h"

#include "engine/processor.h"
#include "model/script_module.h"
#include "support/modes_guard.h"

#include <arks/model/graph.h>
#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks::engine {

namespace {

bool learns(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    const auto* norm = std::get_if<BatchNorm>(&node.operation);
    return norm != nullptr && norm->learns;
  });
}

constexpr const char* kFunction = "the model is a plain function";

/// Throws Error with the reason where the model cannot be looked into, or not in training mode.
Graph compilable(const Model& model, bool training) {
  for (const auto& module : model.module()->modules()) {
    ARKS_CHECK(dynamic_cast<const ScriptNode*>(module.get()) == nullptr, "the model is a TorchScript program");
  }
  return training ? training_graph_of(*model.module()) : graph_of(model);
}

/// The model itself on a few samples of this shape, in evaluation mode: it may refuse them, and the plan must agree.
void compare(const Model& model, const Graph& graph, torch::IntArrayRef sample_shape) {
  constexpr int64_t kSamples = 3;
  constexpr double kTolerance = 1e-3;
  const ModesGuard mode(model, /*training=*/false);
  const torch::NoGradGuard no_grad;
  auto shape = sample_shape.vec();
  shape.insert(shape.begin(), kSamples);
  // no random numbers: the caller's stream stays where it is
  const auto x = torch::arange(c10::multiply_integers(shape), torch::kFloat).mul_(0.7).sin_().view(shape);
  const auto expected = model(x.clone());  // it may overwrite what it is given
  const auto plan = compile(graph, sample_shape, Purpose::kFrozen);
  plan->load();
  auto arena = batch_arena(*plan, kSamples);
  copy_rows(x.data_ptr<float>(), plan->sample_numbers(), arena.value(0), plan->sample_stride(), kSamples,
            plan->sample_numbers());
  Workspace workspace;
  forward(*plan, arena, workspace, /*move_statistics=*/false);
  const auto found =
      torch::from_blob(arena.value(plan->output()), {kSamples, plan->outputs()}, {plan->output_stride(), 1});
  ARKS_CHECK(expected.sizes() == found.sizes(), "predictions of shape ", expected.sizes(), " are not compiled");
  const double size = expected.abs().max().item<double>(), apart = (expected - found).abs().max().item<double>();
  ARKS_CHECK(std::isfinite(size), "its predictions are not finite");
  ARKS_CHECK(apart <= kTolerance * size, "the graph does not match the model");
}

/// Which parameter each weight of the plan is. Throws Error when a parameter that is trained is none of them.
std::vector<size_t> parameters_of(const Plan& plan, const std::vector<torch::Tensor>& parameters) {
  std::vector<bool> covered(parameters.size(), false);
  std::vector<size_t> found;
  for (const auto& weight : plan.weights()) {
    const auto same = std::find_if(parameters.begin(), parameters.end(), [&](const torch::Tensor& parameter) {
      return parameter.data_ptr() == weight.data_ptr() && parameter.sizes() == weight.sizes();
    });
    const auto index = static_cast<size_t>(same - parameters.begin());
    found.push_back(index);  // parameters.size() for a weight that is no parameter
    if (same == parameters.end()) continue;
    ARKS_CHECK(!covered[index], "a weight is used by two layers");
    covered[index] = true;
  }
  ARKS_CHECK(std::all_of(covered.begin(), covered.end(), [](bool yes) { return yes; }),
             "the model has parameters that are not weights of its layers");
  return found;
}

}  // namespace

NetworkPlans::NetworkPlans(Model model, Engine engine) : model_(std::move(model)), engine_(engine) {}

void NetworkPlans::forget_if_changed() {
  std::vector<const void*> addresses;
  for (const auto& tensor : model_.module()->parameters()) addresses.push_back(tensor.data_ptr());
  for (const auto& tensor : model_.module()->buffers()) addresses.push_back(tensor.data_ptr());
  if (addresses == addresses_) return;
  addresses_ = std::move(addresses);
  found_.clear();
  spares_.clear();
}

const Compiled& NetworkPlans::find(const torch::Tensor& x) {
  const bool usual = x.scalar_type() == torch::kFloat && x.device().is_cpu() && x.layout() == torch::kStrided &&
                     x.dim() >= 2 && x.numel() > 0;
  if (engine_ == Engine::kLibtorch || !usual) {
    refusal_.why_not =
        engine_ == Engine::kLibtorch ? "libtorch was requested" : "the inputs are not float32 on the CPU";
    return refusal_;
  }
  if (!model_.module()) {
    refusal_.why_not = kFunction;
    return refusal_;
  }
  const auto modes = model_.training_modes();
  const bool any = std::any_of(modes.begin(), modes.end(), [](bool on) { return on; });
  const auto& compiled = find(x.sizes().slice(1), any);
  const bool mixed = any && !std::all_of(modes.begin(), modes.end(), [](bool on) { return on; });
  if (mixed && compiled.plan && compiled.plan->coupled()) {
    refusal_.why_not = "some modules are in training mode and some are not";
    return refusal_;
  }
  return compiled;
}

const Compiled& NetworkPlans::find(torch::IntArrayRef sample_shape, bool training) {
  if (engine_ == Engine::kLibtorch || !model_.module()) {
    refusal_.why_not = engine_ == Engine::kLibtorch ? "libtorch was requested" : kFunction;
    return refusal_;
  }
  forget_if_changed();
  const auto key = Key(sample_shape.vec(), training);
  auto place = found_.find(key);
  if (place == found_.end()) place = found_.emplace(key, compiled(sample_shape, training)).first;
  if (place->second.plan) place->second.plan->load();
  return place->second;
}

Compiled NetworkPlans::compiled(torch::IntArrayRef sample_shape, bool training) const {
  Compiled result;
  portable_path();  // decides which instructions are used, before any is
  try {
    const auto graph = compilable(model_, training);
    compare(model_, graph, sample_shape);
    const bool norm = learns(graph);
    // a plan that serves both modes is made once
    if (const auto other = found_.find({sample_shape.vec(), !training}); !norm && other != found_.end()) {
      if (other->second.plan) return other->second;
    }
    const bool frozen = norm && !training;
    result.plan = compile(graph, sample_shape, frozen ? Purpose::kFrozen : Purpose::kTraining);
    if (!frozen) result.parameter_of = parameters_of(*result.plan, model_.parameters());
    result.weights_trained = !frozen;
  } catch (const std::exception& error) {
    result = Compiled();
    result.why_not = std::string(error.what()).substr(0, std::string(error.what()).find('\n'));
  }
  return result;
}

std::unique_ptr<Arena> NetworkPlans::take_arena(const std::shared_ptr<Plan>& plan, int64_t images) {
  for (auto spare = spares_.begin(); spare != spares_.end(); ++spare) {
    if (spare->plan != plan || spare->arena->images() != images) continue;
    if (spare->arena->threads != threads_for(images)) continue;
    auto arena = std::move(spare->arena);
    spares_.erase(spare);
    return arena;
  }
  return std::make_unique<Arena>(batch_arena(*plan, images));
}

void NetworkPlans::give_back(const std::shared_ptr<Plan>& plan, std::unique_ptr<Arena> arena) {
  constexpr size_t kSpares = 2;  // a full batch and the last, smaller one of an epoch
  if (spares_.size() >= kSpares) spares_.erase(spares_.begin());
  spares_.push_back({plan, std::move(arena)});
}

}  // namespace arks::engine
