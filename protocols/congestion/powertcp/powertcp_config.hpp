#pragma once

#include <cstdint>

#include "protocols/congestion/control_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// PowerTCP: a window that follows the product of a link's arrivals and what it holds, its power
/// (Addanki et al., "PowerTCP: Pushing the Performance Limits of Datacenter Networks", NSDI 2022,
/// section 3). The weight is the paper's. Its additive step is the bandwidth-delay product of the
/// host divided by the flows that share its NIC, which the paper leaves open; the default is what
/// the ns-3 model published with it has, 150 Mbps of 25 Gbps.
struct PowerTcpConfig {
  double gamma = 0.9;                  ///< weight of a new window
  std::uint32_t expected_flows = 167;  ///< N of beta = line rate T / N
  Picoseconds base_rtt{};              ///< T of all flows; 0: of each flow that of its idle path
  RateChange rate_change = RateChange::kNextPacket;

  friend bool operator==(const PowerTcpConfig&, const PowerTcpConfig&) = default;
};

}  // namespace weft::protocols::congestion
