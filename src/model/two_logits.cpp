#include <arks/model/two_logits.h>

#include <arks/model/normalised.h>
#include <arks/support/error.h>

namespace arks {

namespace {

/// z: [n], [n,1], or a scalar of one sample, as a squeeze of everything gives.
torch::Tensor halves(const torch::Tensor& z, int64_t samples) {
  ARKS_CHECK(z.dim() <= 2 && z.numel() == samples, "two logits: the network must give one number for each of ", samples,
             " samples, got ", z.sizes());
  const auto half = z.reshape({-1, 1}) / 2;
  return torch::cat({-half, half}, 1);
}

}  // namespace

TwoLogitsImpl::TwoLogitsImpl(Model net)
    : torch::nn::Module("two_logits"), net_(std::move(net)), weight_(torch::tensor({-0.5F, 0.5F}).view({2, 1})) {
  ARKS_CHECK(net_.module(), "two logits: a plain callable has no module to wrap; use arks::two_logits");
  register_module("net", net_.module());
}

torch::Tensor TwoLogitsImpl::forward(const torch::Tensor& x) {
  return halves(net_(x), x.size(0));
}

Graph TwoLogitsImpl::graph() const {
  Graph graph;
  graph.append(graph_of(net_), graph.output, "net");
  // certificates put the weights into float64 for a while
  graph.then(Dense{weight_.to(net_.floating_type()), {}});
  return graph;
}

Model two_logits(const Model& net) {
  if (net.module()) return Model(TwoLogits(net)).named(net.architecture());
  return Model([net](const torch::Tensor& x) { return halves(net(x), x.size(0)); }, net.parameters())
      .named(net.architecture());
}

bool has_one_logit(const Model& model) {
  const auto* module = model.module().get();
  if (const auto* scaled = dynamic_cast<const NormalisedImpl*>(module)) return has_one_logit(scaled->net());
  return dynamic_cast<const TwoLogitsImpl*>(module) != nullptr;
}

}  // namespace arks
