#include "simcore/engine/link.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

#include "tests/support/draws.hpp"

namespace weft {
namespace {

void push(Link& link, ChunkPool& pool, std::int64_t stamp, std::uint32_t number) {
  link.data_in.push(Picoseconds(stamp), pool, [&](Packet& packet) {
    packet = {};
    packet.sequence = number;
  });
}

// Against a deque: packets in any mixture of all ways to take them, over many chunks of 15.
TEST(Link, HandsOutPacketsInTheOrderInWhichTheyWereSent) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    testing::Draws draws(seed);
    ChunkPool pool;
    Link link;
    std::deque<std::pair<std::int64_t, std::uint32_t>> wire;
    std::uint32_t sent = 0;
    std::int64_t now = 0;
    const auto expect_front = [&](const Packet& packet) {
      ASSERT_FALSE(wire.empty());
      ASSERT_EQ(packet.stamp, wire.front().first);
      ASSERT_EQ(packet.sequence, wire.front().second);
    };
    for (int i = 0; i < 1000; ++i) {
      for (std::uint64_t n = draws.below(40); n > 0; --n) {
        now += draws.between(0, 3);
        push(link, pool, now, sent);
        wire.emplace_back(now, sent++);
      }
      ASSERT_EQ(link.in_flight(), wire.size());
      std::size_t at = 0;
      link.data_out.for_each(link.data_in, [&](const Packet& packet) {
        ASSERT_EQ(packet.sequence, wire[at++].second);
      });
      ASSERT_EQ(at, wire.size());
      for (std::uint64_t n = draws.below(20); n > 0 && !wire.empty(); --n) {
        expect_front(*link.data_out.front(link.data_in));
        expect_front(link.data_out.take(link.data_in, pool));
        wire.pop_front();
      }
      const std::int64_t end = now - draws.between(0, 40);
      link.data_out.take_until(Picoseconds(end), link.data_in, pool, [&](const Packet& packet) {
        expect_front(packet);
        ASSERT_LT(packet.stamp, end);
        wire.pop_front();
      });
      const Packet* const next = link.data_out.front(link.data_in);
      ASSERT_EQ(next == nullptr, wire.empty());
      if (next != nullptr) {
        ASSERT_GE(next->stamp, end);
      }
    }
  }
}

TEST(Link, GivesItsMemoryBackToWhoeverTakesPackets) {
  ChunkPool pool;
  Link link;
  for (std::uint32_t i = 0; i < 15 * 200; ++i) push(link, pool, i, i);
  const std::size_t after_one_round = pool.allocated_bytes();
  for (std::uint32_t round = 0; round < 100; ++round) {
    while (link.in_flight() > 0) (void)link.data_out.take(link.data_in, pool);
    for (std::uint32_t i = 0; i < 15 * 200; ++i) push(link, pool, i, i);
  }
  EXPECT_EQ(pool.allocated_bytes(), after_one_round);
}

TEST(Link, KeepsItsTwoQueuesApart) {
  ChunkPool pool;
  Link link;
  push(link, pool, 5, 1);
  link.control_in.push(Picoseconds(4), pool, [](Packet& packet) {
    packet = {};
    packet.word = 9;
  });
  EXPECT_EQ(link.in_flight(), 1U);
  EXPECT_EQ(link.control_out.take(link.control_in, pool).word, 9U);
  EXPECT_EQ(link.control_out.front(link.control_in), nullptr);
  EXPECT_EQ(link.data_out.take(link.data_in, pool).sequence, 1U);
}

// Whoever sees the count of packets sees the packets: under the thread sanitizer, too.
TEST(Link, IsReadByOneThreadWhileAnotherOneWrites) {
  constexpr std::uint32_t kPackets = 200'000;
  ChunkDepot depot;
  ChunkPool writers;
  ChunkPool readers;
  writers.exchange_by(depot);
  readers.exchange_by(depot);
  Link link;
  std::thread writer([&] {
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      push(link, writers, i, i);
      if (i % 1024 == 0) std::this_thread::yield();
    }
  });
  std::uint32_t next = 0;
  bool is_in_order = true;
  while (next < kPackets) {
    link.data_out.take_until(
        Picoseconds(kPackets), link.data_in, readers, [&](const Packet& packet) {
          is_in_order = is_in_order && packet.sequence == next && packet.stamp == next;
          ++next;
        });
    std::this_thread::yield();
  }
  writer.join();
  EXPECT_TRUE(is_in_order);
  EXPECT_EQ(link.in_flight(), 0U);
}

// Against a deque; bytes are those of the packets that wait.
TEST(PacketQueue, IsAFifoThatKnowsItsBytes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    testing::Draws draws(seed);
    ChunkPool pool;
    PacketQueue queue;
    std::deque<Packet> model;
    std::int64_t bytes = 0;
    for (std::uint32_t i = 0; i < 5000; ++i) {
      const bool grows = i / 500 % 2 == 0;
      if (model.empty() || draws.one_in(3) != grows) {
        Packet packet;
        packet.sequence = i;
        packet.size = static_cast<std::uint16_t>(draws.between(1, 9000));
        model.push_back(packet);
        bytes += packet.size;
        EXPECT_EQ(queue.push(packet, pool).sequence, i);
      } else {
        ASSERT_EQ(queue.front().sequence, model.front().sequence);
        ASSERT_EQ(queue.pop(pool).sequence, model.front().sequence);
        bytes -= model.front().size;
        model.pop_front();
      }
      ASSERT_EQ(queue.size(), model.size());
      ASSERT_EQ(queue.empty(), model.empty());
      ASSERT_EQ(queue.bytes(), Bytes(bytes));
      if (i % 50 == 0) {
        const auto max = static_cast<std::uint32_t>(draws.below(40));
        std::size_t at = 0;
        queue.for_first(
            max, [&](const Packet& packet) { ASSERT_EQ(packet.sequence, model[at++].sequence); });
        ASSERT_EQ(at, std::min<std::size_t>(max, model.size()));
      }
    }
  }
}

// What is taken lies where it lay until its memory is reclaimed, also at the end of a chunk.
TEST(PacketQueue, LeavesATakenPacketInItsPlaceUntilItIsReclaimed) {
  ChunkPool pool;
  PacketQueue queue;
  for (std::uint32_t i = 0; i < 40; ++i) {
    Packet packet;
    packet.sequence = i;
    packet.size = 100;
    queue.push(packet, pool);
  }
  for (std::uint32_t i = 0; i < 40; ++i) {
    const Packet& packet = queue.take();
    EXPECT_EQ(packet.sequence, i);
    EXPECT_EQ(queue.size(), 39 - i);
    EXPECT_EQ(packet.sequence, i);
    queue.reclaim(pool);
  }
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), Bytes(0));
}

}  // namespace
}  // namespace weft
