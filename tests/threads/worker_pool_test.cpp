#include "simcore/engine/worker_pool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "simcore/engine/chunk.hpp"
#include "simcore/engine/work_split.hpp"

namespace weft::testing {
namespace {

TEST(WorkerPool, VisitsEveryBlockOncePerRoundWhoeverTakesPart) {
  // 1,000 things of unequal weight, 2,000 rounds: each is counted once a round, and what one round
  // wrote is seen by the next, whichever thread runs it. Where all are waited for, that is in the
  // first 256 rounds and in every sixteenth later; a thread that comes late to others does not take
  // part twice.
  constexpr std::size_t kThings = 1'000;
  constexpr std::uint64_t kRounds = 2'000;
  constexpr std::uint64_t kAwaited = 256 + (kRounds - 256) / 16;
  for (const bool waits_for_all : {false, true}) {
    WorkerPool pool(4, waits_for_all);
    std::vector<std::uint32_t> weights(kThings);
    for (std::size_t i = 0; i < kThings; ++i) weights[i] = 1 + static_cast<std::uint32_t>(i % 17);
    WorkSplit shares(weights, pool.size());
    std::vector<std::uint64_t> visits(kThings);
    std::vector<std::uint64_t> takers(pool.size());
    std::vector<std::uint64_t> latest(pool.size(), kRounds);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      if (round % 16 == 0) shares.balance();
      shares.begin();
      auto work = [&](std::uint32_t self) {
        ++takers[self];
        EXPECT_NE(std::exchange(latest[self], round), round) << self;
        shares.take(self, [&](std::uint32_t first, std::uint32_t last) {
          for (std::uint32_t i = first; i < last; ++i) visits[i] += weights[i];
          return last - first;
        });
      };
      pool.run(work);
    }
    for (std::size_t i = 0; i < kThings; ++i) ASSERT_EQ(visits[i], kRounds * weights[i]) << i;
    EXPECT_EQ(takers[0], kRounds);
    if (waits_for_all) {
      for (const std::uint64_t rounds : takers) EXPECT_GE(rounds, kAwaited);
    }
  }
}

TEST(WorkerPool, ThrowsWhatAnyThreadThrewAndGoesOnWorking) {
  WorkerPool pool(3, true);
  ASSERT_EQ(pool.size(), 3U);
  for (const std::uint32_t failing : {0U, 1U, 2U}) {
    std::atomic<int> ended{0};
    auto work = [&](std::uint32_t self) {
      if (self == failing) throw std::runtime_error("thread " + std::to_string(self));
      ++ended;
    };
    try {
      pool.run(work);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "thread " + std::to_string(failing));
    }
    EXPECT_EQ(ended, 2);
  }
  std::atomic<int> calls{0};
  auto work = [&](std::uint32_t) { ++calls; };
  pool.run(work);
  EXPECT_EQ(calls, 3);
}

TEST(WorkSplit, BalanceGivesEveryThreadTheSameCost) {
  // The first 10 of 100 things cost 9 times as much as the others: (90 + 90) / 2 per thread. Two
  // threads have 32 blocks of about 3 things, so the first one gets 10 things or the block more.
  WorkSplit shares(std::vector<std::uint32_t>(100, 1), 2);
  EXPECT_GE(shares.block_count(), 25u);
  shares.begin();
  shares.take(0, [](std::uint32_t first, std::uint32_t last) {
    std::uint64_t cost = 0;
    for (std::uint32_t i = first; i < last; ++i) cost += i < 10 ? 9 : 1;
    return cost;
  });
  shares.balance();
  shares.begin();
  std::uint32_t seen = 0;
  bool is_first = true;
  shares.take(1, [&](std::uint32_t first, std::uint32_t) {  // its own run comes first
    if (is_first) seen = first;
    is_first = false;
    return 1;
  });
  EXPECT_NEAR(seen, 10, 4);
}

TEST(ChunkPool, WhatOneThreadGivesBackAnotherTakesAgain) {
  // One pool only takes and the other only gives back, as the threads of senders and of receivers.
  // 100,000 chunks pass; without the exchange each would be new memory: 51 MB. With it, no more is
  // needed than is under way (100 chunks) and what pools hold back, two batches and one begun each.
  ChunkDepot depot;
  ChunkPool maker;
  ChunkPool consumer;
  maker.exchange_by(depot);
  consumer.exchange_by(depot);
  for (int round = 0; round < 1'000; ++round) {
    std::array<Chunk*, 100> chunks;
    for (Chunk*& chunk : chunks) chunk = maker.take();
    for (Chunk* chunk : chunks) consumer.give_back(chunk);
  }
  EXPECT_LE(maker.allocated_bytes(), 6 * ChunkPool::kBatch * sizeof(Chunk));
  EXPECT_EQ(consumer.allocated_bytes(), 0u);
}

}  // namespace
}  // namespace weft::testing
