#include "protocols/observation/stall_log.hpp"
#include "simcore/base/id_vector.hpp"

#include <gtest/gtest.h>

namespace weft::protocols {
namespace {

// Waits of 30 ns every 100 ns, in two classes by turns of a thousand: a hundred thousand of them in
// at most 64 entries, which overlap nowhere within a class and lose nothing of the time.
TEST(StallLog, KeepsTheTimeInBoundedMemory) {
  StallLog log;
  IdArray<ClassId, std::int64_t, 2> sum;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    const ClassId c(static_cast<std::size_t>(i / 1000 % 2));
    log.add(c, Picoseconds(i * 100'000), Picoseconds(i * 100'000 + 30'000), 64);
    sum[c] += 30'000;
    ASSERT_LT(log.entries().size(), 64U);
  }
  IdArray<ClassId, std::int64_t, 2> kept;
  for (const StallLog::Entry& e : log.entries()) {
    EXPECT_LE(e.stalled, e.end - e.start);
    kept[e.traffic_class] += e.stalled.count();
    for (const StallLog::Entry& other : log.entries()) {
      if (&other == &e || other.traffic_class != e.traffic_class) continue;
      EXPECT_TRUE(other.end <= e.start || e.end <= other.start);
    }
  }
  for (const ClassId c : all_classes(2)) EXPECT_EQ(kept[c], sum[c]);
  EXPECT_GT(log.entries().size(), 8U) << "or the times are not worth much";
}

TEST(StallLog, IsExactWhileThereAreFew) {
  StallLog log;
  for (std::int64_t i = 0; i < 60; ++i) {
    log.add(ClassId(), Picoseconds(i * 1000), Picoseconds(i * 1000 + 1 + i), 64);
  }
  ASSERT_EQ(log.entries().size(), 60U);
  EXPECT_EQ(log.entries()[59].start, Picoseconds(59'000));
  EXPECT_EQ(log.entries()[59].end, Picoseconds(59'060));
}

}  // namespace
}  // namespace weft::protocols
