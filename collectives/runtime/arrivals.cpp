#include "collectives/runtime/arrivals.hpp"

namespace weft::collectives {

namespace {

/// Numbers connections by destination, those to the same one by connection.
std::vector<std::uint32_t> number_by_destination(const Workload& workload) {
  const std::vector<Connection>& connections = workload.connections();
  std::vector<std::uint32_t> next(workload.process_hosts().size() + 1);
  for (const Connection& c : connections) ++next[c.destination.value() + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<std::uint32_t> slots(connections.size());
  for (std::size_t i = 0; i < connections.size(); ++i) {
    slots[i] = next[connections[i].destination.value()]++;
  }
  return slots;
}

}  // namespace

ArrivalTable::ArrivalTable(const Workload& workload)
    : slot_of_connection_(number_by_destination(workload)), arrivals_(slot_of_connection_.size()) {}

}  // namespace weft::collectives
