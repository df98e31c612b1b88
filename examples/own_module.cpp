// A network of your own: any torch::nn module is trained, attacked and certified like the built-in ones.
#include <arks/arks.h>
#include <torch/torch.h>

#include <iostream>

// batch norm and dropout are welcome: training and evaluation mode are set and put back by the library
struct FlowerNetImpl : torch::nn::Module {
  FlowerNetImpl() {
    layers = register_module(
        "layers", torch::nn::Sequential(torch::nn::Linear(4, 32), torch::nn::BatchNorm1d(32), torch::nn::ELU(),
                                        torch::nn::Dropout(0.1), torch::nn::Linear(32, 3)));
  }
  torch::Tensor forward(const torch::Tensor& x) { return layers->forward(x); }
  torch::nn::Sequential layers{nullptr};
};
TORCH_MODULE(FlowerNet);

int main() {
  // iris is built in; a file of your own is "flowers.csv", and TabularOptions().target("species") its column
  const auto flowers = arks::load_splits("iris", arks::DataOptions().tabular(arks::TabularOptions().standardise(true)));

  const auto attack = arks::PgdAttack(arks::PgdOptions().eps(0.5).steps(20).alpha(0.1));
  const auto error_under_attack = [&](const arks::Objective& objective) {
    torch::manual_seed(0);  // the initial weights of torch's own layers
    FlowerNet net;
    arks::SupervisedProblem problem(net, arks::CrossEntropy());
    const auto options = arks::TrainOptions().epochs(60).batch_size(32).optimizer(
        arks::OptimizerOptions().kind(arks::OptimizerKind::kAdam).learning_rate(0.01));
    std::cout << arks::train(problem, flowers.train, objective, options).brief_report();
    return arks::evaluate(problem, flowers.test, attack).error;
  };

  const double ordinary = error_under_attack(arks::Erm());
  const double robust = error_under_attack(
      arks::Arks(arks::GaussianKernel(/*sigma=*/0.7), arks::AscentOptions().steps(10).learning_rate(0.1)));
  std::cout << "error when every measurement may be off by half a deviation: " << 100 * ordinary << " % as usual, "
            << 100 * robust << " % with ARKS\n";
}
