#include "protocols/state/message_state.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::protocols {
namespace {

MessageRecord message(std::uint32_t queue_pair) {
  MessageRecord record{};
  record.queue_pair = queue_pair;
  record.first_sequence = 10;
  record.packets = 3;
  return record;
}

std::vector<std::uint32_t> queue_pairs(const MessageRecords& records) {
  std::vector<std::uint32_t> all;
  records.for_each([&all](const MessageRecord& m) { all.push_back(m.queue_pair); });
  return all;
}

TEST(MessageRecords, UsePlacesAgain) {
  MessageRecords records;
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(records.add(message(i)), i);
  const std::size_t bytes = records.memory_bytes();
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::uint32_t place = i % 16;
    records.remove(place);
    EXPECT_EQ(records.add(message(100 + i)), place);
    EXPECT_EQ(records[place].queue_pair, 100 + i);
  }
  EXPECT_EQ(records.memory_bytes(), bytes);
}

TEST(MessageRecords, VisitThoseThatAreThere) {
  MessageRecords records;
  for (std::uint32_t i = 0; i < 4; ++i) records.add(message(i));
  records.remove(2);
  records.remove(0);
  EXPECT_EQ(queue_pairs(records), (std::vector<std::uint32_t>{1, 3}));
  records.add(message(9));
  EXPECT_EQ(queue_pairs(records), (std::vector<std::uint32_t>{9, 1, 3}));
  EXPECT_EQ(records[0].last_sequence(), 12U);
}

}  // namespace
}  // namespace weft::protocols
