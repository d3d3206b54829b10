#pragma once

#include <string>
#include <vector>

#include "tools/import/cluster/cluster.hpp"
#include "tools/import/facts/cable.hpp"

namespace weft::import {

/// One cable with everything that files say of it.
struct JoinedCable {
  PortName a;
  PortName b;                      ///< `a` comes first in natural order
  std::vector<const Cable*> said;  ///< what is seen first, then by place

  [[nodiscard]] Knowledge known_by() const { return said.front()->known_by; }
};

/// The cables of all files, each once, in natural order. What files contradict each other in is
/// added to the remarks: what is seen wins over what is configured, and that over what is
/// documented. A device that sees its neighbours and misses one that is documented is named.
[[nodiscard]] std::vector<JoinedCable> join_cables(Description& description);

}  // namespace weft::import
