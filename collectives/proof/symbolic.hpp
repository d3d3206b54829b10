#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/algorithms/schedule.hpp"

/// Proofs by interpretation: the steps of all ranks are run on symbols instead of numbers. A piece
/// of data is the count of times that each rank's contribution is in it, so a sum that misses a
/// rank or has one twice is told from the right one.
namespace weft::collectives {

/// What a rank moves in one run of a schedule.
struct RankTraffic {
  std::int64_t messages = 0;
  std::int64_t sent = 0;      ///< bytes, to the network's switches included
  std::int64_t received = 0;  ///< bytes
  std::int64_t reduced = 0;   ///< bytes that the rank itself added
};

struct Proof {
  /// What is wrong, at most a few sentences; empty: every rank ends with what the operation
  /// promises, both ends of every message agree about it, nothing is copied twice, and no message,
  /// sum, notification or control event is left over for the next run.
  std::vector<std::string> problems;
  std::vector<RankTraffic> traffic;  ///< by rank

  [[nodiscard]] bool holds() const { return problems.empty(); }
};

/// Runs all lanes of all ranks of a schedule, picking at random (by `order`) who goes next, so that
/// lanes that touch the same data without waiting for each other are found out. Memory grows with
/// ranks times ranks times pieces: for up to some hundred ranks.
[[nodiscard]] Proof prove(const Schedule& schedule, std::uint64_t order = 1);

}  // namespace weft::collectives
