// Train a robust classifier and attack it, from C++.
#include <arks/arks.h>

#include <iostream>

int main() {
  // a slice, so that it takes seconds; without limited() it is the whole set
  auto train_set = arks::limited(arks::load_fashion_mnist(arks::default_data_dir(), arks::Split::kTrain), 1024);
  auto test_set = arks::limited(arks::load_fashion_mnist(arks::default_data_dir(), arks::Split::kTest), 256);

  arks::FashionCnn model;
  arks::SupervisedProblem problem(model, arks::CrossEntropy());
  arks::Arks objective(arks::GaussianKernel(/*sigma=*/0.5), arks::AscentOptions().steps(15).learning_rate(0.01));
  auto summary = arks::train(problem, train_set, objective, arks::TrainOptions().epochs(1).batch_size(64).seed(0));

  auto result = arks::evaluate(problem, test_set, arks::PgdAttack(arks::PgdOptions().eps(0.1).steps(15)));
  std::cout << summary.brief_report() << result.brief_report();
}
