#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/evidence/measurements.hpp"

namespace weft::evidence {

/// A collective, or a message, as all ranks saw it whose calls are known.
struct JoinedCall {
  std::string source{};
  std::string group{};
  std::string operation{};
  std::string type{};
  std::uint64_t sequence = 0;
  std::int64_t bytes = 0;         ///< as in Call
  std::uint32_t group_ranks = 0;  ///< 0: not said
  std::optional<std::pair<std::uint32_t, std::uint32_t>> message{};
  std::uint32_t ranks_seen = 0;  ///< whose call is there
  /// The shortest of all ranks: the others waited inside of the kernel for the last one to come.
  std::optional<double> time_us{};
  double skew_us = 0;           ///< longest less shortest: how much later the last rank came
  std::uint32_t last_rank = 0;  ///< the one with the shortest time
  bool is_upper_bound = false;  ///< of one rank alone: it may have waited
  SourceLocation where{};
};

struct JoinedCalls {
  std::vector<JoinedCall> calls;  ///< by source, group and sequence
  /// Ranks that did not arrive, unlike operations or sizes, and what is known of one rank alone.
  Remarks remarks;
};

/// Joins what several ranks say of the same calls, by group and sequence. Calls of ranks that are
/// not known stand alone. The order of `ranks` does not matter.
[[nodiscard]] JoinedCalls join_calls(std::span<const RankCalls> ranks);

/// Curves of calls that have times: of each size the median over calls. Those of one rank alone are
/// curves of their own, marked as upper bounds. `ranks` says what ran them.
[[nodiscard]] std::vector<Series> series_of_calls(const JoinedCalls& joined,
                                                  std::span<const RankCalls> ranks);

}  // namespace weft::evidence
