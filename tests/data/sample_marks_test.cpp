#include "data/column_values.h"
#include "data/model_interface.h"
#include "data/tabular.h"
#include "support/file.h"
#include "support/testing.h"

namespace arks {

namespace {

using testing::identical;

/// Twelve rows of six people, some ages missing.
constexpr const char* kPatients =
    "person,age,weight,sick\n"
    "b,30,60,0\nb,31,61,1\na,,62,0\na,33,63,1\nc,34,64,0\nc,35,65,1\n"
    "d,36,,0\nd,37,67,1\ne,38,68,0\ne,39,69,1\nf,,70,0\nf,41,71,1\n";

TabularOptions options() {
  return TabularOptions().group("person").missing(Missing::kMedian).task(Task::kClassification).test_fraction(0.34);
}

}  // namespace

TEST(SampleMarks, NumberGroupsInTheOrderInWhichTheyAreMet) {
  const auto table = parse_csv("name,year\nb,2020\na,2019\nb,2020\n", "t.csv");
  EXPECT_TRUE(identical(numbered_cells(table.columns[0]), torch::tensor({0, 1, 0})));
  EXPECT_TRUE(identical(numbered_cells(table.columns[1]), torch::tensor({0, 1, 0})));
}

/// Of every part: two rows of each person, and the cells that were missing.
TEST(SampleMarks, GoWithTheRowsIntoTheirParts) {
  const auto splits = split_table(parse_csv_columns(kPatients, "t.csv", options()), options(), true);
  int64_t filled = 0;
  for (const auto& part : {splits.train, splits.test}) {
    const auto groups = groups_of(*part);
    ASSERT_EQ(groups.numel(), part->size());
    const auto counts = std::get<2>(at::_unique2(groups, true, false, true));
    EXPECT_TRUE(counts.eq(2).all().item<bool>()) << counts;
    const auto batch = part->get(torch::arange(part->size()));
    ASSERT_EQ(batch.marks.filled.sizes(), batch.inputs.sizes());
    filled += batch.marks.filled.sum().item<int64_t>();
    EXPECT_EQ(part->info().group, "person");
    EXPECT_EQ(groups_of(*limited(part, 2)).numel(), 2);
  }
  EXPECT_EQ(filled, 3);
}

TEST(SampleMarks, AreNotThereWhereNothingIsMissingAndNothingBelongsTogether) {
  const auto splits = split_table(parse_csv_columns("x,y\n1,0\n2,1\n3,0\n4,1\n5,0\n", "t.csv", {}), {}, true);
  const auto batch = splits.train->get(torch::arange(2));
  EXPECT_FALSE(batch.marks.filled.defined());
  EXPECT_FALSE(batch.marks.groups.defined());
  EXPECT_FALSE(groups_of(*splits.train).defined());
}

/// A field file says itself who belongs together, where it has that column.
TEST(SampleMarks, AreReadFromAFieldFile) {
  const testing::TemporaryFolder folder;
  const auto splits = split_table(parse_csv_columns(kPatients, "t.csv", options()), options(), true);
  const auto interface = interface_of(*splits.train, splits.target, splits.encoding.get());
  write_file_atomically(folder.path() / "field.csv", "sick,age,weight,person\n1,,80,x\n0,50,81,x\n1,51,82,y\n");
  const auto field = load_like(interface, folder.path() / "field.csv", {});
  EXPECT_TRUE(identical(groups_of(*field.samples), torch::tensor({0, 0, 1})));
  const auto batch = field.samples->get(torch::arange(3));
  EXPECT_EQ(batch.marks.filled.sum().item<int64_t>(), 1);
  EXPECT_TRUE(batch.marks.filled[0][0].item<bool>());
  write_file_atomically(folder.path() / "field.csv", "sick,age,weight\n1,40,80\n0,50,81\n1,51,82\n");
  EXPECT_FALSE(groups_of(*load_like(interface, folder.path() / "field.csv", {}).samples).defined());
}

TEST(SampleMarks, MustFitTheSamples) {
  const auto inputs = torch::zeros({3, 2}), targets = torch::zeros({3});
  DatasetInfo info;
  info.name = "x";
  testing::expect_error([&] { TensorDataset(inputs, targets, info, {torch::zeros({3}, torch::kBool), {}}); }, "filled");
  testing::expect_error([&] { TensorDataset(inputs, targets, info, {{}, torch::arange(2)}); }, "groups of 2");
}

}  // namespace arks
