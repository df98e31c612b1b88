#include "cli/own_data.h"

#include <thread>

namespace arks {

using testing::OwnDataTest;

class ThreadsTool : public OwnDataTest {
 protected:
  std::string threads_of(const std::string& out, Arguments flags) const {
    flags.insert(flags.begin(), {"train", "--method", "erm", "--epochs", "1", "--out", out});
    const auto result = testing::arks_tool(flags, folder_.path(), {{"OMP_NUM_THREADS", ""}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto text = config(out);
    const auto begin = text.find("threads = ");
    return text.substr(begin, text.find('\n', begin) - begin);
  }
};

/// Threads that share the work of so small a network wait for each other longer than they compute.
TEST_F(ThreadsTool, SmallNetworksOnTablesHaveOneUnlessSomeoneSays) {
  EXPECT_EQ(threads_of("few", {"--data", "iris"}), "threads = 1");
  EXPECT_EQ(threads_of("two", {"--data", "iris", "--threads", "2"}), "threads = 2");
  const auto cores = c10::str("threads = ", std::max(1U, std::thread::hardware_concurrency()));
  EXPECT_EQ(threads_of("cores", {"--data", "iris", "--threads", "0"}), cores);
  write_photos();
  EXPECT_EQ(threads_of("images", {"--data", "photos", "--resize", "8x8"}), cores);
  succeed({"train", "--resume", "two", "--epochs", "2"});
  EXPECT_NE(config("two").find("threads = 2\n"), std::string::npos) << "a run goes on as it began";
}

}  // namespace arks
