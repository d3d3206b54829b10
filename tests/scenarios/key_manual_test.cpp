#include "scenarios/language/manual/key_manual.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simcore/schema/schema_builder.hpp"

namespace weft::scenarios::language {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const std::string& key) {
  return scenario_manual().text(key).value_or("(no such key)");
}

TEST(KeyManual, SaysWhatAKeyMeansWhatItTakesAndWhereItsDefaultComesFrom) {
  const std::string text = text_of("fabric.ecn.kmin");
  EXPECT_THAT(text, HasSubstr("fabric.ecn.kmin  (with type: red)\n"));
  EXPECT_THAT(text, HasSubstr("value    a size such as"));
  EXPECT_THAT(text, HasSubstr("default  "));
  EXPECT_THAT(text_of("seed"), HasSubstr("default  1 (any number serves"));
  EXPECT_THAT(text_of("name"), HasSubstr("none: it must be given"));
}

TEST(KeyManual, NamesTheKeysOfATypeAndThoseOfAll) {
  const std::string text = text_of("jobs.incast");
  EXPECT_THAT(text, HasSubstr("jobs[0], type: incast"));
  for (const char* key : {"senders", "receiver", "size", "keys of all", "transport"}) {
    EXPECT_THAT(text, HasSubstr(key));
  }
  EXPECT_THAT(text_of("jobs"), HasSubstr("permutation"));
}

TEST(KeyManual, KeysAreFoundByNumbersTypesAndTheEndsOfTheirPaths) {
  EXPECT_EQ(text_of("jobs[3].incast.senders"), text_of("jobs.senders"));
  EXPECT_EQ(text_of("ecn.kmin"), text_of("kmin"));
  EXPECT_THAT(text_of("kmin"), HasSubstr("fabric.classes[0].ecn.kmin"));
  // A whole path means that key alone.
  EXPECT_THAT(text_of("fabric.ecn.kmin"), Not(HasSubstr("classes")));
  EXPECT_FALSE(scenario_manual().text("fabric.ecn.kmim").has_value());
  EXPECT_FALSE(scenario_manual().text("").has_value());
  EXPECT_FALSE(scenario_manual().text("mim").has_value());
}

TEST(KeyManual, EveryKeyIsFoundByItsPathAndIsInTheReference) {
  const std::vector<std::string> paths = scenario_manual().paths();
  const std::string page = scenario_manual().reference();
  EXPECT_GT(paths.size(), 300U);
  EXPECT_THAT(paths, Contains("fabric.ecn.kmin"));
  EXPECT_THAT(paths, Contains("jobs[0].senders"));
  EXPECT_THAT(paths, Contains("jobs.incast"));
  for (const std::string& path : paths) {
    EXPECT_TRUE(scenario_manual().text(path).has_value()) << path;
    const std::string key = path.substr(path.rfind('.') + 1);
    EXPECT_THAT(page, HasSubstr(key)) << path;
  }
}

TEST(KeyManual, WhatStandsInSeveralPlacesIsDescribedOnce) {
  const std::string page = scenario_manual().reference();
  EXPECT_THAT(page, HasSubstr("`jobs[0].transport` is as `fabric.classes[0].transport`."));
}

struct Inner {
  Bytes size = 3_KiB;
};
struct Outer {
  std::vector<Inner> list;
  std::uint32_t count = 2;
};

TEST(KeyManual, DefaultsAreThoseOfTheStructs) {
  const schema::Object<Inner> inner = schema::describe<Inner>("inner", "of a list")
                                          .field("size", &Inner::size, "how large")
                                          .source("a guess")
                                          .at_least(1_KiB);
  const schema::Object<Outer> outer = schema::describe<Outer>("outer", "all")
                                          .objects("list", &Outer::list, inner, "some")
                                          .field("count", &Outer::count, "how many")
                                          .range(1, 7);
  Outer standard;
  const KeyManual manual(outer.any(), &standard, "thing");
  EXPECT_THAT(*manual.text("list.size"), HasSubstr("default  3KiB (a guess)"));
  EXPECT_THAT(*manual.text("list.size"), HasSubstr("at least 1KiB"));
  EXPECT_THAT(*manual.text("count"), HasSubstr("a whole number from 1 to 7"));
  EXPECT_THAT(*manual.text("thing"), HasSubstr("count  how many (default 2)"));
}

}  // namespace
}  // namespace weft::scenarios::language
