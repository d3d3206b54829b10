#pragma once

#include <optional>
#include <string>

#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// This share of the packets of a job, or of all, took longer from a NIC to another: of those of
/// all its messages, or of the messages of one size class.
struct LatencyRow {
  std::string job;             ///< empty: all packets
  std::optional<Bytes> above;  ///< messages are larger; absent: of any size
  std::optional<Bytes> up_to;  ///< and no larger; absent: as large as they come
  double longer = 0;
  Picoseconds latency;
};

/// latency.csv: the distributions of packet latencies, which Results::packet_latency and
/// packet_latency_by_size have. The first follows from that, and digests take that.
struct LatencyTable {
  [[nodiscard]] static const Table<LatencyRow>& declaration();
};

}  // namespace weft::scenarios
