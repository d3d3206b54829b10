#pragma once

#include <cstdint>
#include <optional>

#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"
#include "tools/begin/machine.hpp"

namespace weft::begin {

/// What the leaves of a fabric are to be.
struct LeavesWanted {
  std::uint32_t machines = 1;
  bool is_rail = false;  ///< a leaf for each rail of a group of servers; else one for each rack
  double oversubscription = 1;
};

/// Leaves that are all alike, and spines that each of them has one link to.
struct Leaves {
  bool is_rail = false;
  std::uint32_t racks = 1;
  std::uint32_t servers = 1;  ///< per rack
  std::uint32_t group = 1;    ///< of rails, in servers
  std::uint32_t spines = 1;
  BitsPerSecond uplink;         ///< the rate of each
  double oversubscription = 1;  ///< the wanted one, to three digits
};

/// Every leaf has exactly this oversubscription, or the error says which ones are possible.
[[nodiscard]] Result<Leaves> find_leaves(const LeavesWanted& wanted, const Machine& machine);

/// Leaves of as many servers with another oversubscription, and several uplinks if they have
/// several; nothing: no uplinks make it.
[[nodiscard]] std::optional<Leaves> with_oversubscription(const Leaves& leaves, double ratio,
                                                          const Machine& machine);

/// The nearest number of machines of which larger leaves can be made; 0: these make large ones.
[[nodiscard]] std::uint32_t count_with_larger_leaves(const LeavesWanted& wanted,
                                                     const Machine& machine);

}  // namespace weft::begin
