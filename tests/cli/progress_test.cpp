#include "cli/progress.h"
#include "support/text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace arks::cli {

namespace {

std::string said(double first_line, bool enabled = true) {
  ::testing::internal::CaptureStderr();  // no terminal
  {
    ProgressBar bar("rows", enabled, first_line);
    for (int64_t i = 0; i <= 4; ++i) bar.update(i, 4, 10 * i, "certificate");
  }
  return ::testing::internal::GetCapturedStderr();
}

}  // namespace

/// A log shows that something goes on, and is not filled by it.
TEST(ProgressBarTest, PrintsLinesNowAndThenWhereThereIsNoTerminal) {
  EXPECT_EQ(said(0), "certificate: 0 %\ncertificate: 25 %\ncertificate: 50 %\ncertificate: 75 %\ncertificate: 100 %\n");
  EXPECT_EQ(said(60), "") << "it is too early for a line";
  EXPECT_EQ(said(-1), "") << "other lines tell enough";
  EXPECT_EQ(said(0, /*enabled=*/false), "");
}

}  // namespace arks::cli
