#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "scenarios/results/record.hpp"
#include "scenarios/results/results.hpp"

/// What summary.json says of pauses, credits and deadlocks. Long lists are cut to their heaviest
/// entries; counts and sums are of all.
namespace weft::scenarios {

/// Storms, with their trees.
[[nodiscard]] const Record<Results>& storms_record();
[[nodiscard]] const Record<Results>& victims_record();

/// A class of a port that waited for credits.
struct StarvedQueue {
  std::string port;
  std::string traffic_class;
  protocols::ClassCounters counters;
};
[[nodiscard]] const Record<StarvedQueue>& starved_record();
/// By falling time without credits.
[[nodiscard]] std::vector<StarvedQueue> starved_queues(const Results& results);

struct BlockedRow {
  const Results& results;
  const protocols::BlockedPort& blocked;
};
[[nodiscard]] const Record<BlockedRow>& deadlock_record();

/// The branches with the largest totals, in the order of the tree. Every one has its parent with
/// it: a parent's total is not below its children's, and it comes before them.
[[nodiscard]] std::vector<std::uint32_t> heaviest_branches(const protocols::PauseStorm& storm,
                                                           std::size_t max);

}  // namespace weft::scenarios
