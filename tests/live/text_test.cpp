// Fields and bars of the screen that `--live` shows.

#include <gtest/gtest.h>

#include "tools/live/display.hpp"

namespace weft::live {
namespace {

TEST(LiveText, FieldsHaveTheirWidthWhateverStandsInThem) {
  EXPECT_EQ(left("ab", 4), "ab  ");
  EXPECT_EQ(right("ab", 4), "  ab");
  EXPECT_EQ(left("abcdef", 4), "abcd");
  EXPECT_EQ(right("abcdef", 4), "abcd");
  EXPECT_EQ(left("", 0), "");
}

TEST(LiveText, NamesDoNotActOnTheTerminal) {
  EXPECT_EQ(left("a\x1b[2J", 20).find('\x1b'), std::string::npos);
  EXPECT_EQ(left("a\nb", 20).find('\n'), std::string::npos);
}

TEST(LiveText, BarsAreFilledByTheirShare) {
  EXPECT_EQ(bar(0, 4), "[    ]");
  EXPECT_EQ(bar(0.5, 4), "[##  ]");
  EXPECT_EQ(bar(1, 4), "[####]");
  EXPECT_EQ(bar(7, 4), "[####]");
  EXPECT_EQ(bar(-1, 4), "[    ]");
}

TEST(LiveText, DurationsHaveTheUnitsOfClocks) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(184), "3 min 04 s");
  EXPECT_EQ(duration_text(7'800), "2 h 10 min");
}

}  // namespace
}  // namespace weft::live
