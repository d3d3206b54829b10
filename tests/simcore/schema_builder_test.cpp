#include "simcore/schema/schema_builder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace weft::schema {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen, kBlue };

struct Inner {
  std::uint32_t number = 0;
};
struct Other {
  std::uint32_t number = 0;
};
struct Outer {
  Inner inner;
  std::optional<Inner> maybe;
  std::vector<Inner> list;
  Colour colour = Colour::kGreen;
};

template <class Described>
concept CanDescribeMember = requires(Builder<Outer> keys, const Object<Described>& inner) {
  keys.object("inner", &Outer::inner, inner, "");
  keys.object("maybe", &Outer::maybe, inner, "");
  keys.objects("list", &Outer::list, inner, "");
  keys.include(&Outer::inner, inner);
};
static_assert(CanDescribeMember<Inner>);
static_assert(!CanDescribeMember<Other>, "a member takes the description of its own type only");

Object<Outer> described() {
  return describe<Outer>("outer", "")
      .choice("colour", &Outer::colour,
              {{Colour::kBlue, "blue", ""}, {Colour::kGreen, "green", ""}}, "");
}

TEST(SchemaBuilder, EnumeratorsMayStandInAnyOrderAndSomeBeLeftOut) {
  const Object<Outer> object = described();
  const Field& colour = *object.any().find("colour");
  Outer outer;
  EXPECT_EQ(colour.get(&outer), Scalar(std::int64_t{1})) << "the second spelling";
  colour.set(&outer, Scalar(std::int64_t{0}));
  EXPECT_EQ(outer.colour, Colour::kBlue);
}

TEST(SchemaBuilder, PresetsSetTheMembersThatTheyStandFor) {
  const Object<Outer> object = describe<Outer>("outer", "")
                                   .presets("colour", &Outer::colour,
                                            {{Colour::kBlue, "deep", "",
                                              [](Outer& o) {
                                                o.inner.number = 7;
                                                o.colour = Colour::kBlue;
                                              }}},
                                            "");
  ASSERT_EQ(object.any().presets.size(), 1);
  Outer outer;
  object.any().presets.front().apply(&outer);
  EXPECT_EQ(outer.inner.number, 7);
  EXPECT_EQ(object.any().find("colour")->get(&outer), Scalar(std::int64_t{0}));
}

TEST(SchemaBuilder, AChoiceMayBeAbsent) {
  struct Owner {
    std::optional<Colour> colour = Colour::kRed;
  };
  const Object<Owner> object =
      describe<Owner>("owner", "")
          .choice("colour", &Owner::colour, {{std::nullopt, "auto", ""}, {Colour::kRed, "red", ""}},
                  "");
  const Field& colour = *object.any().find("colour");
  Owner owner;
  EXPECT_EQ(colour.get(&owner), Scalar(std::int64_t{1}));
  colour.set(&owner, Scalar(std::int64_t{0}));
  EXPECT_FALSE(owner.colour);
  EXPECT_EQ(colour.get(&owner), Scalar(std::int64_t{0}));
}

TEST(SchemaBuilder, WhatFollowsFromAKeyAlsoFollowsWhereItIsIncluded) {
  struct Whole {
    Inner unused;
    Inner inner;
  };
  const Object<Inner> inner = describe<Inner>("inner", "")
                                  .field("number", &Inner::number, "")
                                  .then([](Inner& i) { i.number += 10; })
                                  .then([](Inner& i) { i.number *= 2; });
  const Object<Whole> whole = describe<Whole>("whole", "").include(&Whole::inner, inner);
  const Field& number = *whole.any().find("number");
  Whole value;
  number.set(&value, Scalar(std::uint64_t{1}));
  EXPECT_EQ(value.inner.number, 22U) << "in order, after the value is in place";
  EXPECT_EQ(value.unused.number, 0U);
  EXPECT_EQ(number.get(&value), Scalar(std::uint64_t{22}));
}

TEST(SchemaBuilder, APropertyIsMadeOfSeveralMembers) {
  const Object<Outer> object = describe<Outer>("outer", "")
                                   .property<Bytes>(
                                       "size", [](const Outer& o) { return Bytes(o.inner.number); },
                                       [](Outer& o, Bytes value) {
                                         o.inner.number = static_cast<std::uint32_t>(value.count());
                                       },
                                       "");
  const Field& size = *object.any().find("size");
  EXPECT_EQ(size.dimension, &dimension_of<Bytes>());
  Outer outer;
  size.set(&outer, Scalar(std::int64_t{3}));
  EXPECT_EQ(outer.inner.number, 3);
  EXPECT_EQ(size.get(&outer), Scalar(std::int64_t{3}));
}

}  // namespace
}  // namespace weft::schema
