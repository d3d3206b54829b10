#pragma once

#include <cstdint>
#include <optional>

#include "collectives/spec/collective_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// What a collective moves, as nccl-tests counts it (PERFORMANCE.md there), rounded down.
struct CollectiveBytes {
  Bytes size;  ///< what the algorithm bandwidth divides by the duration
  /// What the bus bandwidth divides: what every rank has to send, whatever the algorithm.
  Bytes bus;
};
/// Of one iteration. All-reduce: S and 2 (n-1)/n S. All-gather, reduce-scatter, gather and scatter:
/// S and (n-1)/n S. Broadcast, reduce and send/receive: S and S. All-to-all, S to each other rank:
/// n S and (n-1) S; all-to-all-v the mean over ranks of what they send, and of what leaves them. A
/// barrier moves nothing.
[[nodiscard]] CollectiveBytes collective_bytes(const CollectiveSpec& spec, std::uint32_t ranks);

/// `bus` of all iterations. Nothing for barriers.
[[nodiscard]] std::optional<Bytes> bus_bytes(const CollectiveSpec& spec, std::uint32_t ranks);

/// Upper bounds of what a collective makes; where its algorithm or execution is left open, whatever
/// they turn out to be.
[[nodiscard]] std::uint64_t max_connections(const CollectiveSpec& spec, std::uint64_t ranks);
struct MessageBound {
  double messages = 0;  ///< of the whole job
  double bytes = 0;     ///< of its busiest connection
};
/// `domain_size` is that of all scale-up domains.
[[nodiscard]] MessageBound max_messages(const CollectiveSpec& spec, std::uint32_t ranks,
                                        std::uint32_t domain_size);

}  // namespace weft::collectives
