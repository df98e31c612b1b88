// What every operation of a graph is, a struct each: its words, in libtorch, in TorchScript, its shape, its weights.
// What a struct does not say is as in most operations: one value in, the same shape out, and no weights.
#include "operations.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <limits>

namespace arks {

namespace {

using Inputs = std::vector<torch::Tensor>;
using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

/// How an operation is to be applied.
struct Manner {
  bool training = false, in_place = false;
};

std::string text(torch::IntArrayRef shape) {
  return c10::str("[", c10::Join(", ", shape), "]");
}

/// A literal that TorchScript reads as a float.
std::string literal(double number) {
  const auto digits = shortest(number);
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

/// `torch.function(x, arguments)`
template <typename... Arguments>
std::string call(const char* function, const Arguments&... arguments) {
  return c10::str("torch.", function, "(", join({arguments...}), ")");
}

/// A window that moves over the h×w cells of an image; `span` is how far it reaches, dilation included.
Shape windows(const std::string& name, torch::IntArrayRef in, int64_t channels, const Extent& span,
              const Extent& stride, const Extent& padding) {
  ARKS_CHECK(in.size() == 3, name, ": inputs must have shape [channels, height, width], got ", text(in));
  Shape out{channels};
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t room = in[axis + 1] + 2 * padding[axis] - span[axis];
    ARKS_CHECK(room >= 0, name, ": inputs of shape ", text(in), " are smaller than the window");
    out.push_back(room / stride[axis] + 1);
  }
  return out;
}

template <typename Kind>
struct Usual {
  static constexpr size_t kFewest = 1, kMost = 1;  // values that it reads
  static Shape shape(const Kind&, const Shapes& in) { return in[0]; }
  static std::vector<Weight> weights(Kind&) { return {}; }
  static void check(const Kind&) {}
  /// Lines of TorchScript before its own.
  static std::string before(const Kind&, const ScriptNames&) { return ""; }
};

template <typename Kind>
struct Of;

template <>
struct Of<Dense> : Usual<Dense> {
  static std::string words(const Dense& d) { return c10::str("dense ", d.weight.size(1), "→", d.weight.size(0)); }
  static torch::Tensor apply(const Dense& d, const Inputs& in, Manner) {
    return torch::linear(in[0], d.weight, d.bias);
  }
  static std::string script(const Dense& d, const ScriptNames& n) {
    return call("linear", n.in(0), n.weight("weight", d.weight), n.weight("bias", d.bias));
  }
  static Shape shape(const Dense& d, const Shapes& in) {
    auto shape = in[0];
    ARKS_CHECK(!shape.empty() && shape.back() == d.weight.size(1), words(d), ": inputs must have ", d.weight.size(1),
               " numbers per sample, got shape ", text(shape));
    shape.back() = d.weight.size(0);
    return shape;
  }
  static std::vector<Weight> weights(Dense& d) { return {{"weight", &d.weight, true}, {"bias", &d.bias, true}}; }
};

template <>
struct Of<Convolution> : Usual<Convolution> {
  static std::string words(const Convolution& c) {
    const auto& w = c.weight;
    return c10::str("conv ", w.size(2), "×", w.size(3), " ", w.size(1) * c.groups, "→", w.size(0));
  }
  static torch::Tensor apply(const Convolution& c, const Inputs& in, Manner) {
    return torch::conv2d(in[0], c.weight, c.bias, c.stride, c.padding, c.dilation, c.groups);
  }
  static std::string script(const Convolution& c, const ScriptNames& n) {
    return call("conv2d", n.in(0), n.weight("weight", c.weight), n.weight("bias", c.bias), text(c.stride),
                text(c.padding), text(c.dilation), std::to_string(c.groups));
  }
  static Shape shape(const Convolution& c, const Shapes& in) {
    const auto& w = c.weight;
    const Extent span{c.dilation[0] * (w.size(2) - 1) + 1, c.dilation[1] * (w.size(3) - 1) + 1};
    const int64_t channels = w.size(1) * c.groups;
    ARKS_CHECK(in[0].size() != 3 || in[0][0] == channels, words(c), ": inputs must have ", channels,
               " channels, got shape ", text(in[0]));
    return windows(words(c), in[0], w.size(0), span, c.stride, c.padding);
  }
  static std::vector<Weight> weights(Convolution& c) { return {{"weight", &c.weight, true}, {"bias", &c.bias, true}}; }
};

template <typename Pool>
struct OfPool : Usual<Pool> {
  static std::string words(const Pool& p) { return c10::str(Of<Pool>::kWords, " ", p.kernel[0], "×", p.kernel[1]); }
  static std::string script(const Pool& p, const ScriptNames& n) {
    return call(Of<Pool>::kScript, n.in(0), text(p.kernel), text(p.stride), text(p.padding));
  }
  static Shape shape(const Pool& p, const Shapes& in) {
    return windows(words(p), in[0], in[0].empty() ? 0 : in[0][0], p.kernel, p.stride, p.padding);
  }
};

template <>
struct Of<MaxPool> : OfPool<MaxPool> {
  static constexpr const char *kWords = "max pool", *kScript = "max_pool2d";
  static torch::Tensor apply(const MaxPool& p, const Inputs& in, Manner) {
    return torch::max_pool2d(in[0], p.kernel, p.stride, p.padding);
  }
};

template <>
struct Of<AveragePool> : OfPool<AveragePool> {
  static constexpr const char *kWords = "average pool", *kScript = "avg_pool2d";
  static torch::Tensor apply(const AveragePool& p, const Inputs& in, Manner) {
    return torch::avg_pool2d(in[0], p.kernel, p.stride, p.padding);
  }
};

// Activations. In place the result alone is kept for the backward pass, and ELU's derivative needs no exponential then.
// With a negative slope the result does not tell where it came from, so there is no backward pass in place.

template <>
struct Of<Elu> : Usual<Elu> {
  static std::string words(const Elu& e) { return e.alpha == 1 ? "ELU" : c10::str("ELU(", e.alpha, ")"); }
  static torch::Tensor apply(const Elu& e, Inputs in, Manner how) {
    return how.in_place && e.alpha >= 0 ? torch::elu_(in[0], e.alpha) : torch::elu(in[0], e.alpha);
  }
  static std::string script(const Elu& e, const ScriptNames& n) { return call("elu", n.in(0), literal(e.alpha)); }
};

template <>
struct Of<Relu> : Usual<Relu> {
  static std::string words(const Relu&) { return "ReLU"; }
  static torch::Tensor apply(const Relu&, Inputs in, Manner how) {
    return how.in_place ? torch::relu_(in[0]) : torch::relu(in[0]);
  }
  static std::string script(const Relu&, const ScriptNames& n) { return call("relu", n.in(0)); }
};

template <>
struct Of<LeakyRelu> : Usual<LeakyRelu> {
  static std::string words(const LeakyRelu& l) { return c10::str("leaky ReLU(", l.slope, ")"); }
  static torch::Tensor apply(const LeakyRelu& l, Inputs in, Manner how) {
    return how.in_place && l.slope >= 0 ? torch::leaky_relu_(in[0], l.slope) : torch::leaky_relu(in[0], l.slope);
  }
  static std::string script(const LeakyRelu& l, const ScriptNames& n) {
    return call("leaky_relu", n.in(0), literal(l.slope));
  }
};

template <>
struct Of<Tanh> : Usual<Tanh> {
  static std::string words(const Tanh&) { return "tanh"; }
  static torch::Tensor apply(const Tanh&, const Inputs& in, Manner) { return torch::tanh(in[0]); }
  static std::string script(const Tanh&, const ScriptNames& n) { return call("tanh", n.in(0)); }
};

template <>
struct Of<Sigmoid> : Usual<Sigmoid> {
  static std::string words(const Sigmoid&) { return "sigmoid"; }
  static torch::Tensor apply(const Sigmoid&, const Inputs& in, Manner) { return torch::sigmoid(in[0]); }
  static std::string script(const Sigmoid&, const ScriptNames& n) { return call("sigmoid", n.in(0)); }
};

template <>
struct Of<BatchNorm> : Usual<BatchNorm> {
  static std::string words(const BatchNorm& b) { return c10::str("batch norm ", b.mean.size(0)); }
  static void check(const BatchNorm& b) {
    ARKS_CHECK(!b.learns || b.momentum || b.batches_tracked.defined(), words(b),
               ": without a momentum it needs batches_tracked, the number of batches so far");
  }
  static torch::Tensor apply(const BatchNorm& b, const Inputs& in, Manner how) {
    const bool learns = how.training && b.learns;
    double share = 0;
    if (learns) {
      ARKS_CHECK(in[0].numel() > in[0].size(1), words(b), ": one number per channel has no variance, got inputs ",
                 in[0].sizes());
      auto batches = b.batches_tracked;
      if (batches.defined()) batches.add_(1);
      share = b.momentum ? *b.momentum : 1 / batches.item<double>();
    }
    return torch::batch_norm(in[0], b.weight, b.bias, b.mean, b.variance, learns, share, b.eps,
                             /*cudnn_enabled=*/false);
  }
  static std::string before(const BatchNorm& b, const ScriptNames& n) {
    if (!b.learns || !b.batches_tracked.defined()) return "";
    return "    if " + n.module() + ".training:\n        " + n.weight("num_batches_tracked", b.batches_tracked) +
           ".add_(1)\n";
  }
  static std::string script(const BatchNorm& b, const ScriptNames& n) {
    const auto mean_so_far = [&] {
      return "1.0 / max(1.0, float(" + n.weight("num_batches_tracked", b.batches_tracked) + "))";
    };
    const auto share = b.momentum ? literal(*b.momentum) : b.learns ? mean_so_far() : "0.0";
    return call("batch_norm", n.in(0), n.weight("weight", b.weight), n.weight("bias", b.bias),
                n.weight("running_mean", b.mean), n.weight("running_var", b.variance),
                b.learns ? n.module() + ".training" : "False", share, literal(b.eps), "True");
  }
  static Shape shape(const BatchNorm& b, const Shapes& in) {
    ARKS_CHECK(!in[0].empty() && in[0][0] == b.mean.size(0), words(b), ": inputs must have ", b.mean.size(0),
               " channels, got shape ", text(in[0]));
    return in[0];
  }
  static std::vector<Weight> weights(BatchNorm& b) {
    return {{"weight", &b.weight, true},
            {"bias", &b.bias, true},
            {"running_mean", &b.mean, false},
            {"running_var", &b.variance, false},
            {"num_batches_tracked", &b.batches_tracked, false}};
  }
};

template <>
struct Of<Flatten> : Usual<Flatten> {
  static std::string words(const Flatten&) { return "flatten"; }
  static torch::Tensor apply(const Flatten&, const Inputs& in, Manner) { return in[0].flatten(1); }
  static std::string script(const Flatten&, const ScriptNames& n) { return call("flatten", n.in(0), "1"); }
  static Shape shape(const Flatten&, const Shapes& in) { return {c10::multiply_integers(in[0])}; }
};

template <>
struct Of<Sum> : Usual<Sum> {
  static constexpr size_t kFewest = 2, kMost = 2;
  static std::string words(const Sum&) { return "sum"; }
  static torch::Tensor apply(const Sum&, const Inputs& in, Manner) { return in[0] + in[1]; }
  static std::string script(const Sum&, const ScriptNames& n) { return n.in(0) + " + " + n.in(1); }
  static Shape shape(const Sum&, const Shapes& in) {
    ARKS_CHECK(in[0] == in[1], "sum: the branches give different shapes, ", text(in[0]), " and ", text(in[1]));
    return in[0];
  }
};

template <>
struct Of<Concatenation> : Usual<Concatenation> {
  static constexpr size_t kMost = std::numeric_limits<size_t>::max();
  static std::string words(const Concatenation&) { return "concatenation"; }
  static torch::Tensor apply(const Concatenation&, const Inputs& in, Manner) { return torch::cat(in, 1); }
  static std::string script(const Concatenation&, const ScriptNames& n) {
    return call("cat", "[" + join(n.inputs) + "]", "1");
  }
  static Shape shape(const Concatenation&, const Shapes& in) {
    auto whole = in[0];
    ARKS_CHECK(!whole.empty(), "concatenation: samples without a dimension have no channels");
    for (size_t i = 1; i < in.size(); ++i) {
      ARKS_CHECK(in[i].size() == whole.size() && std::equal(whole.begin() + 1, whole.end(), in[i].begin() + 1),
                 "concatenation: the branches differ in more than their channels, ", text(in[0]), " and ", text(in[i]));
      whole[0] += in[i][0];
    }
    return whole;
  }
};

/// What f says of the struct above that belongs to the operation.
template <typename AnyOperation, typename Function>
auto ask(AnyOperation& operation, const Function& f) {
  return std::visit([&](auto& kind) { return f(Of<std::decay_t<decltype(kind)>>(), kind); }, operation);
}

}  // namespace

torch::Tensor evaluate(const Operation& operation, const std::vector<torch::Tensor>& inputs, bool training,
                       bool in_place) {
  return ask(operation, [&](auto of, const auto& kind) { return of.apply(kind, inputs, {training, in_place}); });
}

std::string script_lines(const Operation& operation, const std::string& output, const ScriptNames& names) {
  return ask(operation, [&](auto of, const auto& kind) {
    return of.before(kind, names) + "    " + output + " = " + of.script(kind, names) + "\n";
  });
}

std::vector<int64_t> shape_of(const Operation& operation, const std::vector<std::vector<int64_t>>& inputs) {
  return ask(operation, [&](auto of, const auto& kind) { return of.shape(kind, inputs); });
}

void check_added(const Operation& operation, size_t inputs) {
  ask(operation, [&](auto of, const auto& kind) {
    ARKS_CHECK(inputs >= of.kFewest && inputs <= of.kMost, of.words(kind), ": it cannot read ", inputs,
               inputs == 1 ? " value" : " values");
    of.check(kind);
  });
}

std::string describe(const Operation& operation) {
  return ask(operation, [](auto of, const auto& kind) { return of.words(kind); });
}

std::vector<Weight> weights_of(Operation& operation) {
  auto all = ask(operation, [](auto of, auto& kind) { return of.weights(kind); });
  const auto missing = [](const Weight& weight) { return !weight.tensor->defined(); };
  all.erase(std::remove_if(all.begin(), all.end(), missing), all.end());
  return all;
}

}  // namespace arks
