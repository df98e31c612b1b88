// Tables from the field, written otherwise than the training file or scaled in another way.
#include "cli/own_data.h"

#include <sstream>

namespace arks {

class FieldTable : public testing::OwnDataTest {
 protected:
  void write(const std::string& name, const std::string& text) const {
    testing::write_bytes(folder_ / name, text, /*gzip=*/false);
  }
  /// The lines that predict writes, without the header.
  std::vector<std::string> predictions(const std::string& run, const std::string& file) const {
    std::istringstream out(succeed({"predict", run, "--data", file}).out);
    std::vector<std::string> lines;
    for (std::string line; std::getline(out, line);) lines.push_back(line);
    if (!lines.empty()) lines.erase(lines.begin());
    return lines;
  }
};

/// Numbers with three decimals and no other could as well be thousands: the training file knows what they are.
TEST_F(FieldTable, KeepsTheDecimalSignOfTheTrainingFile) {
  std::string training = "width;height\n";
  for (int i = 0; i < 40; ++i)
    training += std::to_string(1 + i % 7) + ",25;" + std::to_string(2 + 2 * (i % 7)) + ",5\n";
  write("training.csv", training);
  train("run", {"--data", "training.csv", "--quiet"});
  write("field.csv", "width;height\n1,250;2,500\n4,250;8,500\n");
  write("points.csv", "width,height\n1.25,2.5\n4.25,8.5\n");
  EXPECT_EQ(predictions("run", "field.csv"), predictions("run", "points.csv"));
  const auto result = arks({"predict", "run", "--data", "field.csv", "--quiet"});
  expect_said(result,
              "field.csv: no cell shows whether the decimal sign is a point or a comma: '1,250' in line 2 is "
              "read as 1.25, as in training; --decimal point reads it as 1250");
  write("quoted.csv", "width,height\n\"1,250\",\"2,500\"\n\"4,250\",\"8,500\"\n");
  EXPECT_EQ(predictions("run", "quoted.csv"), predictions("run", "points.csv"));
  const auto loss = [&](const std::string& file) {
    return Json::parse(succeed({"evaluate", "run", "--test-data", file, "--eps", "0", "--json", "-", "--quiet"}).out)
        .at("points")[0]
        .at("loss")
        .get<double>();
  };
  EXPECT_EQ(loss("field.csv"), loss("points.csv"));
}

}  // namespace arks
