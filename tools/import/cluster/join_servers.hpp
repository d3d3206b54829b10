#pragma once

#include <string>
#include <vector>

#include "tools/import/cluster/cluster.hpp"
#include "tools/import/cluster/join_cables.hpp"
#include "tools/import/cluster/join_names.hpp"

namespace weft::import {

/// The servers, in natural order, each with the NICs that its file or its cables name. A server
/// without a file of its own is taken to be like the first that has one.
[[nodiscard]] std::vector<ClusterServer> join_servers(Description& description,
                                                      const DeviceKinds& kinds,
                                                      const std::vector<JoinedCable>& cables,
                                                      const JoinOptions& options,
                                                      std::vector<std::string>& assumptions);

/// The NIC of a server that a cable's port belongs to; nothing: none.
[[nodiscard]] std::optional<std::size_t> nic_at(const ClusterServer& server,
                                                const std::string& port);

}  // namespace weft::import
