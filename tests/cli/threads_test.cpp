#include "cli/own_data.h"

#include <thread>

namespace arks {

using testing::OwnDataTest;

class ThreadsTool : public OwnDataTest {
 protected:
  /// Not a copy of the test: the threads that a process has are gone in its copy.
  testing::ToolResult program(const Arguments& arguments) const {
    return testing::arks_program(
        arguments, folder_.path(),
        {{"OMP_NUM_THREADS", ""}, {"OMP_WAIT_POLICY", "passive"}, {"ARKS_CACHE_DIR", path("cache")}});
  }
  std::string threads_of(const std::string& out, Arguments flags) const {
    flags.insert(flags.begin(), {"train", "--method", "erm", "--epochs", "1", "--out", out});
    const auto result = program(flags);
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
  EXPECT_EQ(program({"train", "--resume", "two", "--epochs", "2"}).exit_code, 0);
  EXPECT_NE(config("two").find("threads = 2\n"), std::string::npos) << "a run goes on as it began";
}

}  // namespace arks
