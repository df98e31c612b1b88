// --help, which comes whatever else stands on the command line.
#include "cli/tool.h"
#include "support/testing.h"
#include "support/text.h"

namespace arks {

namespace {

using testing::arks_tool;
using Arguments = std::vector<std::string>;

/// The part of a help page that is about one flag.
std::string entry_of(const std::string& page, const std::string& flag) {
  const auto begin = page.find(flag + " ");
  if (begin == std::string::npos) return "";
  return page.substr(begin, page.find("\n  -", begin) - begin);
}

class HelpPage : public ::testing::Test {
 protected:
  std::string page(const Arguments& arguments) const {
    const auto result = arks_tool(arguments, folder_.path());
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << ": " << result.err;
    EXPECT_EQ(result.err, "") << join(arguments, " ");
    return result.out;
  }

  testing::TemporaryFolder folder_;
};

}  // namespace

TEST_F(HelpPage, OfEveryMethodComesWithoutTheStrengthThatItNeeds) {
  for (const auto& method : method_names()) {
    const auto text = page({"train", "--data", "iris", "--method", method, "--help"});
    EXPECT_NE(entry_of(text, "--epochs").find("[2000]"), std::string::npos) << method << "\n" << text;
    EXPECT_NE(entry_of(text, "--model").find("[mlp]"), std::string::npos) << method;
  }
}

TEST_F(HelpPage, OfAnUnknownDataSetComesAllTheSame) {
  EXPECT_NE(page({"train", "--data", "fashion-minst", "--method", "pgd", "--help"}).find("--inner-steps"),
            std::string::npos);
}

}  // namespace arks
