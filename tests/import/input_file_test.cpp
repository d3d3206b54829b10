#include "tools/import/source/input_file.hpp"

#include <gtest/gtest.h>

#include "tools/import/source/natural_order.hpp"

namespace weft::import {
namespace {

TEST(InputFile, DropsMarksBlanksAndColoursButKeepsPlaces) {
  const InputFile file("a.txt", "\xEF\xBB\xBF\x1b[31mone\x1b[0m  \r\ntwo\t\r\n\r\nthree");
  ASSERT_EQ(file.lines().size(), 4U);
  EXPECT_EQ(file.lines()[0], "one");
  EXPECT_EQ(file.lines()[1], "two");
  EXPECT_EQ(file.lines()[2], "");
  EXPECT_EQ(file.lines()[3], "three");
  EXPECT_TRUE(file.ends_inside_line());
  const SourceLocation place = file.at(file.text().find("hree"));
  EXPECT_EQ(place.line, 4);
  EXPECT_EQ(place.column, 2);
}

TEST(InputFile, KeepsItsViewsWhenItMoves) {
  InputFile first("a", "x\ny\n");
  const InputFile second = std::move(first);
  EXPECT_EQ(second.lines()[1], "y");
  EXPECT_FALSE(second.ends_inside_line());
}

TEST(NaturalOrder, CountsNumbersInsideNames) {
  const NaturalOrder less;
  EXPECT_TRUE(less("gpu2", "gpu10"));
  EXPECT_FALSE(less("gpu10", "gpu2"));
  EXPECT_TRUE(less("Ethernet1/2", "Ethernet1/10"));
  EXPECT_TRUE(less("a", "a1"));
  EXPECT_TRUE(less("gpu01", "gpu1") != less("gpu1", "gpu01"));
  EXPECT_FALSE(less("gpu1", "gpu1"));
  // Case comes last: it tells only names apart that are equal without it.
  EXPECT_TRUE(less("gpu2", "GPU3"));
  EXPECT_TRUE(less("GPU3", "gpu10"));
  EXPECT_TRUE(less("GPU3", "gpu3"));
  EXPECT_FALSE(less("gpu3", "GPU3"));
}

}  // namespace
}  // namespace weft::import
