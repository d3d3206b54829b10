#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "collectives/memo/gpu_sets.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/comm_epoch.hpp"
#include "scenarios/memo/epoch_replay.hpp"

namespace weft::scenarios {

/// What an epoch is known by.
[[nodiscard]] std::vector<std::int64_t> key_of(std::span<const EpochBegin> begins);

/// Epochs of one kind of GPU sets that have been simulated, by their begins, and what simulates
/// more of them. Components on different threads share it.
class EpochStore {
 public:
  /// `budget`: reuse_budgets.
  EpochStore(const Experiment& experiment, const protocols::PacketNetwork::Options& options,
             const collectives::GpuSet& example, std::uint64_t budget)
      : e_(experiment), options_(options), example_(example), budget_(budget) {}

  using Key = std::vector<std::int64_t>;
  using Found = std::shared_ptr<const CommEpoch>;

  /// What follows from these begins: known, or simulated now.
  [[nodiscard]] Found find(const EpochBegins& begins);
  /// A part of it; never kept.
  [[nodiscard]] Found part(const EpochBegins& begins, const EpochWindow& window);
  /// Forgets what nobody holds.
  void forget();
  [[nodiscard]] std::size_t memory_bytes() const { return bytes_; }
  /// An epoch took place: what simulating it in its place would have cost.
  void count_taken(std::uint64_t hops) { memoised_hops_ += hops; }
  [[nodiscard]] std::uint64_t memoised_hops() const { return memoised_hops_; }
  /// What simulating has cost by far exceeds what it has spared, or once did.
  [[nodiscard]] bool is_not_worthwhile();
  /// Epochs that were simulated, and packet-hops of that.
  [[nodiscard]] std::uint64_t simulated() const { return simulated_; }
  [[nodiscard]] std::uint64_t simulated_hops() const { return simulated_hops_; }
  [[nodiscard]] const protocols::SkipCounts& skips() const { return skips_; }
  /// Of what has simulated them.
  [[nodiscard]] std::vector<std::string> violations() const;

 private:
  [[nodiscard]] std::unique_ptr<EpochReplay> take_replay();
  void give_back(std::unique_ptr<EpochReplay> replay);

  const Experiment& e_;
  const protocols::PacketNetwork::Options& options_;
  const collectives::GpuSet& example_;
  std::uint64_t budget_;
  mutable std::mutex mutex_;
  std::map<Key, Found> epochs_;
  std::vector<std::unique_ptr<EpochReplay>> idle_;
  std::size_t bytes_ = 0;
  std::uint64_t simulated_ = 0;
  std::atomic<std::uint64_t> simulated_hops_ = 0;
  protocols::SkipCounts skips_;
  std::atomic<std::uint64_t> memoised_hops_ = 0;
  std::atomic<bool> is_not_worthwhile_ = false;
  std::vector<std::string> violations_;
};

}  // namespace weft::scenarios
