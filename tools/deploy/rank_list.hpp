#pragma once

#include <string>

#include "scenarios/build/experiment.hpp"
#include "simcore/base/result.hpp"
#include "tools/deploy/slurm_topology.hpp"

namespace weft::deploy {

/// Where the ranks of all jobs are, as CSV `job,rank,node,gpu`: a node is a server, and `gpu`
/// counts the GPUs (of servers without: the NICs) of the node from 0.
[[nodiscard]] Deployed rank_list(const scenarios::Experiment& experiment);

/// The node of each rank of a job, a line each, in the order of the ranks: what `SLURM_HOSTFILE`
/// holds for `srun --distribution=arbitrary` (slurm.schedmd.com/srun.html). Launchers count the
/// ranks of a node from 0, so a remark says where these are not its GPUs in order. `job`: its name;
/// empty: the only one. An error if there is none of that name, or several and no name.
[[nodiscard]] Result<Deployed> host_file(const scenarios::Experiment& experiment,
                                         const std::string& job);

}  // namespace weft::deploy
