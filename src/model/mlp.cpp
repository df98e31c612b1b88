#include <arks/model/mlp.h>
#include <arks/support/error.h>

namespace arks {

MlpImpl::MlpImpl(const MlpOptions& options) : GraphModule("mlp", {options.inputs()}) {
  ARKS_CHECK(options.inputs() > 0 && options.outputs() > 0, "mlp: inputs and outputs must be positive, got ",
             options.inputs(), " and ", options.outputs());
  then(Flatten{});
  int64_t before = options.inputs(), layer = 0;
  for (const int64_t width : options.hidden()) {
    ARKS_CHECK(width > 0, "mlp: the width of a hidden layer must be positive, got ", width);
    then(new_dense(before, width), c10::str("dense", ++layer));
    then(operation_of(options.activation()));
    before = width;
  }
  then(new_dense(before, options.outputs()), c10::str("dense", ++layer));
  draw_weights(options.seed(), draw_published);
}

}  // namespace arks
