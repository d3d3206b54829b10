// Copies of successive originals wait as one packet of a scale-up switch's queue: what comes out of
// it is what went in, one by one, whatever else waits between them and wherever members miss some.

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "protocols/state/in_network.hpp"
#include "simcore/engine/chunk.hpp"
#include "tests/support/draws.hpp"

namespace weft::protocols {
namespace {

constexpr std::uint32_t kMembers = 3;
constexpr std::uint32_t kOthers = 1'000'000;  ///< flows that are no copies

/// A scale-up switch that hands originals to queues, beside queues that hold every packet.
class Copies {
 public:
  explicit Copies(std::uint64_t seed) : draws_(seed) {}

  /// An original, of which members have a copy each but for those behind a link that is down.
  void repeat() {
    Packet packet;
    packet.flow = 100 + 10 * static_cast<std::uint32_t>(draws_.below(4));  // of several senders
    packet.sequence = sequence_++;
    packet.size = static_cast<std::uint16_t>(64 + draws_.below(4000));
    packet.word = static_cast<std::uint32_t>(draws_.below(1U << 30U));
    packet.ttl = 8;
    const auto chain = static_cast<std::uint8_t>(draws_.below(2));
    const std::uint32_t place =
        table_.add({.packet = packet, .copies = kMembers, .ingress = 0, .chain = chain});
    for (std::uint32_t m = 0; m < kMembers; ++m) {
      if (draws_.one_in(20)) {
        (void)table_.remove_copy(place);
        continue;
      }
      Packet copy = packet;
      copy.flow += m;
      copy.set_destination(m);
      push(m, copy, place);
    }
  }
  /// Something else, at one of the queues.
  void put_other() {
    Packet packet;
    packet.flow = kOthers + sequence_++;
    packet.size = 100;
    const std::uint64_t m = draws_.below(kMembers);
    queues_[m].push(packet, pool_).stamp = std::int64_t{kNothingPending} << kTailShift;
    expected_[m].push_back(packet);
  }
  void take() {
    const std::uint64_t m = draws_.below(kMembers);
    if (expected_[m].empty()) return;
    PacketQueue& queue = queues_[m];
    const Packet oldest = queue.front();
    if (is_copy(oldest) && CopyTable::followers(oldest) > 0) {
      queue.expand(table_.follower(oldest));
      ++coalesced_;
    } else {
      (void)queue.pop(pool_);
    }
    const Packet& wanted = expected_[m].front();
    EXPECT_EQ(oldest.flow, wanted.flow);
    EXPECT_EQ(oldest.sequence, wanted.sequence);
    EXPECT_EQ(oldest.size, wanted.size);
    EXPECT_EQ(oldest.word, wanted.word);
    EXPECT_EQ(oldest.destination(), wanted.destination());
    if (is_copy(oldest)) {
      EXPECT_EQ(oldest.ttl, wanted.ttl - 1);
      (void)table_.remove_copy(pending_of(oldest) - pending_original(0));
    }
    expected_[m].pop_front();
    check(m);
  }
  [[nodiscard]] bool one_in(std::uint64_t n) { return draws_.one_in(n); }
  [[nodiscard]] bool empty() const {
    return expected_[0].empty() && expected_[1].empty() && expected_[2].empty();
  }
  [[nodiscard]] std::uint64_t coalesced() const { return coalesced_; }
  /// Originals that wait for a copy to leave.
  [[nodiscard]] std::uint32_t held() const {
    std::uint32_t held = 0;
    for (const CopyTable::Original& original : table_.originals()) held += original.copies > 0;
    return held;
  }

 private:
  void push(std::uint32_t m, const Packet& copy, std::uint32_t place) {
    PacketQueue& queue = queues_[m];
    if (!queue.empty() && table_.coalesce(queue.back(), copy, place)) {
      queue.coalesce(copy.wire_size());
    } else {
      Packet& waiting = queue.push(copy, pool_);
      waiting.stamp = std::int64_t{pending_original(place)} << kTailShift;
      --waiting.ttl;
    }
    expected_[m].push_back(copy);
    check(m);
  }
  void check(std::uint64_t m) const {
    Bytes bytes;
    for (const Packet& packet : expected_[m]) bytes += packet.wire_size();
    EXPECT_EQ(queues_[m].bytes(), bytes);
    EXPECT_EQ(queues_[m].size() + queues_[m].coalesced(), expected_[m].size());
  }

  testing::Draws draws_;
  ChunkPool pool_;
  CopyTable table_;
  PacketQueue queues_[kMembers];
  std::deque<Packet> expected_[kMembers];
  std::uint32_t sequence_ = 0;
  std::uint64_t coalesced_ = 0;
};

TEST(Copies, ComeOutOneByOneAsTheyWentIn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Copies copies(seed);
    for (int i = 0; i < 2'000; ++i) {
      // Queues grow for a while, then shrink.
      if (copies.one_in(i % 500 < 250 ? 2 : 5)) copies.repeat();
      if (copies.one_in(30)) copies.put_other();
      copies.take();
      copies.take();
    }
    while (!copies.empty()) copies.take();
    EXPECT_EQ(copies.held(), 0U);
    EXPECT_GT(copies.coalesced(), 100U) << "seed " << seed;
  }
}

TEST(RoundCounts, TellHowFarARoundIsAheadBeyondTheirRange) {
  // As a sender uses them: never more than a window ahead.
  for (const std::uint32_t window : {1U, 16U, 255U, 256U, 4'096U}) {
    RoundCounts counts(2, 3, window);  // of two members with three links
    counts.add(1, 2);
    testing::Draws draws(window);
    std::uint32_t round = 0;
    std::uint32_t done = 0;
    for (int i = 0; i < 200'000; ++i) {
      ASSERT_EQ(counts.ahead(0, 1, round), round - done);
      if (round - done < window && draws.one_in(2)) ++round;
      if (round > done && draws.one_in(3)) {
        counts.add(0, 1);
        ++done;
      }
    }
    EXPECT_EQ(counts.ahead(1, 2, 1), 0U);
  }
}

}  // namespace
}  // namespace weft::protocols
