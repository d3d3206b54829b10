#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::scenarios {

/// Links from host to host. All pairs behind the same two switches are as far apart, so that a path
/// is followed once for them. Fabric and routes must outlive it.
class Distances {
 public:
  Distances(std::uint64_t seed, const Fabric& fabric, const Routes& routes)
      : seed_(seed), fabric_(fabric), routes_(routes) {}

  /// 0 where there is no path.
  [[nodiscard]] std::size_t links(HostId from, HostId to);

 private:
  /// The node at the far end of the first link that leads to `other`.
  [[nodiscard]] std::uint32_t switch_of(HostId host, HostId other) const;

  std::uint64_t seed_;
  const Fabric& fabric_;
  const Routes& routes_;
  std::unordered_map<std::uint64_t, std::size_t> links_;
  /// Of those, the last one of each slot: ranks of a collective come back to the same few switches.
  struct Recent {
    std::uint64_t key = ~std::uint64_t{0};
    std::size_t links = 0;
  };
  std::array<Recent, 4096> recent_;
};

}  // namespace weft::scenarios
