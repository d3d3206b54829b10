#pragma once

#include <cstdint>
#include <vector>

#include "protocols/analysis/victim_analysis.hpp"
#include "scenarios/results/table.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// Messages of one queue pair that lost time to pauses whose root is off their path.
struct VictimResult {
  std::uint32_t job = 0;
  std::uint32_t source_rank = 0;
  std::uint32_t destination_rank = 0;
  HostId source;
  HostId destination;
  std::uint32_t queue_pair = 0;  ///< among those of its connection
  ClassId traffic_class{};
  Picoseconds active;                         ///< time during which a message of it was under way
  Picoseconds lost;                           ///< of that
  std::vector<protocols::VictimLoss> losses;  ///< by storm, falling
};

/// What pauses did.
struct PauseReport {
  std::vector<protocols::PauseInterval> pauses;
  std::uint64_t lost = 0;  ///< pauses that the run did not record
  protocols::PauseAnalysis analysis;
  std::uint64_t flows = 0;            ///< that were examined for time lost
  std::vector<VictimResult> victims;  ///< by falling lost time
  bool is_nic_only = false;  ///< packets are sprayed: only pauses of a flow's NIC port count
};

struct PauseRow {
  const Results& results;
  const protocols::PauseInterval& pause;
  std::uint32_t storm;
};

/// pauses.csv
struct PausesTable {
  PauseReport pauses;

  [[nodiscard]] static const Table<PauseRow>& declaration();
};

}  // namespace weft::scenarios
