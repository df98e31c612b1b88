// The networks of CIFAR-10 and CelebA against PyTorch in Python, from the same weights and inputs. networks.py writes
// the reference.
#include "data/published.h"
#include "parity/reference.h"
#include "support/testing.h"

namespace arks {

using testing::max_difference;
using testing::Reference;

namespace {

// Logits are sums of 1,024 products at the end of 20 layers, each wrong by 1e-16 of itself; gradients of the first
// layers sum over thousands of pixels and reach 100. Measured 4e-14.
constexpr double kDeepSummation = 1e-12;
// The same in float32, whose roundings are 5e8 times larger. Measured 2e-5.
constexpr double kFloat = 2e-4;
// Five steps of SGD with rates up to 0.1 through batch norm. Measured 5e-13.
constexpr double kDeepTraining = 1e-11;

class Networks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(path())) {
      GTEST_SKIP() << path() << " is not there: it takes python3-torch, and the test parity_networks_reference before";
    }
    reference_ = std::make_unique<Reference>(path());
  }
  static std::string path() { return ARKS_PARITY_FOLDER "/networks.pt"; }
  torch::Tensor get(const std::string& name) const { return (*reference_)[name]; }

  /// Weights and statistics of that prefix, copied into the module.
  template <typename Holder>
  Holder filled(Holder holder, const std::string& prefix, torch::ScalarType type = torch::kDouble) const {
    holder->to(type);
    torch::NoGradGuard no_grad;
    for (auto& [name, tensor] : Model(holder).state()) tensor.copy_(get(prefix + "_" + name));
    return holder;
  }
  ResNet20 resnet(Activation activation = Activation::kRelu) const {
    return filled(ResNet20(ResNet20Options().activation(activation)), "resnet20");
  }
  CelebaCnn celeba(Activation activation = Activation::kLeakyRelu) const {
    return filled(CelebaCnn(CelebaCnnOptions().activation(activation)), "celeba");
  }

  /// Logits, input gradient and the gradient of every weight.
  template <typename Holder>
  void expect_same_gradients(Holder net, const std::string& data, const std::string& prefix, double tolerance) const {
    SupervisedProblem problem(net, CrossEntropy());
    const auto x =
        get(data + "_x").to(net->parameters()[0].scalar_type(), false, /*copy=*/true).set_requires_grad(true);
    const auto logits = problem.predict(x);
    EXPECT_LT(max_difference(logits, get(prefix + "_logits")), tolerance);
    CrossEntropy()(logits, get(data + "_y")).mean().backward();
    EXPECT_LT(max_difference(x.grad(), get(prefix + "_input_gradient")), tolerance);
    EXPECT_GT(max_difference(x.grad(), torch::zeros_like(x)), 10 * tolerance) << "there is something to compare";
    for (const auto& item : net->named_parameters()) {
      EXPECT_LT(max_difference(item.value().grad(), get(prefix + "_" + item.key() + "_gradient")), tolerance)
          << item.key();
    }
  }

  template <typename Holder>
  void expect_same_state(const Holder& net, const std::string& prefix, double tolerance) const {
    for (const auto& [name, tensor] : Model(net).state()) {
      EXPECT_LT(max_difference(tensor, get(prefix + "_" + name)), tolerance) << name;
    }
  }

  /// Epochs of one batch each: arks shuffles within the batch, which changes nothing but the order of the sums.
  void expect_same_training(const Objective& objective, const std::string& prefix) const {
    const auto net = resnet();
    SupervisedProblem problem(net, CrossEntropy());
    DatasetInfo info;
    info.name = "parity";
    info.num_classes = 10;
    const auto data = std::make_shared<TensorDataset>(get("resnet20_x"), get("resnet20_y"), info);
    const auto surrogates = get(prefix + "_surrogates");
    const auto published = published_settings("cifar10");
    const auto sgd = OptimizerOptions()
                         .kind(OptimizerKind::kSgd)
                         .learning_rate(published.learning_rate)
                         .momentum(published.momentum)
                         .weight_decay(published.weight_decay)
                         .decay_epochs({2, 4});
    const auto options = TrainOptions().epochs(surrogates.size(0)).batch_size(data->size()).optimizer(sgd);
    const auto summary = train(problem, data, objective, options);
    for (int64_t i = 0; i < surrogates.size(0); ++i) {
      EXPECT_NEAR(summary.epochs[static_cast<size_t>(i)].surrogate, surrogates[i].item<double>(), kDeepTraining) << i;
    }
    expect_same_state(net, prefix, kDeepTraining);
    EXPECT_GT(max_difference(net->parameters()[0], get("resnet20_conv.weight")), 1e-3) << "nothing was trained";
  }

 private:
  std::unique_ptr<Reference> reference_;
};

}  // namespace

TEST_F(Networks, ResNet20InEvaluationMode) {
  auto net = resnet();
  net->eval();
  expect_same_gradients(net, "resnet20", "resnet20_eval", kDeepSummation);
  expect_same_state(net, "resnet20", 1e-300);
}

TEST_F(Networks, ResNet20InTrainingModeMovesItsStatisticsAlike) {
  auto net = resnet();
  net->train();
  expect_same_gradients(net, "resnet20", "resnet20_train", kDeepSummation);
  expect_same_state(net, "resnet20_moved", kDeepSummation);
  EXPECT_EQ(get("resnet20_moved_norm.num_batches_tracked").item<int64_t>(), 1);
}

TEST_F(Networks, ResNet20InFloat32) {
  auto net = filled(ResNet20(), "resnet20", torch::kFloat);
  net->eval();
  expect_same_gradients(net, "resnet20", "resnet20_eval_float", kFloat);
}

TEST_F(Networks, ResNet20WithOtherActivations) {
  for (const auto& [activation, name] : {std::pair{Activation::kElu, "elu"}, {Activation::kLeakyRelu, "leaky_relu"}}) {
    auto net = resnet(activation);
    net->eval();
    expect_same_gradients(net, "resnet20", std::string("resnet20_") + name, kDeepSummation);
  }
}

TEST_F(Networks, PythonLoadsTheSavedResNet20AndCanTrainIt) {
  auto net = resnet();
  const auto found = testing::opened_by_python(Model(net), get("resnet20_x"));
  EXPECT_LT(max_difference(found["logits"], get("resnet20_eval_logits")), kDeepSummation);
  EXPECT_LT(max_difference(found["train_logits"], get("resnet20_train_logits")), kDeepSummation);
  EXPECT_FALSE(found["modes"].any().item<bool>()) << "saved in evaluation mode";
  for (const auto& item : net->named_buffers()) {
    EXPECT_LT(max_difference(found[item.key()], get("resnet20_moved_" + item.key())), kDeepSummation) << item.key();
  }
  for (const auto& item : net->named_parameters()) {
    EXPECT_TRUE(testing::identical(found[item.key()], item.value().detach())) << item.key();
    EXPECT_GT(found[item.key() + "_gradient"].abs().sum().item<double>(), 0) << item.key();
  }
}

TEST_F(Networks, CelebaCnn) {
  expect_same_gradients(celeba(), "celeba", "celeba_eval", kDeepSummation);
  expect_same_gradients(filled(arks::CelebaCnn(), "celeba", torch::kFloat), "celeba", "celeba_eval_float", kFloat);
}

TEST_F(Networks, CelebaCnnWithOtherActivations) {
  for (const auto& [activation, name] : {std::pair{Activation::kElu, "elu"}, {Activation::kRelu, "relu"}}) {
    expect_same_gradients(celeba(activation), "celeba", std::string("celeba_") + name, kDeepSummation);
  }
}

TEST_F(Networks, FiveStepsOfErmWithMomentumWeightDecayAndSchedule) {
  expect_same_training(Erm(), "erm");
}

TEST_F(Networks, ThePublishedLoopOfArksWithTheNetworkInTrainingMode) {
  const auto ascent =
      AscentOptions().steps(3).learning_rate(0.001).returned(InnerReturn::kLast).mode(InnerMode::kTrain);
  expect_same_training(Arks(GaussianKernel(0.1), ascent), "arks");
  EXPECT_EQ(get("arks_norm.num_batches_tracked").item<int64_t>(), 2 * (3 + 1))
      << "three inner passes and the outer one";
}

}  // namespace arks
