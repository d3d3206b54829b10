#include "collectives/runtime/retiring_log.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace weft::collectives {
namespace {

TEST(RetiringLog, KeepsNumbersOfWhatItHasNotForgotten) {
  RetiringLog<std::size_t> log;
  EXPECT_TRUE(log.empty());
  for (std::size_t i = 0; i < 1000; ++i) {
    log.push_back(3 * i);
    log.forget_before(i / 2);
    EXPECT_EQ(log.first(), i / 2);
    EXPECT_EQ(log.size(), i + 1);
    for (std::size_t k = log.first(); k < log.size(); ++k) ASSERT_EQ(log[k], 3 * k);
  }
  EXPECT_EQ(log.back(), 2997U);
}

TEST(RetiringLog, ForgetsAllAndGoesOn) {
  RetiringLog<int> log;
  for (int i = 0; i < 40; ++i) log.push_back(i);
  log.forget_before(100);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(log.first(), 40U) << "what is not there yet cannot be forgotten";
  log.push_back(40);
  EXPECT_EQ(log[40], 40);
  log.forget_before(7);
  EXPECT_EQ(log.first(), 40U) << "nothing comes back";
}

TEST(RetiringLog, FindsWhereAnOrderedListIsCut) {
  RetiringLog<std::size_t> log;
  for (std::size_t i = 0; i < 100; ++i) log.push_back(i);
  log.forget_before(30);
  for (std::size_t cut = 0; cut <= 100; ++cut) {
    const std::size_t found = log.partition_point([cut](std::size_t x) { return x < cut; });
    EXPECT_EQ(found, cut < 30 ? 30 : cut);
  }
}

}  // namespace
}  // namespace weft::collectives
