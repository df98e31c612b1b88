#include <arks/model/fashion_cnn.h>

namespace arks {

FashionCnnImpl::FashionCnnImpl(FashionCnnOptions options) : GraphModule("fashion-cnn", {1, 28, 28}) {
  const int64_t classes = checked_classes(options.num_classes());
  then(new_convolution(1, 32, 3, 1, 1), "conv1");
  then(MaxPool{});
  then(Elu{});
  then(new_convolution(32, 64, 3, 1, 0), "conv2");
  then(MaxPool{});
  then(Elu{});
  then(Flatten{});
  then(new_dense(2304, 128), "dense1");
  then(Elu{});
  then(new_dense(128, classes), "dense2");
  draw_weights(options.seed(), draw_published);
}

}  // namespace arks
