#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::topologies {

/// Pairs of hosts that are equally far from each other on one network.
struct PathClass {
  NetworkKind network = NetworkKind::kScaleOut;
  std::uint32_t links = 0;  ///< on a shortest path
  std::uint64_t pairs = 0;  ///< of two different hosts, without regard to direction
  /// Shortest paths of the pair that has fewest and most; paths that differ in one of several
  /// parallel links are different. Saturate at the largest value.
  std::uint64_t fewest_paths = 0;
  std::uint64_t max_paths = 0;
  HostId from;  ///< a pair of the class
  HostId to;
};

struct PathSurvey {
  std::vector<PathClass> classes;       ///< scale-up first, then by links
  std::uint64_t unconnected_pairs = 0;  ///< no path on the network that their traffic takes
  /// False: too many sources to go through all. Scale-out pairs are then those with a source that
  /// was looked at, once per direction.
  bool is_complete = true;

  /// The longest of the shortest paths, in links; 0 where no pair takes this network.
  [[nodiscard]] std::uint32_t diameter(NetworkKind network) const;
};

/// Distances and numbers of shortest paths between all pairs of hosts: within a scale-up domain on
/// its links, else on scale-out. What links allow; static next hops may allow less. Above
/// `work_limit` steps (sources times links) evenly chosen sources stand for all.
[[nodiscard]] PathSurvey survey_paths(const Fabric& fabric,
                                      std::uint64_t work_limit = 1'500'000'000);

}  // namespace weft::topologies
