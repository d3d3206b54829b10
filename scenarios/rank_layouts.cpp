#include "scenarios/rank_layouts.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/ideal_times.hpp"
#include "simcore/hash.hpp"
#include "simcore/path.hpp"
#include "simcore/zero_load.hpp"

namespace weft::scenarios {
namespace {

/// Of a message of one byte, less the time that its byte takes.
Picoseconds latency_between(const Scenario& scenario, const Fabric& fabric, const Routes& routes,
                            HostId from, HostId to) {
  const auto path = hops_of(
      fabric, flow_path(fabric, routes, scenario.seed, from, to, flow_entropy(from, to, 0)));
  const Framing framing = framing_of(scenario);
  return zero_load(1_B, framing, path, path).delivered;
}

/// What is left of a rate for payload.
BitsPerSecond without_headers(BitsPerSecond rate, const Framing& framing) {
  const auto payload = static_cast<double>(framing.payload.count());
  const double share = payload / static_cast<double>((framing.payload + framing.header).count());
  return BitsPerSecond(std::llround(static_cast<double>(rate.count()) * share));
}

}  // namespace

void fill_layouts(Scenario& scenario, const Fabric& fabric, const Routes& routes) {
  const Framing framing = framing_of(scenario);
  for (JobSpec& job : scenario.jobs) {
    const auto* spec = std::get_if<collectives::CollectiveSpec>(&job.kind);
    if (spec == nullptr || job.ranks.size() < 2) continue;
    BitsPerSecond slowest = BitsPerSecond::max();
    for (const HostId host : job.ranks) {
      const NodeId node = fabric.hosts[host.value()];
      slowest = std::min(slowest, fabric.port(fabric.node(node).first_port).rate);
    }
    job.layout.network_rate = without_headers(slowest, framing);
    job.layout.network_latency =
        latency_between(scenario, fabric, routes, job.ranks[0], job.ranks[job.ranks.size() / 2]);
    if (spec->domain_size < 2) continue;
    job.layout.domain_rate = job.layout.network_rate;
    job.layout.domain_latency =
        latency_between(scenario, fabric, routes, job.ranks[0], job.ranks[1]);
  }
}

}  // namespace weft::scenarios
