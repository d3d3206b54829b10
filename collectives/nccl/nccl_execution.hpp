#pragma once

#include <cstdint>

#include "collectives/nccl/nccl_tuning.hpp"
#include "collectives/spec/collective_spec.hpp"
#include "collectives/spec/rank_layout.hpp"

/// How NCCL carries out what it chose: channels, chunks and slices by algorithm, protocol, machine
/// and size (NCCL 2.30: `src/enqueue.cc`, `src/graph/paths.cc`, `src/transport/nvls.cc`,
/// `src/include/device.h`).
namespace weft::collectives {

/// The machine as NCCL's search would describe it. The rates of the layout's links must be known.
[[nodiscard]] NcclMachine nccl_machine_of(const CollectiveSpec& spec, const RankMap& map,
                                          const RankLayout& layout);

/// `asked` with everything filled in that it leaves to NCCL (channels, chunk and slices of 0,
/// transfers as the machine has them), and with NCCL's own share of the launch added, for the
/// algorithm and protocol that `spec` has by now; without a protocol, Simple. Without the preset of
/// NCCL, the execution of `spec` as it is.
[[nodiscard]] Execution nccl_execution(const Execution& asked, const CollectiveSpec& spec,
                                       std::uint32_t ranks, const RankLayout& layout);

}  // namespace weft::collectives
