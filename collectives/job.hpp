#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/job_specs.hpp"
#include "simcore/ids.hpp"
#include "simcore/units.hpp"

namespace weft::collectives {

/// One job, placed on hosts.
struct JobDescription {
  std::string name;
  Picoseconds start;
  std::vector<HostId> ranks;  ///< by rank of the job; all different
  JobKind kind;
  std::uint8_t traffic_class = 0;  ///< of all its messages
};

/// What the bus bandwidth of a collective divides by its duration: the bytes that every rank has to
/// send, whatever the algorithm, as nccl-tests defines it (all-reduce: 2 (n-1)/n S; all-to-all, S
/// to each other rank: (n-1) S), over all iterations, rounded down. Nothing for other jobs.
[[nodiscard]] std::optional<Bytes> bus_bytes(const JobDescription& job);

}  // namespace weft::collectives
