#include "simcore/engine/worker_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
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
      const bool is_backwards = round % 2 != 0;
      shares.begin(is_backwards);
      auto work = [&](std::uint32_t self) {
        ++takers[self];
        EXPECT_NE(std::exchange(latest[self], round), round) << self;
        shares.take(self, [&](WorkSplit::Range block, WorkSplit::Range rest) {
          EXPECT_LE(rest.first, block.first);
          EXPECT_GE(rest.last, block.last);
          EXPECT_EQ(is_backwards ? rest.last : rest.first, is_backwards ? block.last : block.first);
          for (std::uint32_t i = block.first; i < block.last; ++i) visits[i] += weights[i];
          return block.last - block.first;
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
  shares.begin(false);
  shares.take(0, [](WorkSplit::Range block, WorkSplit::Range) {
    std::uint64_t cost = 0;
    for (std::uint32_t i = block.first; i < block.last; ++i) cost += i < 10 ? 9 : 1;
    return cost;
  });
  shares.balance();
  shares.begin(false);
  std::uint32_t seen = 0;
  bool is_first = true;
  shares.take(1, [&](WorkSplit::Range block, WorkSplit::Range) {  // its own run comes first
    if (is_first) seen = block.first;
    is_first = false;
    return 1;
  });
  EXPECT_NEAR(seen, 10, 4);
}

TEST(WorkSplit, OneWhoIsThroughWaitsHalfAsLongAsItsRunTookBeforeItHelps) {
  // Four things in two runs; the other thread never comes. In the first round this one waits, and
  // in the eight after that it does not: in one of them, at least, nobody else needs the core.
  using Clock = std::chrono::steady_clock;
  const Clock::duration work = std::chrono::milliseconds(10);
  WorkSplit shares(std::vector<std::uint32_t>(4, 1), 2);
  const auto own_and_wait = [&] {
    std::vector<Clock::time_point> begins;
    Clock::time_point end;
    shares.begin(false);
    shares.take(0, [&](WorkSplit::Range block, WorkSplit::Range) {
      begins.push_back(Clock::now());
      if (block.first >= 2) return 1;
      std::this_thread::sleep_for(work);
      end = Clock::now();
      return 1;
    });
    EXPECT_EQ(begins.size(), 4U);
    return std::pair(end - begins.at(0), begins.at(2) - end);
  };
  shares.begin(false);
  shares.take(0, [](WorkSplit::Range, WorkSplit::Range) { return 1; });
  shares.balance();
  for (int i = 0; i < 8; ++i) static_cast<void>(own_and_wait());
  const auto [own, waited] = own_and_wait();
  EXPECT_GE(waited, own / 2);
  Clock::duration shortest = Clock::duration::max();
  for (int i = 0; i < 8; ++i) shortest = std::min(shortest, own_and_wait().second);
  EXPECT_LT(shortest, work / 2);
  EXPECT_GE(own_and_wait().second, work / 2);
}

TEST(WorkSplit, OneWhoIsThroughLeavesOthersWhatTheyAreAt) {
  // Eight blocks of 1 ms, beside eight of 1.25: the quicker thread waits 2 ms of the 4 that it may.
  using std::chrono::microseconds;
  WorkerPool pool(2, true);
  WorkSplit shares(std::vector<std::uint32_t>(16, 1), 2);
  shares.begin(false);
  shares.take(0, [](WorkSplit::Range, WorkSplit::Range) { return 1; });
  shares.balance();
  std::array<std::vector<std::uint32_t>, 2> taken;
  bool met = false;
  for (int attempt = 0; attempt < 50 && !met; ++attempt) {  // where the core is not taken away
    for (auto& of_thread : taken) of_thread.clear();
    shares.begin(false);
    auto work = [&](std::uint32_t self) {
      shares.take(self, [&](WorkSplit::Range block, WorkSplit::Range) {
        taken[self].push_back(block.first);
        std::this_thread::sleep_for(microseconds(self == 0 ? 1250 : 1000));
        return 1;
      });
    };
    pool.run(work);
    met = taken[0].size() == 8 && taken[1].size() == 8;
  }
  EXPECT_TRUE(met) << taken[0].size() << " and " << taken[1].size();
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
