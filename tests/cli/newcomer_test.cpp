// What somebody runs into in the first hour with files of his own: each is said in one line that helps.
#include "cli/own_data.h"

namespace arks {

namespace fs = std::filesystem;
using testing::write_npy;

class Newcomer : public testing::OwnDataTest {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  /// Rows made of their number.
  template <typename Row>
  void write_rows(const std::string& name, const std::string& header, int64_t count, const Row& row) const {
    std::string text = header + "\n";
    for (int64_t i = 0; i < count; ++i) text += row(i) + "\n";
    write(name, text);
  }
  static std::string varied(int64_t i) { return std::to_string(static_cast<double>((i * 37) % 101) / 4); }
  static std::string decimal(double number) { return std::to_string(number); }
};

TEST_F(Newcomer, TargetsThatTeachNothingAreRefused) {
  write_rows("same.csv", "a,b,y", 40, [](auto i) { return varied(i) + "," + varied(i + 7) + ",3.5"; });
  const std::string why =
      "same.csv: the target 'y' is 3.5 in all 32 training rows, so there is nothing to learn; is "
      "it the right column? --target names it";
  train_refused({"--data", "same.csv"}, why);
  const auto shown = arks({"data", "show", "same.csv"});
  EXPECT_EQ(shown.exit_code, 2);
  expect_said(shown, why);
  EXPECT_NE(shown.out.find("standardised"), std::string::npos) << "its columns are shown all the same";
  write_rows("two.csv", "a,u,v", 40, [](auto i) { return varied(i) + "," + varied(i + 7) + ",3.5"; });
  expect_said(train("two", {"--data", "two.csv", "--target", "u,v"}),
              "the target 'v' is 3.5 in all 32 training rows: nothing can be learned of it");
  write_rows("number.csv", "a,number", 40, [](auto i) { return varied(i) + "," + std::to_string(i); });
  expect_said(succeed({"data", "show", "number.csv"}), "the target 'number' counts the rows; is it the right column?");
  write_npy(folder_ / "x.npy", testing::normal({30, 3, 8, 8}).sigmoid());
  write_npy(folder_ / "same.npy", torch::full({30}, 1.5));
  train_refused({"--data", "x.npy", "--targets", "same.npy"},
                "the target 'same.npy' is 1.5 in all 24 training images, so there is nothing to learn; is it the right "
                "file? --targets names it");
  write_npy(folder_ / "id.npy", torch::arange(30));
  train_refused({"--data", "x.npy", "--targets", "id.npy"}, "the target 'id.npy' has 30 classes in 30 rows");
}

}  // namespace arks
