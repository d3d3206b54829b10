#pragma once

#include <cstdint>
#include <optional>

#include "collectives/spec/collective_spec.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/gpu_generation.hpp"

/// What NCCL's blocks of threads take on one server in Simple, which the tuning model does not
/// have. A block works off one slice after the other: while it puts data in place, it sends
/// nothing.
///
/// Calibrated on tests/operators/reference/nccl-one-server-open.csv (NCCL 2.27.3 and 2.29.2), with
/// all of its systems in sight: collectives/VALIDATION.md says what set which constant. From 256 to
/// 512 MiB an all-gather takes 3.65, 3.01 and 2.85 ps per byte of busbw on 2, 4 and 8 H100: 2.7 ps,
/// which is NCCL's rate of the links, and 0.93 ps by 1 / (n - 1), the part that stays with its
/// receiver. Of an all-reduce that part is 0.48 ps; `place` is between the two.
namespace weft::collectives {

struct NcclBlocks {
  /// Of data that a block does not pass on: the last step of a ring.
  BitsPerSecond place;
  /// Of an all-to-all's messages.
  BitsPerSecond message;
  /// Of a ring, by its share of what the tuning model has: above 1 where slices that meet on a link
  /// would else cost more than they do.
  double ring = 1;
  Picoseconds start;      ///< of a ring's kernel, beyond the tuning model's
  Picoseconds step;       ///< of a ring in Simple, beyond the wire
  Picoseconds flag_step;  ///< of a ring in LL128, beyond the wire
};

/// Nothing for Volta, of which no such calls are published.
[[nodiscard]] std::optional<NcclBlocks> nccl_blocks(GpuGeneration generation);

/// Of links, what an all-to-all gets. From 256 to 512 MiB one of eight GPUs takes 4.75, 3.05 and
/// 1.69 ps per byte of busbw on A100, H100 and B200, where links alone would take 4.17, 2.70 and
/// 1.39: 0.88, 0.88 and 0.82. Simulated messages meet on links besides.
inline constexpr double kLinksOfMessages = 0.9;

/// How many blocks send to one peer. NCCL rounds its channels, 24 or 32, up to a power of two, and
/// halves those of a peer until all peers' fit (`ncclTopoComputeP2pChannels` in src/graph/paths.cc,
/// `scheduleP2pTasksToPlan` in src/enqueue.cc).
[[nodiscard]] std::uint32_t nccl_blocks_per_peer(std::uint32_t ranks);

/// At what rate a block of a collective on one server puts data in place, if that is carried out
/// so; 0: it overlaps with what it sends.
[[nodiscard]] BitsPerSecond nccl_place_rate(const CollectiveSpec& spec, const Execution& execution);

}  // namespace weft::collectives
