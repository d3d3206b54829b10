#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "simcore/engine/relax.hpp"

namespace weft {

/// Spreads a row of things (logical processes) over threads, over and over again. Neighbours form
/// blocks; each thread has a run of blocks of its own, so that it meets the same ones every time.
/// Who is through waits for half as long as its own run took, and then helps out with the blocks of
/// others: what another thread has in its cache goes to this core and back. Who waited for a thread
/// that never came does not wait in the next rounds. Who does what depends on the clock,
/// so nothing that is computed may depend on it.
class WorkSplit {
 public:
  struct Block {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  ///< behind the last
    std::uint64_t cost = 0;  ///< as told since the last `balance`
  };
  /// Things from `first` to before `last`.
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  /// `weights` says how much each thing may cost; several blocks per thread, of equal weight.
  WorkSplit(const std::vector<std::uint32_t>& weights, std::uint32_t threads) : runs_(threads) {
    const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    const std::uint64_t min =
        std::clamp<std::uint64_t>(sum / (std::uint64_t{kBlocksPerThread} * threads), 1, kMax);
    Block block;
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
      block.cost += weights[i];
      block.last = i + 1;
      if (block.cost < min && block.last < weights.size()) continue;
      blocks_.push_back(block);
      block = {.first = block.last, .last = block.last};
    }
    balance();
  }

  [[nodiscard]] std::size_t block_count() const { return blocks_.size(); }

  /// Before each round, while nobody takes. Runs are taken from their ends if `is_backwards`.
  void begin(bool is_backwards) {
    is_backwards_ = is_backwards;
    for (Run& run : runs_) run.next.store(run.first, std::memory_order_relaxed);
  }
  /// Calls visit(block, rest) for each block that `self` gets, and notes what it returns as the
  /// cost; `rest` is the block and what the same thread takes next, behind it, or before it if the
  /// round goes backwards. Over all threads, every block is visited once per round.
  template <class Visit>
  void take(std::uint32_t self, Visit visit) {
    const Clock::time_point start = Clock::now();
    Run& own = runs_[self];
    // Half of what is left at a time (guided self-scheduling, C. D. Polychronopoulos and D. J.
    // Kuck, IEEE Trans. Computers C-36(12), 1987): within a claim memory is fetched ahead.
    take_from(own, visit, [](std::uint32_t left) { return (left + 1) / 2; });
    const bool is_patient = own.hasty_rounds == 0;
    if (!is_patient) --own.hasty_rounds;
    const Clock::time_point end = Clock::now();
    for (std::size_t i = 1; i < runs_.size(); ++i) {
      Run& other = runs_[(self + i) % runs_.size()];
      if (is_patient && !comes_to_its_end(other, end + (end - start) / 2)) {
        own.hasty_rounds = kHastyRounds;
      }
      take_from(other, visit, [](std::uint32_t) { return 1U; });
    }
  }
  /// Cuts the runs again, by what blocks have cost since the last time. While nobody takes.
  void balance() {
    std::uint64_t sum = 0;
    for (const Block& block : blocks_) sum += block.cost;
    if (sum == 0) return;
    std::uint64_t so_far = 0;
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      runs_[i].first = at;
      const std::uint64_t goal = sum * (i + 1) / runs_.size();
      while (at < blocks_.size() && so_far + blocks_[at].cost / 2 < goal) {
        so_far += blocks_[at++].cost;
      }
      if (i + 1 == runs_.size()) at = static_cast<std::uint32_t>(blocks_.size());
      runs_[i].last = at;
    }
    for (Block& block : blocks_) block.cost = 0;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr std::uint32_t kBlocksPerThread = 16;
  /// Large fabrics: enough to fetch memory ahead within a block.
  static constexpr std::uint64_t kMax = 128;
  /// On a machine with no core to spare, waiting costs a quarter of a round, in one of nine.
  static constexpr std::uint32_t kHastyRounds = 8;
  static constexpr int kRelaxed = 16;  ///< between two looks at the clock

  struct alignas(64) Run {
    std::atomic<std::uint32_t> next{0};  ///< blocks so far, and `first`
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t hasty_rounds = 0;  ///< in which the thread of this run does not wait
  };

  /// Takes as many blocks at once as `claim` says of those that are left.
  template <class Visit, class Claim>
  void take_from(Run& run, Visit& visit, Claim claim) {
    while (has_more(run)) {
      const std::uint32_t left = run.last - run.next.load(std::memory_order_relaxed);
      const std::uint32_t count = claim(left);
      const std::uint32_t next = run.next.fetch_add(count, std::memory_order_relaxed);
      const std::uint32_t end = std::min(next + count, run.last);
      for (std::uint32_t i = next; i < end; ++i) {
        const auto at = [&](std::uint32_t k) {
          return is_backwards_ ? run.first + (run.last - 1 - k) : k;
        };
        Block& block = blocks_[at(i)];
        const Block& last = blocks_[at(end - 1)];
        block.cost += visit(Range{block.first, block.last}, Range{std::min(block.first, last.first),
                                                                  std::max(block.last, last.last)});
      }
    }
  }
  [[nodiscard]] static bool has_more(const Run& run) {
    return run.next.load(std::memory_order_relaxed) < run.last;
  }
  /// Waits until a run is through, or for its thread until `deadline`. False if that never came.
  [[nodiscard]] static bool comes_to_its_end(const Run& run, Clock::time_point deadline) {
    while (has_more(run) && Clock::now() < deadline) {
      for (int i = 0; i < kRelaxed; ++i) relax();
    }
    const std::uint32_t next = run.next.load(std::memory_order_relaxed);
    return next >= run.last || next > run.first;
  }

  bool is_backwards_ = false;
  std::vector<Block> blocks_;
  std::vector<Run> runs_;
};

}  // namespace weft
