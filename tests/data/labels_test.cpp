#include "data/labels.h"

#include "support/testing.h"

namespace arks {

TEST(Labels, AreThoseOfAllSamplesAndCounted) {
  DatasetInfo info;
  info.name = "many";
  info.num_classes = 4;
  info.class_names = {"a", "b", "c", "d"};
  const auto targets = torch::arange(3000) % 3;  // more than are read at once; none of class d
  const TensorDataset dataset(torch::zeros({3000, 1}), targets, info);
  EXPECT_TRUE(testing::identical(labels_of(dataset), targets));
  EXPECT_EQ(class_counts(dataset), (std::vector<int64_t>{1000, 1000, 1000, 0}));
  EXPECT_EQ(class_names_of(dataset.info()), info.class_names);
  info.class_names.clear();
  EXPECT_EQ(class_names_of(info), (std::vector<std::string>{"0", "1", "2", "3"}));
  info.num_classes = 0;
  EXPECT_TRUE(class_counts(TensorDataset(torch::zeros({2, 1}), torch::zeros({2}), info)).empty());
}

}  // namespace arks
