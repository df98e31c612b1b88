#include <arks/model/resnet20.h>

namespace arks {

ResNet20Impl::ResNet20Impl(ResNet20Options options) : GraphModule("resnet20", {3, 32, 32}) {
  const int64_t classes = checked_classes(options.num_classes());
  const auto activation = operation_of(options.activation());
  const auto conv_norm = [&](size_t x, const std::string& conv, const std::string& norm, int64_t in, int64_t out,
                             int64_t kernel, int64_t stride) {
    add(new_convolution(in, out, kernel, stride, kernel / 2, /*bias=*/false), {x}, conv);
    return then(new_batch_norm(out), norm);
  };
  conv_norm(0, "conv", "norm", 3, 16, 3, 1);
  size_t x = then(activation);
  int64_t in = 16, block = 0;
  for (const int64_t out : {16, 32, 64}) {
    for (int i = 0; i < 3; ++i) {
      const auto name = c10::str("block", ++block, ".");
      const int64_t stride = out > 16 && i == 0 ? 2 : 1;
      conv_norm(x, name + "conv1", name + "norm1", in, out, 3, stride);
      const auto main = conv_norm(then(activation), name + "conv2", name + "norm2", out, out, 3, 1);
      const auto shortcut = conv_norm(x, name + "shortcut", name + "shortcut_norm", in, out, 1, stride);
      add(Sum{}, {main, shortcut});
      x = then(activation);
      in = out;
    }
  }
  then(AveragePool{});
  then(Flatten{});
  then(new_dense(1024, classes), "dense");
  draw_weights(options.seed(), draw_kaiming);
}

}  // namespace arks
