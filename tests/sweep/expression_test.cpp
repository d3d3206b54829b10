#include "tools/sweep/language/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace weft::testing {
namespace {

using sweep::Expression;
using sweep::Operand;

bool holds(const std::string& text) {
  const auto parsed = Expression::parse(text);
  if (!std::holds_alternative<Expression>(parsed)) {
    ADD_FAILURE() << text << " " << std::get<std::string>(parsed);
    return false;
  }
  return std::get<Expression>(parsed).holds([](const std::string& name) -> Operand {
    static const std::map<std::string, Operand> values{
        {"kmin", 100e3}, {"fabric.ecn.kmax", 400e3}, {"jobs[0].size", 1048576.0}, {"fc", "none"}};
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : found->second;
  });
}

std::string problem(const std::string& text) {
  const auto parsed = Expression::parse(text);
  const auto* sentence = std::get_if<std::string>(&parsed);
  return sentence == nullptr ? "none" : *sentence;
}

TEST(Expression, ComparesNamesNumbersAndQuantities) {
  EXPECT_TRUE(holds("kmin < fabric.ecn.kmax"));
  EXPECT_FALSE(holds("kmin >= fabric.ecn.kmax"));
  EXPECT_TRUE(holds("kmin == 100KB"));
  EXPECT_TRUE(holds("jobs[0].size == 1MiB"));
  EXPECT_TRUE(holds("jobs[0].size != 1MB"));
  EXPECT_TRUE(holds("fc == 'none'"));
  EXPECT_FALSE(holds("fc != 'none'"));
}

TEST(Expression, SharesMayBePerCent) {
  EXPECT_TRUE(holds("kmin == 25% * fabric.ecn.kmax"));
  EXPECT_FALSE(holds("kmin < 25 % * fabric.ecn.kmax"));
  EXPECT_THAT(problem("kmin < 25KB%"), HasSubstr("does not end at `%`"));
}

TEST(Expression, ExpectationsReadHyphensOfNamesAndRatesInBytes) {
  const auto read = Expression::read("jobs.all-reduce.busbw_bytes_per_second >= 8Gbps - 1",
                                     sweep::Dialect::kExpectation);
  ASSERT_TRUE(std::holds_alternative<Expression>(read));
  const auto& expectation = std::get<Expression>(read);
  EXPECT_EQ(expectation.names(),
            std::vector<std::string>{"jobs.all-reduce.busbw_bytes_per_second"});
  const auto holds_at = [&expectation](double value) {
    return expectation.holds([value](const std::string&) -> Operand { return value; });
  };
  EXPECT_TRUE(holds_at(1e9 - 1));
  EXPECT_FALSE(holds_at(1e9 - 2));
}

TEST(Expression, ProblemsHavePlaces) {
  const auto place = [](const std::string& text) {
    const auto read = Expression::read(text, sweep::Dialect::kExpectation);
    const auto* problem = std::get_if<sweep::ExpressionProblem>(&read);
    return problem == nullptr ? -1 : static_cast<int>(problem->place);
  };
  EXPECT_EQ(place("x < 5furlongs"), 4);
  EXPECT_EQ(place("x <"), 3);
  EXPECT_EQ(place("x"), 1);
  EXPECT_EQ(place("x < 1 y"), 6);
  EXPECT_EQ(place("x < 1"), -1);
}

TEST(Expression, ProductsBindTighterThanSumsAndAndTighterThanOr) {
  // 2 * 100 + 200 = 400, and (2 * (100 + 200)) = 600 KB.
  EXPECT_TRUE(holds("2 * kmin + 200KB == fabric.ecn.kmax"));
  EXPECT_TRUE(holds("2 * (kmin + 200KB) == 600KB"));
  EXPECT_TRUE(holds("fabric.ecn.kmax / kmin - 1 == 3"));
  // true or (false and false); read the other way round it would be false.
  EXPECT_TRUE(holds("kmin > 0 or kmin < 0 and kmin < 0"));
}

TEST(Expression, WhatHasNoValueDoesNotHold) {
  EXPECT_FALSE(holds("missing < 1"));
  EXPECT_FALSE(holds("missing >= 1"));
  EXPECT_FALSE(holds("missing != missing"));
  EXPECT_FALSE(holds("fc < 1"));
  EXPECT_FALSE(holds("kmin / 0 == 1"));
}

// A size is not smaller than a time, whatever the numbers are.
TEST(Expression, QuantitiesOfDifferentKindsDoNotMeet) {
  const auto problem_of = [](const std::string& text) {
    return std::get<Expression>(Expression::parse(text)).unit_problem([](const std::string& name) {
      return name == "size" ? "B" : name == "time" ? "s" : "";
    });
  };
  EXPECT_EQ(problem_of("size < 1ms"), "compares B with s");
  EXPECT_EQ(problem_of("time == 1KB"), "compares s with B");
  EXPECT_EQ(problem_of("count < 3 and size + time > 0"), "adds B and s");
  EXPECT_EQ(problem_of("2 * size < time"), "compares B with s");
  EXPECT_EQ(problem_of("size - 1us > 0"), "adds B and s");
  for (const char* fine :
       {"size < 1MB", "size < 1000", "2 * size + 1KB <= 4 * size", "size / time > 1Gbps",
        "size / 1KB < 7", "count < 1ms", "time / size < 2", "size * time > 0", "size == 'text'"}) {
    EXPECT_EQ(problem_of(fine), "") << fine;
  }
}

TEST(Expression, SaysWhatIsWrong) {
  using ::testing::HasSubstr;
  EXPECT_THAT(problem("kmin"), HasSubstr("has no comparison"));
  EXPECT_THAT(problem("kmin < "), HasSubstr("lacks a value"));
  EXPECT_THAT(problem("kmin < 3furlongs"), HasSubstr("`3furlongs`, which is not a number"));
  EXPECT_THAT(problem("(kmin < 3"), HasSubstr("lacks a `)`"));
  EXPECT_THAT(problem("kmin < 3 4"), HasSubstr("does not end"));
  EXPECT_THAT(problem("fc == 'none"), HasSubstr("closing quote"));
  EXPECT_THAT(problem(std::string(400, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(problem(std::string(2'000, 'a')), HasSubstr("too long"));
}

}  // namespace
}  // namespace weft::testing
