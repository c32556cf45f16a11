#include "allclear/robot_models/files/captured_log.h"

#include <gtest/gtest.h>

namespace allclear {
namespace {

TEST(CapturedLog, KeepsTheFirstErrorAndPrintsNone) {
  testing::internal::CaptureStderr();
  {
    CapturedLog log;
    CONSOLE_BRIDGE_logWarn("a warning");
    CONSOLE_BRIDGE_logError("the first of %d", 2);
    CONSOLE_BRIDGE_logError("the second");
    EXPECT_EQ(log.first_error, "the first of 2");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace allclear
