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

/// Which rows belong together does not depend on who reads them, nor on who is named first.
TEST_F(GroupsTool, AModelThatKnowsNoGroupsIsTestedOverThoseOfTheOthers) {
  const auto train = [&](const std::string& out, const Arguments& flags) {
    Arguments arguments{"train", "--data", "visits.csv", "--method", "erm", "--epochs", "2", "--out", out};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    succeed(arguments);
  };
  train("plain", {"--drop", "patient"});
  succeed({"export", "plain", "--out", "plain.pt"});
  for (const Arguments& models : {Arguments{"plain", "run"}, Arguments{"run", "plain"}, Arguments{"plain.pt", "run"}}) {
    Arguments arguments{"evaluate"};
    arguments.insert(arguments.end(), models.begin(), models.end());
    arguments.insert(arguments.end(), {"--eps", "0", "--test-data", "field.csv", "--json", "all.json", "--force"});
    const auto result = succeed(arguments);
    EXPECT_NE(result.out.find("\nfield: 180 rows in 6 groups, seed"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("paired t of groups"), std::string::npos) << result.out;
    const auto points = Json::parse(read_file(folder_ / "all.json"))["points"];
    for (const auto& point : points) EXPECT_EQ(point["groups"], 6) << join(models, " ");
  }
  std::string text = read_file(folder_ / "visits.csv"), halves;
  for (const auto& line : split(text, '\n')) {
    if (!line.empty()) halves += line + "," + (halves.empty() ? "half" : line[1] < '5' ? "one" : "two") + "\n";
  }
  write_file_atomically(folder_ / "visits.csv", halves);
  train("halved", {"--target", "class", "--group", "half", "--drop", "patient", "--no-standardise"});
  write_file_atomically(folder_ / "both.csv",
                        "patient,half,a,b,class\np0,one,1,2,yes\np1,two,3,4,no\np2,one,5,6,yes\np3,two,7,8,no\n");
  const auto both = succeed({"evaluate", "run", "halved", "--eps", "0", "--test-data", "both.csv"});
  EXPECT_NE(both.out.find("4 rows in 2 groups, seed"), std::string::npos) << both.out;
  expect_said(both, "intervals and tests are over the groups of 'half', which are the fewest");
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
