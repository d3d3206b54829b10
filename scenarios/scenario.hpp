#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/switching/switch_config.hpp"
#include "protocols/transport_config.hpp"
#include "scenarios/jobs.hpp"
#include "simcore/engine/cells.hpp"
#include "simcore/units.hpp"
#include "topologies/spec.hpp"

namespace weft::scenarios {

/// Links that differ from what the topology gives them: those between two nodes, or all of one
/// node.
struct LinkChange {
  std::string from;
  std::string to;  ///< empty: every link of `from`
  std::optional<BitsPerSecond> rate;
  std::optional<Picoseconds> latency;
};

struct RunSpec {
  Picoseconds warmup;                  ///< statistics count from then on
  std::optional<Picoseconds> until;    ///< the run stops there at the latest
  Picoseconds control_latency = 1_us;  ///< of job control between hosts; bounds the lookahead
  CellPlan::Cut cells = CellPlan::Cut::kAuto;
};

struct ObserveSpec {
  bool messages = true;  ///< write messages.csv
  bool pauses = false;   ///< write pauses.csv
};

/// A whole experiment: typed, checked, with every default filled in. Nothing in it depends on
/// files.
struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  topologies::TopologySpec topology;
  std::vector<LinkChange> link_changes;
  protocols::SwitchConfig switches;
  protocols::TransportConfig transport;
  std::vector<JobSpec> jobs;
  RunSpec run;
  ObserveSpec observe;
};

}  // namespace weft::scenarios
