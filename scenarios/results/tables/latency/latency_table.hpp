#pragma once

#include <string>

#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// This share of the packets of a job, or of all, took longer from a NIC to another.
struct LatencyRow {
  std::string job;  ///< empty: all packets
  double longer = 0;
  Picoseconds latency;
};

/// latency.csv: the distributions of packet latencies, which Results::packet_latency and
/// packet_latency_of_jobs have. The first follows from that, and digests take that.
struct LatencyTable {
  [[nodiscard]] static const Table<LatencyRow>& declaration();
};

}  // namespace weft::scenarios
