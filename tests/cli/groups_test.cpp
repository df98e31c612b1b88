// Rows that belong together, as those of one patient: what is said of errors on them.
#include "cli/own_data.h"

#include <random>

namespace arks {

using testing::OwnDataTest;
namespace fs = std::filesystem;

class GroupsTool : public OwnDataTest {
 protected:
  void SetUp() override {
    OwnDataTest::SetUp();
    write_visits("visits.csv", 20, 3);
    write_visits("field.csv", 6, 4);
    succeed(
        {"train", "--data", "visits.csv", "--group", "patient", "--method", "erm", "--epochs", "2", "--out", "run"});
  }
  /// Thirty equal rows of each patient, and a class drawn by lot.
  void write_visits(const std::string& name, int64_t patients, unsigned seed) const {
    std::mt19937 random(seed);
    std::string text = "patient,a,b,class\n";
    for (int64_t i = 0; i < patients; ++i) {
      const auto row =
          c10::str("p", i, ",", random() % 1000, ",", random() % 1000, ",", i % 2 == 0 ? "yes" : "no", "\n");
      for (int copy = 0; copy < 30; ++copy) text += row;
    }
    write_file_atomically(folder_ / name, text);
  }
};

TEST_F(GroupsTool, IntervalsAreOverGroups) {
  const auto own = succeed({"evaluate", "run", "--eps", "0", "--json", "own.json"});
  EXPECT_NE(own.out.find("120 rows in 4 groups"), std::string::npos) << own.out;
  EXPECT_NE(own.out.find("[ ]: 95 % interval over groups"), std::string::npos) << own.out;
  const auto point = Json::parse(read_file(folder_ / "own.json"))["points"][0];
  EXPECT_EQ(point["groups"], 4);
  EXPECT_EQ(point["n"], 120);
  EXPECT_GT(point["error_high"].get<double>() - point["error_low"].get<double>(), 0.5) << point;
}

TEST_F(GroupsTool, FieldDataHaveThemWhereTheirColumnIsThere) {
  const auto field = succeed({"evaluate", "run", "--eps", "0", "--test-data", "field.csv"});
  EXPECT_NE(field.out.find("180 rows in 6 groups"), std::string::npos) << field.out;
  succeed({"export", "run", "--out", "run.pt"});
  const auto exported = succeed({"evaluate", "run.pt", "--eps", "0", "--test-data", "field.csv"});
  EXPECT_NE(exported.out.find("180 rows in 6 groups"), std::string::npos) << exported.out;
  write_file_atomically(folder_ / "none.csv", "a,b,class\n1,2,yes\n3,4,no\n");
  const auto none = succeed({"evaluate", "run", "--eps", "0", "--test-data", "none.csv"});
  EXPECT_EQ(none.out.find("groups"), std::string::npos) << none.out;
}

TEST_F(GroupsTool, ModelsAreComparedByGroups) {
  succeed({"train", "--data", "visits.csv", "--group", "patient", "--method", "erm", "--epochs", "40", "--lr", "0.02",
           "--out", "other"});
  const auto both = succeed({"evaluate", "run", "other", "--eps", "0"});
  EXPECT_NE(both.out.find("paired t of groups"), std::string::npos) << both.out;
}

/// A mean does not say how alike the rows are.
TEST_F(GroupsTool, TrainingAndSearchesNameGroupsInsteadOfAnInterval) {
  const auto trained = succeed(
      {"train", "--data", "visits.csv", "--group", "patient", "--method", "erm", "--epochs", "1", "--out", "again"});
  EXPECT_NE(trained.out.find(" on 120 rows in 4 groups"), std::string::npos) << trained.out;
  write_file_atomically(folder_ / "s.toml",
                        "[train]\ndata = \"visits.csv\"\ngroup = \"patient\"\nmethod = \"erm\"\nepochs = 1\n"
                        "[grid]\nlr = [0.01, 0.02]\n");
  const auto searched = testing::arks_program({"sweep", "s.toml", "--out", "search"}, folder_.path());
  EXPECT_NE(searched.out.find(" on 120 rows in 4 groups"), std::string::npos) << searched.out;
  EXPECT_EQ(searched.out.find("95 % interval"), std::string::npos) << searched.out;
}

}  // namespace arks
