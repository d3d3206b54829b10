#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocols/observation/observation.hpp"
#include "protocols/packet/no_index.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"

/// Who is to blame for pauses: pure functions over what a run has recorded.
namespace weft::protocols {

/// All pauses of one port that spread from the same pauses of the port before it.
struct PauseBranch {
  PortId port;
  std::uint32_t parent = kNoIndex;  ///< index in the storm's tree; kNoIndex: paused by the root
  std::uint32_t depth = 1;          ///< 1 for ports that the root itself paused
  std::uint64_t pauses = 0;
  Picoseconds paused{};  ///< sum over its pauses
  Picoseconds total{};   ///< the same with everything below it
  Picoseconds first{};   ///< start of the first pause
  Picoseconds last{};    ///< end of the last pause
};

/// All pauses that come from one root in one class.
struct PauseStorm {
  enum class Root : std::uint8_t {
    kEgress,  ///< `ports[0]` is overloaded: more comes for it than it sends, and nobody pauses it
    kNic,     ///< the NIC behind `ports[0]` takes in too little
    kCycle,   ///< `ports` paused each other: each waited for the next, the last for the first
  };
  Root root = Root::kEgress;
  std::vector<PortId> ports;
  ClassId traffic_class{};
  std::uint64_t pauses = 0;
  std::uint32_t paused_ports = 0;  ///< distinct, NICs included
  std::uint32_t paused_hosts = 0;  ///< distinct NICs
  std::uint32_t depth = 0;         ///< of the deepest branch
  Picoseconds paused{};            ///< sum over its pauses
  Picoseconds first{};
  Picoseconds last{};
  /// Parents before their children, siblings by falling `total`.
  std::vector<PauseBranch> tree;
};

/// Where every pause came from.
struct PauseAnalysis {
  std::vector<PauseStorm> storms;       ///< by falling paused time
  std::vector<std::uint32_t> storm_of;  ///< by pause; kNoIndex: it ended before the measurement
  std::vector<std::uint32_t> parent;    ///< by pause: the pause that caused it; kNoIndex: a root
};

struct PauseAnalysisOptions {
  /// For each port the least time from crossing XOFF at its peer until the port obeys. Empty means
  /// that pauses act at once.
  std::span<const Picoseconds> reaction{};
  Picoseconds from{};  ///< only what lies after it is counted
};

/// Follows every pause to its root. A pause of port p towards node Y was caused by egress q of Y,
/// which held most of what had come over the link when XOFF was crossed. If q was itself paused in
/// that class when it crossed, or soon after so that it was paused for most of the time, q's pause
/// is the parent; otherwise q is the root, or Y where Y is a NIC. A pause that lasts to the end of
/// the run is traced by what holds it then. Any parent that began after its child counts where the
/// chain bites its own tail: those pauses hold each other.
///
/// Takes O(n log n) time for n pauses, in any order.
[[nodiscard]] PauseAnalysis analyse_pauses(const Fabric& fabric,
                                           std::span<const PauseInterval> pauses,
                                           const PauseAnalysisOptions& options = {});

}  // namespace weft::protocols
