#include "protocols/state/message_state.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::protocols {
namespace {

MessageRecord message(std::uint32_t queue_pair) {
  MessageRecord record{};
  record.queue_pair = QueuePairId(queue_pair);
  record.first_sequence = 10;
  record.packets = 3;
  return record;
}

std::vector<std::uint32_t> queue_pairs(const MessageRecords& records) {
  std::vector<std::uint32_t> all;
  records.for_each([&all](const MessageRecord& m) { all.push_back(m.queue_pair.value()); });
  return all;
}

void remove(MessageRecords& records, std::uint32_t place) {
  records.end(place, {});
  records.forget(place);
  records.remove_forgotten();
}

TEST(MessageRecords, UsePlacesAgain) {
  MessageRecords records;
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(records.add(message(i)), i);
  const std::size_t bytes = records.memory_bytes();
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::uint32_t place = i % 16;
    remove(records, place);
    EXPECT_EQ(records.add(message(100 + i)), place);
    EXPECT_EQ(records[place].queue_pair, QueuePairId(100 + i));
  }
  EXPECT_EQ(records.memory_bytes(), bytes);
}

TEST(MessageRecords, VisitThoseThatAreThere) {
  MessageRecords records;
  for (std::uint32_t i = 0; i < 4; ++i) records.add(message(i));
  remove(records, 2);
  remove(records, 0);
  EXPECT_EQ(queue_pairs(records), (std::vector<std::uint32_t>{1, 3}));
  records.add(message(9));
  EXPECT_EQ(queue_pairs(records), (std::vector<std::uint32_t>{9, 1, 3}));
  EXPECT_EQ(records[0].last_sequence(), 12U);
}

TEST(MessageRecords, KeepWhatTheSenderIsDoneWithInThatOrderUntilItIsForgotten) {
  MessageRecords records;
  for (std::uint32_t i = 0; i < 5; ++i) records.add(message(i));
  const auto done = [&records] {
    std::vector<std::uint32_t> places;
    records.for_each_done([&](std::uint32_t place, const MessageRecord& m) {
      EXPECT_EQ(m.queue_pair, QueuePairId(place));
      places.push_back(place);
    });
    EXPECT_EQ(records.done(), places.size());
    return places;
  };
  for (const std::uint32_t place : {3U, 1U, 4U}) records.end(place, Picoseconds(7));
  EXPECT_EQ(done(), (std::vector<std::uint32_t>{3, 1, 4}));
  records.forget(1);
  records.remove_forgotten();
  EXPECT_EQ(done(), (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(records[3].acknowledged, Picoseconds(7));
  records.end(0, {});
  EXPECT_EQ(done(), (std::vector<std::uint32_t>{3, 4, 0}));
  EXPECT_EQ(records.add(message(1)), 1U);
}

}  // namespace
}  // namespace weft::protocols
