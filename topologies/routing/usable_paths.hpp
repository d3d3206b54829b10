#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

/// What hashes leave of the shortest paths. Where the nodes of a path hash alike, a later one
/// repeats the choice of an earlier one, and some of its next hops are never chosen, whatever the
/// traffic (polarisation).
namespace weft::topologies {

/// Of the paths from one host to another.
struct UsablePaths {
  std::uint64_t shortest = 0;  ///< that the routes have
  std::uint64_t usable = 0;    ///< of these: that the flow of some entropy takes
  bool operator==(const UsablePaths&) const = default;
};

/// Whether the hash can polarise at all: with the mixing hash and a seed per switch the choices of
/// two nodes are independent.
[[nodiscard]] bool may_polarise(const PathHash& hash);

/// How choices are made: the routes' hash of flows, or what stands for it where packets or flowlets
/// draw their next hops.
struct Hashing {
  PathHash hash;
  std::uint64_t run_seed = 1;
};

/// Exact: goes through all values of the hash at once, as sets of values that choose alike.
[[nodiscard]] UsablePaths usable_paths(const Fabric& fabric, const Routes& routes,
                                       const Hashing& hashing, HostId from, HostId to);

using HostPair = std::pair<HostId, HostId>;

/// The same of many pairs.
struct UsablePathSurvey {
  std::uint64_t pairs = 0;    ///< that were looked at
  std::uint64_t reduced = 0;  ///< of these: with shortest paths that no flow takes
  /// The pair that keeps the smallest share of its paths.
  HostPair worst;
  UsablePaths of_worst;
  /// Link directions between switches that shortest paths of these pairs cross, and those of them
  /// that no flow between these pairs takes.
  std::uint64_t links = 0;
  std::uint64_t idle_links = 0;
};
[[nodiscard]] UsablePathSurvey survey_usable_paths(const Fabric& fabric, const Routes& routes,
                                                   const Hashing& hashing,
                                                   std::span<const HostPair> pairs);

/// Pairs of scale-out hosts that stand for all: one per pair of sets of hosts with the same
/// switches, in either direction, evenly chosen where there are more than `limit`.
[[nodiscard]] std::vector<HostPair> representative_pairs(const Fabric& fabric, std::size_t limit);

}  // namespace weft::topologies
