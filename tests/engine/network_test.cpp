// The plan against libtorch in float64: predictions, gradients of the inputs and of the weights.
#include <arks/engine/network.h>
#include <arks/model/celeba_cnn.h>
#include <arks/model/cnn.h>
#include <arks/model/fashion_cnn.h>
#include <arks/model/mlp.h>
#include <arks/model/resnet20.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include "engine/networks.h"
#include "support/testing.h"

namespace arks {
namespace {

namespace nn = torch::nn;

TEST(EngineNetwork, AgreesOnTheFashionCnn) {
  for (const int64_t images : {1, 3, 37}) {
    for (uint64_t seed = 1; seed < 4; ++seed) {
      SCOPED_TRACE(c10::str(images, " images, seed ", seed));
      expect_agreement(FashionCnn(), {images, 1, 28, 28}, Mode::kTraining, seed);
    }
  }
}

TEST(EngineNetwork, AgreesOnTheCelebaCnn) {
  for (const auto activation : {Activation::kElu, Activation::kRelu, Activation::kLeakyRelu}) {
    expect_agreement(CelebaCnn(CelebaCnnOptions().activation(activation)), {5, 3, 64, 48});
  }
}

TEST(EngineNetwork, AgreesOnResNet20InEvaluationMode) {
  ResNet20 net;
  move_statistics(net, {8, 3, 32, 32});
  expect_agreement(net, {5, 3, 32, 32}, Mode::kEvaluation);
}

TEST(EngineNetwork, AgreesOnASmoothResNet20) {
  for (const auto mode : {Mode::kEvaluation, Mode::kTraining}) {
    ResNet20 net(ResNet20Options().activation(Activation::kElu));
    draw_norms(net);
    move_statistics(net, {8, 3, 32, 32});
    expect_agreement(net, {3, 3, 32, 32}, mode);
  }
}

TEST(EngineNetwork, AgreesOnResNet20InTrainingMode) {
  expect_agreement(ResNet20(), {6, 3, 32, 32}, Mode::kTraining);
}

TEST(EngineNetwork, AgreesOnTheCnnForAnyImages) {
  using Shape = std::vector<int64_t>;
  for (const auto& shape :
       {Shape{5, 1, 20, 20}, Shape{5, 3, 9, 13}, Shape{3, 3, 64, 64}, Shape{2, 3, 8, 100}, Shape{1, 3, 256, 256}}) {
    SCOPED_TRACE(c10::str(c10::Join("x", shape)));
    const auto options = CnnOptions({shape.begin() + 1, shape.end()}, 3).width(8);
    expect_agreement(Cnn(options), shape, Mode::kTraining);
    for (const auto mode : {Mode::kEvaluation, Mode::kTraining}) {
      Cnn net(CnnOptions(options).batch_norm(true));
      draw_norms(net);
      move_statistics(net, shape);
      expect_agreement(net, shape, mode);
    }
  }
}

TEST(EngineNetwork, AgreesOnAPerceptron) {
  expect_agreement(Mlp(MlpOptions(5, 3)), {19, 5});
}

}  // namespace
}  // namespace arks
