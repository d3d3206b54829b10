#include "simcore/schema/callback.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace weft::schema {
namespace {

struct Pair {
  int first = 1;
  int second = 2;
};

TEST(Callback, IsEmptyUntilAFunctionIsGiven) {
  Callback<int(int)> callback;
  EXPECT_FALSE(callback);
  callback = [](int x) { return x + 1; };
  ASSERT_TRUE(callback);
  EXPECT_EQ(callback(2), 3);
}

TEST(Callback, KeepsAPointerToAMember) {
  const auto to = [](int Pair::*member) -> Callback<int&(Pair&)> {
    return [member](Pair& pair) -> int& { return std::invoke(member, pair); };
  };
  Pair pair;
  to (&Pair::second)(pair) = 5;
  EXPECT_EQ(pair.first, 1);
  EXPECT_EQ(pair.second, 5);
}

// Two words are kept in place, three are not, and neither is what has a destructor.
TEST(Callback, CopiesOutliveWhatTheyWereCopiedFrom) {
  const auto kept = std::make_shared<int>(7);
  const std::array<std::int64_t, 3> large{1, 2, 3};
  auto of_text = std::make_unique<Callback<std::string()>>(
      [text = std::string("longer than a short string is")] { return text; });
  auto of_large = std::make_unique<Callback<std::int64_t()>>([large] { return large[2]; });
  auto of_shared = std::make_unique<Callback<int()>>([kept] { return *kept; });
  const Callback<std::string()> text = *of_text;
  const Callback<std::int64_t()> third = *of_large;
  const Callback<int()> number = *of_shared;
  of_text.reset();
  of_large.reset();
  of_shared.reset();
  EXPECT_EQ(text(), "longer than a short string is");
  EXPECT_EQ(third(), 3);
  EXPECT_EQ(number(), 7);
  EXPECT_EQ(kept.use_count(), 2) << "one lambda, shared by the copies";
}

}  // namespace
}  // namespace weft::schema
