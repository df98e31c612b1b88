#pragma once
// Which arks-sdp the tests start.
#include <arks/support/error.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace arks::testing {

#ifdef ARKS_SDP_PROGRAM
constexpr const char* kSdpProgram = ARKS_SDP_PROGRAM;
#else
constexpr const char* kSdpProgram = nullptr;
#endif

/// ARKS_SDP set to a program until the end of the scope.
class SdpProgram {
 public:
  explicit SdpProgram(const std::string& program) {
    if (const char* before = std::getenv("ARKS_SDP")) before_ = before;
    ::setenv("ARKS_SDP", program.c_str(), 1);
  }
  ~SdpProgram() { ::setenv("ARKS_SDP", before_.c_str(), 1); }
  SdpProgram(const SdpProgram&) = delete;
  SdpProgram& operator=(const SdpProgram&) = delete;

 private:
  std::string before_;  // empty counts as not set
};

/// For tests that need the component as it was built.
class WithSdpComponent : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSdpProgram == nullptr) GTEST_SKIP() << "SKIPPED: arks-sdp was not built (libsdpa-dev, libmumps-seq-dev)";
    program_ = std::make_unique<SdpProgram>(kSdpProgram);
  }

 private:
  std::unique_ptr<SdpProgram> program_;
};

}  // namespace arks::testing
