#include "protocols/network/packet_network.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include "protocols/config/headroom.hpp"
#include "protocols/host/host_context.hpp"
#include "protocols/network/lp_cut.hpp"
#include "protocols/network/packet_engine.hpp"
#include "protocols/steady_state/live_part.hpp"
#include "protocols/steady_state/prediction.hpp"
#include "protocols/steady_state/recurrence.hpp"
#include "protocols/steady_state/skipper.hpp"
#include "protocols/switch/shared_buffer.hpp"
#include "simcore/base/check.hpp"
#include "simcore/engine/huge_pages.hpp"

namespace weft::protocols {

namespace {

/// Pause intervals that are kept in all, and at least and at most per port.
constexpr std::size_t kPausesKept = 4'000'000;
constexpr std::size_t kMinPausesPerPort = 64;
constexpr std::size_t kMaxPausesPerPort = 65'536;

/// Where spraying in turn begins for what comes in by a port of a switch: anywhere, so that hosts
/// do not go in step. But both links of a dual-ToR host begin alike, and the inputs of a switch
/// that come from switches one after the other, so that packets which left that host side by side
/// take the two links of their destination, and do not meet.
std::uint32_t first_turn(const Fabric& fabric, PortId port, std::uint64_t seed) {
  const Node& peer = fabric.node(fabric.peer_node(port));
  const NodeId at = fabric.port(port).node;
  if (peer.kind == NodeKind::kHost) {
    return static_cast<std::uint32_t>(switch_hash_seed(seed, fabric.peer_node(port)));
  }
  const std::uint32_t input = port.value() - fabric.node(at).first_port.value();
  return static_cast<std::uint32_t>(switch_hash_seed(seed, at)) + input;
}

std::vector<TransportConfig> scale_out_transports(const PacketNetwork::Options& options) {
  std::vector<TransportConfig> all{options.transport};
  all.insert(all.end(), options.more_transports.begin(), options.more_transports.end());
  return all;
}

/// Whether some host has to choose among its ports: packet by packet, or after a fault.
bool has_host_ports(const Fabric& fabric, const PacketNetwork::Options& options, bool has_faults) {
  if (!options.scale_up.empty()) return true;
  const bool selects_planes =
      std::ranges::any_of(scale_out_transports(options), [](const TransportConfig& transport) {
        return traits_of(transport).planes.choice != PlaneConfig::Choice::kBalanced;
      });
  if (!has_faults && !selects_planes && !options.switches.sprays()) return false;
  return std::any_of(fabric.hosts.begin(), fabric.hosts.end(),
                     [&](NodeId host) { return fabric.node(host).port_count > 1; });
}

/// Whether some link corrupts frames, or will for a while.
bool has_losses(const Fabric& fabric, const PacketNetwork::Options& options) {
  return std::ranges::any_of(fabric.ports, [](const Port& port) { return port.errors.any(); }) ||
         std::ranges::any_of(options.faults, [](const Fault& fault) {
           return fault.kind == Fault::Kind::kLinkErrors;
         });
}

/// How many histograms of packet latencies these connections need; 1 where that were too many.
std::uint8_t latency_groups_of(const std::vector<Connection>& connections) {
  std::uint32_t groups = 1;
  for (const Connection& c : connections) groups = std::max(groups, c.latency_group + 1U);
  return groups > kMaxLatencyGroups ? std::uint8_t{1} : static_cast<std::uint8_t>(groups);
}

/// All that the packet path reads and a run never changes.
NetworkConstants constants_of(const Fabric& fabric, const PacketNetwork::Options& options,
                              const std::vector<Connection>& connections) {
  NetworkConstants k(options.switches, options.nic, scale_out_transports(options), options.scale_up,
                     options.seed, options.control_latency);
  const ObservationConfig& observation = options.observation;
  k.has_faults = !options.faults.empty() || !options.route_changes.empty();
  k.has_added_latency =
      std::any_of(options.faults.begin(), options.faults.end(),
                  [](const Fault& fault) { return fault.kind == Fault::Kind::kLinkLatency; });
  k.has_losses = has_losses(fabric, options);
  k.has_host_ports = has_host_ports(fabric, options, k.has_faults);
  k.has_shared_links = fabric.has_shared_links();
  k.has_cells = std::any_of(fabric.switches.begin(), fabric.switches.end(), [&](NodeId at) {
    return options.switches.cell_of(fabric.node(at)) != Bytes(1);
  });
  k.works_in_network = std::any_of(
      connections.begin(), connections.end(),
      [](const Connection& connection) { return connection.kind != Connection::Kind::kUnicast; });
  // Faults void credits on their way; a state that may recur has all of them in events; and each
  // has a crossbar arbitrate, which changes who goes first in the next round. CBFC's updates can be
  // lost.
  k.has_credit_returns =
      k.credit != 0 && k.cbfc == 0 && !k.has_faults && !options.skips && !k.input_queued;
  k.traces_credits = observation.credits;
  k.traces_packets = !observation.packet_flows.empty();
  k.traces_messages = !observation.messages.empty();
  k.traces_queues = !observation.queue_ports.empty() && observation.queue_period == Picoseconds(0);
  k.pauses_kept = std::clamp(kPausesKept / std::max<std::size_t>(fabric.ports.size(), 1),
                             kMinPausesPerPort, kMaxPausesPerPort);
  return k;
}

/// Those who ask for credit, and the ports that grant it.
void start_grants(NetworkState& s) {
  if (!s.constants.needs().has(Feature::kGrants)) return;
  s.grants.askers.resize(s.senders.size());
  s.grants.turns.resize(s.receivers.size());
  s.grants.rings.resize(s.nics.size());
  for (std::uint32_t i = 0; i < s.constants.transport_count; ++i) {
    s.controls.start_ports(s.constants.transports[i].credit, s.nics.size());
  }
}

}  // namespace

PacketNetwork::PacketNetwork(const Fabric& fabric, const Routes& routes, const Options& options,
                             const std::vector<HostId>& processes,
                             const std::vector<Connection>& connections,
                             const std::vector<ProcessGroup>& groups)
    : options_(options),
      state_(std::make_unique<NetworkState>(fabric, routes,
                                            constants_of(fabric, options, connections))) {
  for (const TransportConfig& transport : scale_out_transports(options)) {
    const TransportTraits traits = traits_of(transport);
    state_->controls.add(traits.congestion_control);
    if (traits.receiver_control) state_->controls.add(*traits.receiver_control);
    state_->entropies.add(traits.path_selection, traits.delivery.has_value());
  }
  build_ports();
  build_switches();
  plan_ = cut_fabric(fabric, options.switches, options.control_latency, options.cut,
                     options.cut == LpPlan::Cut::kAuto
                         ? expected_load(fabric, options.transport, options.scale_up, processes,
                                         connections, options.parallelism)
                         : ExpectedLoad(),
                     options.keeps_domains_whole);
  engine_ = std::make_unique<Engine>(*state_, plan_, options_);
  build_lps();
  state_->latency_groups = latency_groups_of(connections);
  engine_->spawn();
  state_->processes.resize(processes.size());
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const NodeId node = fabric.hosts[processes[p].value()];
    state_->processes[p] = {.host = processes[p], .lp = plan_.lp_of_node[node.value()]};
  }
  if (state_->constants.needs().has(Feature::kContexts)) state_->acks.start();
  build_queue_pairs(connections);
  start_grants(*state_);
  build_in_network(connections, groups);
  build_observation();
  place_in_huge_pages();
  prepare_skipper();
}

PacketNetwork::~PacketNetwork() = default;

void PacketNetwork::build_shared_links() {
  NetworkState& s = *state_;
  std::vector<std::uint32_t> sharers;
  for (const Port& port : s.fabric.ports) {
    if (port.shared_link == 0) continue;
    if (port.shared_link >= sharers.size()) sharers.resize(port.shared_link + 1);
    ++sharers[port.shared_link];
  }
  s.shared_links.resize(sharers.size());
  for (std::size_t i = 0; i < sharers.size(); ++i) s.shared_links[i].waiting.reserve(sharers[i]);
}

void PacketNetwork::build_ports() {
  NetworkState& s = *state_;
  const Fabric& fabric = s.fabric;
  const PauseConfig& pause = options_.switches.pause;
  s.links = std::vector<Link>(fabric.ports.size());
  s.ports = std::vector<PortState>(fabric.ports.size());
  s.hosts.resize(fabric.hosts.size());
  std::size_t host_ports = 0;
  for (const NodeId host : fabric.hosts) {
    host_ports += fabric.node(host).port_count;
  }
  s.nics.resize(host_ports);
  build_slots(host_ports);
  if (s.constants.has_losses) {
    s.losses.reserve(fabric.ports.size());
    for (std::uint32_t i = 0; i < fabric.ports.size(); ++i) {
      s.losses.emplace_back(fabric.port(fabric.ports[i].peer).errors, options_.seed, i);
    }
  }
  if (s.constants.retry.enabled) s.retries.resize(fabric.ports.size());
  build_shared_links();
  for (std::uint32_t i = 0; i < fabric.ports.size(); ++i) {
    const PortId id(i);
    const Port& from = fabric.port(id);
    const Node& node = fabric.node(from.node);
    PortState& port = s.ports[i];
    port.id = id;
    port.index = i;
    port.network = fabric.network_of(id);
    const ClassRange classes = s.classes_of(port);
    port.first_slot = s.slots[i] - (*classes.begin()).value();
    port.peer = from.peer;
    port.out = &s.links[i];
    port.set_rate(from.rate);
    port.nominal_rate = port.rate;
    port.ingress_rate = fabric.port(from.peer).rate;
    port.data_latency = fabric.data_latency(id);
    port.pause_latency = pause_latency(pause, from);
    port.owner = node.index;
    port.owner_is_host = node.kind == NodeKind::kHost;
    port.peer_cuts_through =
        s.constants.cut_through && fabric.node(fabric.peer_node(id)).kind == NodeKind::kSwitch;
    port.wire_latency = from.wire_latency;
    port.shared_link = from.shared_link;
    // PCIe has a retry of its own below all this.
    port.has_retry = s.constants.retry.enabled && port.network == NetworkKind::kScaleOut &&
                     port.shared_link == 0;
    apply_settings(port);
    for (const ClassId c : classes) {
      s.queue(port, c).credits = static_cast<std::int32_t>(s.constants.of_class[c].credit_blocks);
      if ((s.constants.cbfc & class_bit(c)) == 0) continue;
      CbfcState& cbfc = s.cbfc_at(port, c);
      cbfc.update_losses =
          FrameLosses(from.errors, options_.seed, update_stream(s, c, from.peer.value()));
      cbfc.repair_losses =
          FrameLosses(fabric.port(from.peer).errors, options_.seed, repair_stream(s, c, i));
    }
    WEFT_CHECK(port.owner_is_host == (i < host_ports), "hosts are numbered before switches");
    const std::uint32_t first = first_turn(fabric, id, options_.seed);
    port.sprayed = {first, first};
  }
}

/// What the port has in place of what all have. A class without PFC obeys no pause.
void PacketNetwork::apply_settings(PortState& port) {
  const SettingsByPort& by_port = options_.switches.by_port;
  if (!by_port.any()) return;
  port.settings = by_port.of_port[port.index];
  for (const ClassId c : state_->classes_of(port)) {
    const bool obeys = options_.switches.honours_pause(port.id) && state_->class_at(port, c).is_pfc;
    if (!obeys) port.ignored |= class_bit(c);
  }
}

/// Ports have room for the classes of their network.
void PacketNetwork::build_slots(std::size_t host_ports) {
  NetworkState& s = *state_;
  // Before the first one as many as numbers of classes may be ahead of their places.
  std::uint32_t next = s.constants.classes;
  s.slots.reserve(s.fabric.ports.size());
  for (std::uint32_t i = 0; i < s.fabric.ports.size(); ++i) {
    if (i == host_ports) s.ready.resize(next);
    s.slots.push_back(next);
    next += s.constants.classes_of(s.fabric.network_of(PortId(i))).size();
  }
  if (s.ready.empty()) s.ready.resize(next);
  s.queues = std::vector<ClassQueue>(next);
  s.ingress = std::vector<IngressAccount>(next);
  if (s.constants.has_credit_returns) s.credit_returns.resize(next);
  if (s.constants.drops_early) s.early_drops.resize(next);
  if (s.constants.has_watchdogs) s.watchdogs.resize(next);
  if (s.constants.cbfc != 0) s.cbfc.resize(next);
}

void PacketNetwork::build_switches() {
  NetworkState& s = *state_;
  const NetworkConstants& k = s.constants;
  s.switches.resize(s.fabric.switches.size());
  if (k.input_queued) s.crossbars.resize(s.fabric.switches.size());
  if (k.has_flowlets) {
    s.flowlets.resize(s.fabric.switches.size() * (std::size_t{k.flowlet_mask} + 1));
  }
  for (std::uint32_t i = 0; i < s.fabric.switches.size(); ++i) {
    const NodeId id = s.fabric.switches[i];
    const Node& node = s.fabric.node(id);
    SwitchState& sw = s.switches[i];
    sw.first_port = node.first_port.value();
    sw.port_count = node.port_count;
    sw.is_scale_up = node.network == NetworkKind::kScaleUp;
    sw.routes = &s.routes;
    sw.hash_seed = s.routes.hash.seed_of(options_.seed, id);
    sw.capacity = options_.switches.buffer_of(node);
    sw.cell = options_.switches.cell_of(node);
    for (const ClassConstants& c : k.of_class) {
      if (c.network != node.network || sw.is_scale_up)
        continue;  // scale-up switches have room for their credits
      sw.capacity -= std::int64_t{node.port_count} * c.credit_blocks * c.block;
    }
    if (!sw.is_scale_up) sw.pool_size = options_.switches.headroom_pool_of(node);
    sw.shared_size = sw.capacity - sw.pool_size;
    for (std::uint32_t p = 0; p < node.port_count; ++p) {
      const PortState& port = s.ports[sw.first_port + p];
      for (const ClassId c : s.classes_of(port)) {
        const TrafficClass& config = options_.switches.class_at(port.id, c);
        const ClassConstants& constants = s.class_at(port, c);
        if (config.network != node.network) continue;
        IngressAccount& account = s.account(port, c);
        if (constants.limits_headroom) {
          const Bytes headroom = headroom_of(s.fabric, port.id, options_.switches, config,
                                             scale_out_transports(options_));
          // More than 2 GiB can never be on the way over one link.
          account.headroom = static_cast<std::int32_t>(
              std::min<std::int64_t>(headroom.count(), std::numeric_limits<std::int32_t>::max()));
        }
        const Bytes headroom(account.headroom);
        sw.shared_size -= headroom - drawn_from_pool(sw, account, constants, headroom);
        sw.shared_size -= constants.reserved + constants.egress_reserved;
      }
    }
    if (!k.input_queued) continue;
    WEFT_CHECK(node.port_count <= kMaxInputQueuedPorts, "a set of inputs is one word");
    s.crossbars[i].requests.resize(std::size_t{node.port_count} * k.classes);
    s.crossbars[i].last_input.resize(node.port_count);
  }
}

void PacketNetwork::build_lps() {
  NetworkState& s = *state_;
  std::uint32_t max_ports = 1;
  for (const auto& ports : plan_.ports_of_lp) {
    max_ports = std::max(max_ports, static_cast<std::uint32_t>(ports.size()));
  }
  engine_->lps.resize(plan_.lp_count);
  std::uint32_t activity_words = 1;  // the first one is nobody's
  for (std::uint32_t c = 0; c < plan_.lp_count; ++c) {
    LogicalProcess& lp = engine_->lps[c];
    lp.ports = plan_.ports_of_lp[c];
    lp.keys = EventKeys(max_ports);
    bool has_inside = false;
    for (std::uint32_t local = 0; local < lp.ports.size(); ++local) {
      PortState& port = s.ports[lp.ports[local].value()];
      port.local = local;
      lp.inbound.push_back(&s.links[port.peer.value()]);
      const NodeId peer = s.fabric.port(port.peer).node;
      port.leads_inside = plan_.lp_of_node[peer.value()] == c;
      if (port.leads_inside) {
        has_inside = true;
      } else {
        s.links[port.peer.value()].activity_index = static_cast<std::uint32_t>(
            ActivityBitmap::kPerWord * activity_words + lp.external_in.size());
        lp.external_in.push_back(local);
      }
    }
    engine_->external_links += lp.external_in.size();
    lp.first_activity_word = activity_words;
    activity_words += std::max(ActivityBitmap::words_for(lp.external_in.size()), 1U);
    lp.next.reset(lp.port_count() * (has_inside ? 2 : 1));
  }
  engine_->activity_words = activity_words;
  for (PortState& port : s.ports) port.peer_local = s.ports[port.peer.value()].local;
}

void PacketNetwork::place_in_huge_pages() {
  NetworkState& s = *state_;
  prefer_huge_pages(s.ports);
  prefer_huge_pages(s.queues);
  prefer_huge_pages(s.ingress);
  prefer_huge_pages(s.credit_returns);
  prefer_huge_pages(s.links);
  prefer_huge_pages(s.hosts);
  prefer_huge_pages(s.nics);
  s.senders.for_each_list([](auto& list) { prefer_huge_pages(list); });
  prefer_huge_pages(s.receivers);
  prefer_huge_pages(s.copy_receivers);
  s.controls.place_in_huge_pages();
  prefer_huge_pages(engine_->lps);
}

void PacketNetwork::build_observation() {
  NetworkState& s = *state_;
  const ObservationConfig& observation = options_.observation;
  if (s.constants.traces_queues) {
    for (const PortId id : observation.queue_ports) s.ports[id.value()].is_watched = true;
  }
  if (s.constants.traces_messages) {
    IdVector<QueuePairId, HostId> hosts;
    hosts.reserve(s.senders.size());
    for (std::uint32_t i = 0; i < s.senders.size(); ++i) {
      hosts.push_back(s.senders[QueuePairId(i)].host);
    }
    s.watch.build(observation.messages, hosts, s.fabric);
  }
  if (!s.constants.traces_packets) return;
  s.watched.resize(s.receivers.size() + s.copy_receivers.size() + s.senders.all_added_up().size());
  for (const ConnectionId flow : observation.packet_flows) {
    const ConnectionState& connection = s.connections[flow.value()];
    for (std::uint32_t i = 0; i < connection.queue_pairs; ++i) {
      const QueuePairId qp = connection.queue_pair(i);
      s.watched[s.watch_place(flow_of(qp, s.senders[qp].marks & kInNetworkFlow))] = 1;
      // The sum, on the connection of its owner to itself, or the copies.
      const SendingEnd& sender = s.senders[qp];
      std::size_t made_by_switches = 0;
      if (sender.is_added_up() && sender.host == s.reduction_of(sender).owner) {
        made_by_switches = 1;
      }
      if (sender.is_repeated()) {
        made_by_switches = s.members_of(s.multicasts[sender.in_network_index()]).size();
      }
      std::fill_n(s.watched.begin() + s.first_receiver(qp).value(), made_by_switches,
                  std::uint8_t{1});
    }
  }
}

void PacketNetwork::file_faults() {
  NetworkState& s = *state_;
  s.faults = options_.faults;
  for (Fault& fault : s.faults) {
    // A cable fails as a whole: by the name of its lower end.
    if (fault.kind == Fault::Kind::kLinkDown) {
      fault.port = std::min(fault.port, s.ports[fault.port.value()].peer);
    }
  }
  std::set<std::tuple<PortId, Picoseconds, Picoseconds>> outages;
  std::erase_if(s.faults, [&](const Fault& f) {
    return f.kind == Fault::Kind::kLinkDown && !outages.emplace(f.port, f.at, f.until).second;
  });
  s.route_changes = options_.route_changes;
  for (const Fault& fault : s.faults) s.fault_times.push_back(fault.at);
  std::ranges::sort(s.fault_times);
  s.fault_times.erase(std::unique(s.fault_times.begin(), s.fault_times.end()), s.fault_times.end());
  if (!s.faults.empty()) s.notices.resize(s.senders.all_whole().size());
  if (s.constants.has_faults || s.constants.has_watchdogs || !s.retries.empty()) {
    s.incidents.resize(s.ports.size());
  }
  if (s.constants.has_added_latency) s.added_latency.resize(s.ports.size());
  if (!s.faults.empty() || !s.route_changes.empty()) engine_->schedule_faults();
}

void PacketNetwork::start(ProcessHandler& handler) {
  NetworkState& s = *state_;
  s.handler = &handler;
  file_faults();
  for (std::uint32_t p = 0; p < s.processes.size(); ++p) {
    engine_->start_process(s.processes[p].lp, ProcessId(p));
  }
}

void PacketNetwork::file_job_timer(Picoseconds time, ProcessId process, std::uint32_t number) {
  WEFT_CHECK(time >= now_, "nobody wakes in the past");
  LogicalProcess& lp = engine_->lps[state_->processes[process.value()].lp];
  protocols::file_job_timer(lp, time, process, number);
}

PacketNetwork::Status PacketNetwork::run_until(Picoseconds until, const Observer& observer) {
  const Picoseconds end = std::min(until, kLongestRun);
  if (skipper_ == nullptr) return engine_->run(now_, end, observer);
  Status status = Status::kTimeLimit;
  const auto simulate = [&](Picoseconds& now, Picoseconds to) {
    status = engine_->run(now, to, observer);
    return status == Status::kTimeLimit;
  };
  while (now_ < end) {
    if (!skipper_->run(now_, std::min(end, engine_->next_check()), simulate)) return status;
    engine_->check_if_due(now_);
  }
  return engine_->run(now_, end, observer);
}

SkipCounts PacketNetwork::skips() const {
  return skipper_ == nullptr ? SkipCounts() : skipper_->skips();
}

// Where periods are left out paths are fixed, and each message arrives as it is sent.
std::optional<Picoseconds> PacketNetwork::next_change() const {
  if (skipper_ == nullptr) return now_;
  Picoseconds first = next_job_event(engine_->lps.front());
  for (const SenderState& sender : state_->senders.all_whole()) {
    if (has_work(sender)) first = std::min(first, earliest_end(*state_, sender, now_));
  }
  return first == EventCalendar::kNever ? std::nullopt : std::optional(first);
}

void PacketNetwork::note_change() {
  if (skipper_ != nullptr) skipper_->restart();
}

void PacketNetwork::prepare_skipper() {
  if (!options_.skips || engine_->lps.size() != 1 || !can_recur(*state_)) return;
  const auto run_lp = [this](Picoseconds& now, Picoseconds until) {
    engine_->run_apart(now, until);
    now = until;
    return true;
  };
  skipper_ =
      std::make_unique<Skipper>(*state_, engine_->lps.front(), engine_->first_worker(), run_lp);
}

void PacketNetwork::stop() { engine_->stop(); }

void PacketNetwork::end_observation() { engine_->end_observation(now_); }

}  // namespace weft::protocols
