#include "tools/import/planners/planner_formats.hpp"

#include <array>

#include "tools/import/planners/infragraph.hpp"
#include "tools/import/planners/simgrid.hpp"
#include "tools/import/planners/slurm_topology.hpp"
#include "tools/import/planners/topograph.hpp"

namespace weft::import {

std::span<const Format> planner_formats() {
  static constexpr std::array kFormats{
      Format{"slurm-topology", "Slurm topology.conf", "the file beside slurm.conf",
             recognise_slurm_topology, read_slurm_topology},
      Format{"infragraph", "InfraGraph", "the graph in YAML or JSON, schema 2.4.0",
             recognise_infragraph, read_infragraph},
      Format{"topograph", "topograph YAML", "the model file of topograph", recognise_topograph,
             read_topograph},
      Format{"simgrid", "SimGrid platform", "the platform file, with a FAT_TREE cluster",
             recognise_simgrid, read_simgrid}};
  return kFormats;
}

}  // namespace weft::import
