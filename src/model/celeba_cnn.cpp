#include <arks/model/celeba_cnn.h>

namespace arks {

CelebaCnnImpl::CelebaCnnImpl(CelebaCnnOptions options) : GraphModule("celeba-cnn", {3, 64, 48}) {
  const int64_t classes = checked_classes(options.num_classes());
  const auto activation = operation_of(options.activation());
  then(new_convolution(3, 16, 5, 2, 1), "conv1");
  then(activation);
  then(new_convolution(16, 32, 5, 2, 1), "conv2");
  then(activation);
  then(new_convolution(32, 64, 5, 2, 1), "conv3");
  then(activation);
  then(new_convolution(64, 128, 5, 2, 0), "conv4");
  then(Flatten{});
  then(new_dense(256, classes), "dense");
  draw_weights(options.seed(), draw_published);
}

}  // namespace arks
