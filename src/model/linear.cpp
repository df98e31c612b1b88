#include "initialise.h"

#include <arks/model/linear.h>
#include <arks/support/error.h>
#include <arks/support/random.h>

namespace arks {

LinearModelImpl::LinearModelImpl(LinearModelOptions options) : torch::nn::Module("linear"), dense_(nullptr) {
  ARKS_CHECK(options.inputs() > 0 && options.outputs() > 0, "linear: inputs and outputs must be positive, got ",
             options.inputs(), " and ", options.outputs());
  dense_ = register_module("dense", torch::nn::Linear(options.inputs(), options.outputs()));
  auto generator = make_generator(options.seed(), Stream::kInitialisation);
  initialise_xavier(dense_->weight, generator);
  initialise_uniform(dense_->bias, options.inputs(), generator);
}

torch::Tensor LinearModelImpl::forward(const torch::Tensor& x) {
  const auto flat = x.flatten(1);
  ARKS_CHECK(flat.size(1) == dense_->weight.size(1), "linear: inputs must have ", dense_->weight.size(1),
             " numbers per sample, got ", flat.size(1));
  return dense_(flat);
}

Layers LinearModelImpl::layers() const {
  return {Flatten{}, Dense{dense_->weight.detach(), dense_->bias.detach()}};
}

const char* LinearModelImpl::script() {
  return R"(
def forward(self, x):
    return torch.linear(torch.flatten(x, 1), self.dense.weight, self.dense.bias)
)";
}

}  // namespace arks
