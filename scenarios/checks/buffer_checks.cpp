#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "protocols/config/credit_loop.hpp"
#include "protocols/config/headroom.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

using protocols::PfcConfig;
using protocols::SwitchConfig;
using protocols::TrafficClass;

double number(Bytes bytes) { return static_cast<double>(bytes.count()); }
std::string text(Bytes bytes) { return format_bytes(number(bytes)); }
std::string exact_text(Bytes bytes) { return format_count(bytes.count()) + " B"; }
std::string exact_text_of(double bytes) { return exact_text(Bytes(std::llround(bytes))); }

bool is_dynamic(const PfcConfig& pfc) { return pfc.threshold == PfcConfig::Threshold::kDynamic; }
bool is_shared(const PfcConfig& pfc) { return pfc.headroom == PfcConfig::Headroom::kShared; }

/// What a class with PFC may fill at a port after XOFF, and what it needs there.
struct Headroom {
  Bytes max;
  Bytes needed;
};

/// What the ports of one switch ask of its buffer, in bytes. Doubles, so that no sum overflows.
struct BufferNeed {
  double aside = 0;            ///< reserved, headroom, and buffers that credits stand for
  double of_static = 0;        ///< of the shared buffer: all ports at static XOFF, and headroom
  double shared_headroom = 0;  ///< of the shared buffer, of classes with dynamic thresholds
  double alphas = 0;           ///< of all ports and dynamic classes
  double of_pool = 0;          ///< of the headroom pool, if all that may be paused are, at once
  std::int64_t groups = 0;     ///< ports times classes that draw on the pool
};

class BufferChecks {
 public:
  BufferChecks(const Experiment& e, StaticFindings& findings)
      : e_(e), config_(e.scenario.switches), findings_(findings) {
    for (const JobSpec& job : e.scenario.jobs) {
      carries_data_ |= protocols::class_bit(job.traffic_class);
    }
  }

  void run() {
    for (const NodeId id : e_.fabric.switches) {
      if (!check_switch(e_.fabric.node(id))) break;  // one switch of a kind says it for all
    }
    tell_of_pool();
    for (const ClassId id : config_.all_classes()) {
      const TrafficClass& c = config_.classes[id];
      check_headroom(id);
      if (c.is_lossless() && c.egress_alpha) check_egress(c);
      const bool carries_data = (carries_data_ & protocols::class_bit(id)) != 0;
      if (c.is_credit() && c.network == NetworkKind::kScaleOut && carries_data) {
        check_credit_loops(c);
      }
    }
    if (config_.link_retry.enabled) check_link_retry();
    check_lossy_neighbours();
    check_gaps();
  }

 private:
  void warn(std::string sentence) { findings_.warnings.push_back(std::move(sentence)); }

  /// Ports with the same link and pipeline need the same.
  const Headroom& headroom(const TrafficClass& c, PortId in) {
    const Port& port = e_.fabric.port(in);
    const Picoseconds inside =
        e_.fabric.node(port.node).pipeline + e_.fabric.port(port.peer).edge_latency;
    const auto key = std::make_tuple(&c, port.rate, port.wire_latency, inside);
    const auto [place, is_new] = headrooms_.try_emplace(key);
    if (is_new) {
      const std::vector<protocols::TransportConfig> transports = e_.scenario.transports();
      place->second = {protocols::headroom_of(e_.fabric, in, config_, c, transports),
                       protocols::exact_headroom(
                           protocols::headroom_terms(e_.fabric, in, config_, c, transports))};
    }
    return place->second;
  }

  void add_port(PortId in, bool has_pool, BufferNeed& need) {
    for (const ClassId id : config_.all_classes()) {
      const TrafficClass& c = config_.class_at(in, id);
      if (c.network != e_.fabric.network_of(in)) continue;
      need.aside += number(c.egress_reserved);
      if (c.is_credit()) need.aside += number(c.credit().buffer);
      if (!c.is_pfc()) continue;
      const PfcConfig& pfc = c.pfc();
      const Headroom& room = headroom(c, in);
      const Bytes own = has_pool ? std::min(pfc.headroom_reserved, room.max) : room.max;
      need.aside += number(pfc.reserved) + number(own);
      if (!is_shared(pfc)) {
        need.of_pool += number(std::max(std::min(room.max, room.needed) - own, 0_B));
        ++need.groups;
      }
      const double after_xoff = is_shared(pfc) ? number(room.needed) : 0;
      if (is_dynamic(pfc)) {
        need.alphas += pfc.alpha;
        need.shared_headroom += after_xoff;
      } else {
        need.of_static += number(std::max(pfc.xoff - pfc.reserved, 0_B)) + after_xoff;
      }
    }
  }

  /// The headroom pool that is furthest from what all may need at once.
  void tell_of_pool() {
    if (short_.node == nullptr) return;
    const double needed = short_.need.of_pool;
    warn(fmt::format(
        "{} can drop although PFC is on: if all of its {} (a port and a class "
        "each) are over XOFF at once, up to {} may arrive after the pauses beyond what they have "
        "reserved, and its headroom_pool is {}, {:.1f} times less; a pool of {} is never empty",
        short_.node->name, counted(short_.need.groups, "priority group"), exact_text_of(needed),
        exact_text(short_.pool), needed / number(short_.pool), exact_text_of(needed)));
  }

  /// False once something was found.
  bool check_switch(const Node& node) {
    if (node.network == NetworkKind::kScaleUp) return true;  // built with room for its credits
    const Bytes pool = config_.headroom_pool_of(node);
    BufferNeed need;
    need.aside = number(pool);
    for (std::uint32_t p = 0; p < node.port_count; ++p) {
      add_port(PortId(node.first_port.value() + p), pool > 0_B, need);
    }
    const double shared = number(config_.buffer_of(node)) - need.aside;
    if (shared < 0) {
      findings_.errors.push_back(
          {fmt::format("is {}, but {} sets {} aside for its {} and {} (reserved, "
                       "headroom{} and credits); lower those or give the switch more buffer",
                       text(config_.buffer_of(node)), node.name, format_bytes(need.aside),
                       counted(node.port_count, "port"),
                       counted(std::ssize(config_.classes), "class", "classes"),
                       pool > 0_B ? ", its pool" : ""),
           {.key = "fabric.switch.buffer"}});
      return false;
    }
    if (pool > 0_B && need.of_pool > number(pool) &&
        need.of_pool * number(short_.pool) > short_.need.of_pool * number(pool)) {
      short_ = {&node, pool, need};
    }
    if (need.of_static > shared) {
      warn(fmt::format(
          "{} can drop although PFC is on: its {} may hold XOFF plus headroom, {} together, "
          "and {} are there to share; lower fabric.flow_control.xoff or give the switch more "
          "buffer",
          node.name, counted(node.port_count, "port"), format_bytes(need.of_static),
          format_bytes(shared)));
      return false;
    }
    // With every port at its threshold T = alpha x rest, the rest is shared / (1 + sum of alphas).
    const double rest = (shared - need.of_static) / (1 + need.alphas);
    if (need.shared_headroom > rest) {
      warn(fmt::format(
          "{} can drop although PFC is on: with all of its {} at the dynamic threshold {} of "
          "the shared buffer are left, and up to {} may arrive after the pauses; set headroom "
          "aside (`headroom: exact`) or lower alpha",
          node.name, counted(node.port_count, "port"), format_bytes(rest),
          format_bytes(need.shared_headroom)));
      return false;
    }
    return true;
  }

  /// Headroom that is set aside, against what can arrive.
  void check_headroom(ClassId id) {
    PortId worst = PortId::none();
    std::int64_t ports = 0;
    Bytes deficit;
    for (const NodeId at : e_.fabric.switches) {
      const Node& node = e_.fabric.node(at);
      if (node.network != config_.classes[id].network) continue;
      for (std::uint32_t p = 0; p < node.port_count; ++p) {
        const PortId in(node.first_port.value() + p);
        const TrafficClass& c = config_.class_at(in, id);
        if (!c.is_pfc() || is_shared(c.pfc())) continue;
        const Headroom& room = headroom(c, in);
        if (room.max >= room.needed) continue;
        ++ports;
        if (room.needed - room.max <= deficit) continue;
        deficit = room.needed - room.max;
        worst = in;
      }
    }
    if (worst.is_none()) return;
    const TrafficClass& c = config_.class_at(worst, id);
    const Headroom& room = headroom(c, worst);
    warn(fmt::format(
        "class {} can drop although it has PFC: after XOFF up to {} can arrive over {}, and the "
        "headroom there is {} ({} too little); use `headroom: exact`",
        c.name, exact_text(room.needed), e_.fabric.port_name(e_.fabric.port(worst).peer),
        exact_text(room.max), counted(ports, "port has", "ports have")));
  }

  /// An egress queue holds what several ingress ports sent; a limit on it that bites before they
  /// are paused drops.
  void check_egress(const TrafficClass& c) {
    const Node* widest = nullptr;
    for (const NodeId id : e_.fabric.switches) {
      const Node& node = e_.fabric.node(id);
      if (node.network != c.network) continue;
      if (widest == nullptr || node.port_count > widest->port_count) widest = &node;
    }
    if (widest == nullptr) return;
    const auto inputs = static_cast<std::int64_t>(widest->port_count) - 1;
    const double alpha = *c.egress_alpha;
    if (c.is_pfc() && is_dynamic(c.pfc())) {
      const double needed = static_cast<double>(inputs) * c.pfc().alpha;
      if (alpha >= needed) return;
      warn(fmt::format(
          "class {} can drop although it has PFC: {} of {} may each hold alpha {} times "
          "what the buffer has left, and an egress queue may not hold more than egress_alpha {} "
          "times that, so it drops before they are paused; leave egress_alpha out, or at least {}",
          c.name, counted(inputs, "input"), widest->name, c.pfc().alpha, alpha, needed));
      return;
    }
    const PortId in = widest->first_port;
    const Bytes each = c.is_credit() ? c.credit().buffer : c.pfc().xoff + headroom(c, in).needed;
    const double limit =
        number(config_.buffer_of(*widest)) * alpha / (1 + alpha) + number(c.egress_reserved);
    if (number(each) * static_cast<double>(inputs) <= limit) return;
    warn(fmt::format(
        "class {} can drop although it is lossless: {} of {} may send {} each to one egress "
        "before they are held, and with egress_alpha {} that queue takes no more than {}; leave "
        "egress_alpha out",
        c.name, counted(inputs, "input"), widest->name, text(each), alpha, format_bytes(limit)));
  }

  /// Where all credits can be away while the link could send, it waits for them.
  void check_credit_loops(const TrafficClass& c) {
    const protocols::CreditConfig& credit = c.credit();
    const std::vector<protocols::TransportConfig> transports = e_.scenario.transports();
    double min = 1;
    PortId worst = PortId::none();
    protocols::CreditLoop loop;
    for (std::size_t i = 0; i < e_.fabric.ports.size(); ++i) {
      const PortId from(i);
      if (e_.fabric.network_of(from) != NetworkKind::kScaleOut) continue;
      const protocols::CreditLoop of_port =
          protocols::credit_loop(e_.fabric, from, config_, credit, transports);
      const double share = carried_share(of_port, credit);
      if (share >= min) continue;
      min = share;
      worst = from;
      loop = of_port;
    }
    if (worst.is_none()) return;
    warn(fmt::format(
        "credits of class {} hold {} to {:.0f} % of its {}: a credit is back {} after its packet "
        "began, and a buffer of {} is {} packets; set flow_control.buffer to {}, or shorten the "
        "cable",
        c.name, e_.fabric.port_name(worst), 100 * min,
        format_rate(static_cast<double>(loop.rate.count())), format_time(loop.min),
        text(credit.buffer), credit.buffer / credit.held_by(loop.packet),
        exact_text(loop.buffer(credit))));
  }

  /// Where all that may be outstanding is on its way while the link could send, it waits for ACKs;
  /// and where the timer ends before an ACK can be there, links send again what has come.
  void check_link_retry() {
    const protocols::LinkRetryConfig& retry = config_.link_retry;
    Bytes packet;
    for (const protocols::TransportConfig& transport : e_.scenario.transports()) {
      const protocols::PacketFormat format = protocols::traits_of(transport).format;
      packet = std::max(packet, format.payload + format.header);
    }
    // One more may start while fewer are outstanding.
    const std::int64_t frames =
        std::min<std::int64_t>(retry.frames, (retry.outstanding + packet - 1_B) / packet);
    const Bytes gap = packet < retry.ack_every ? retry.ack_every : Bytes();
    double min = 1;
    PortId worst = PortId::none();
    Picoseconds longest;
    PortId farthest = PortId::none();
    for (std::size_t i = 0; i < e_.fabric.ports.size(); ++i) {
      const Port& port = e_.fabric.ports[i];
      if (e_.fabric.network_of(PortId(i)) != NetworkKind::kScaleOut) continue;
      const Picoseconds loop =
          2 * port.wire_latency + transmission_time(packet + gap + 8_B, port.rate);
      // An ACK may wait for a frame.
      const Picoseconds slowest = loop + transmission_time(packet, port.rate);
      if (slowest > longest) {
        longest = slowest;
        farthest = PortId(i);
      }
      const double share =
          to_seconds(frames * transmission_time(packet, port.rate)) / to_seconds(loop);
      if (share >= min) continue;
      min = share;
      worst = PortId(i);
    }
    const bool is_early = retry.timeout < longest;
    if (is_early || (retry.max_age > Picoseconds() && retry.max_age < longest)) {
      warn(fmt::format(
          "link_retry takes frames of {} for lost that have come: their ACKs take up to {}, and "
          "{} is {}; raise fabric.link_retry.{}, or shorten the cable",
          e_.fabric.port_name(farthest), format_time(longest), is_early ? "timeout" : "max_age",
          format_time(is_early ? retry.timeout : retry.max_age), is_early ? "timeout" : "max_age"));
    }
    if (worst.is_none()) return;
    warn(fmt::format(
        "link_retry holds {} to {:.0f} % of its rate: {} and {} frames may be outstanding, and "
        "ACKs "
        "take longer; raise fabric.link_retry.outstanding or frames, or shorten the cable",
        e_.fabric.port_name(worst), 100 * min, text(retry.outstanding), retry.frames));
  }

  /// What credits let a link carry of what it could, where nothing else holds it.
  static double carried_share(const protocols::CreditLoop& loop,
                              const protocols::CreditConfig& credit) {
    const std::int64_t packets = credit.buffer / credit.held_by(loop.packet);
    return to_seconds(packets * transmission_time(loop.packet, loop.rate)) / to_seconds(loop.min);
  }

  /// Ports of one kind, and one of them by name.
  struct Gap {
    std::int64_t ports = 0;
    PortId example;

    void add(PortId port) {
      if (ports++ == 0) example = port;
    }
  };
  [[nodiscard]] std::string at_text(const Gap& gap) const {
    return e_.fabric.port_name(gap.example) +
           (gap.ports == 1 ? "" : " and " + counted(gap.ports - 1, "more port"));
  }

  /// A class that is lossless everywhere but for some ports.
  void check_gaps() {
    for (const ClassId id : config_.all_classes()) {
      const std::string& name = config_.classes[id].name;
      Gap lossy;
      Gap deaf;
      Gap early;
      bool is_any_pfc = false;
      for (std::size_t p = 0; p < e_.fabric.ports.size(); ++p) {
        const PortId port(p);
        const TrafficClass& c = config_.class_at(port, id);
        if (e_.fabric.network_of(port) != c.network) continue;
        is_any_pfc = is_any_pfc || c.is_pfc();
        if (config_.is_mixed(id) && !c.is_pfc()) lossy.add(port);
        if (c.is_pfc() && !config_.honours_pause(port)) deaf.add(port);
        if (c.is_pfc() && c.wred.enabled && !c.ecn.enabled) early.add(port);
      }
      if (!is_any_pfc) continue;
      if (lossy.ports > 0) {
        warn(
            fmt::format("class {} has PFC, but not at {}: nobody is paused there, and pauses that "
                        "come there are not obeyed, so that packets are dropped",
                        name, at_text(lossy)));
      }
      if (deaf.ports > 0) {
        warn(
            fmt::format("pauses of class {} are not obeyed at {}: the buffer at the other end "
                        "drops what its headroom does not hold",
                        name, at_text(deaf)));
      }
      if (early.ports > 0) {
        warn(
            fmt::format("class {} has PFC, and WRED drops its packets at {}: it is not lossless; "
                        "set wred: none for it, or ecn to mark in place of that",
                        name, at_text(early)));
      }
    }
  }

  void check_lossy_neighbours() {
    const auto pfc = std::ranges::find_if(config_.classes, &TrafficClass::is_pfc);
    if (pfc == config_.classes.end()) return;
    for (const ClassId id : config_.all_classes()) {
      const TrafficClass& c = config_.classes[id];
      const bool carries_data = (carries_data_ & protocols::class_bit(id)) != 0;
      if (c.is_lossless() || c.egress_alpha || !carries_data) continue;
      warn(fmt::format(
          "class {} can drop although it has PFC: class {} is lossy, carries messages and has no "
          "egress_alpha, so it can fill the buffer that both share; give {} an egress_alpha",
          pfc->name, c.name, c.name));
    }
  }

  const Experiment& e_;
  const SwitchConfig& config_;
  StaticFindings& findings_;
  std::uint8_t carries_data_ = 0;  ///< bit i: some job uses class i
  std::map<std::tuple<const TrafficClass*, BitsPerSecond, Picoseconds, Picoseconds>, Headroom>
      headrooms_;
  /// Of all pools that are too small, the one that is so most.
  struct ShortPool {
    const Node* node = nullptr;
    Bytes pool = 1_B;
    BufferNeed need;
  };
  ShortPool short_;
};

}  // namespace

void check_buffers(const Experiment& experiment, StaticFindings& findings) {
  BufferChecks(experiment, findings).run();
}

}  // namespace weft::scenarios
