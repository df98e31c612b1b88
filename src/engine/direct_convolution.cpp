#include "engine/direct_convolution.h"

#include "engine/activation.h"
#include "engine/cache_line.h"
#include "support/one_thread.h"

#include <arks/support/error.h>
#include <dnnl.hpp>

#include <cstring>
#include <vector>

namespace arks::engine {

namespace {

using dnnl::memory;
using Tag = memory::format_tag;

const dnnl::engine& processor() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// A stream may be used by one thread at a time.
dnnl::stream& stream() {
  static thread_local dnnl::stream own(processor());
  return own;
}

memory::desc described(const memory::dims& dims, Tag tag) {
  return {dims, memory::data_type::f32, tag};
}

memory at(const memory::desc& desc, const float* data) {
  return {desc, processor(), const_cast<float*>(data)};
}

std::vector<float> storage(const memory::desc& desc) {
  return std::vector<float>(desc.get_size() / sizeof(float));
}

void reorder(const memory::desc& from, const float* source, const memory::desc& to, float* target) {
  auto source_memory = at(from, source), target_memory = at(to, target);
  dnnl::reorder(source_memory, target_memory).execute(stream(), source_memory, target_memory);
  stream().wait();
}

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

int64_t floats(const memory::desc& desc) {
  return static_cast<int64_t>((desc.get_size() + sizeof(float) - 1) / sizeof(float));
}

}  // namespace

/// The three primitives for one number of images, and the weights as each of them wants them.
struct DirectConvolution::Primitives {
  Primitives(const FeatureMap& in, const FeatureMap& out, const Window& window, int64_t together);

  void load(const float* weight, const float* bias);
  int64_t scratch_size() const {
    int64_t most = floats(forward_pd.scratchpad_desc());
    most = std::max(most, floats(input_pd.scratchpad_desc()));
    return std::max(most, floats(weights_pd.scratchpad_desc()) + weights_size() + bias_size());
  }
  int64_t weights_size() const { return whole_lines(floats(weights_pd.diff_weights_desc())); }
  int64_t bias_size() const { return whole_lines(floats(weights_pd.diff_bias_desc())); }

  int64_t images;
  memory::desc plain_weights;
  dnnl::convolution_forward::primitive_desc forward_pd;
  dnnl::convolution_backward_data::primitive_desc input_pd;
  dnnl::convolution_backward_weights::primitive_desc weights_pd;
  dnnl::convolution_forward forward;
  dnnl::convolution_backward_data input;
  dnnl::convolution_backward_weights weights;
  std::vector<float> forward_weights, input_weights, bias;
};

DirectConvolution::Primitives::Primitives(const FeatureMap& in, const FeatureMap& out, const Window& window,
                                          int64_t together)
    : images(together) {
  using dnnl::algorithm;
  const OneThread one;  // oneDNN plans for as many threads as there are now; ours run on the thread that calls them
  const auto src = described({images, in.channels, in.height, in.width}, Tag::nChw8c);
  const auto dst = described({images, out.channels, out.height, out.width}, Tag::nChw8c);
  const memory::dims shape{out.channels, in.channels, window.kernel[0], window.kernel[1]};
  const auto any = described(shape, Tag::any);
  const auto bias_desc = described({out.channels}, Tag::a);
  const memory::dims stride{window.stride[0], window.stride[1]};
  const memory::dims dilation{window.dilation[0] - 1, window.dilation[1] - 1};
  const memory::dims padding{window.padding[0], window.padding[1]};
  plain_weights = described(shape, Tag::oihw);
  const auto attr = attributes();
  forward_pd = {{dnnl::prop_kind::forward_training, algorithm::convolution_direct, src, any, bias_desc, dst, stride,
                 dilation, padding, padding},
                attr,
                processor()};
  input_pd = {{algorithm::convolution_direct, src, any, dst, stride, dilation, padding, padding},
              attr,
              processor(),
              forward_pd};
  weights_pd = {{algorithm::convolution_direct, src, any, bias_desc, dst, stride, dilation, padding, padding},
                attr,
                processor(),
                forward_pd};
  for (const char* name : {forward_pd.impl_info_str(), input_pd.impl_info_str(), weights_pd.impl_info_str()}) {
    ARKS_CHECK(std::strstr(name, "ref") == nullptr, "oneDNN has no fast kernel for this shape");
  }
  forward = dnnl::convolution_forward(forward_pd);
  input = dnnl::convolution_backward_data(input_pd);
  weights = dnnl::convolution_backward_weights(weights_pd);
  forward_weights = storage(forward_pd.weights_desc());
  input_weights = storage(input_pd.weights_desc());
  bias.resize(static_cast<size_t>(in_blocks(out.channels)));
}

void DirectConvolution::Primitives::load(const float* weight, const float* given_bias) {
  reorder(plain_weights, weight, forward_pd.weights_desc(), forward_weights.data());
  reorder(plain_weights, weight, input_pd.weights_desc(), input_weights.data());
  const auto channels = static_cast<size_t>(plain_weights.dims()[0]);
  std::fill(bias.begin(), bias.end(), 0.0F);
  if (given_bias != nullptr) std::copy(given_bias, given_bias + channels, bias.begin());
}

DirectConvolution::DirectConvolution(const FeatureMap& in, int64_t out_channels, const Window& window, int64_t together)
    : in_(in) {
  const auto reach = [&](size_t axis, int64_t extent) {
    const int64_t span = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
    const int64_t room = extent + 2 * window.padding[axis] - span;
    ARKS_CHECK(room >= 0, "the window of a convolution is larger than its input");
    return room / window.stride[axis] + 1;
  };
  out_ = {out_channels, reach(0, in.height), reach(1, in.width)};
  try {
    for (int64_t images = 1; images <= std::min<int64_t>(together, 16); images *= 4) {
      auto made = std::make_unique<Primitives>(in_, out_, window, images);
      // sums of weight gradients of different sizes must lie in the same order to be added
      if (!sizes_.empty() && made->weights_pd.diff_weights_desc() != sizes_.front()->weights_pd.diff_weights_desc()) {
        break;
      }
      sizes_.push_back(std::move(made));
    }
  } catch (const dnnl::error& error) {
    throw Error(c10::str("oneDNN cannot run this convolution: ", error.what()));
  }
}

DirectConvolution::~DirectConvolution() = default;

int64_t DirectConvolution::scratch_size() const {
  int64_t most = 0;
  for (const auto& size : sizes_) most = std::max(most, size->scratch_size());
  return most;
}

void DirectConvolution::load(const float* weight, const float* bias) {
  for (const auto& size : sizes_) size->load(weight, bias);
}

const DirectConvolution::Primitives& DirectConvolution::primitives(int64_t images) const {
  size_t largest = sizes_.size() - 1;
  while (sizes_[largest]->images > images) --largest;
  return *sizes_[largest];
}

void DirectConvolution::forward(const float* x, float* y, int64_t images, float* scratch) const {
  while (images > 0) {
    const auto& with = primitives(images);
    with.forward.execute(stream(), {{DNNL_ARG_SRC, at(with.forward_pd.src_desc(), x)},
                                    {DNNL_ARG_WEIGHTS, at(with.forward_pd.weights_desc(), with.forward_weights.data())},
                                    {DNNL_ARG_BIAS, at(with.forward_pd.bias_desc(), with.bias.data())},
                                    {DNNL_ARG_DST, at(with.forward_pd.dst_desc(), y)},
                                    {DNNL_ARG_SCRATCHPAD, at(with.forward_pd.scratchpad_desc(), scratch)}});
    const int64_t done = with.images;
    images -= done;
    x += done * in_.size();
    y += done * out_.size();
  }
}

void DirectConvolution::backward_input(const float* dy, float* dx, int64_t images, float* scratch) const {
  while (images > 0) {
    const auto& with = primitives(images);
    with.input.execute(stream(), {{DNNL_ARG_DIFF_DST, at(with.input_pd.diff_dst_desc(), dy)},
                                  {DNNL_ARG_WEIGHTS, at(with.input_pd.weights_desc(), with.input_weights.data())},
                                  {DNNL_ARG_DIFF_SRC, at(with.input_pd.diff_src_desc(), dx)},
                                  {DNNL_ARG_SCRATCHPAD, at(with.input_pd.scratchpad_desc(), scratch)}});
    const int64_t done = with.images;
    images -= done;
    dy += done * out_.size();
    dx += done * in_.size();
  }
}

int64_t DirectConvolution::gradient_size() const {
  return sizes_.front()->weights_size();
}

void DirectConvolution::backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                                         float* scratch) const {
  while (images > 0) {
    const auto& with = primitives(images);
    // oneDNN overwrites, so its result is added afterwards
    float* const part = scratch;
    float* const bias_part = part + with.weights_size();
    float* const rest = bias_part + with.bias_size();
    with.weights.execute(stream(), {{DNNL_ARG_SRC, at(with.weights_pd.src_desc(), x)},
                                    {DNNL_ARG_DIFF_DST, at(with.weights_pd.diff_dst_desc(), dy)},
                                    {DNNL_ARG_DIFF_WEIGHTS, at(with.weights_pd.diff_weights_desc(), part)},
                                    {DNNL_ARG_DIFF_BIAS, at(with.weights_pd.diff_bias_desc(), bias_part)},
                                    {DNNL_ARG_SCRATCHPAD, at(with.weights_pd.scratchpad_desc(), rest)}});
    add(sums, part, with.weights_size());
    for (int64_t c = 0; bias_sums != nullptr && c < out_.channels; ++c) bias_sums[c] += bias_part[c];
    const int64_t done = with.images;
    images -= done;
    x += done * in_.size();
    dy += done * out_.size();
  }
}

void DirectConvolution::finish_gradient(const float* sums, float* dw) const {
  reorder(sizes_.front()->weights_pd.diff_weights_desc(), sums, sizes_.front()->plain_weights, dw);
}

}  // namespace arks::engine
