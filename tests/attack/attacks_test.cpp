// Attacks by their names, and attacks that are bound once and run on many batches.
#include "attack/attack_method.h"
#include "support/testing.h"

#include <arks/attack/attacks.h>

#include <set>

namespace arks {

namespace {

using testing::expect_error;

/// Counts how often it is made ready, and leaves the samples as they are.
class Counting : public Attack {
 public:
  std::string name() const override { return "counting"; }
  std::string measure() const override { return "linf"; }
  double eps() const override { return 0; }
  std::unique_ptr<BoundAttack> bind(Problem& /*problem*/, const std::optional<Bounds>& /*bounds*/) const override {
    class Still : public BoundAttack {
      AttackResult perturb(const torch::Tensor& x, const torch::Tensor&, torch::Generator&) override { return {x, 0}; }
    };
    ++*bound;
    return std::make_unique<Still>();
  }
  std::shared_ptr<int> bound = std::make_shared<int>(0);
};

/// Rows of a table whose columns have names, in [0,1].
DatasetPtr named_rows() {
  const auto batch = testing::all_of(*testing::toy_dataset(12, {4}, 3));
  DatasetInfo info;
  info.name = "rows";
  info.num_classes = 3;
  for (const auto* name : {"a", "b", "c", "d"}) info.features.push_back({name, name});
  return std::make_shared<TensorDataset>(batch.inputs, batch.targets, info);
}

/// What an attack cannot do without.
SettingValues needed_by(const std::string& attack) {
  return attack == "drift" ? SettingValues{{"shift", "a+0.1, b*1.2, c~0.1"}} : SettingValues();
}

}  // namespace

TEST(Attacks, EachMakesTheAttackOfItsNameAndStrength) {
  const auto data = named_rows();
  for (const auto& name : attack_names()) {
    const auto attack = make_attack(name, 0.25, needed_by(name), *data);
    EXPECT_EQ(attack->name(), name);
    EXPECT_EQ(attack->eps(), 0.25) << name;
  }
}

/// A name is a courtesy: rows without one drift all the same.
TEST(Attacks, DriftMovesRowsOfASetWithoutAName) {
  const auto all = testing::all_of(*named_rows());
  auto info = named_rows()->info();
  info.name.clear();
  const TensorDataset unnamed(all.inputs, all.targets, info);
  const auto attack = make_attack("drift", 1, {{"shift", "a+2"}}, unnamed);
  SupervisedProblem problem(torch::nn::Linear(4, 3), CrossEntropy());
  auto generator = make_generator(0, Stream::kAttack);
  const auto moved = attack->perturb(problem, all.inputs, all.targets, std::nullopt, generator).inputs;
  EXPECT_EQ(testing::max_difference(moved.select(1, 0), all.inputs.select(1, 0) + 2), 0);
  EXPECT_EQ(testing::max_difference(moved.narrow(1, 1, 3), all.inputs.narrow(1, 1, 3)), 0);
  testing::expect_error([&] { make_attack("drift", 1, {{"shift", "e+2"}}, unnamed); }, "e");
}

TEST(Attacks, EachSettingIsDeclaredOnceWithAMeaningOfOneLine) {
  for (const auto& entry : attacks()) {
    std::set<std::string> names;
    const auto attack = entry.make();
    for (const auto* setting : attack->all()) {
      EXPECT_TRUE(names.insert(setting->name()).second) << entry.name << " " << setting->name();
      EXPECT_LE(setting->help().size(), 90U) << setting->name();
    }
  }
}

TEST(Attacks, WrongNamesAndValuesAreRefusedWithTheNearest) {
  const auto data = testing::toy_dataset(8, {4}, 3);
  expect_error([&] { make_attack("pdg", 0.1, {}, *data); }, "unknown attack 'pdg' (did you mean 'pgd'?)");
  expect_error([&] { make_attack("pgd", 0.1, {{"step", "3"}}, *data); }, "did you mean 'steps'?");
  expect_error([&] { make_attack("scale", 0.1, {{"steps", "3"}}, *data); }, "attack scale has no setting 'steps'");
  expect_error([&] { make_attack("pgd", 0.1, {{"restarts", "0"}}, *data); }, "restarts must be positive, got 0");
  expect_error([&] { make_attack("pgd", 0.1, {{"eps-scale", "1,2"}}, *data); }, "eps-scale");
}

TEST(Attacks, AreMadeReadyOncePerModelAndNotPerBatch) {
  const auto data = testing::toy_dataset(32, {4}, 3);
  Model net(torch::nn::Linear(4, 3));
  SupervisedProblem one(net, CrossEntropy()), other(net, CrossEntropy());
  const Counting attack;
  evaluate_models({{"one", &one}, {"other", &other}}, data, attack, EvaluateOptions().batch_size(4).repeats(2));
  EXPECT_EQ(*attack.bound, 2);
  evaluate_models({{"one", &one}, {"other", &other}}, data, attack, EvaluateOptions().batch_size(4).source(&one));
  EXPECT_EQ(*attack.bound, 3) << "a transfer attack is crafted on the source alone";
}

TEST(Attacks, ABoundAttackGivesOnManyBatchesWhatANewOneGives) {
  const auto data = named_rows();
  Model net(torch::nn::Linear(4, 3));
  SupervisedProblem problem(net, CrossEntropy());
  for (const auto& name : attack_names()) {
    const auto attack = make_attack(name, 0.2, needed_by(name), *data);
    const auto bound = attack->bind(problem, Bounds(0, 1));
    for (int64_t begin = 0; begin < 12; begin += 4) {
      const auto batch = data->get(torch::arange(begin, begin + 4, torch::kLong));
      auto first = make_generator(3, Stream::kAttack), second = make_generator(3, Stream::kAttack);
      const auto kept = bound->perturb(batch.inputs, batch.targets, first).inputs;
      const auto anew = attack->perturb(problem, batch.inputs, batch.targets, Bounds(0, 1), second).inputs;
      EXPECT_TRUE(testing::identical(kept, anew)) << name;
    }
  }
}

}  // namespace arks
