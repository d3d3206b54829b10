#include "simcore/base/log.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

namespace weft {
namespace {

std::string all_messages_at(LogLevel level) {
  set_log_level(level);
  ::testing::internal::CaptureStderr();
  log_error("an error");
  log_warn("a warning");
  log_info("an information");
  log_debug("a detail");
  set_log_level(LogLevel::kWarn);
  return ::testing::internal::GetCapturedStderr();
}

TEST(Log, EachLevelShowsItselfAndWhatIsGraver) {
  using std::string;
  const auto shown = [](LogLevel level) {
    const string text = all_messages_at(level);
    const auto has = [&](const char* part) { return text.find(part) != string::npos; };
    return std::tuple(has("an error"), has("a warning"), has("an information"), has("a detail"));
  };
  EXPECT_EQ(shown(LogLevel::kOff), std::tuple(false, false, false, false));
  EXPECT_EQ(shown(LogLevel::kError), std::tuple(true, false, false, false));
  EXPECT_EQ(shown(LogLevel::kWarn), std::tuple(true, true, false, false));
  EXPECT_EQ(shown(LogLevel::kInfo), std::tuple(true, true, true, false));
  EXPECT_EQ(shown(LogLevel::kDebug), std::tuple(true, true, true, true));
}

TEST(Log, StartsAtWarn) { EXPECT_EQ(log_level(), LogLevel::kWarn); }

TEST(Log, NamesMapToLevelsAndBack) {
  const std::pair<const char*, LogLevel> names[] = {{"off", LogLevel::kOff},
                                                    {"error", LogLevel::kError},
                                                    {"warn", LogLevel::kWarn},
                                                    {"info", LogLevel::kInfo},
                                                    {"debug", LogLevel::kDebug}};
  for (const auto& [name, level] : names) {
    ASSERT_EQ(parse_log_level(name), level) << name;
    set_log_level(level);
    EXPECT_EQ(log_level(), level) << name;
    EXPECT_NE(kLogLevelNames.find(name), std::string_view::npos) << name;
  }
  set_log_level(LogLevel::kWarn);
  EXPECT_EQ(parse_log_level("Warn"), std::nullopt);
  EXPECT_EQ(parse_log_level(""), std::nullopt);
}

TEST(Log, BracesInMessagesAreText) {
  ::testing::internal::CaptureStderr();
  log_error("unknown key {ecn: {kmin}}");
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("unknown key {ecn: {kmin}}"),
            std::string::npos);
}

}  // namespace
}  // namespace weft
