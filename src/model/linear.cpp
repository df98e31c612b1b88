#include <arks/model/linear.h>
#include <arks/support/error.h>

namespace arks {

LinearModelImpl::LinearModelImpl(LinearModelOptions options) : GraphModule("linear", {options.inputs()}) {
  ARKS_CHECK(options.inputs() > 0 && options.outputs() > 0, "linear: inputs and outputs must be positive, got ",
             options.inputs(), " and ", options.outputs());
  then(Flatten{});
  then(new_dense(options.inputs(), options.outputs()), "dense");
  draw_weights(options.seed(), draw_published);
}

}  // namespace arks
