#include "simcore/schema/validate.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "simcore/schema/schema_builder.hpp"

namespace weft::schema {
namespace {

struct Part {
  Bytes size = 1_B;
};
struct Whole {
  std::uint32_t count = 1;
  double share = 0.5;
  std::optional<Picoseconds> wait;
  std::vector<std::uint32_t> links = {1};
  std::vector<Part> parts = {{}};
  bool has_extra = false;
  std::uint32_t extra = 0;
};

Object<Whole> whole() {
  return describe<Whole>("whole", "")
      .field("count", &Whole::count, "")
      .range(1, 4)
      .field("share", &Whole::share, "")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("wait", &Whole::wait, "")
      .special("never", std::nullopt)
      .special("standard", std::int64_t{-1})
      .integers("links", &Whole::links, "")
      .range(1, 64)
      .objects("parts", &Whole::parts,
               describe<Part>("part", "").field("size", &Part::size, "").at_least(1_B), "")
      .not_empty()
      .field("extra", &Whole::extra, "")
      .range(1, 9)
      .only_if([](const Whole& w) { return w.has_extra; }, "")
      .check([](const Whole& w, std::vector<Problem>& problems) {
        if (w.count == 3) problems.push_back({"count", "is three"});
      });
}

std::string broken(const Whole& value) {
  std::string keys;
  for (const Problem& problem : problems_of(whole(), value)) keys += problem.key + " ";
  return keys;
}

TEST(Validate, AStructThatAProgramFilledIsHeldToTheLimitsOfItsKeys) {
  EXPECT_EQ(broken({}), "");
  Whole value;
  value.count = 5;
  value.share = 0;
  value.wait = Picoseconds(-2);
  value.links = {1, 65};
  value.parts = {{}, {0_B}};
  EXPECT_EQ(broken(value), "count share wait links parts[1].size ");
  value = {};
  value.parts.clear();
  EXPECT_EQ(broken(value), "parts ");
  value = {};
  value.share = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(broken(value), "share ");
}

TEST(Validate, WordsAreFineAndSoIsWhatHasNoMeaning) {
  Whole value;
  value.wait = Picoseconds(-1);
  EXPECT_EQ(broken(value), "") << "the word `standard`";
  value.has_extra = true;
  EXPECT_EQ(broken(value), "extra ");
}

TEST(Validate, WhatSeveralKeysSayTogetherMattersOnceEachIsRight) {
  Whole value;
  value.count = 3;
  EXPECT_EQ(broken(value), "count ");
  value.share = 2;
  EXPECT_EQ(broken(value), "share ");
}

}  // namespace
}  // namespace weft::schema
