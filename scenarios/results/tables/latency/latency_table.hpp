#pragma once

#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// This share of all packets took longer from a NIC to another.
struct LatencyRow {
  double longer = 0;
  Picoseconds latency;
};

/// latency.csv: the distribution of packet latencies, which Results::packet_latency has. It follows
/// from that, and digests take that.
struct LatencyTable {
  [[nodiscard]] static const Table<LatencyRow>& declaration();
};

}  // namespace weft::scenarios
