#pragma once

#include <string>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "scenarios/results/table.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct PortResult {
  PortId port;
  std::string name;
  std::string node;       ///< whose port it is
  std::string peer_node;  ///< at the other end
  BitsPerSecond rate;
  double utilisation = 0;
  double mean_queue_bytes = 0;
  protocols::PortCounters counters;
};

/// ports.csv
struct PortsTable {
  std::vector<PortResult> ports;  ///< by PortId

  [[nodiscard]] static const Table<PortResult>& declaration();
};

}  // namespace weft::scenarios
