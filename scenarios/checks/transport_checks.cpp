#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocols/config/headroom.hpp"
#include "protocols/config/response_class.hpp"
#include "protocols/config/transports/list.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "protocols/planes/plane_map.hpp"
#include "scenarios/checks/limits/spread_traffic.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"

namespace weft::scenarios {
namespace {

/// Whether a connection of class `c` has a transport that `is_meant(traits)`.
template <class IsMeant>
bool any_in_class(const Experiment& e, ClassId c, IsMeant is_meant) {
  std::vector<bool> meant;  // by transport
  for (const protocols::TransportConfig& transport : e.scenario.transports()) {
    meant.push_back(is_meant(protocols::traits_of(transport)));
  }
  return std::ranges::any_of(e.workload.connections(), [&](const Connection& connection) {
    return connection.traffic_class == c && meant[connection.transport];
  });
}

/// Go-back-N and selective repeat answer a packet that overtook another as if that were lost, and
/// TCP one that overtook three.
void check_order(const Experiment& e, StaticFindings& findings) {
  using protocols::TransportTraits;
  const auto goes_back = [](const TransportTraits& t) {
    return t.is_acknowledged && !t.takes_any_order && !t.is_stream;
  };
  const auto repeats = [](const TransportTraits& t) {
    return t.selective && t.selective->reordering == 0;
  };
  const protocols::SwitchConfig& switches = e.scenario.switches;
  for (const ClassId c : switches.all_classes()) {
    if (!switches.balancing(c).sprays()) continue;
    if (any_in_class(e, c, goes_back)) {
      findings.warnings.push_back(fmt::format(
          "packets of class {} are sprayed over several paths, and the receiver takes them in "
          "order only: one that overtakes another makes the sender send again from there; set "
          "transport.receiver to any-order, or take ecmp or flowlets",
          switches.classes[c].name));
    }
    if (any_in_class(e, c, repeats)) {
      findings.warnings.push_back(fmt::format(
          "packets of class {} are sprayed over several paths, and selective repeat takes one that "
          "overtakes another for a sign that this is lost, and sends it again; set "
          "transport.recovery.reordering to the packets by which they may, or take ecmp or "
          "flowlets",
          switches.classes[c].name));
    }
    if (any_in_class(e, c, [](const TransportTraits& t) { return t.is_stream; })) {
      findings.warnings.push_back(fmt::format(
          "packets of class {} are sprayed over several paths, and TCP takes a segment for lost "
          "that three others have overtaken: it sends it again and shrinks its window; take ecmp "
          "or flowlets for this class",
          switches.classes[c].name));
    }
  }
}

/// Where a scenario says what the transport of this number is.
std::string transport_key(const Experiment& e, std::size_t number) {
  for (std::size_t j = 0; number > 0 && j < e.scenario.jobs.size(); ++j) {
    if (e.scenario.jobs[j].transport == number) return fmt::format("jobs[{}].transport", j);
  }
  return "transport";
}

/// Packets select planes only where NICs have ports in several.
void check_planes(const Experiment& e, StaticFindings& findings) {
  using protocols::PlaneConfig;
  std::optional<protocols::PlaneMap> map;
  const std::vector<protocols::TransportConfig> transports = e.scenario.transports();
  for (std::size_t i = 0; i < transports.size(); ++i) {
    const std::string key = transport_key(e, i);
    const protocols::TransportTraits traits = protocols::traits_of(transports[i]);
    const PlaneConfig& planes = traits.planes;
    const bool is_balanced = planes.choice == PlaneConfig::Choice::kBalanced;
    if (is_balanced &&
        (!traits.delivery || traits.delivery->in_order || e.scenario.switches.sprays())) {
      continue;
    }
    if (!map) map = protocols::planes_of(e.fabric);
    if (is_balanced) {
      if (map->problem.empty()) {
        findings.warnings.push_back(
            fmt::format("{}: each queue pair keeps to one of the {} planes that its NIC has a port "
                        "in; set plane_choice: packet for the rate of all",
                        key, map->planes));
      }
      continue;
    }
    const char* choice = planes.choice == PlaneConfig::Choice::kPacket ? "packet" : "qp";
    if (!map->problem.empty()) {
      findings.errors.push_back(
          {fmt::format("is `{}`, and {}", choice, map->problem), {.key = key + ".plane_choice"}});
    } else if (!planes.weights.empty() && planes.weights.size() != map->planes) {
      findings.errors.push_back({fmt::format("has {}; the fabric has {}, one each",
                                             counted(std::ssize(planes.weights), "number"),
                                             counted(map->planes, "plane")),
                                 {.key = key + ".plane_weights"}});
    }
  }
}

/// Packets that name their routes travel in classes whose switches go by these, and no others do.
void check_source_routes(const Experiment& e, StaticFindings& findings) {
  const protocols::SwitchConfig& switches = e.scenario.switches;
  const auto is_routed = [&](ClassId c) {
    return switches.balancing(c).type == protocols::LoadBalancing::kSourceRoutes;
  };
  const std::vector<protocols::TransportConfig> transports = e.scenario.transports();
  std::set<std::pair<std::size_t, ClassId>> used;
  for (const Connection& connection : e.workload.connections()) {
    used.emplace(connection.transport, connection.traffic_class);
  }
  for (const auto& [number, c] : used) {
    if (switches.classes[c].network != NetworkKind::kScaleOut) continue;
    const protocols::TransportTraits traits = protocols::traits_of(transports[number]);
    const ClassId answers = protocols::response_class(switches, traits.ack_class, c);
    for (const ClassId of : std::set{c, answers}) {
      if (is_routed(of) == traits.source_routes) continue;
      if (traits.source_routes) {
        findings.errors.push_back(
            {fmt::format("is on, and the switches of class {}, in which its packets travel, go by "
                         "something else; set load_balancing: source-routes",
                         switches.classes[of].name),
             {.key = transport_key(e, number) + ".source_routes"}});
      } else {
        findings.errors.push_back(
            {fmt::format("names no routes, and the switches of class {}, in which its packets "
                         "travel, go by nothing else (load_balancing: source-routes); take `type: "
                         "mrc` with `source_routes: true`, or another load_balancing",
                         switches.classes[of].name),
             {.key = transport_key(e, number)}});
      }
      return;
    }
  }
}

/// Why a transport cannot move data by an RDMA operation; null: it can.
const char* why_not(const protocols::TransportConfig& transport, collectives::Verb verb) {
  using collectives::Verb;
  if (verb == Verb::kWrite) return nullptr;
  if (std::holds_alternative<protocols::MrcConfig>(transport)) {
    return "mrc has WRITE and WRITE_IMM only (MRC 1.0)";
  }
  if (std::holds_alternative<protocols::TcpConfig>(transport)) return "tcp has no RDMA operations";
  if (std::holds_alternative<protocols::DatagramConfig>(transport) && verb == Verb::kRead) {
    return "datagrams have no READ: nothing relates data to a request";
  }
  if (verb == Verb::kRead && protocols::traits_of(transport).splits_messages) {
    return "split_messages cuts writes into parts, and a read has one request, on one queue pair";
  }
  return nullptr;
}

/// Reads and sends go by transports that have them. Inside a scale-up domain there is none.
void check_operations(const Experiment& e, StaticFindings& findings) {
  using collectives::Verb;
  const std::vector<protocols::TransportConfig> transports = e.scenario.transports();
  std::vector<bool> is_named(e.scenario.jobs.size());
  for (std::size_t j = 0; j < e.scenario.jobs.size(); ++j) {
    is_named[j] = collectives::verb_of(e.scenario.jobs[j].kind) == Verb::kWrite;
  }
  if (std::ranges::find(is_named, false) == is_named.end()) return;
  for (const Connection& c : e.workload.connections()) {
    const std::uint32_t j = e.workload.job_of(c.source);
    if (is_named[j]) continue;
    const Verb verb = collectives::verb_of(e.scenario.jobs[j].kind);
    const char* reason = why_not(transports[c.transport], verb);
    if (reason == nullptr) continue;
    const HostId from = e.workload.process_hosts()[c.source.value()];
    const HostId to = e.workload.process_hosts()[c.destination.value()];
    if (e.fabric.network_between(from, to) != NetworkKind::kScaleOut) continue;
    is_named[j] = true;
    findings.errors.push_back(
        {fmt::format("is `{}`, by which job `{}` moves data between {} and {}; {}; set operation: "
                     "write, or another transport",
                     verb == Verb::kRead ? "read" : "send", e.scenario.jobs[j].name,
                     e.fabric.host(from).name, e.fabric.host(to).name, reason),
         {.key = fmt::format("jobs[{}].operation", j)}});
  }
}

/// What senders choose is hashed by ECMP, and by nothing else; some choices hear of marks.
void check_path_selection(const Experiment& e, StaticFindings& findings) {
  using protocols::TransportTraits;
  const protocols::SwitchConfig& switches = e.scenario.switches;
  for (const ClassId c : switches.all_classes()) {
    const protocols::LoadBalancing& balancing = switches.balancing(c);
    const auto chooses = [](const TransportTraits& t) { return !t.has_fixed_entropy(); };
    const bool is_followed = balancing.type == protocols::LoadBalancing::kFlow ||
                             balancing.type == protocols::LoadBalancing::kSourceRoutes;
    if (!is_followed && any_in_class(e, c, chooses)) {
      findings.warnings.push_back(fmt::format(
          "senders select the paths of class {} (transport.path_selection), but its switches "
          "choose "
          "by something else than entropy; set load_balancing to ecmp, or path_selection to fixed",
          switches.classes[c].name));
    }
    const auto hears = [](const TransportTraits& t) {
      return protocols::path_selection::traits_of(t.path_selection).observes_acks;
    };
    if (!switches.classes[c].ecn.enabled && any_in_class(e, c, hears)) {
      findings.warnings.push_back(
          fmt::format("transport.path_selection goes by marks, and class {} is not marked, so only "
                      "losses tell paths apart; set ecn for this class",
                      switches.classes[c].name));
    }
  }
}

/// TCP fills queues until something is dropped or marked; in a lossless class nothing is dropped.
void check_lossless_streams(const Experiment& e, StaticFindings& findings) {
  const protocols::SwitchConfig& switches = e.scenario.switches;
  for (const ClassId c : switches.all_classes()) {
    if (!switches.classes[c].is_lossless()) continue;
    if (!any_in_class(e, c, [](const auto& t) { return t.is_stream; })) continue;
    const bool is_marked = switches.classes[c].ecn.enabled;
    findings.warnings.push_back(fmt::format(
        "TCP is in class {}, which is lossless: {}; give TCP a class with `flow_control: none`, "
        "beside that of RDMA",
        switches.classes[c].name,
        is_marked ? "only marks slow it down, and where they come too late ports are paused"
                  : "nothing is marked or lost, so that its windows grow until ports are paused"));
  }
}

/// Transports whose data a class that trims drops all the same, and classes that trim too late.
void check_trimming(const Experiment& e, StaticFindings& findings) {
  const protocols::SwitchConfig& switches = e.scenario.switches;
  for (const ClassId c : switches.all_classes()) {
    const protocols::TrafficClass& own = switches.classes[c];
    if (!own.trimming.enabled) continue;
    if (any_in_class(e, c, [](const auto& t) { return !t.uses_trimming; })) {
      findings.warnings.push_back(fmt::format(
          "class {} trims packets, and a transport in it makes no use of that: its packets are "
          "dropped where they find no room; set transport.recovery to selective-repeat, or take "
          "uec, or a class of its own with `trimming: none`",
          own.name));
    }
    if (own.egress_limit == 0_B && !own.egress_alpha) {
      findings.warnings.push_back(fmt::format(
          "class {} trims packets, but only once the whole buffer of a switch is full: no "
          "egress_limit and no egress_alpha bound its queues; set egress_limit to about a "
          "bandwidth-delay product",
          own.name));
    }
  }
}

/// What flows bring to a port, and the shortest time-out among them.
struct Wait {
  double bytes = 0;
  double rate = 0;  ///< at which they arrive, bit/s
  double min = 0;   ///< bytes of the smallest of them
  double flows = 0;
  std::uint8_t classes = 0;  ///< a bit for each
  Picoseconds timeout = Picoseconds::max();

  Wait& operator+=(const Wait& other) {
    if (other.bytes == 0) return *this;
    min = bytes == 0 ? other.min : std::min(min, other.min);
    bytes += other.bytes;
    rate += other.rate;
    flows += other.flows;
    classes |= other.classes;
    timeout = std::min(timeout, other.timeout);
    return *this;
  }
};
Wait share_of(const Wait& wait, std::size_t n) {
  const auto parts = static_cast<double>(n);
  Wait share = wait;
  share.bytes /= parts;
  share.rate /= parts;
  share.min /= parts;
  return share;
}
Wait passed_by(const Port& port, Wait wait) {
  wait.rate = std::min(wait.rate, static_cast<double>(port.rate.count()));
  return wait;
}

/// Looks for time-outs of what is not lost: where more lies before a packet than the port sends in
/// the time-out, it is sent again, and then lies there twice. A flow that keeps to its path loads
/// the ports of that path; any other one loads all ports that it may take alike.
class LongWaits {
 public:
  explicit LongWaits(const Experiment& e)
      : e_(e), waits_(e.fabric.ports.size()), spread_(e.fabric, e.routes) {
    for (const protocols::TransportConfig& transport : e.scenario.transports()) {
      timeouts_.push_back(timeout_of(protocols::traits_of(transport)));
    }
  }

  /// In words; empty: none.
  [[nodiscard]] std::string find() {
    const Picoseconds min = *std::ranges::min_element(timeouts_);
    if (min == Picoseconds::max() || !can_wait_for(min)) return {};
    const std::vector<bool> crosses = jobs_between_servers();
    std::vector<double> bytes(e_.workload.connections().size());
    for (std::uint32_t job = 0; job < e_.workload.jobs().size(); ++job) {
      if (!crosses[job]) continue;
      std::vector<ConnectionId> used;
      collectives::for_each_likely_transfer(
          e_.workload, job, [&](ConnectionId connection, Bytes size, collectives::LikelyCount n) {
            double& sum = bytes[connection.value()];
            if (sum == 0) used.push_back(connection);
            sum += static_cast<double>(size.count()) * n.mean;
          });
      const std::uint32_t times = std::max(e_.workload.jobs()[job].program->iterations(), 1U);
      std::ranges::sort(used);
      used.erase(std::unique(used.begin(), used.end()), used.end());  // one may send no bytes
      for (const ConnectionId connection : used) {
        add(connection, std::exchange(bytes[connection.value()], 0) / times);
      }
    }
    add_spread();
    return worst();
  }

 private:
  /// By job: whether any of its connections leaves a scale-up domain.
  [[nodiscard]] std::vector<bool> jobs_between_servers() const {
    std::vector<bool> crosses(e_.workload.jobs().size());
    for (const Connection& c : e_.workload.connections()) {
      if (c.kind != Connection::Kind::kUnicast) continue;
      const HostId from = e_.workload.process_hosts()[c.source.value()];
      const HostId to = e_.workload.process_hosts()[c.destination.value()];
      if (from == to || e_.fabric.network_between(from, to) != NetworkKind::kScaleOut) continue;
      crosses[e_.workload.job_of(c.source)] = true;
    }
    return crosses;
  }

  /// Those that follow round trips, as TCP's do, grow with what waits.
  static Picoseconds timeout_of(const protocols::TransportTraits& t) {
    if (!t.is_acknowledged || t.max_timeout > Picoseconds()) return Picoseconds::max();
    return t.selective ? t.selective->timeout_high : t.retransmit_timeout;
  }

  [[nodiscard]] double room_before(const Port& port) const {
    const Node& node = e_.fabric.node(port.node);
    return static_cast<double>(e_.scenario.switches.buffer_of(node).count());
  }
  /// What may wait before the port for all flows but one, each of which comes in by a port of its
  /// own: lossless classes stop a port that holds more than its share.
  [[nodiscard]] double held_before(const Port& port, const Wait& wait) const {
    const double inputs = std::min(wait.flows, 1.0 * e_.fabric.node(port.node).port_count) - 1;
    double max = 0;
    for (const ClassId c : e_.scenario.switches.all_classes()) {
      if ((wait.classes & protocols::class_bit(c)) == 0) continue;
      max = std::max(max, held_by_input(e_.scenario.switches.classes[c], port));
    }
    return std::min(room_before(port), inputs * max);
  }
  [[nodiscard]] double held_by_input(const protocols::TrafficClass& c, const Port& port) const {
    if (c.is_credit()) return static_cast<double>(c.credit().buffer.count());
    const bool is_static =
        c.is_pfc() && c.pfc().threshold == protocols::PfcConfig::Threshold::kStatic;
    if (!is_static) return room_before(port);
    const Node& node = e_.fabric.node(port.node);
    Bytes after_xoff;
    for (std::uint32_t p = 0; p < node.port_count; ++p) {
      const PortId in(node.first_port.value() + p);
      after_xoff = std::max(after_xoff,
                            protocols::exact_headroom(protocols::headroom_terms(
                                e_.fabric, in, e_.scenario.switches, c, e_.scenario.transports())));
    }
    return static_cast<double>((c.pfc().xoff + after_xoff).count());
  }
  [[nodiscard]] bool is_queue(const Port& port) const {
    const Node& node = e_.fabric.node(port.node);
    return node.kind == NodeKind::kSwitch && node.network == NetworkKind::kScaleOut;
  }

  /// Whether any port could hold up packets for so long. In most fabrics none could: a buffer of
  /// 100 MB is through in 2 ms.
  [[nodiscard]] bool can_wait_for(Picoseconds timeout) const {
    return std::ranges::any_of(e_.fabric.ports, [&](const Port& port) {
      if (!is_queue(port)) return false;
      return room_before(port) * 8 / static_cast<double>(port.rate.count()) > to_seconds(timeout);
    });
  }

  void add(ConnectionId id, double bytes) {
    const Connection& c = e_.workload.connections()[id.value()];
    if (c.kind != Connection::Kind::kUnicast) return;
    const HostId from = e_.workload.process_hosts()[c.source.value()];
    const HostId to = e_.workload.process_hosts()[c.destination.value()];
    if (from == to || e_.fabric.network_between(from, to) != NetworkKind::kScaleOut) return;
    Wait wait{.bytes = bytes,
              .rate = std::numeric_limits<double>::infinity(),
              .min = bytes,
              .flows = 1,
              .classes = protocols::class_bit(c.traffic_class),
              .timeout = timeouts_[c.transport]};
    if (is_short(c.traffic_class, from, wait.timeout)) wait.timeout = Picoseconds::max();
    if (!e_.scenario.keeps_path(c.traffic_class, c.transport)) {
      destinations_.insert(to);
      spread_.add(from, to, wait);
      return;
    }
    const std::uint32_t entropy = flow_entropy(from, to, queue_pair_number(c.flow_label, 0));
    for (const PortId port : flow_path(e_.fabric, e_.routes, e_.scenario.seed, from, to, entropy)) {
      waits_[port.value()] += wait;
      wait = passed_by(e_.fabric.port(port), wait);
    }
  }

  /// Whether packets of a class move up within two time-outs, since its queues are limited, even if
  /// those of all other classes are as long.
  [[nodiscard]] bool is_short(ClassId c, HostId from, Picoseconds timeout) const {
    const Bytes limit = e_.scenario.switches.classes[c].egress_limit;
    if (limit == Bytes() || timeout == Picoseconds::max()) return false;
    const auto classes = static_cast<std::int64_t>(e_.scenario.switches.classes.size());
    const BitsPerSecond rate = e_.fabric.port(e_.fabric.host(from).first_port).rate;
    return transmission_time(classes * limit, rate) <= 2 * timeout;
  }

  /// What is spread over more ports than can be followed in a moment is not looked at.
  void add_spread() {
    if (spread_steps(e_.fabric, destinations_.size()) > kMaxSpreadSteps) return;
    const std::vector<Wait>& by_port = spread_.by_port();
    for (std::size_t p = 0; p < waits_.size(); ++p) waits_[p] += by_port[p];
  }

  /// The port where something waits longest, if that is longer than two time-outs: what is sent
  /// again once costs little, and a queue that is full for a moment is no storm. The bytes of one
  /// flow alone do not count: its own packets move up one by one, and each is acknowledged.
  [[nodiscard]] std::string worst() const {
    double longest = 0;
    std::uint32_t at = 0;
    for (std::uint32_t p = 0; p < waits_.size(); ++p) {
      const Wait& wait = waits_[p];
      const Port& port = e_.fabric.ports[p];
      const auto rate = static_cast<double>(port.rate.count());
      if (!is_queue(port) || wait.rate <= rate) continue;
      const double others = (wait.bytes - wait.min) * (1 - rate / wait.rate);
      const double beyond = std::max(longest, 2 * to_seconds(wait.timeout));
      if (others * 8 / rate <= beyond) continue;
      const double seconds = std::min(others, held_before(port, wait)) * 8 / rate;
      if (seconds <= beyond) continue;
      longest = seconds;
      at = p;
    }
    if (longest == 0) return {};
    return fmt::format(
        "packets may wait {} at {} behind those of others, longer than the time-out of {}: they "
        "are sent again although nothing is lost, wait twice, and the run takes far longer than is "
        "foreseen; raise transport.retransmit_timeout, or take a congestion control",
        format_time(longest), e_.fabric.port_name(PortId(at)), format_time(waits_[at].timeout));
  }

  const Experiment& e_;
  std::vector<Picoseconds> timeouts_;  ///< by transport
  std::vector<Wait> waits_;            ///< by port
  Spread<Wait> spread_;                ///< of flows that take several paths
  std::set<HostId> destinations_;      ///< of those
};

}  // namespace

void check_transports(const Experiment& experiment, StaticFindings& findings) {
  check_planes(experiment, findings);
  check_operations(experiment, findings);
  check_order(experiment, findings);
  check_source_routes(experiment, findings);
  check_path_selection(experiment, findings);
  check_lossless_streams(experiment, findings);
  check_trimming(experiment, findings);
  if (std::string wait = LongWaits(experiment).find(); !wait.empty()) {
    findings.warnings.push_back(std::move(wait));
  }
}

}  // namespace weft::scenarios
