#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {

/// Twelve flows between six hosts of a star, whose links corrupt a frame in 500 in both directions.
struct LossyStar {
  explicit LossyStar(const protocols::PacketNetwork::Options& options)
      : fabric(topologies::build_fabric(star(6, 100_Gbps, 1_us)).value()) {
    for (Port& port : fabric.ports) port.errors = {2e-3, LinkErrors::Unit::kFrames};
    std::vector<Flow> flows;
    for (std::uint32_t i = 0; i < 6; ++i) {
      flows.push_back({HostId(i), HostId((i + 1) % 6), 3_MB, 0_ps});
      flows.push_back({HostId(i), HostId((i + 2) % 6), 1_MB, 20_us});
    }
    run.emplace(fabric, star(6, 100_Gbps, 1_us), options, flows);
  }

  Fabric fabric;
  std::optional<FlowRun> run;
};

}  // namespace weft::testing
