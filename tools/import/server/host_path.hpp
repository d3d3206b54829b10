#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"
#include "tools/import/facts/server.hpp"

namespace weft::import {

/// What the `host_link` of a server is where data do not pass straight through the PCIe switch
/// above GPU and NIC.
struct HostPath {
  BitsPerSecond rate;           ///< payload of the link, per direction
  std::uint32_t shared_by = 0;  ///< NICs that share it; 0: none does
  bool is_through_root = false;
  bool operator==(const HostPath&) const = default;
};

struct HostPaths {
  std::optional<HostPath> link;      ///< nothing: the slots of the NICs say all
  std::vector<std::string> reasons;  ///< for people, with the places that they are from
};

/// From the paths between GPUs and NICs, GPU-direct, and the links above PCIe switches.
[[nodiscard]] HostPaths host_paths(const Server& server);

}  // namespace weft::import
