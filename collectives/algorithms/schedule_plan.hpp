#pragma once

#include <cstdint>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "collectives/spec/rank_layout.hpp"
#include "collectives/steps/step.hpp"

namespace weft::collectives {

/// What a schedule is made from. Pieces of data: the channels' shares run in lanes of their own;
/// a share is worked on chunk after chunk; a message carries one slice of a chunk.
struct SchedulePlan {
  SchedulePlan(std::uint32_t ranks, const RankLayout& layout) : map(ranks, layout) {}

  Operation operation = Operation::kAllReduce;
  std::int64_t size = 0;
  std::uint32_t root = 0;
  std::uint32_t channels = 1;
  /// Of two trees the first half of the channels has the first and the other half the second, as
  /// NCCL has it; else each channel has both.
  bool has_a_tree_per_channel = false;
  std::int64_t chunk = 0;  ///< 0: undivided
  std::uint32_t slices = 1;
  std::vector<std::int64_t> matrix;  ///< all-to-all-v only: by source, then destination
  RankMap map;

  [[nodiscard]] std::uint32_t ranks() const { return map.ranks(); }
  [[nodiscard]] Range whole() const { return {0, size}; }
  /// The vector's part that belongs to a rank, as far as it is the channel's.
  [[nodiscard]] Range share(std::uint32_t rank, std::uint32_t channel) const {
    return part_of(part_of(whole(), ranks(), rank), channels, channel);
  }
  /// Bytes that one rank has for another, in an all-to-all or send/receive.
  [[nodiscard]] std::int64_t block_size(std::uint32_t source, std::uint32_t destination) const;
  [[nodiscard]] std::uint32_t block_of(std::uint32_t source, std::uint32_t destination) const {
    return source * ranks() + destination;
  }
  /// Ranks that a rank has blocks for, ascending.
  [[nodiscard]] std::vector<std::uint32_t> block_peers(std::uint32_t rank) const;
  [[nodiscard]] bool is_by_blocks() const {
    return operation == Operation::kAllToAll || operation == Operation::kAllToAllV ||
           operation == Operation::kSendReceive;
  }
};

/// The plan of a collective's schedule.
[[nodiscard]] SchedulePlan plan_of(const CollectiveSpec& spec, std::uint32_t ranks,
                                   const RankLayout& layout);

}  // namespace weft::collectives
