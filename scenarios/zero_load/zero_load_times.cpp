#include "scenarios/zero_load/zero_load_times.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "scenarios/zero_load/like_calls.hpp"
#include "scenarios/zero_load/like_ranks.hpp"
#include "scenarios/zero_load/zero_load_calls.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/messages/split_message.hpp"

namespace weft::scenarios {
namespace {

/// Whether a job ends with acknowledgements (what its senders wait for) or with deliveries.
bool ends_with_deliveries(const collectives::JobKind& kind) {
  return collectives::has_iterations(kind) ||
         collectives::verb_of(kind) == collectives::Verb::kRead;
}

/// That any connection has.
std::uint32_t max_queue_pairs(const Scenario& scenario, const collectives::Workload& workload) {
  return std::max<std::uint32_t>(protocols::traits_of(scenario.transport).queue_pairs,
                                 weft::max_queue_pairs(workload.connections()));
}

/// Of a message that spreads over parallel links: the bytes of the packets that one of them carries
/// of it at least. The last round holds a full packet unless it holds the last packet alone.
Bytes share_of_link(Bytes size, const Framing& framing, std::uint32_t links) {
  if (links <= 1) return size;
  const std::int64_t packets = packets_of(size, framing);
  const std::int64_t rounds = (packets + links - 1) / links;
  const Bytes full = rounds * framing.payload;
  if (packets % links != 1) return std::min(full, size);
  return full - framing.payload + (size - (packets - 1) * framing.payload);
}

/// What queue pairs send of a message, each of them something.
std::vector<Bytes> parts_of(Bytes size, const ConnectionTransport& transport) {
  if (!transport.is_split) return {size};
  std::vector<Bytes> parts;
  for (std::uint32_t i = 0; i < transport.queue_pairs; ++i) {
    const Bytes part = part_of(size, transport.queue_pairs, i);
    if (part > 0_B) parts.push_back(part);
  }
  return parts;
}

/// Packets per ACK that are sure to count from the first packet of a message. Where the last one is
/// not acknowledged at once, the count continues from message to message: an earlier message shifts
/// which packets have an ACK, and the last ACK may have none before it that holds it up.
std::uint32_t certain_ack_every(const protocols::TransportTraits& traits) {
  const bool may_shift = !traits.acks_last && traits.certain_window() == 0;
  return may_shift ? std::numeric_limits<std::uint32_t>::max() : traits.ack_every;
}

}  // namespace

Framing framing_of(const Scenario& scenario, std::size_t transport) {
  const protocols::SwitchConfig& switches = scenario.switches;
  const bool cuts = switches.forwarding == protocols::SwitchConfig::Forwarding::kCutThrough;
  const protocols::TransportTraits traits = protocols::traits_of(scenario.transport_of(transport));
  return {.payload = traits.format.payload,
          .header = traits.format.header,
          .ack_size = traits.ack_size,
          .ack_every = certain_ack_every(traits),
          .window = traits.certain_window(),
          .cut_through = cuts ? switches.cut_through_after : 0_B};
}

Picoseconds latency_of(const std::vector<PathHop>& hops) {
  Picoseconds sum;
  for (const PathHop& hop : hops) sum += hop.latency;
  return sum;
}

std::int64_t packets_of(Bytes message, const Framing& framing) {
  return (message.count() + framing.payload.count() - 1) / framing.payload.count();
}

Bytes wire_bytes(Bytes message, const Framing& framing) {
  return message + packets_of(message, framing) * framing.header;
}

/// What the links of GPUs carry for their scale-up switches to reduce and multicast.
class ZeroLoadTimes::InNetworkLoad {
 public:
  InNetworkLoad(const Fabric& fabric, const collectives::Workload& workload)
      : fabric_(fabric), workload_(workload) {}

  void add(ConnectionId connection, Bytes wire_bytes) {
    const Connection& c = workload_.connections()[connection.value()];
    const auto host = [this](ProcessId p) { return workload_.process_hosts()[p.value()]; };
    sent_[host(c.source)] += wire_bytes;
    if (c.kind == Connection::Kind::kMulticast) {
      for (const ProcessId member : workload_.groups()[c.group].members) {
        received_[host(member)] += wire_bytes;
      }
    } else if (c.source == c.destination) {
      received_[host(c.destination)] += wire_bytes;  // one sum of all contributions
    }
  }

  [[nodiscard]] Job bound() const {
    Job best;
    for (const auto* bytes : {&sent_, &received_}) {
      for (const auto& [host, sum] : *bytes) {
        BitsPerSecond rate;
        for (const Port& port : fabric_.ports_of(fabric_.hosts[host.value()])) {
          const NetworkKind network = fabric_.network_of(fabric_.port(port.peer).peer);
          if (network == NetworkKind::kScaleUp) rate += port.rate;
        }
        const Picoseconds time = transmission_time(sum, rate);
        if (time > best.time) best = {time, "scale-up links of " + fabric_.host(host).name};
      }
    }
    return best;
  }

 private:
  const Fabric& fabric_;
  const collectives::Workload& workload_;
  std::map<HostId, Bytes> sent_;
  std::map<HostId, Bytes> received_;
};

std::size_t ZeroLoadTimes::KeyHash::operator()(const Key& key) const {
  return mix64(key.journey, static_cast<std::uint64_t>(key.size));
}

ZeroLoadTimes::ZeroLoadTimes(const Scenario& scenario, const Fabric& fabric,
                             std::vector<const Routes*> tables,
                             const collectives::Workload& workload)
    : scenario_(scenario),
      fabric_(fabric),
      tables_(std::move(tables)),
      routes_(*tables_.front()),
      workload_(workload),
      transports_(scenario, fabric, routes_, workload),
      queue_pairs_(max_queue_pairs(scenario, workload)),
      journey_of_(workload.connections().size() * queue_pairs_, kUnasked) {}

bool ZeroLoadTimes::is_in_network(ConnectionId connection) const {
  return workload_.connections()[connection.value()].kind != Connection::Kind::kUnicast;
}

std::uint32_t ZeroLoadTimes::entropy_of(ConnectionId connection, std::uint32_t index) const {
  const Connection& c = workload_.connections()[connection.value()];
  return flow_entropy(transports_.source_of(connection), transports_.destination_of(connection),
                      queue_pair_number(c.flow_label, index));
}

std::pair<HostId, HostId> ZeroLoadTimes::ends(ConnectionId connection) const {
  const Connection& c = workload_.connections()[connection.value()];
  const HostId from = transports_.source_of(connection);
  HostId to = transports_.destination_of(connection);
  if (is_in_network(connection) && from == to) {
    // By a scale-up switch, as to any other member.
    const std::vector<ProcessId>& members = workload_.groups()[c.group].members;
    const ProcessId other = members.front() == c.source ? members.back() : members.front();
    to = workload_.process_hosts()[other.value()];
  }
  return {from, to};
}

ZeroLoadTimes::Paths ZeroLoadTimes::paths(ConnectionId connection, std::uint32_t index) const {
  const Connection& c = workload_.connections()[connection.value()];
  const auto [from, to] = ends(connection);
  const std::uint32_t number = queue_pair_number(c.flow_label, index);
  const ConnectionTransport transport = transports_.of(connection);
  const std::uint32_t entropy = flow_entropy(from, to, number);
  const std::uint32_t of_responses = response_entropy(from, to, number, transport.queue_pair_use);
  if (transport.is_scale_up) {
    const auto hops = [this](HostId a, HostId b, std::uint32_t key) {
      return hops_of(fabric_, flow_path(fabric_, routes_, scenario_.seed, a, b, key));
    };
    return {hops(from, to, entropy), hops(to, from, of_responses)};
  }
  const std::vector<PortId> first = first_links_of(transport, from, to, entropy);
  Path there = find_path(first, to, entropy, transport.keeps_path);
  // Responses leave by the links that what they answer came in by.
  std::vector<PortId> links;
  for (const PortId link : there.last) links.push_back(fabric_.port(link).peer);
  Path back = find_path(links, from, of_responses, transport.acks_keep_path);
  add_receiver(there.hops, there.last.size());
  add_receiver(back.hops, back.last.size());
  return {std::move(there.hops), std::move(back.hops)};
}

void ZeroLoadTimes::add_receiver(std::vector<PathHop>& hops, std::size_t links) const {
  if (!scenario_.nic.receive_rate || hops.empty()) return;
  hops.push_back({.rate = *scenario_.nic.receive_rate,
                  .latency = {},
                  .links = static_cast<std::uint32_t>(links),
                  .takes_whole = true});
}

std::vector<PortId> ZeroLoadTimes::first_links_of(const ConnectionTransport& transport, HostId from,
                                                  HostId to, std::uint32_t entropy) const {
  if (transport.spreads_over_ports) return first_links(fabric_, routes_, from, to);
  const auto link = flow_link(fabric_, routes_, scenario_.seed, from, to, entropy);
  if (!link) return {};
  return {*link};
}

ZeroLoadTimes::Path ZeroLoadTimes::find_path(const std::vector<PortId>& first, HostId to,
                                             std::uint32_t entropy, bool keeps_path) const {
  if (first.size() != 1 || !keeps_path) {
    SprayedPath path = sprayed_path(fabric_, routes_, first, to);
    return {std::move(path.hops), std::move(path.last)};
  }
  const std::vector<PortId> path =
      flow_path_from(fabric_, routes_, scenario_.seed, first.front(), to, entropy);
  if (path.empty()) return {};
  return {hops_of(fabric_, path), {path.back()}};
}

ZeroLoadTimes::Journey ZeroLoadTimes::journey(ConnectionId connection, std::uint32_t index) const {
  const ConnectionTransport t = transports_.of(connection);
  Journey journey{
      .framing = t.framing, .parallel_links = t.parallel_links, .forward = {}, .reverse = {}};
  if (tables_.size() == 1 && !t.is_per_message) {
    Paths p = paths(connection, index);
    journey.forward.push_back(std::move(p.forward));
    journey.reverse.push_back(std::move(p.reverse));
    return journey;
  }
  const auto [from, to] = ends(connection);
  journey.forward = rerouted_hops(fabric_, tables_, from, to);
  journey.reverse = rerouted_hops(fabric_, tables_, to, from);
  for (std::vector<PathHop>& there : journey.forward) {
    // A queue pair sends packet after packet, by whatever port, unless it spreads them.
    if (!t.spreads_over_ports && !there.empty()) there.front().links = 1;
  }
  if (t.is_scale_up) return journey;
  for (auto* paths : {&journey.forward, &journey.reverse}) {
    for (std::vector<PathHop>& hops : *paths) {
      if (!hops.empty()) add_receiver(hops, hops.back().links);
    }
  }
  return journey;
}

std::uint32_t ZeroLoadTimes::journey_number(ConnectionId connection, std::uint32_t index) {
  std::uint32_t& number = journey_of_[std::size_t{connection.value()} * queue_pairs_ + index];
  if (number != kUnasked) return number;
  const auto next = static_cast<std::uint32_t>(journeys_.size());
  const auto [it, is_new] = journeys_.emplace(journey(connection, index), next);
  if (is_new) by_number_.push_back(&it->first);
  return number = it->second;
}

ZeroLoad ZeroLoadTimes::message(ConnectionId connection, std::uint32_t entropy, Bytes size) {
  std::uint32_t index = 0;
  if (queue_pairs_ > 1) {
    const ConnectionTransport t = transports_.of(connection);
    if (t.is_split) return split_message(connection, size);
    const std::uint32_t last = t.queue_pairs - 1;
    while (index < last && entropy_of(connection, index) != entropy) ++index;
  }
  return on_queue_pair(connection, index, size);
}

ZeroLoad ZeroLoadTimes::on_queue_pair(ConnectionId connection, std::uint32_t index, Bytes size) {
  const Key key{journey_number(connection, index), size.count()};
  if (const auto it = messages_.find(key); it != messages_.end()) return it->second;
  const ZeroLoad time = min_time(*by_number_[key.journey], size);
  messages_.emplace(key, time);
  return time;
}

ZeroLoad ZeroLoadTimes::min_time(const Journey& journey, Bytes size) {
  const Bytes on_one_link = share_of_link(size, journey.framing, journey.parallel_links);
  ZeroLoad min{Picoseconds::max(), Picoseconds::max()};
  for (const std::vector<PathHop>& there : journey.forward) {
    for (const std::vector<PathHop>& back : journey.reverse) {
      const ZeroLoad time = zero_load(on_one_link, journey.framing, there, back);
      min.delivered = std::min(min.delivered, time.delivered);
      min.completed = std::min(min.completed, time.completed);
    }
  }
  if (min.delivered == Picoseconds::max()) return {};  // there is no path
  return min;
}

ZeroLoad ZeroLoadTimes::best_message(ConnectionId connection, Bytes size) {
  ZeroLoad best = message(connection, entropy_of(connection, 0), size);
  const ConnectionTransport t = transports_.of(connection);
  for (std::uint32_t i = 1; i < t.queue_pairs && !t.is_split; ++i) {
    const ZeroLoad other = message(connection, entropy_of(connection, i), size);
    best.delivered = std::min(best.delivered, other.delivered);
    best.completed = std::min(best.completed, other.completed);
  }
  return best;
}

ZeroLoadTimes::Job ZeroLoadTimes::capacity_of(std::uint32_t job) {
  const bool waits_for_acks = !ends_with_deliveries(scenario_.jobs[job].kind);
  std::vector<Demand> demands;
  std::vector<Demand> acks;
  InNetworkLoad in_network(fabric_, workload_);
  Picoseconds min_one_way = Picoseconds::max();
  Picoseconds min_total = Picoseconds::max();
  std::optional<ConnectionId> previous;
  collectives::for_each_transfer(
      workload_, job, [&](ConnectionId connection, Bytes size, std::int64_t count) {
        const HostId from = transports_.source_of(connection);
        const HostId to = transports_.destination_of(connection);
        const ConnectionTransport t = transports_.of(connection);
        // A relay has acknowledged a message before it forwards the last of it.
        const bool ends_with_acks =
            waits_for_acks && t.is_acknowledged && !workload_.is_second_leg(connection);
        if (is_in_network(connection)) {
          in_network.add(connection, count * wire_bytes(size, t.framing));
          return;
        }
        for (const Bytes part : parts_of(size, t)) {
          demands.push_back({from, to, wire_bytes(part, t.framing), count});
          const std::int64_t packets = packets_of(part, t.framing);
          if (!ends_with_acks || packets < t.framing.ack_every) continue;
          acks.push_back({to, from, packets / t.framing.ack_every * t.framing.ack_size, count});
        }
        if (previous == connection) return;
        previous = connection;
        for (std::uint32_t i = 0; i < t.queue_pairs; ++i) {
          const Paths p = paths(connection, i);
          const Picoseconds there = latency_of(p.forward);
          const Picoseconds back = ends_with_acks ? latency_of(p.reverse) : Picoseconds(0);
          min_total = std::min(min_total, there + back);
          min_one_way = std::min(min_one_way, ends_with_acks ? std::min(there, back) : there);
        }
      });
  Job of_switches = in_network.bound();
  if (demands.empty()) return of_switches;
  // The last data byte through a cut still has the rest of its way and the ACK's before it.
  // Counting the ACKs as well, the last one through may be an ACK: only one way is left or has
  // passed.
  const BitsPerSecond receive_rate = scenario_.nic.receive_rate.value_or(BitsPerSecond::max());
  const CapacityBound data = capacity_bound(fabric_, routes_, demands, receive_rate);
  Job best{data.time + min_total, data.cut};
  if (!acks.empty()) {
    demands.insert(demands.end(), acks.begin(), acks.end());
    const CapacityBound all = capacity_bound(fabric_, routes_, demands, receive_rate);
    if (all.time + min_one_way > best.time) best = {all.time + min_one_way, all.cut};
  }
  if (of_switches.time > best.time) return of_switches;
  return best;
}

std::uint32_t ZeroLoadTimes::travel_number(ConnectionId connection) {
  const ConnectionTransport transport = transports_.of(connection);
  std::vector<std::uint32_t> travel{transport.is_acknowledged ? 1U : 0U};
  if (transport.is_split) travel.push_back(split_number(connection));
  for (std::uint32_t i = 0; i < transport.queue_pairs; ++i) {
    travel.push_back(journey_number(connection, i));
  }
  const auto next = static_cast<std::uint32_t>(travels_.size());
  return travels_.emplace(std::move(travel), next).first->second;
}

LikeRanks ZeroLoadTimes::like_ranks(const std::vector<std::uint32_t>& apart) {
  return find_like_ranks(
      workload_, [this](ConnectionId connection) { return travel_number(connection); }, apart);
}

ZeroLoadNetwork::DelayOf ZeroLoadTimes::delay_of() {
  return [this](ConnectionId connection, Bytes size) {
    const ZeroLoad time = best_message(connection, size);
    ZeroLoadNetwork::Delay delay{.delivered = time.delivered, .acknowledged = {}};
    if (transports_.of(connection).is_acknowledged) delay.acknowledged = time.completed;
    return delay;
  };
}

std::unique_ptr<collectives::Executor> ZeroLoadTimes::run_like_ranks(const Continues& continues) {
  constexpr int kMaxAttempts = 3;
  std::vector<std::uint32_t> apart;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const LikeRanks ranks = like_ranks(apart);
    if (!ranks.is_closed_and_small(workload_)) return nullptr;
    std::vector<bool> runs(ranks.class_of.size());
    for (const ProcessId process : ranks.first_of) runs[process.value()] = true;
    auto executor =
        std::make_unique<collectives::Executor>(workload_, collectives::Executor::Spans::kNotKept);
    LikeCalls calls(workload_, ranks, delay_of(), scenario_.run.control_latency);
    executor->delegate_calls(calls);
    executor->run_only(runs);
    ZeroLoadNetwork network(workload_.process_hosts().size(), workload_.connections(), delay_of(),
                            scenario_.run.control_latency, workload_.groups());
    network.run(*executor, {}, [&] { return calls.is_sound() && (!continues || continues()); });
    if (calls.is_sound()) return executor;
    if (calls.overlap()) return nullptr;
    apart = calls.apart_as_well(apart);
  }
  return nullptr;
}

std::unique_ptr<collectives::Executor> ZeroLoadTimes::run_all(const collectives::GpuSets& gpu_sets,
                                                              const Continues& continues) {
  auto executor =
      std::make_unique<collectives::Executor>(workload_, collectives::Executor::Spans::kNotKept);
  ZeroLoadCalls calls(workload_, gpu_sets, delay_of(), scenario_.run.control_latency);
  executor->delegate_calls(calls);
  ZeroLoadNetwork network(workload_.process_hosts().size(), workload_.connections(), delay_of(),
                          scenario_.run.control_latency, workload_.groups());
  network.run(*executor, {}, continues);
  return executor;
}

std::vector<ZeroLoadTimes::Job> ZeroLoadTimes::jobs(const collectives::GpuSets& gpu_sets,
                                                    const Continues& continues, Ranks ranks) {
  const auto is_open_loop = [](const JobSpec& job) { return collectives::is_open_loop(job.kind); };
  if (std::ranges::all_of(scenario_.jobs, is_open_loop)) {
    return std::vector<Job>(scenario_.jobs.size());
  }
  std::unique_ptr<collectives::Executor> executor;
  if (ranks == Ranks::kOneOfEachClass) executor = run_like_ranks(continues);
  if (!executor) executor = run_all(gpu_sets, continues);
  std::vector<Job> ideals;
  for (std::uint32_t j = 0; j < workload_.jobs().size(); ++j) {
    const collectives::JobOutcome outcome = executor->outcome(j);
    if (is_open_loop(scenario_.jobs[j]) || !outcome.is_finished) {
      ideals.emplace_back();
      continue;
    }
    Job ideal{outcome.end - outcome.start, "dependencies"};
    const Job capacity = capacity_of(j);
    ideals.push_back(capacity.time > ideal.time ? capacity : ideal);
  }
  return ideals;
}

}  // namespace weft::scenarios
