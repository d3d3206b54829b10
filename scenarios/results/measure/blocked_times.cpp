#include "scenarios/results/measure/blocked_times.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "simcore/fabric/path.hpp"

namespace weft::scenarios {

using protocols::CreditWait;

BlockedTimes::BlockedTimes(const Experiment& e, std::span<const protocols::PauseInterval> pauses,
                           std::vector<CreditWait> waits)
    : e_(e),
      transports_(e.scenario, e.fabric, e.routes, e.workload),
      pauses_(pauses),
      waits_(std::move(waits)) {}

Picoseconds BlockedTimes::of(std::span<const Leg> legs, Picoseconds from, Picoseconds until) {
  if (pauses_.entries().empty() && waits_.empty()) return {};
  changes_.clear();
  std::size_t tiers = 0;
  for (const Leg& leg : legs) {
    const ClassId c = transports_.of(leg.connection).traffic_class;
    for (const Tier& tier : path_of(leg)) add(tier, tiers++, c, from, until);
  }
  std::ranges::sort(changes_, {}, &Change::time);
  std::vector<double> held(tiers);
  double sum = 0;
  Picoseconds last = from;
  for (const Change& change : changes_) {
    const double max = *std::ranges::max_element(held);
    sum += max * static_cast<double>((change.time - last).count());
    held[change.tier] += change.share;
    last = change.time;
  }
  return Picoseconds(std::llround(sum));
}

std::vector<BlockedTimes::Tier> BlockedTimes::path_of(const Leg& leg) {
  const Connection& c = e_.workload.connections()[leg.connection.value()];
  const ConnectionTransport transport = transports_.of(leg.connection);
  const HostId from = transports_.source_of(leg.connection);
  HostId to = leg.to;
  if (from == to && c.kind != Connection::Kind::kUnicast) {
    // By a scale-up switch, as to any other member.
    const std::vector<ProcessId>& members = e_.workload.groups()[c.group].members;
    to =
        e_.workload.process_hosts()[(members.front() == c.source ? members.back() : members.front())
                                        .value()];
  }
  const bool keeps_path = transport.is_scale_up
                              ? transport.parallel_links == 1
                              : e_.scenario.keeps_path(c.traffic_class, c.transport);
  if (!keeps_path) {
    const auto [it, is_new] = spread_.try_emplace({from, to});
    if (is_new) it->second = spread(from, to);
    return it->second;
  }
  std::vector<Tier> way;
  for (const PortId port :
       flow_path(e_.fabric, e_.routes, e_.scenario.seed, from, to, leg.entropy)) {
    way.push_back({port});
  }
  return way;
}

std::vector<BlockedTimes::Tier> BlockedTimes::spread(HostId from, HostId to) const {
  std::vector<Tier> way;
  std::vector<NodeId> nodes{e_.fabric.hosts[from.value()]};
  while (!nodes.empty() && way.size() < kMaxPathLinks) {
    Tier tier;
    std::vector<NodeId> next;
    for (const NodeId at : nodes) {
      const Node& node = e_.fabric.node(at);
      for (const std::uint16_t local : ports_towards(e_.routes, node, from, to)) {
        tier.emplace_back(node.first_port.value() + local);
        next.push_back(e_.fabric.peer_node(tier.back()));
      }
    }
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    nodes = std::move(next);
    if (!tier.empty()) way.push_back(std::move(tier));
  }
  return way;
}

void BlockedTimes::add(const Tier& tier, std::size_t number, ClassId traffic_class,
                       Picoseconds from, Picoseconds until) {
  const double share = 1.0 / static_cast<double>(tier.size());
  const auto hold = [&](Picoseconds start, Picoseconds end, double part) {
    start = std::max(start, from);
    end = std::min(end, until);
    if (end <= start) return;
    changes_.push_back({start, number, part});
    changes_.push_back({end, number, -part});
  };
  for (const PortId port : tier) {
    const auto pauses = pauses_.of(port, traffic_class);
    auto pause = std::ranges::upper_bound(pauses, from, {}, &protocols::PauseIndex::Entry::end);
    for (; pause != pauses.end() && pause->start < until; ++pause) {
      hold(pause->start, pause->end, share);
    }
    const auto waits = waits_of(port, traffic_class);
    auto wait = std::ranges::upper_bound(waits, from, {}, &CreditWait::end);
    for (; wait != waits.end() && wait->start < until; ++wait) {
      hold(wait->start, wait->end,
           share * to_seconds(wait->waited) / to_seconds(wait->end - wait->start));
    }
  }
}

std::span<const CreditWait> BlockedTimes::waits_of(PortId port, ClassId traffic_class) const {
  const std::tuple queue(port, traffic_class);
  const auto queue_of = [](const CreditWait& w) { return std::tuple(w.port, w.traffic_class); };
  return {std::ranges::lower_bound(waits_, queue, {}, queue_of),
          std::ranges::upper_bound(waits_, queue, {}, queue_of)};
}

}  // namespace weft::scenarios
