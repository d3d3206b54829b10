#include "scenarios/blame/reactions.hpp"

#include <algorithm>
#include <tuple>

namespace weft::scenarios {
namespace {

/// What a port without marks has to queue on average for a control to react to it.
constexpr double kShortQueue = 4096;  // bytes

/// The port that a control reacts to, of those on a path; none: there is no queue.
PortId reacted_to(const std::set<PortId>& queues, const Results& results) {
  PortId worst = PortId::none();
  const auto weight_of = [&results](PortId port) {
    const PortResult& r = results.ports[port.value()];
    return std::tuple(r.counters.ecn_marked, r.mean_queue_bytes);
  };
  for (const PortId port : queues) {
    const auto [marks, queue] = weight_of(port);
    if (marks == 0 && queue < kShortQueue) continue;
    if (worst.is_none() || weight_of(port) > weight_of(worst)) worst = port;
  }
  return worst;
}

/// The mean of the bytes that pass by the ports of a node to, or from, switches of a tier.
double mean_bytes(const Fabric& fabric, const Results& results, NodeId node, std::uint32_t tier,
                  bool is_inbound) {
  const Node& of = fabric.node(node);
  double bytes = 0;
  double count = 0;
  for (std::uint32_t i = 0; i < of.port_count; ++i) {
    const PortId port(of.first_port.value() + i);
    const Node& peer = fabric.node(fabric.peer_node(port));
    if (peer.kind != NodeKind::kSwitch || peer.tier != tier) continue;
    const PortId sender = is_inbound ? fabric.port(port).peer : port;
    bytes += static_cast<double>(results.ports[sender.value()].counters.bytes.count());
    ++count;
  }
  return count > 0 ? bytes / count : 0;
}

/// The bytes of a port between switches over the mean of the links beside it: those by which its
/// switch reaches the same tier, or by which that tier reaches the same switch. 0: it joins none.
double load_ratio(const Fabric& fabric, const Results& results, PortId port) {
  const NodeId from = fabric.port(port).node;
  const NodeId to = fabric.peer_node(port);
  const auto is_switch = [&fabric](NodeId n) { return fabric.node(n).kind == NodeKind::kSwitch; };
  if (!is_switch(from) || !is_switch(to)) return 0;
  const auto own = static_cast<double>(results.ports[port.value()].counters.bytes.count());
  const double out = mean_bytes(fabric, results, from, fabric.node(to).tier, false);
  const double in = mean_bytes(fabric, results, to, fabric.node(from).tier, true);
  return std::max(out > 0 ? own / out : 0.0, in > 0 ? own / in : 0.0);
}

/// Whose data the port sent while packets of critical paths waited there.
void add_shares(const PacketWalk::SentByJob& sent, ReactionResult& r) {
  Picoseconds whole;
  Picoseconds others;
  Picoseconds longest;
  for (const auto& [job, time] : sent) {
    whole += time;
    if (job == r.job) continue;
    others += time;
    if (time > longest) {
      longest = time;
      r.other_job = job;
    }
  }
  if (whole == Picoseconds(0)) return;
  r.others_share = to_seconds(others) / to_seconds(whole);
  r.other_job_share = to_seconds(longest) / to_seconds(whole);
}

}  // namespace

std::vector<ReactionResult> Reactions::rows(const Experiment& e, const Results& results,
                                            const PacketWalk& walk) const {
  std::map<std::pair<std::uint32_t, PortId>, ReactionResult> by_port;
  for (const auto& [of, time] : held_) {
    const auto& [job, connection] = of;
    const auto queues = queues_.find(connection);
    if (queues == queues_.end()) continue;
    const PortId port = reacted_to(queues->second, results);
    if (port.is_none()) continue;
    ReactionResult& r = by_port[{job, port}];
    r.job = job;
    r.port = port;
    r.held += time;
    ++r.queue_pairs;
  }
  std::vector<ReactionResult> rows;
  for (auto& [key, r] : by_port) {
    add_shares(walk.sent_by_job(r.port), r);
    r.load_ratio = load_ratio(e.fabric, results, r.port);
    rows.push_back(r);
  }
  std::ranges::stable_sort(rows, [](const ReactionResult& a, const ReactionResult& b) {
    return std::tuple(a.job, b.held) < std::tuple(b.job, a.held);
  });
  return rows;
}

}  // namespace weft::scenarios
