#include "scenarios/run/fluid_model.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"

namespace weft::scenarios {
namespace {

constexpr std::uint32_t kNoLink = std::numeric_limits<std::uint32_t>::max();

/// What a link that is down offers: SimGrid cannot take it for 0, and nothing gets through in the
/// time of a run.
constexpr BitsPerSecond kNothing = 1_bps;

BitsPerSecond times(BitsPerSecond rate, double factor) {
  return BitsPerSecond(std::max<std::int64_t>(
      1, static_cast<std::int64_t>(static_cast<double>(rate.count()) * factor)));
}

/// Of the steps of a path, with all links that packets take there side by side.
BitsPerSecond slowest_step(const std::vector<PathHop>& path) {
  BitsPerSecond slowest = BitsPerSecond::max();
  for (const PathHop& hop : path) slowest = std::min(slowest, hop.links * hop.rate);
  return slowest;
}

/// Which ports belong together: a forest whose roots stand for their trees.
class Unions {
 public:
  explicit Unions(std::size_t n) : above_(n) { std::iota(above_.begin(), above_.end(), 0U); }
  std::uint32_t root(std::uint32_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    above_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> above_;
};

/// Whether messages are sprayed; classes that carry none do not matter.
bool sprays_data(const Experiment& e) {
  return std::ranges::any_of(e.workload.connections(), [&e](const Connection& connection) {
    return e.scenario.sprays(connection.traffic_class, connection.transport);
  });
}

}  // namespace

std::size_t FluidModel::KeyHash::operator()(const Key& key) const {
  return mix64(key.queue_pair, static_cast<std::uint64_t>(key.size));
}

FluidModel::FluidModel(const Experiment& experiment, const RunMode& mode, ZeroLoadTimes& ideals)
    : experiment_(experiment),
      mode_(mode),
      ideals_(ideals),
      transports_(experiment.scenario, experiment.fabric, experiment.routes, experiment.workload),
      owners_(experiment.fabric.link_owners()),
      spreads_(sprays_data(experiment) || !experiment.scenario.scale_up.empty()) {
  queue_pairs_ = protocols::traits_of(experiment.scenario.transport).queue_pairs;
  max_queue_pairs_ = std::max(queue_pairs_, max_queue_pairs(experiment.workload.connections()));
  bundle_ports();
  share_ports();
  make_room_for_acks();
  for (std::uint32_t link = 0; link < ports_of_.size(); ++link) {
    capacities_.push_back(capacity_of(link));
  }
  file_faults();
  limit_by_windows();
}

FluidNetwork::Plan FluidModel::plan() {
  return {
      .capacities = capacities_,
      .changes = changes_,
      .queue_pairs = queue_pairs_,
      .control_latency = experiment_.scenario.run.control_latency,
      .route_of =
          [this](ConnectionId connection, std::uint32_t queue_pair) {
            auto route = links(ends(connection, queue_pair), false);
            if (!limit_of_pair_.empty()) {
              const std::uint32_t limit =
                  limit_of_pair_[std::size_t{connection.value()} * max_queue_pairs_ + queue_pair];
              if (limit != kNoLink) route.push_back(limit);
            }
            return route;
          },
      .transfer_of = [this](ConnectionId connection, std::uint32_t queue_pair,
                            Bytes size) { return transfer(connection, queue_pair, size); },
      .is_split = experiment_.scenario.splits_messages()
                      ? std::function([this](ConnectionId connection) {
                          return transports_.of(connection).is_split;
                        })
                      : nullptr,
      .part_delay = [this](ConnectionId connection, std::uint32_t queue_pair,
                           Bytes whole) { return part_delay(connection, queue_pair, whole); }};
}

FluidModel::Ends FluidModel::ends(ConnectionId connection, std::uint32_t queue_pair) const {
  const Connection& c = experiment_.workload.connections()[connection.value()];
  const std::vector<HostId>& hosts = experiment_.workload.process_hosts();
  const ConnectionTransport t = transports_.of(connection);
  return {hosts[c.source.value()],
          hosts[c.destination.value()],
          queue_pair_number(c.flow_label, queue_pair),
          t.queue_pair_use,
          t.is_sprayed || t.parallel_links > 1,
          t.is_sprayed && !t.spreads_over_ports};
}

std::uint32_t FluidModel::entropy_of(ConnectionId connection, std::uint32_t queue_pair) const {
  const Ends e = ends(connection, queue_pair);
  return flow_entropy(e.source, e.destination, e.number);
}

std::vector<std::vector<PortShare>> FluidModel::steps(const Ends& ends, bool is_reverse) const {
  const Experiment& e = experiment_;
  if (ends.is_spread) {
    std::optional<PortId> first;
    if (ends.keeps_port) {
      first = flow_link(e.fabric, e.routes, e.scenario.seed, ends.source, ends.destination,
                        flow_entropy(ends.source, ends.destination, ends.number));
    }
    auto there = sprayed_shares(e.fabric, e.routes, ends.source, ends.destination, first);
    if (!is_reverse || there.empty()) return there;
    // Responses leave by the port by which what they answer came in.
    if (first) first = e.fabric.port(there.back().front().port).peer;
    return sprayed_shares(e.fabric, e.routes, ends.destination, ends.source, first);
  }
  std::vector<PortId> path =
      flow_path(e.fabric, e.routes, e.scenario.seed, ends.source, ends.destination,
                flow_entropy(ends.source, ends.destination, ends.number));
  if (is_reverse && !path.empty()) {
    const std::uint32_t entropy =
        response_entropy(ends.source, ends.destination, ends.number, ends.use);
    path = flow_path_from(e.fabric, e.routes, e.scenario.seed, e.fabric.port(path.back()).peer,
                          ends.source, entropy);
  }
  std::vector<std::vector<PortShare>> steps;
  steps.reserve(path.size());
  for (const PortId port : path) steps.push_back({{port, 1.0}});
  return steps;
}

std::vector<std::uint32_t> FluidModel::links(const Ends& ends, bool is_reverse) const {
  std::vector<std::uint32_t> links;
  std::set<std::uint32_t> shared;
  for (const auto& step : steps(ends, is_reverse)) {
    // Between hosts that share a link both ways, a flow crosses it twice.
    const std::uint32_t number = experiment_.fabric.port(step.front().port).shared_link;
    const bool crosses_again = number != 0 && !shared.insert(number).second;
    // All ports of a step are in one bundle.
    const std::uint32_t link = link_of_port_[step.front().port.value()];
    const bool is_known = std::find(links.begin(), links.end(), link) != links.end();
    if (!is_known || crosses_again) links.push_back(link);
  }
  return links;
}

std::uint32_t FluidModel::queue_pairs_of(ConnectionId connection) const {
  const std::uint32_t own = experiment_.workload.connections()[connection.value()].queue_pairs;
  return own > 0 ? own : queue_pairs_;
}

template <class Visit>
void FluidModel::for_each_queue_pair(Visit visit) const {
  const std::size_t connections = experiment_.workload.connections().size();
  for (std::size_t c = 0; c < connections; ++c) {
    if (!mode_.runs(experiment_.workload.job_of(experiment_.workload.origin_of(ConnectionId(c))))) {
      continue;
    }
    for (std::uint32_t q = 0; q < queue_pairs_of(ConnectionId(c)); ++q) visit(ConnectionId(c), q);
  }
}

void FluidModel::bundle_ports() {
  const std::size_t ports = experiment_.fabric.ports.size();
  Unions unions(ports);
  if (spreads_) {
    for_each_queue_pair([&](ConnectionId connection, std::uint32_t q) {
      const Ends at = ends(connection, q);
      if (!at.is_spread || (q > 0 && !at.keeps_port)) return;  // all take all paths
      for (const bool is_reverse : {false, true}) {
        for (const auto& step : steps(ends(connection, q), is_reverse)) {
          for (const PortShare& s : step) unions.join(step.front().port.value(), s.port.value());
        }
      }
    });
  }
  for (std::uint32_t p = 0; p < ports; ++p) unions.join(owners_[p].value(), p);
  link_of_port_.resize(ports);
  for (std::uint32_t p = 0; p < ports; ++p) link_of_port_[p] = unions.root(p);
}

void FluidModel::share_ports() {
  const Fabric& fabric = experiment_.fabric;
  shares_.assign(fabric.ports.size(), spreads_ ? 0.0 : 1.0);
  if (spreads_) {
    for_each_queue_pair([&](ConnectionId connection, std::uint32_t q) {
      const Ends at = ends(connection, q);
      if (q > 0 && at.is_spread && !at.keeps_port) return;
      for (const auto& step : steps(ends(connection, q), false)) {
        std::map<PortId, double> shares;
        for (const PortShare& s : step) shares[owners_[s.port.value()]] += s.share;
        for (const auto& [port, share] : shares) {
          shares_[port.value()] = std::max(shares_[port.value()], share);
        }
      }
    });
    for (std::size_t p = 0; p < shares_.size(); ++p) shares_[p] = shares_[owners_[p].value()];
  }
  ports_of_.resize(fabric.ports.size());
  data_part_.assign(fabric.ports.size(), 1.0);
  for (std::uint32_t p = 0; p < fabric.ports.size(); ++p) {
    rates_.push_back(fabric.ports[p].rate);
    if (fabric.node(fabric.peer_node(PortId(p))).kind == NodeKind::kHost &&
        fabric.network_of(PortId(p)) == NetworkKind::kScaleOut) {
      rates_.back() =
          std::min(rates_.back(), experiment_.scenario.nic.receive_rate.value_or(rates_.back()));
    }
    if (shares_[p] > 0) ports_of_[link_of_port_[p]].emplace_back(p);
  }
}

BitsPerSecond FluidModel::capacity_of(std::uint32_t link) const {
  BitsPerSecond min = BitsPerSecond::max();
  for (const PortId port : ports_of_[link]) {
    min = std::min(min, times(rates_[port.value()], 1 / shares_[port.value()]));
  }
  // Nothing crosses a link without ports; any capacity will do.
  return ports_of_[link].empty() ? rates_[link] : times(min, data_part_[link]);
}

void FluidModel::file_faults() {
  struct Edge {
    Picoseconds at;
    bool is_begin;  // on one port a fault may begin when another ends
    PortId port;
    BitsPerSecond rate;
  };
  std::vector<Edge> edges;
  for (const protocols::Fault& fault : experiment_.faults) {
    if (fault.kind == protocols::Fault::Kind::kNicPause ||
        fault.kind == protocols::Fault::Kind::kLinkLatency ||
        fault.kind == protocols::Fault::Kind::kLinkErrors) {
      continue;
    }
    const BitsPerSecond healthy = rates_[fault.port.value()];
    const bool is_down = fault.kind == protocols::Fault::Kind::kLinkDown;
    edges.push_back(
        {fault.at, true, fault.port, is_down ? kNothing : std::min(healthy, fault.rate)});
    if (fault.until != protocols::Fault::kForever) {
      edges.push_back({fault.until, false, fault.port, healthy});
    }
  }
  std::ranges::stable_sort(edges, {},
                           [](const Edge& edge) { return std::tuple(edge.at, edge.is_begin); });
  for (const Edge& edge : edges) {
    rates_[edge.port.value()] = edge.rate;
    const std::uint32_t link = link_of_port_[edge.port.value()];
    changes_.push_back({edge.at, link, capacity_of(link)});
  }
}

std::int64_t FluidModel::ack_bytes(ConnectionId connection, Bytes message) const {
  const Framing framing = transports_.of(connection).framing;
  if (framing.ack_size == 0_B) return 0;
  const std::int64_t packets = packets_of(message, framing);
  return (packets + framing.ack_every - 1) / framing.ack_every * framing.ack_size.count();
}

void FluidModel::add_job_bytes(std::uint32_t job, std::vector<double>& data,
                               std::vector<double>& acks) const {
  collectives::for_each_transfer(
      experiment_.workload, job, [&](ConnectionId connection, Bytes size, std::int64_t count) {
        const std::uint32_t queue_pairs = queue_pairs_of(connection);
        for (std::uint32_t q = 0; q < queue_pairs; ++q) {
          const ConnectionTransport t = transports_.of(connection);
          // Messages take the queue pairs in turn, or all of them.
          const std::int64_t turns = (count + queue_pairs - 1 - q) / queue_pairs;
          const auto n = static_cast<double>(t.is_split ? count : turns);
          const Bytes sent = t.is_split ? part_of(size, queue_pairs, q) : size;
          const Ends e = ends(connection, q);
          const auto wire = static_cast<double>(wire_bytes(sent, t.framing).count());
          for (const std::uint32_t link : links(e, false)) data[link] += n * wire;
          const auto ack = static_cast<double>(ack_bytes(connection, sent));
          for (const std::uint32_t link : links(e, true)) acks[link] += n * ack;
        }
      });
}

void FluidModel::make_room_for_acks() {
  for (std::uint32_t job = 0; job < experiment_.workload.jobs().size(); ++job) {
    if (!mode_.runs(job)) continue;
    std::vector<double> data(data_part_.size());
    std::vector<double> acks(data_part_.size());
    add_job_bytes(job, data, acks);
    for (std::size_t l = 0; l < data.size(); ++l) {
      if (data[l] > 0) data_part_[l] = std::min(data_part_[l], data[l] / (data[l] + acks[l]));
    }
  }
}

void FluidModel::limit_by_windows() {
  const std::vector<protocols::TransportConfig> all = experiment_.scenario.transports();
  const auto limits = [](const protocols::TransportConfig& transport) {
    const protocols::TransportTraits traits = protocols::traits_of(transport);
    return traits.is_acknowledged && traits.certain_window() > 0;
  };
  if (std::ranges::none_of(all, limits)) return;
  limit_of_pair_.assign(experiment_.workload.connections().size() * max_queue_pairs_, kNoLink);
  for_each_queue_pair([&](ConnectionId connection, std::uint32_t q) {
    const Framing framing = transports_.of(connection).framing;
    if (framing.window == 0) return;
    const BitsPerSecond line = slowest_step(ideals_.paths(connection, q).forward);
    const BitsPerSecond limit = window_rate(ideals_.paths(connection, q), framing, line);
    if (limit >= line) return;
    limit_of_pair_[std::size_t{connection.value()} * max_queue_pairs_ + q] =
        static_cast<std::uint32_t>(capacities_.size());
    capacities_.push_back(limit);
  });
}

BitsPerSecond FluidModel::window_rate(const ZeroLoadTimes::Paths& paths, const Framing& framing,
                                      BitsPerSecond line) {
  if (paths.forward.empty()) return line;
  const auto key = std::tuple(latency_of(paths.forward), latency_of(paths.reverse), line,
                              paths.forward.size(), framing.window, framing.payload);
  const auto [found, is_new] = window_rates_.try_emplace(key, line);
  if (!is_new) return found->second;
  // The steady rate: what a message of eight windows takes longer than one of four.
  const Bytes half = std::int64_t{4} * framing.window * framing.payload;
  const Picoseconds more = zero_load(2 * half, framing, paths.forward, paths.reverse).delivered -
                           zero_load(half, framing, paths.forward, paths.reverse).delivered;
  const double bits = static_cast<double>(wire_bytes(half, framing).count()) * 8;
  return found->second =
             std::min(line, BitsPerSecond(static_cast<std::int64_t>(bits / to_seconds(more))));
}

FluidTransfer FluidModel::transfer(ConnectionId connection, std::uint32_t queue_pair,
                                   Bytes message) {
  const Bytes size = std::max(message, 1_B);  // a part without payload is a packet, too
  const std::uint64_t index = std::uint64_t{connection.value()} * max_queue_pairs_ + queue_pair;
  const auto [found, is_new] = transfers_.try_emplace(Key{index, size.count()});
  FluidTransfer& t = found->second;
  if (!is_new) return t;
  const ZeroLoadTimes::Paths paths = ideals_.paths(connection, queue_pair);
  const ZeroLoad alone = ideals_.on_queue_pair(connection, queue_pair, size);
  const ConnectionTransport transport = transports_.of(connection);
  BitsPerSecond rate = transport.parallel_links * slowest_step(paths.forward);
  if (!limit_of_pair_.empty() && limit_of_pair_[index] != kNoLink) {
    rate = std::min(rate, capacities_[limit_of_pair_[index]]);
  }
  t.wire_bytes = wire_bytes(size, transport.framing);
  t.min_flowing = paths.forward.empty() ? Picoseconds(0) : transmission_time(t.wire_bytes, rate);
  t.before = std::max(latency_of(paths.forward), alone.delivered - t.min_flowing);
  if (transport.is_acknowledged) t.acknowledged_after = alone.completed - alone.delivered;
  return t;
}

// A NIC sends the first packets of parts that leave by one port one after the other.
Picoseconds FluidModel::part_delay(ConnectionId connection, std::uint32_t queue_pair,
                                   Bytes whole) const {
  const ConnectionTransport t = transports_.of(connection);
  const auto first_port = [&](std::uint32_t q) -> PortId {
    const auto all = steps(ends(connection, q), false);
    return all.empty() ? PortId::none() : all.front().front().port;
  };
  const PortId port = first_port(queue_pair);
  Picoseconds delay;
  for (std::uint32_t q = 0; q < queue_pair && !port.is_none(); ++q) {
    if (first_port(q) != port) continue;
    const Bytes part = part_of(whole, t.queue_pairs, q);
    delay += transmission_time(std::min(part, t.framing.payload) + t.framing.header,
                               experiment_.fabric.port(port).rate);
  }
  return delay;
}

void FluidModel::add_port_bytes(ConnectionId connection, std::uint32_t queue_pair, double data,
                                double acks, std::vector<double>& by_port) const {
  const Ends e = ends(connection, queue_pair);
  for (const auto& step : steps(e, false)) {
    for (const PortShare& s : step) by_port[s.port.value()] += data * s.share;
  }
  if (acks == 0) return;
  for (const auto& step : steps(e, true)) {
    for (const PortShare& s : step) by_port[s.port.value()] += acks * s.share;
  }
}

}  // namespace weft::scenarios
