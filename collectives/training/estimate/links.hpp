#pragma once

#include "simcore/base/units.hpp"

namespace weft::collectives {

/// What a rank has towards the others of a group, as its collectives use it: the effective rate of
/// its ring or exchange, and the latency of each of their steps.
struct GroupLink {
  BitsPerSecond rate{};  ///< 0: bytes cost nothing
  Picoseconds latency{};

  /// In seconds, of S bytes over n ranks. Of one rank: nothing.
  [[nodiscard]] double all_reduce(double ranks, double bytes) const;
  /// All-gather, reduce-scatter, or an all-to-all of S bytes that a rank has for all.
  [[nodiscard]] double one_pass(double ranks, double bytes) const;
  [[nodiscard]] double send(double bytes) const;
};

/// By kind of group; tensor also where an expert is shared, data also for gradients of experts.
struct GroupLinks {
  GroupLink tensor{};
  GroupLink context{};
  GroupLink expert{};
  GroupLink pipeline{};
  GroupLink data{};
};

}  // namespace weft::collectives
