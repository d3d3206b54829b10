// A digit that somebody changed, a line that is missing, a file that was cut.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/evidence/mutations.hpp"

namespace weft::evidence {
namespace {

TEST(Mutations, CopiesAreRefusedOrReadAsWhatTheyNowSay) { read_mutated(300, 1); }

// What was cut is named as what it was, with where it ends; nothing of JSON is used.
TEST(Mutations, CutFilesAreStillRecognised) {
  for (const char* name : kMutated) {
    const std::string text = text_of(name);
    const Form* whole = recognise(InputFile(name, text));
    ASSERT_NE(whole, nullptr) << name;
    for (std::size_t tenths = 5; tenths < 10; ++tenths) {
      const InputFile cut(name, text.substr(0, text.size() * tenths / 10));
      EXPECT_EQ(recognise(cut), whole) << name << " " << tenths;
      if (text.front() != '{' || whole->name == "inspector") continue;
      Measurements m;
      read_file(cut, nullptr, m);
      EXPECT_THAT(said(m), ::testing::HasSubstr("error: is no whole JSON")) << name;
    }
  }
}

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
