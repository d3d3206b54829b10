#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"
#include "tools/deploy/slurm_topology.hpp"
#include "tools/diagnose/model/simulator.hpp"

namespace weft::deploy {

struct TunerOptions {
  Bytes largest = 256_MiB;  ///< of the sizes that are simulated
  double gain = 0.05;  ///< a rule leaves NCCL's own choice where it saves this share of the time
  /// Called before every run of packets, with what is run.
  std::function<void(const std::string&)> progress{};
};

/// Rules for NCCL's tuner plugin (plugins/tuner/example of NCCL 2.28 to 2.30) from simulated times:
/// the algorithm and protocol that are fastest at each size on all ranks of the scenario, or NCCL's
/// own choice where nothing gains enough. Every collective that the plugin knows is covered up to
/// its largest size, with channels in each rule: what no rule matches runs with one channel.
[[nodiscard]] Result<Deployed> tuner_rules(diagnose::Simulator& simulator,
                                           const TunerOptions& options);

}  // namespace weft::deploy
