#include <gtest/gtest.h>

#include "tests/evidence/mutations.hpp"

namespace weft::evidence {
namespace {

TEST(MutationsFull, TenThousandCopiesOfEachSampleAreRefusedOrReadAsWhatTheyNowSay) {
  read_mutated(10000, 2);
}

}  // namespace
}  // namespace weft::evidence
