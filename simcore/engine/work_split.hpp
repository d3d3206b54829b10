#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace weft {

/// Spreads a row of things (logical processes) over threads, over and over again. Neighbours form
/// blocks; each thread has a run of blocks of its own, so that it meets the same ones every time,
/// and helps out with those of others when it is through. Who does what depends on the clock, so
/// nothing that is computed may depend on it.
class WorkSplit {
 public:
  struct Block {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  ///< behind the last
    std::uint64_t cost = 0;  ///< as told since the last `balance`
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

  /// Before each round, while nobody takes.
  void begin() {
    for (Run& run : runs_) run.next.store(run.first, std::memory_order_relaxed);
  }
  /// Calls visit(first, last) for each block that `self` gets, and notes what it returns as the
  /// cost. Over all threads, every block is visited once per round.
  template <class Visit>
  void take(std::uint32_t self, Visit visit) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      Run& run = runs_[(self + i) % runs_.size()];
      while (run.next.load(std::memory_order_relaxed) < run.last) {
        const std::uint32_t at = run.next.fetch_add(1, std::memory_order_relaxed);
        if (at >= run.last) break;
        blocks_[at].cost += visit(blocks_[at].first, blocks_[at].last);
      }
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
  static constexpr std::uint32_t kBlocksPerThread = 16;
  /// Large fabrics: enough to fetch memory ahead within a block.
  static constexpr std::uint64_t kMax = 128;

  struct alignas(64) Run {
    std::atomic<std::uint32_t> next{0};
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  std::vector<Block> blocks_;
  std::vector<Run> runs_;
};

}  // namespace weft
