#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "collectives/algorithms/schedule.hpp"

namespace weft::collectives::proof {

/// Blocks cut at every place where some message, copy or rank's part begins or ends, so that every
/// range that a step or a promise names is a number of whole pieces.
class Pieces {
 public:
  explicit Pieces(const Schedule& schedule);

  /// Where the pieces of a range begin.
  [[nodiscard]] std::vector<std::int64_t> of(std::uint32_t block, Range range) const;

 private:
  void add_promised(const SchedulePlan& plan);
  void add(std::uint32_t block, Range range);

  std::map<std::uint32_t, std::vector<std::int64_t>> places_;
};

}  // namespace weft::collectives::proof
