#include "scenarios/build/route_changes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "topologies/build_fabric.hpp"

namespace weft::scenarios {
namespace {

using protocols::Fault;

/// Each is as large as the routes of the fabric.
constexpr std::size_t kMaxTables = 64;

/// Whether losing the cable of `port` leaves any node another way.
bool changes_routes(const Fabric& fabric, PortId port) {
  const auto is_only_link = [&fabric](PortId id) {
    const NodeId owner = fabric.port(id).node;
    if (fabric.node(owner).kind != NodeKind::kHost) return false;
    const Node& node = fabric.node(owner);
    std::size_t links = 0;
    for (std::uint32_t p = 0; p < node.port_count; ++p) {
      const PortId other(node.first_port.value() + p);
      links += fabric.network_of(other) == fabric.network_of(id) ? 1 : 0;
    }
    return links == 1;
  };
  return !is_only_link(port) && !is_only_link(fabric.port(port).peer);
}

/// The lower end of every cable that is down, at every time at which one fails or is back.
std::map<Picoseconds, std::vector<PortId>> outages(const Fabric& fabric,
                                                   const std::vector<Fault>& faults) {
  std::map<Picoseconds, std::vector<PortId>> starts;
  std::map<Picoseconds, std::vector<PortId>> ends;
  std::map<Picoseconds, std::vector<PortId>> down;
  for (const Fault& fault : faults) {
    if (fault.kind != Fault::Kind::kLinkDown || !changes_routes(fabric, fault.port)) continue;
    // Both ends of a cable may be named: it fails once.
    if (fault.port > fabric.port(fault.port).peer) continue;
    starts[fault.at].push_back(fault.port);
    down[fault.at];
    if (fault.until == Fault::kForever) continue;
    ends[fault.until].push_back(fault.port);
    down[fault.until];
  }
  std::set<PortId> now;
  for (auto& [time, ports] : down) {
    for (const PortId port : ends[time]) now.erase(port);
    for (const PortId port : starts[time]) now.insert(port);
    ports.assign(now.begin(), now.end());
  }
  return down;
}

}  // namespace

std::vector<protocols::RouteChange> RouteChanges::resolve(const Routes& healthy) const {
  std::vector<protocols::RouteChange> resolved;
  for (const Change& change : changes) {
    resolved.push_back({change.at, change.table == 0 ? &healthy : &tables[change.table - 1]});
  }
  return resolved;
}

std::vector<const Routes*> RouteChanges::all(const Routes& healthy) const {
  std::vector<const Routes*> all{&healthy};
  for (const Routes& table : tables) all.push_back(&table);
  return all;
}

Result<RouteChanges> build_route_changes(const Scenario& scenario, const Fabric& fabric,
                                         const std::vector<Fault>& faults) {
  RouteChanges result;
  if (!scenario.convergence) return result;
  std::map<std::vector<PortId>, std::size_t> tables{{{}, 0}};
  std::size_t current = 0;
  for (const auto& [time, failed] : outages(fabric, faults)) {
    const auto [place, is_new] = tables.emplace(failed, tables.size());
    if (is_new) {
      if (result.tables.size() == kMaxTables) {
        return Error{"leads to more than " + std::to_string(kMaxTables) +
                         " different states of the routes; fewer faults, or `never`, are needed",
                     {.key = "fabric.convergence"}};
      }
      Result<Routes> routes = topologies::build_routes(fabric, scenario.topology, failed);
      if (!routes.ok()) return routes.errors();
      result.tables.push_back(std::move(routes).value());
    }
    if (place->second == current) continue;
    current = place->second;
    result.changes.push_back({time + *scenario.convergence, current});
  }
  return result;
}

}  // namespace weft::scenarios
