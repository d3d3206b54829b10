#include "simcore/base/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace weft {
namespace {

TEST(Error, ShowsOnlyTheKnownPartsOfItsPlace) {
  EXPECT_EQ((Error{"bad", {}}.to_string()), "bad");
  EXPECT_EQ((Error{"bad", {"a.yaml", 0, 0, ""}}.to_string()), "a.yaml: bad");
  EXPECT_EQ((Error{"bad", {"a.yaml", 3, 0, ""}}.to_string()), "a.yaml:3: bad");
  EXPECT_EQ((Error{"bad", {"a.yaml", 3, 9, "jobs[2].size"}}.to_string()),
            "a.yaml:3:9: jobs[2].size: bad");
  EXPECT_EQ((Error{"bad", {"", 3, 9, "seed"}}.to_string()), "seed: bad");
}

TEST(Result, HoldsAValue) {
  const Result<int> result = 42;
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result.value(), 42);
}

TEST(Result, HoldsAllErrorsInOrder) {
  const Result<int> result = Errors{{"first", {}}, {"second", {}}};
  ASSERT_FALSE(result.ok());
  ASSERT_EQ(result.errors().size(), 2U);
  EXPECT_EQ(result.errors()[0].message, "first");
  EXPECT_EQ(result.errors()[1].message, "second");
}

TEST(Result, OneErrorIsAListOfOne) {
  const Result<std::string> result = Error{"only", {"a.yaml", 1, 2, "seed"}};
  ASSERT_FALSE(result.ok());
  ASSERT_EQ(result.errors().size(), 1U);
  EXPECT_EQ(result.errors()[0].where.key, "seed");
}

TEST(Result, MovesOutWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> value = std::move(result).value();
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(*value, 7);
}

}  // namespace
}  // namespace weft
