// Every kind of layer on the plan against libtorch in float64, alone and in random company.
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/pooling.h>

#include "engine/branches.h"
#include "engine/networks.h"
#include "engine/random_network.h"
#include "model/branching_net.h"

namespace arks {
namespace {

namespace nn = torch::nn;

struct Window {
  int64_t in, out, kernel;
  int64_t stride = 1, padding = 0, dilation = 1;
};

nn::Conv2d convolution(const Window& w, bool bias = true) {
  return nn::Conv2d(
      nn::Conv2dOptions(w.in, w.out, w.kernel).stride(w.stride).padding(w.padding).dilation(w.dilation).bias(bias));
}

/// The modules, and what makes a vector of their maps: flatten and a dense layer to 3 outputs.
nn::Sequential ended(nn::Sequential net, std::vector<int64_t> sample) {
  torch::NoGradGuard no_grad;
  sample.insert(sample.begin(), 2);
  const int64_t numbers = net->forward(torch::zeros(sample)).numel() / 2;
  net->push_back(nn::Flatten());
  net->push_back(nn::Linear(numbers, 3));
  return net;
}

nn::AnyModule activation(const std::string& name) {
  if (name == "elu") return nn::AnyModule(nn::ELU());
  if (name == "elu(0.4)") return nn::AnyModule(nn::ELU(nn::ELUOptions().alpha(0.4)));
  if (name == "elu(2.5)") return nn::AnyModule(nn::ELU(nn::ELUOptions().alpha(2.5)));
  if (name == "relu") return nn::AnyModule(nn::ReLU());
  if (name == "leaky relu") return nn::AnyModule(nn::LeakyReLU());
  if (name == "tanh") return nn::AnyModule(nn::Tanh());
  return nn::AnyModule(nn::Sigmoid());
}

const std::vector<std::string> kActivations{"elu", "elu(0.4)", "elu(2.5)", "relu", "leaky relu", "tanh", "sigmoid"};

}  // namespace

TEST(EngineLayers, AgreeOnConvolutions) {
  const std::vector<Window> windows{
      {1, 5, 3, 1, 1},   {1, 8, 5, 2, 2},    {2, 3, 1},          {3, 12, 3, 2, 1},
      {4, 7, 3},         {4, 9, 3, 1, 2, 2},  // few channels, but dilated
      {5, 6, 1},         {16, 8, 1, 2},      {7, 11, 3, 1, 1},   {8, 16, 3, 2, 1},
      {20, 13, 3, 1, 2}, {32, 40, 3, 1, 1},  // Winograd
      {9, 10, 5, 1, 2},  {8, 8, 5, 3, 1},    {6, 5, 3, 1, 2, 2}, {16, 24, 3, 2, 3, 3},
  };
  for (const auto& window : windows) {
    SCOPED_TRACE(c10::str(window.in, "→", window.out, " ", window.kernel, "×", window.kernel, " stride ", window.stride,
                          " padding ", window.padding, " dilation ", window.dilation));
    torch::manual_seed(window.in + 10 * window.out);
    for (const bool bias : {true, false}) {
      const auto net = ended(nn::Sequential(convolution(window, bias)), {window.in, 11, 13});
      expect_agreement(net, {bias ? 5 : 2, window.in, 11, 13});
    }
  }
}

TEST(EngineLayers, AgreeOnConvolutionsThatAreNotSquare) {
  torch::manual_seed(3);
  for (const int64_t channels : {3, 10}) {
    const auto options = nn::Conv2dOptions(channels, 6, {3, 5}).stride({2, 1}).padding({0, 2});
    expect_agreement(ended(nn::Sequential(nn::Conv2d(options)), {channels, 9, 6}), {4, channels, 9, 6});
  }
}

TEST(EngineLayers, AgreeOnActivations) {
  for (const auto& name : kActivations) {
    SCOPED_TRACE(name);
    torch::manual_seed(4);
    // on the samples themselves, behind a dense layer, behind another activation
    expect_agreement(
        nn::Sequential(activation(name), nn::Linear(13, 9), activation(name), activation(name), nn::Linear(9, 4)),
        {6, 13});
    // last, so that predictions are activated
    expect_agreement(nn::Sequential(nn::Linear(7, 5), activation(name)), {3, 7});
  }
}

TEST(EngineLayers, AgreeOnActivationsBeforeAndBehindPoolings) {
  const auto pool = nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1));
  for (const auto& name : kActivations) {
    SCOPED_TRACE(name);
    torch::manual_seed(5);
    const std::vector<int64_t> sample{2, 9, 10};
    expect_agreement(ended(nn::Sequential(convolution({2, 10, 3}), activation(name), nn::MaxPool2d(2)), sample),
                     {5, 2, 9, 10});
    expect_agreement(ended(nn::Sequential(convolution({2, 10, 3}), nn::MaxPool2d(2), activation(name)), sample),
                     {5, 2, 9, 10});
    expect_agreement(
        ended(nn::Sequential(convolution({2, 10, 3}), activation(name), pool, activation(name), nn::AvgPool2d(2)),
              sample),
        {5, 2, 9, 10});
  }
}

TEST(EngineLayers, AgreeOnMaxPoolings) {
  const std::vector<nn::MaxPool2dOptions> kinds{
      nn::MaxPool2dOptions(2), nn::MaxPool2dOptions(3).stride(2).padding(1), nn::MaxPool2dOptions(3).stride(1),
      nn::MaxPool2dOptions({2, 3}).stride({3, 1}).padding({0, 1}), nn::MaxPool2dOptions(2).stride(3)};
  for (const auto& kind : kinds) {
    for (const int64_t channels : {1, 3, 12}) {
      SCOPED_TRACE(c10::str(kind.kernel_size(), " stride ", kind.stride(), ", ", channels, " channels"));
      torch::manual_seed(6);
      // of the images themselves; and behind convolutions of odd extent
      expect_agreement(ended(nn::Sequential(nn::MaxPool2d(kind)), {channels, 7, 9}), {4, channels, 7, 9});
      expect_agreement(
          ended(nn::Sequential(convolution({channels, 9, 3}), nn::MaxPool2d(kind), nn::ELU()), {channels, 9, 11}),
          {4, channels, 9, 11});
    }
  }
}

TEST(EngineLayers, AgreeOnAveragePoolings) {
  const std::vector<nn::AvgPool2dOptions> kinds{nn::AvgPool2dOptions(2), nn::AvgPool2dOptions(3).stride(2).padding(1),
                                                nn::AvgPool2dOptions({3, 2}).stride({1, 2})};
  for (const auto& kind : kinds) {
    for (const int64_t channels : {3, 12}) {
      torch::manual_seed(7);
      expect_agreement(ended(nn::Sequential(nn::AvgPool2d(kind)), {channels, 7, 9}), {4, channels, 7, 9});
      expect_agreement(
          ended(nn::Sequential(convolution({channels, 9, 3}), nn::AvgPool2d(kind), nn::Tanh()), {channels, 9, 11}),
          {4, channels, 9, 11});
    }
  }
}

TEST(EngineLayers, AgreeOnBatchNormOfImages) {
  for (const auto mode : {Mode::kEvaluation, Mode::kTraining}) {
    for (const int64_t channels : {3, 8, 13}) {
      SCOPED_TRACE(c10::str(channels, mode == Mode::kTraining ? " channels, training" : " channels"));
      torch::manual_seed(8);
      const std::vector<int64_t> sample{channels, 7, 6}, shape{9, channels, 7, 6};
      const std::vector<nn::Sequential> nets{
          // behind convolutions, with and without bias, folded where it can be
          nn::Sequential(convolution({channels, 9, 3}, false), nn::BatchNorm2d(9), nn::ELU(), convolution({9, 5, 1}),
                         nn::BatchNorm2d(5)),
          // on the images, behind an activation, behind a pooling; twice in a row
          nn::Sequential(nn::BatchNorm2d(channels), convolution({channels, 10, 3, 1, 1}), nn::Tanh(),
                         nn::BatchNorm2d(10), nn::AvgPool2d(2), nn::BatchNorm2d(10), nn::BatchNorm2d(10)),
          // without weights of its own, and with statistics that are means over all batches
          nn::Sequential(convolution({channels, 6, 3}), nn::BatchNorm2d(nn::BatchNorm2dOptions(6).affine(false)),
                         nn::Sigmoid(), nn::BatchNorm2d(nn::BatchNorm2dOptions(6).momentum(c10::nullopt))),
      };
      for (const auto& layers : nets) {
        const auto net = ended(layers, sample);
        draw_norms(net);
        move_statistics(net, shape);
        expect_agreement(net, shape, mode);
      }
    }
  }
}

TEST(EngineLayers, AgreeOnBatchNormOfVectors) {
  for (const auto mode : {Mode::kEvaluation, Mode::kTraining}) {
    torch::manual_seed(9);
    nn::Sequential net(nn::BatchNorm1d(5), nn::Linear(5, 11), nn::BatchNorm1d(11), nn::ELU(), nn::Linear(11, 12),
                       nn::Tanh(), nn::BatchNorm1d(12), nn::Linear(12, 3));
    draw_norms(net);
    move_statistics(net, {16, 5});
    expect_agreement(net, {21, 5}, mode);
  }
}

TEST(EngineLayers, AgreeOnResidualsOfAllForms) {
  for (const auto mode : {Mode::kEvaluation, Mode::kTraining}) {
    SCOPED_TRACE(mode == Mode::kTraining ? "training" : "evaluation");
    torch::manual_seed(10);
    const auto main = [](int64_t in, int64_t out) {
      return nn::Sequential(convolution({in, out, 3, 1, 1}), nn::BatchNorm2d(out), nn::ELU(),
                            convolution({out, out, 3, 1, 1}), nn::BatchNorm2d(out));
    };
    const auto plain = [](int64_t in, int64_t out) {
      return nn::Sequential(convolution({in, out, 1}), nn::Tanh(), convolution({out, out, 3, 1, 1}));
    };
    const std::vector<nn::Sequential> nets{
        nn::Sequential(Branches(main(6, 6), nullptr), nn::ELU()),
        nn::Sequential(Branches(main(6, 9), plain(6, 9)), nn::ReLU(), Branches(nullptr, main(9, 9))),
        nn::Sequential(Branches(plain(6, 6), nullptr), Branches(nullptr, nullptr), convolution({6, 4, 3})),
        nn::Sequential(Branches(nn::Sequential(nn::Tanh()),
                                nn::Sequential(nn::AvgPool2d(nn::AvgPool2dOptions(3).stride(1).padding(1)))),
                       nn::Sigmoid()),
    };
    for (size_t i = 0; i < nets.size(); ++i) {
      SCOPED_TRACE(c10::str("net ", i));
      const auto net = ended(nets[i], {6, 5, 7});
      draw_norms(net);
      move_statistics(net, {8, 6, 5, 7});
      expect_agreement(net, {7, 6, 5, 7}, mode);
    }
  }
}

TEST(EngineLayers, AgreeWhereAnOperationAndItsShortcutReadOneValue) {
  for (const auto mode : {Mode::kEvaluation, Mode::kTraining}) {
    SCOPED_TRACE(mode == Mode::kTraining ? "training" : "evaluation");
    torch::manual_seed(12);
    const auto beside_itself = [](const nn::Sequential& main) {
      // behind a layer: samples themselves are laid out anew for the shortcut, and that is another value
      return nn::Sequential(convolution({6, 9, 1}), nn::Tanh(), Branches(main, nullptr), nn::ELU());
    };
    const auto pool = nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(1).padding(1));
    const std::vector<nn::Sequential> nets{
        beside_itself(nn::Sequential(convolution({9, 9, 3, 1, 1}))),
        beside_itself(nn::Sequential(convolution({9, 9, 1}, false))),
        beside_itself(nn::Sequential(convolution({9, 9, 3, 1, 1}), pool)),
        beside_itself(nn::Sequential(convolution({9, 9, 3, 1, 1}), nn::BatchNorm2d(9))),
        beside_itself(nn::Sequential(nn::BatchNorm2d(9))),
        beside_itself(nullptr),
    };
    for (size_t i = 0; i < nets.size(); ++i) {
      SCOPED_TRACE(c10::str("net ", i));
      const auto net = ended(nets[i], {6, 5, 7});
      draw_norms(net);
      move_statistics(net, {8, 6, 5, 7});
      expect_agreement(net, {19, 6, 5, 7}, mode);
    }
    // vectors are one value at once: the samples themselves
    nn::Sequential vectors(Branches(nn::Sequential(nn::BatchNorm1d(5)), nullptr), nn::Linear(5, 3));
    draw_norms(vectors);
    move_statistics(vectors, {16, 5});
    expect_agreement(vectors, {21, 5}, mode);
  }
}

TEST(EngineLayers, AgreeOnBranchesConcatenationsAndSums) {
  for (const auto mode : {Mode::kEvaluation, Mode::kTraining}) {
    SCOPED_TRACE(mode == Mode::kTraining ? "training" : "evaluation");
    for (const bool norm : {false, true}) {
      const testing::BranchingNet net(norm);
      draw_norms(net);
      move_statistics(net, {8, 3, 8, 6});
      expect_agreement(net, {19, 3, 8, 6}, mode);
    }
  }
}

TEST(EngineLayers, AgreeOnConcatenationsOfAllForms) {
  struct Beside : GraphModule {
    Beside(std::vector<int64_t> shape, int form) : GraphModule("beside", shape) {
      if (form == 0) {  // samples themselves, a value twice, blocks that fit and such that do not
        const size_t a = then(new_convolution(3, 8, 3, 1, 1), "a");
        add(Concatenation{}, {0, a, a});
        const size_t b = then(new_convolution(19, 16, 1, 1, 0), "b");
        add(Concatenation{}, {b, a});
        then(Relu{});
        then(Flatten{});
        then(new_dense(24 * 5 * 4, 3), "dense");
      } else if (form == 1) {  // vectors
        const size_t a = then(new_dense(5, 9), "a"), b = add(Tanh{}, {a});
        add(Concatenation{}, {b, 0, a});
        add(Sum{}, {then(new_dense(23, 5), "b"), 0});
        then(Sigmoid{});
        add(Concatenation{}, {graph().output, 0});
      } else {  // maps side by side behind batch norms, then flattened
        const size_t a = then(new_batch_norm(3), "norm"), b = add(new_convolution(3, 2, 1, 1, 0), {a}, "a");
        add(Concatenation{}, {add(new_batch_norm(2), {b}, "norm2"), a, add(AveragePool{{3, 3}, {1, 1}, {1, 1}}, {a})});
        then(new_batch_norm(8), "norm3");
        then(Flatten{});
        then(new_dense(160, 3), "dense");
      }
      draw_weights(7, draw_kaiming);
    }
  };
  for (const auto mode : {Mode::kEvaluation, Mode::kTraining}) {
    SCOPED_TRACE(mode == Mode::kTraining ? "training" : "evaluation");
    for (const int form : {0, 1, 2}) {
      SCOPED_TRACE(c10::str("form ", form));
      const auto shape = form == 1 ? std::vector<int64_t>{5} : std::vector<int64_t>{3, 5, 4};
      const Model net(std::make_shared<Beside>(shape, form));
      auto batch = shape;
      batch.insert(batch.begin(), 21);
      draw_norms(net);
      move_statistics(net, batch);
      expect_agreement(net, batch, mode);
    }
  }
}

TEST(EngineLayers, RefuseByNameWhatIsNotCompiledInABranch) {
  struct Flattened : GraphModule {
    Flattened() : GraphModule("flattened", {3, 5, 4}) {
      const size_t a = then(new_convolution(3, 3, 3, 1, 1), "a"), flat = then(Flatten{});
      add(Concatenation{}, {flat, add(Flatten{}, {a})});
      then(new_dense(120, 3), "dense");
      draw_weights(7, draw_kaiming);
    }
  };
  const engine::Network network(Model(std::make_shared<Flattened>()), Engine::kAuto);
  const auto compilation = network.compilation({3, 5, 4}, true);
  EXPECT_FALSE(compilation.compiled);
  EXPECT_EQ(compilation.why_not, "concatenation: not compiled after a flattened map");
  EXPECT_EQ(network(torch::zeros({2, 3, 5, 4})).sizes(), (std::vector<int64_t>{2, 3})) << "libtorch does it";
}

TEST(EngineLayers, AgreeInRandomNetworks) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const auto drawn = random_network(seed);
    SCOPED_TRACE(c10::str("seed ", seed, ": ", drawn.words));
    draw_norms(drawn.net);
    move_statistics(drawn.net, drawn.shape);
    for (const auto mode : {Mode::kEvaluation, Mode::kTraining}) expect_agreement(drawn.net, drawn.shape, mode, seed);
  }
}

TEST(EngineLayers, AgreeInRandomGraphs) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const auto drawn = random_graph(seed);
    SCOPED_TRACE(c10::str("seed ", seed, ": ", drawn.words));
    draw_norms(drawn.net);
    move_statistics(drawn.net, drawn.shape);
    for (const auto mode : {Mode::kEvaluation, Mode::kTraining}) expect_agreement(drawn.net, drawn.shape, mode, seed);
  }
}

TEST(EngineLayers, AgreeForAnyNumberOfSamples) {
  torch::manual_seed(11);
  const auto net = ended(nn::Sequential(convolution({3, 9, 3, 1, 1}), nn::ELU(), nn::MaxPool2d(2),
                                        convolution({9, 20, 3, 1, 1}), nn::ELU()),
                         {3, 8, 8});
  for (const int64_t samples : {1, 2, 7, 16, 31, 33, 65, 67}) {
    SCOPED_TRACE(samples);
    expect_agreement(net, {samples, 3, 8, 8}, Mode::kTraining, static_cast<uint64_t>(samples));
  }
}

}  // namespace arks
