// The environment variable that holds the engine to portable instructions.
#include <cstdlib>

#include "engine/climbs.h"
#include "engine/processor.h"

namespace arks {

TEST(EngineProcessor, UsesTheInstructionsThatWereAskedFor) {
  const char* const asked = std::getenv("ARKS_CPU");
  const bool portable = asked != nullptr && std::string(asked) == "portable";
  EXPECT_EQ(engine::portable_path(), portable);
  const std::string name = engine::instruction_set();
  EXPECT_FALSE(name.empty());
  if (portable) {
    EXPECT_EQ(name.find("AVX"), std::string::npos) << name;
    EXPECT_EQ(name.find("SSE"), std::string::npos) << name;
  }
}

TEST(EngineProcessor, AnUnknownKindIsAnErrorOfOneLine) {
  // in a process of its own: the variable is looked at once
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto start = [] {
    ::setenv("ARKS_CPU", "sse9", /*overwrite=*/1);
    try {
      const engine::Network network(Mlp(MlpOptions(5, 3)), Engine::kAuto);
      network(torch::zeros({2, 5}));
    } catch (const Error& error) {
      std::cerr << "[" << error.what() << "]";
      std::exit(2);
    }
    std::exit(0);
  };
  EXPECT_EXIT(start(), ::testing::ExitedWithCode(2), "^\\[ARKS_CPU is 'sse9'; it can be 'auto' or 'portable'\\]$");
}

}  // namespace arks
