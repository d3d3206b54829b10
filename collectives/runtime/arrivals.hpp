#pragma once

#include <cstdint>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "simcore/base/ids.hpp"

namespace weft::collectives {

/// Messages of a connection, or multicasts of a rank, at whoever receives them.
struct Arrivals {
  std::uint32_t waiting = 0;  ///< arrived and not yet received
  std::uint32_t received = 0;
};

/// Of all connections on which something arrives. Their destinations write this, on threads of
/// their own: those of one destination are neighbours.
class ArrivalTable {
 public:
  explicit ArrivalTable(const Workload& workload);

  [[nodiscard]] Arrivals& of(ConnectionId connection) {
    return arrivals_[slot_of_connection_[connection.value()]];
  }

 private:
  std::vector<std::uint32_t> slot_of_connection_;
  std::vector<Arrivals> arrivals_;
};

}  // namespace weft::collectives
