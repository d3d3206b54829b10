#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/pairwise_all_to_all.hpp"
#include "collectives/ring_all_reduce.hpp"
#include "tests/collectives/ideal_run.hpp"

// Proofs by interpretation: the programs of all ranks are run on symbols instead of numbers. A
// piece of data is the count of times that each rank's contribution is in it, so a sum that misses
// a rank or has one twice is told from the right one.
namespace weft::collectives {
namespace {

using Contributions = std::vector<int>;  // by rank

struct Message {
  Contributions data;
  Bytes size;
  std::uint32_t chunk;
};

class Interpreter {
 public:
  /// [rank][chunk]: what ranks hold, and where received data goes (the same, or a second buffer).
  using Memory = std::vector<std::vector<Contributions>>;

  Interpreter(const JobProgram& program, std::uint32_t ranks, Memory& read, Memory& written)
      : read_(read), written_(written) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      sources_.push_back(program.steps(rank, 0));
      pending_.emplace_back();
      has_pending_.push_back(false);
    }
  }

  /// Until no rank can go on. False if some rank waits for ever.
  bool run() {
    for (bool moves = true; moves;) {
      moves = false;
      for (std::uint32_t rank = 0; rank < sources_.size(); ++rank) moves |= advance(rank);
    }
    for (const bool waits : has_pending_) {
      if (waits) return false;
    }
    return true;
  }
  /// Messages that nobody received.
  [[nodiscard]] std::size_t left_over() const {
    std::size_t count = 0;
    for (const auto& [connection, queue] : queues_) count += queue.size();
    return count;
  }
  /// The chunks of both ends are numbered alike (they are not in an all-to-all).
  bool compares_chunks = false;

 private:
  bool advance(std::uint32_t rank) {
    bool moved = false;
    for (;;) {
      if (!has_pending_[rank]) {
        if (!sources_[rank]->next(pending_[rank])) return moved;
        has_pending_[rank] = true;
      }
      if (!execute(rank, pending_[rank])) return moved;
      has_pending_[rank] = false;
      moved = true;
    }
  }

  bool execute(std::uint32_t rank, const Step& step) {
    if (step.kind == Step::Kind::kSend) {
      queues_[{rank, step.peer}].push_back({read_[rank][step.chunk], step.bytes(), step.chunk});
      return true;
    }
    EXPECT_EQ(step.kind, Step::Kind::kReceive);
    auto& queue = queues_[{step.peer, rank}];
    if (queue.empty()) return false;
    const Message message = std::move(queue.front());
    queue.pop_front();
    EXPECT_EQ(message.size, step.bytes());
    if (compares_chunks) {
      EXPECT_EQ(message.chunk, step.chunk);
    }
    Contributions& target = written_[rank][step.chunk];
    if (step.reduces) {
      for (std::size_t i = 0; i < target.size(); ++i) target[i] += message.data[i];
    } else {
      target = message.data;
    }
    return true;
  }

  Memory& read_;
  Memory& written_;
  std::vector<std::unique_ptr<StepSource>> sources_;
  std::vector<Step> pending_;
  std::vector<bool> has_pending_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Message>> queues_;
};

void expect_all_reduced(std::uint32_t n, Bytes size) {
  SCOPED_TRACE("n = " + std::to_string(n) + ", size = " + std::to_string(size.count()));
  const RingAllReduce program(n, {size});
  Interpreter::Memory memory(n, std::vector<Contributions>(n, Contributions(n)));
  Bytes sum;
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    for (auto& chunk : memory[rank]) chunk[rank] = 1;
    sum += program.chunk_size(rank);
  }
  EXPECT_EQ(sum, size) << "chunks are a partition";
  Interpreter interpreter(program, n, memory, memory);
  interpreter.compares_chunks = true;
  ASSERT_TRUE(interpreter.run());
  EXPECT_EQ(interpreter.left_over(), 0U);
  const Contributions everybody(n, 1);
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    for (std::uint32_t chunk = 0; chunk < n; ++chunk) {
      if (program.chunk_size(chunk) == Bytes(0)) continue;
      ASSERT_EQ(memory[rank][chunk], everybody) << "rank " << rank << " chunk " << chunk;
    }
  }
}

TEST(RingAllReduce, EveryRankEndsWithEveryContributionOnce) {
  for (std::uint32_t n = 2; n <= 64; ++n) expect_all_reduced(n, 1_MiB);
}

TEST(RingAllReduce, OddSizesAndEmptyChunksKeepBothEndsInStep) {
  for (const std::uint32_t n : {2U, 3U, 5U, 7U, 16U, 33U}) {
    for (const std::int64_t size : {1, 2, 3, 6, 15, 17, 31, 1'000'003}) {
      expect_all_reduced(n, Bytes(size));
    }
  }
}

/// Iterations are copies of the first one, so what is proved for one holds for each.
void expect_repeats(const JobProgram& once, const JobProgram& thrice, std::uint32_t ranks) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto single = weft::testing::steps_of(once, rank);
    const auto triple = weft::testing::steps_of(thrice, rank);
    ASSERT_EQ(triple.size(), 3 * single.size());
    for (std::size_t i = 0; i < triple.size(); ++i) {
      const Step& expected = single[i % single.size()];
      EXPECT_EQ(triple[i].kind, expected.kind);
      EXPECT_EQ(triple[i].peer, expected.peer);
      EXPECT_EQ(triple[i].chunk, expected.chunk);
      EXPECT_EQ(triple[i].amount, expected.amount);
      EXPECT_EQ(triple[i].reduces, expected.reduces);
    }
  }
}

TEST(RingAllReduce, IterationsRepeatTheFirst) {
  using Algorithm = AllReduceSpec::Algorithm;
  expect_repeats(RingAllReduce(7, {100_B, Algorithm::kRing, 1}),
                 RingAllReduce(7, {100_B, Algorithm::kRing, 3}), 7);
}

TEST(PairwiseAllToAll, IterationsRepeatTheFirst) {
  using Algorithm = AllToAllSpec::Algorithm;
  expect_repeats(PairwiseAllToAll(7, {100_B, Algorithm::kPairwise, 1}),
                 PairwiseAllToAll(7, {100_B, Algorithm::kPairwise, 3}), 7);
}

TEST(RingAllReduce, PostsNoEmptyMessage) {
  const RingAllReduce program(16, {5_B});
  for (std::uint32_t rank = 0; rank < 16; ++rank) {
    for (const Step& step : weft::testing::steps_of(program, rank)) EXPECT_GE(step.bytes(), 1_B);
  }
}

TEST(RingAllReduce, SendsInAStepWhatItTookInTheStepBefore) {
  const auto steps = weft::testing::steps_of(RingAllReduce(6, {600_B}), 4);
  ASSERT_EQ(steps.size(), 2U * 2 * 5);
  EXPECT_EQ(steps[0].chunk, 4U);
  for (std::size_t i = 2; i < steps.size(); i += 2) {
    EXPECT_EQ(steps[i].kind, Step::Kind::kSend);
    EXPECT_EQ(steps[i - 1].kind, Step::Kind::kReceive);
    EXPECT_EQ(steps[i].chunk, steps[i - 1].chunk);
  }
}

TEST(PairwiseAllToAll, EveryBlockReachesItsPlace) {
  for (std::uint32_t n = 2; n <= 64; ++n) {
    SCOPED_TRACE(n);
    const PairwiseAllToAll program(n, {4_KiB});
    // The block of rank r for rank p is the contribution (r, p): count p + 1 of rank r.
    Interpreter::Memory blocks(n, std::vector<Contributions>(n, Contributions(n)));
    Interpreter::Memory result = blocks;
    for (std::uint32_t r = 0; r < n; ++r) {
      for (std::uint32_t p = 0; p < n; ++p) blocks[r][p][r] = static_cast<int>(p) + 1;
      result[r][r] = blocks[r][r];
    }
    Interpreter interpreter(program, n, blocks, result);
    ASSERT_TRUE(interpreter.run());
    EXPECT_EQ(interpreter.left_over(), 0U);
    for (std::uint32_t r = 0; r < n; ++r) {
      for (std::uint32_t p = 0; p < n; ++p) ASSERT_EQ(result[p][r], blocks[r][p]);
    }
  }
}

TEST(PairwiseAllToAll, EachStepIsAPermutationOfTheRanks) {
  constexpr std::uint32_t kRanks = 9;
  const PairwiseAllToAll program(kRanks, {1_KiB});
  std::vector<std::vector<Step>> steps;
  for (std::uint32_t r = 0; r < kRanks; ++r) steps.push_back(weft::testing::steps_of(program, r));
  for (std::size_t s = 0; s < std::size_t{2} * (kRanks - 1); s += 2) {
    std::vector<bool> is_hit(kRanks);
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      ASSERT_EQ(steps[r][s].kind, Step::Kind::kSend);
      is_hit[steps[r][s].peer] = true;
    }
    EXPECT_EQ(std::count(is_hit.begin(), is_hit.end(), true), kRanks);
  }
}

}  // namespace
}  // namespace weft::collectives
