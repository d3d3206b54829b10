#include "simcore/text/range_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace weft {
namespace {

using Range = std::optional<std::pair<std::uint64_t, std::uint64_t>>;

TEST(RangeText, IsANumberOrTwoWithADash) {
  EXPECT_EQ(parse_range("7"), Range(std::pair(7U, 7U)));
  EXPECT_EQ(parse_range("3-12"), Range(std::pair(3U, 12U)));
  EXPECT_EQ(parse_range("12-3"), Range(std::pair(12U, 3U))) << "whoever takes it judges the order";
  for (const char* text : {"", "-", "3-", "-3", "a", "3-b", "3 - 4", "1-2-3", "+3", "0x3"}) {
    EXPECT_EQ(parse_range(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_unsigned("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_unsigned("18446744073709551616"), std::nullopt) << "beyond 64 bits";
}

}  // namespace
}  // namespace weft
