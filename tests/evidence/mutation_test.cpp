// A digit that somebody changed, a line that is missing, a file that was cut.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/evidence/mutations.hpp"

namespace weft::evidence {
namespace {

TEST(Mutations, CopiesAreRefusedOrReadAsWhatTheyNowSay) { read_mutated(300, 1); }

// Every digit of every number of a row: it checks, or it is refused. Those of `#wrong` make a
// finding of it.
TEST(Mutations, EveryDigitOfARowOfNcclTestsCounts) {
  const std::string text = text_of("logs/nccl-tests-2.17.8-allreduce-4n-slow.txt");
  const std::size_t begin = text.find("   67108864 ");
  const std::size_t end = text.find('\n', begin);
  int refused = 0;
  int accepted = 0;
  for (std::size_t at = begin; at < end; ++at) {
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) continue;
    for (char digit = '0'; digit <= '9'; ++digit) {
      if (digit == text[at]) continue;
      std::string copy = text;
      copy[at] = digit;
      const Measurements m = read_text(copy);
      if (m.series.empty()) {
        ++refused;
        EXPECT_FALSE(m.remarks.empty());
      } else {
        ++accepted;
        TakenNumbers(copy).check(m);
      }
    }
  }
  // The last digits of times and bandwidths are within a thousandth, which rows may be off.
  EXPECT_GT(refused, 4 * accepted);
}

}  // namespace
}  // namespace weft::evidence
