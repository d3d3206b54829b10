#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simcore/base/result.hpp"
#include "tools/evidence/nccl_tests/tables.hpp"

namespace weft::evidence {

/// How many ranks a table can be of.
struct RankRange {
  double min = 1;
  double max = 1e9;
  std::string why;  ///< what says so; empty: nothing does

  [[nodiscard]] bool has(std::size_t ranks) const {
    return min <= static_cast<double>(ranks) && static_cast<double>(ranks) <= max;
  }
  /// `8`, `38 to 45`.
  [[nodiscard]] std::string text() const;
};

/// What busbw / algbw of each row says, and of operations in which each rank has a part of its own
/// size and count: then what the list of devices and NCCL's lines say. Error: rows are of different
/// numbers of ranks.
[[nodiscard]] Result<RankRange> ranks_of(const MeasuredTable& table, std::string_view operation,
                                         const std::string& file);

/// Whether a row is consistent with `ranks` ranks.
[[nodiscard]] bool can_be_of(const MeasuredRow& row, std::string_view operation, std::size_t ranks);

/// Why the rows cannot be of the operation, by their reductions, counts and bandwidths; empty if
/// they can.
[[nodiscard]] std::string contradiction(const MeasuredTable& table, std::string_view operation);

}  // namespace weft::evidence
