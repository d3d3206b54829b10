#pragma once

#include <vector>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {

/// A run of either engine that is over: what its tables are found from.
struct EndedRun {
  const Experiment& experiment;
  const collectives::Executor& executor;
  std::vector<ZeroLoadTimes::Job> ideal_jobs;         ///< by job
  std::vector<protocols::PortCounters> ports;         ///< by PortId
  const protocols::PacketNetwork* network = nullptr;  ///< null: the engine knows no packets
};

}  // namespace weft::scenarios
