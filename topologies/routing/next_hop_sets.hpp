#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::topologies {

/// Distinct sets of local ports and distinct rows of such sets, stored in `Routes`. Set 0 is empty.
class NextHopSets {
 public:
  explicit NextHopSets(Routes& routes);

  /// The number of a set, new or known.
  std::uint32_t id_of(std::span<const std::uint16_t> ports);
  [[nodiscard]] bool holds(std::uint32_t id, std::span<const std::uint16_t> ports) const;
  [[nodiscard]] Routes::NextHops place(std::uint32_t id) const { return sets_[id]; }
  /// Where `Routes::rows` has this row, new or known.
  std::uint32_t row_of(std::span<const std::uint32_t> ids);

 private:
  Routes& routes_;
  std::vector<Routes::NextHops> sets_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> sets_by_hash_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> rows_by_hash_;
};

/// Weighted ECMP: repeats each port of the (ascending) set in proportion to its rate, reduced to
/// lowest terms; the fastest at most 64 times, which keeps every share within 1 % of it.
void repeat_by_rate(const Fabric& fabric, const Node& node, std::vector<std::uint16_t>& ports);

}  // namespace weft::topologies
