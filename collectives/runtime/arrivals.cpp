#include "collectives/runtime/arrivals.hpp"

namespace weft::collectives {

namespace {

/// Whether something arrives on it: a sum does on its owner's connection to itself only.
bool delivers(const Connection& c) {
  return c.kind != Connection::Kind::kReduce || c.source == c.destination;
}

}  // namespace

ArrivalTable::ArrivalTable(const Workload& workload)
    : slot_of_connection_(workload.connections().size()) {
  const std::vector<Connection>& connections = workload.connections();
  std::vector<std::uint32_t> next(workload.process_hosts().size() + 1);
  for (const Connection& c : connections) {
    if (delivers(c)) ++next[c.destination.value() + 1];
  }
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  arrivals_.resize(next.back());
  // By destination, those to the same one by connection.
  for (std::size_t i = 0; i < connections.size(); ++i) {
    if (delivers(connections[i])) {
      slot_of_connection_[i] = next[connections[i].destination.value()]++;
    }
  }
}

}  // namespace weft::collectives
