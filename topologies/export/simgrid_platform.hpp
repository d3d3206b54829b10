#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::topologies {

struct PlatformOptions {
  std::string name;        ///< of the platform's only zone
  std::uint64_t seed = 1;  ///< of the hashes that choose paths
  Bytes payload = 4096_B;  ///< of a full packet
  Bytes header = 82_B;     ///< what else it occupies the wire with
  Bytes stored = 4178_B;   ///< of a full packet, before a switch sends it on
};

/// Every pair of hosts has a route of its own, so the file grows with the square of the hosts.
inline constexpr std::size_t kMaxPlatformHosts = 1024;

/// Writes a fabric as a SimGrid platform (XML, version 4.1), for S4U and SMPI programs.
///
/// - One link per direction of a cable, named `<node>_<port>`, at the rate that payload gets.
/// - A route per ordered pair of hosts: the path that ECMP by flow chooses for the first queue pair
///   of the first job between them. SimGrid has no spraying.
/// - A link's latency holds the pipeline behind it and, beyond the first link, storing a full
/// packet
///   before it is forwarded: a transfer alone takes its zero-load time.
/// - The `config` makes SimGrid's network an ideal fluid. What it cannot turn off there: flows that
///   share a link do so in inverse proportion to the latencies of their routes.
///
/// Error: more hosts than kMaxPlatformHosts, or one that cannot be reached.
[[nodiscard]] Errors write_simgrid_platform(std::ostream& out, const Fabric& fabric,
                                            const Routes& routes, const PlatformOptions& options);

}  // namespace weft::topologies
