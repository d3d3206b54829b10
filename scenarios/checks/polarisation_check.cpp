#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/checks/static_checks.hpp"
#include "scenarios/text/format.hpp"
#include "topologies/analysis/network_view.hpp"
#include "topologies/routing/usable_paths.hpp"

namespace weft::scenarios {
namespace {

using topologies::HostPair;

constexpr std::size_t kMaxCheckedPairs = 1'000;
/// Going through all values of a CRC takes a millisecond per pair.
constexpr std::size_t kMaxPairsByCrc = 100;
constexpr std::size_t kMaxCheckedConnections = 100'000;

/// How next hops are chosen under some load balancing. Flowlets and packets that draw do not go by
/// the hash of flows, but by the same seeds.
std::optional<PathHash> hash_of(protocols::LoadBalancing::Type type, const PathHash& of_flows) {
  switch (type) {
    case protocols::LoadBalancing::kFlow:
      return of_flows;
    case protocols::LoadBalancing::kFlowlet:
    case protocols::LoadBalancing::kSpray:
      return PathHash{.type = PathHash::Type::kMix, .seeds = of_flows.seeds};
    default:
      return {};
  }
}

bool is_same_hash(const PathHash& a, const PathHash& b) {
  return a.type == b.type && a.seeds == b.seeds;
}

/// Pairs of hosts between which jobs send by such choices, one of each pair of sets of hosts with
/// the same switches; evenly chosen connections stand for all.
std::vector<HostPair> pairs_choosing_by(const Experiment& e, const PathHash& hash) {
  const topologies::NetworkView view(e.fabric, NetworkKind::kScaleOut);
  const std::size_t max = hash.type == PathHash::Type::kCrc16 ? kMaxPairsByCrc : kMaxCheckedPairs;
  const auto& connections = e.workload.connections();
  const std::size_t stride = connections.size() / kMaxCheckedConnections + 1;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;
  std::vector<HostPair> pairs;
  for (std::size_t i = 0; i < connections.size() && pairs.size() < max; i += stride) {
    const Connection& connection = connections[i];
    const HostId from = e.workload.process_hosts()[connection.source.value()];
    const HostId to = e.workload.process_hosts()[connection.destination.value()];
    if (from == to || e.fabric.network_between(from, to) != NetworkKind::kScaleOut) continue;
    const auto type = e.scenario.switches.balancing(connection.traffic_class).type;
    const std::optional<PathHash> own = hash_of(type, e.routes.hash);
    if (!own || !is_same_hash(*own, hash)) continue;
    if (known.emplace(view.site_of(from), view.site_of(to)).second) pairs.emplace_back(from, to);
  }
  return pairs;
}

std::string count_text(std::uint64_t n) { return format_count(static_cast<std::int64_t>(n)); }

void check_choices(const Experiment& e, const PathHash& hash, StaticFindings& findings) {
  if (!topologies::may_polarise(hash)) return;
  const auto found = topologies::survey_usable_paths(e.fabric, e.routes, {hash, e.scenario.seed},
                                                     pairs_choosing_by(e, hash));
  if (found.reduced == 0) return;
  std::string sentence = polarisation_text(e.fabric, found);
  if (found.idle_links > 0) {
    sentence += fmt::format(
        " ({} of the {} links between switches on the jobs' shortest paths carry nothing)",
        count_text(found.idle_links), count_text(found.links));
  }
  sentence += hash.type == PathHash::Type::kCrc16
                  ? "; a CRC does so with any seeds: set fabric.hash.type to `mix`, or spray"
                  : "; set fabric.hash.seeds to `per-switch`";
  findings.warnings.push_back(std::move(sentence));
}

}  // namespace

std::string polarisation_text(const Fabric& fabric, const topologies::UsablePathSurvey& found) {
  return fmt::format(
      "{}: traffic from {} to {} can take {} of {} shortest paths, because switches repeat each "
      "other's choices",
      kPolarised, fabric.host(found.worst.first).name, fabric.host(found.worst.second).name,
      count_text(found.of_worst.usable), count_text(found.of_worst.shortest));
}

std::optional<topologies::Hashing> hashing_of_classes(const Scenario& scenario,
                                                      const PathHash& of_flows) {
  std::optional<PathHash> drawn;
  for (const protocols::TrafficClass& c : scenario.switches.classes) {
    const auto type = scenario.switches.balancing(c).type;
    if (type == protocols::LoadBalancing::kFlow)
      return topologies::Hashing{of_flows, scenario.seed};
    if (!drawn) drawn = hash_of(type, of_flows);
  }
  if (!drawn) return {};
  return topologies::Hashing{*drawn, scenario.seed};
}

void check_polarisation(const Experiment& e, StaticFindings& findings) {
  const PathHash& of_flows = e.routes.hash;
  const PathHash drawn{.type = PathHash::Type::kMix, .seeds = of_flows.seeds};
  check_choices(e, of_flows, findings);
  if (!is_same_hash(drawn, of_flows)) check_choices(e, drawn, findings);
}

}  // namespace weft::scenarios
