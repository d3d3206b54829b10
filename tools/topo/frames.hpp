#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"
#include "topologies/analysis/roles.hpp"

namespace weft::topo {

inline constexpr std::uint32_t kNoFrame = 0xffffffff;

/// Hosts that belong together: a scale-up domain, else a rack or pod, else what is attached to the
/// same switches. A switch whose lower neighbours are all in one of them is in it too, if that
/// holds for all switches of its role.
struct FrameTable {
  struct Entry {
    std::string
        name;  ///< `rack 3`, `domain 0`; empty: hosts that only are attached to the same switches
    std::vector<NodeId> nodes;
    std::uint32_t host_kinds = 0;  ///< sets of hosts with the same links
  };
  std::vector<Entry> frames;            ///< by first host
  std::vector<std::uint32_t> frame_of;  ///< by NodeId, or kNoFrame
  /// By HostId: hosts of equal number have the same links to the same switches.
  std::vector<std::uint64_t> site_of;
};

[[nodiscard]] FrameTable find_frames(const Fabric& fabric, const topologies::RoleTable& roles);

}  // namespace weft::topo
