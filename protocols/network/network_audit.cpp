#include "protocols/network/network_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "protocols/link/control_word.hpp"
#include "protocols/link/egress.hpp"
#include "protocols/link/link_control.hpp"
#include "protocols/state/fields.hpp"
#include "protocols/switch/shared_buffer.hpp"

namespace weft::protocols {
namespace {

std::int64_t whole_blocks(const ClassConstants& c, Bytes size) { return c.blocks(size); }

/// Finds an account that is negative, or that holds something when all is over.
class AccountLaw {
 public:
  explicit AccountLaw(bool is_over) : is_over_(is_over) {}
  template <class T>
  void account(const T& field) {
    const auto amount = static_cast<std::int64_t>(field_word(field));
    if (amount < 0 || (is_over_ && amount != 0)) wrong = amount;
  }

  std::optional<std::int64_t> wrong;

 private:
  bool is_over_;  ///< nothing is under way any more
};

/// Recomputes every account from the packets themselves.
class Audit {
 public:
  Audit(const NetworkState& state, const std::vector<LogicalProcess>& lps)
      : s_(state), k_(state.constants), lps_(lps), expected_(state.ingress.size()) {}

  void packets(const Worker::Sums& sums) {
    std::uint64_t on_links = 0;
    std::uint64_t in_buffers = 0;
    for (const PortState& port : s_.ports) {
      on_links += port.out->in_flight();
      if (port.owner_is_host) continue;
      for (const ClassId c : s_.classes_of(port)) {
        in_buffers += queue(port, c).packets.size() + queue(port, c).packets.coalesced();
      }
    }
    for (const NicState& nic : s_.nics) in_buffers += nic.inbox.size();
    for (const RetryState& retry : s_.retries) in_buffers += retry.missing();
    expect(
        sums.packets_injected ==
            sums.packets_delivered + sums.packets_dropped + on_links + in_buffers,
        "packets injected ({}) != delivered ({}) + dropped ({}) + on links ({}) + in buffers ({})",
        sums.packets_injected, sums.packets_delivered, sums.packets_dropped, on_links, in_buffers);
  }

  /// What switches cut to its header is answered, lost after that, or under way; and ACKs that have
  /// records go with them.
  void trims(const Worker::Sums& sums) {
    std::uint64_t trimmed = 0;
    std::size_t acks = 0;
    const auto count = [&](const Packet& packet) {
      trimmed += is_trimmed(kind_of(packet)) ? 1 : 0;
      acks += AckRecords::is_in(packet) ? 1 : 0;
    };
    for (const Link& link : s_.links) link.data_out.for_each(link.data_in, count);
    for (const ClassQueue& queue : s_.queues) queue.packets.for_each(count);
    for (const NicState& nic : s_.nics) nic.inbox.for_each(count);
    for (const RetryState& retry : s_.retries) retry.for_each_missing(count);
    expect(sums.packets_trimmed == sums.trims_answered + sums.trims_lost + trimmed,
           "packets trimmed ({}) != answered ({}) + lost ({}) + under way ({})",
           sums.packets_trimmed, sums.trims_answered, sums.trims_lost, trimmed);
    expect(acks == s_.acks.in_use(), "{} ACKs have records and {} are in use", acks,
           s_.acks.in_use());
  }

  /// What finds out about a path comes back, is lost, or is under way.
  void path_probes(const Worker::Sums& sums) {
    std::uint64_t under_way = 0;
    const auto count = [&](const Packet& packet) {
      under_way += is_path_probe(kind_of(packet)) ? 1 : 0;
    };
    for (const Link& link : s_.links) link.data_out.for_each(link.data_in, count);
    for (const ClassQueue& queue : s_.queues) queue.packets.for_each(count);
    for (const NicState& nic : s_.nics) nic.inbox.for_each(count);
    for (const RetryState& retry : s_.retries) retry.for_each_missing(count);
    expect(sums.path_probes == sums.path_probes_answered + sums.path_probes_lost + under_way,
           "path probes sent ({}) != answered ({}) + lost ({}) + under way ({})", sums.path_probes,
           sums.path_probes_answered, sums.path_probes_lost, under_way);
  }

  /// Of link-level retry: what is kept is what is outstanding, what has come lies within, and at
  /// the end all of it is acknowledged.
  void retries(bool is_quiescent) {
    for (std::uint32_t i = 0; i < s_.retries.size(); ++i) {
      const RetryState& r = s_.retries[i];
      Bytes kept;
      for (std::uint32_t n = r.first; n != r.end(); ++n) kept += r.frame(n).packet.wire_size();
      expect(kept == r.outstanding && r.missing() <= r.kept(),
             "{} keeps {} bytes for its peer and counts {}; of {} frames {} are missing",
             name(s_.ports[i]), kept.count(), r.outstanding.count(), r.kept(), r.missing());
      expect(!is_quiescent || r.kept() == 0, "{} keeps {} frames for its peer at the end",
             name(s_.ports[i]), r.kept());
    }
  }

  /// What a packet with telemetry has besides itself goes with it.
  void telemetry() {
    std::size_t carried = 0;
    const auto count = [&](const Packet& packet) { carried += s_.telemetry.is_in(packet) ? 1 : 0; };
    for (const Link& link : s_.links) link.data_out.for_each(link.data_in, count);
    for (const ClassQueue& queue : s_.queues) queue.packets.for_each(count);
    for (const NicState& nic : s_.nics) nic.inbox.for_each(count);
    for (const RetryState& retry : s_.retries) retry.for_each_missing(count);
    expect(carried == s_.telemetry.in_use(), "{} packets have telemetry and {} records are in use",
           carried, s_.telemetry.in_use());
  }

  /// Of packet delivery contexts: at the end nothing is in flight by any count, and senders know of
  /// every byte that came whole. A context that failed knows no more than it heard.
  void contexts(NetworkState& state) {
    for (const SenderState& s : state.senders.all_whole()) {
      if (!k_.transports[s.transport].has_contexts) continue;
      if (s.schedule == SendingEnd::Schedule::kFailed || s.has_outstanding()) continue;
      const QueuePairId qp = state.senders.queue_pair_of(s);
      const UecSender& sender = state.uec.sender(qp);
      const UecReceiver& receiver = state.uec.receiver(receiver_of(qp));
      expect(sender.in_flight == 0 && sender.repeats.empty(),
             "context {} has {} bytes in flight and {} packets to repeat at the end", qp.value(),
             sender.in_flight, sender.repeats.size());
      expect(sender.bytes == receiver.bytes,
             "the sender of context {} knows of {} bytes, of which {} came", qp.value(),
             sender.bytes, receiver.bytes);
      if (state.has_window_per_plane(s) && has_ended(state, sender)) {
        expect(planes_in_flight(state, s) == Bytes(),
               "the planes of context {} have {} bytes in flight at the end", qp.value(),
               planes_in_flight(state, s).count());
      }
    }
  }
  /// Whether nothing is outstanding of the contexts that share windows with this one.
  [[nodiscard]] static bool has_ended(NetworkState& state, const UecSender& of) {
    QueuePairId qp = of.first_in_context;
    do {
      const SenderState& s = state.senders.whole(qp);
      if (s.has_outstanding() || s.schedule == SendingEnd::Schedule::kFailed) return false;
      qp = state.uec.sender(qp).next_in_context;
    } while (qp != of.first_in_context);
    return true;
  }
  /// By the count that is furthest off.
  [[nodiscard]] Bytes planes_in_flight(NetworkState& state, const SenderState& s) const {
    Bytes furthest;
    for (std::uint32_t i = 0; i < state.windows_of(s); ++i) {
      state.controls.at_context(k_.transports[s.transport].control, s.control_slot + i,
                                [&](const auto& control, const auto& /*p*/) {
                                  const Bytes own = control.in_flight();
                                  if (std::abs(own.count()) > std::abs(furthest.count())) {
                                    furthest = own;
                                  }
                                });
    }
    return furthest;
  }

  /// Of credit that receivers grant: no sender has more than it was granted, and no receiver grants
  /// more than is asked for and its credit in advance.
  void grants(NetworkState& state) {
    for (std::uint32_t i = 0; i < state.uec.credits(); ++i) {
      const congestion::RcccSource& source = state.uec.source(i);
      const congestion::RcccSink& sink = state.uec.sink(i);
      const auto unheard = static_cast<std::int32_t>(sink.total() - source.granted());
      expect(unheard >= 0,
             "the sender of credit {} was granted {} bytes more than its receiver did", i,
             -unheard);
      expect(sink.ahead() <= sink.max_idle().count(),
             "the receiver of credit {} is {} bytes ahead, of {} at most", i, sink.ahead(),
             sink.max_idle().count());
      expect(source.backlog() >= Bytes(), "the sender of credit {} has a backlog of {} bytes", i,
             source.backlog().count());
      expect(source.overdrawn() <= k_.largest_packet(),
             "the sender of credit {} has sent {} bytes beyond what it was granted", i,
             source.overdrawn().count());
    }
  }

  void buffers(bool is_quiescent) {
    for (std::uint32_t i = 0; i < s_.switches.size(); ++i) buffer_of(i, is_quiescent);
    for (const PortState& port : s_.ports) {
      if (port.owner_is_host) continue;
      for (const ClassId c : s_.classes_of(port)) {
        const IngressAccount& account = s_.account(port, c);
        const Bytes expected = expected_[s_.slot(port.index, c)];
        expect(account.bytes == expected,
               "{} holds {} bytes of class {} by its account and {} in fact", name(port),
               account.bytes.count(), c.value(), expected.count());
        expect(account.headroom_used >= 0 &&
                   (account.headroom_used <= account.headroom || account.headroom_used == 0),
               "{} uses {} bytes of {} of headroom", name(port), account.headroom_used,
               account.headroom);
      }
    }
  }

  /// No account is negative, nor holds anything when all is over: but what waits at a NIC whose
  /// link is down.
  void accounts(NetworkState& state, bool is_quiescent) {
    for (PortState& port : state.ports) {
      AccountLaw law(is_quiescent && !port.owner_is_host);
      visit_fields(port, law, kVisitsNothing);
      for (const ClassId c : s_.classes_of(port)) {
        visit_fields(state.queue(port, c), law, false, kVisitsNothing);
        visit_fields(state.account(port, c), law);
      }
      expect(!law.wrong, "{} has an account of {}", name(port), law.wrong.value_or(0));
    }
    for (SwitchState& sw : state.switches) {
      AccountLaw law(is_quiescent);
      visit_fields(sw, law);
      expect(!law.wrong, "{} has an account of {}", s_.fabric.port_name(s_.ports[sw.first_port].id),
             law.wrong.value_or(0));
    }
  }

  void credits() {
    if (k_.credit == 0) return;
    std::vector<std::int64_t> returning(s_.ingress.size());  // by receiving port and class
    for (const LogicalProcess& lp : lps_) {
      for (const CalendarEvent& event : lp.calendar.events()) {
        if (static_cast<EventType>(event.type) == EventType::kCredit &&
            event.origin != CreditReturns::kOrigin) {
          const auto word = static_cast<std::uint32_t>(event.value);
          if (event.origin == CbfcState::kOrigin) {
            count_repair(returning, event.target, word);
          } else {
            count_grant(returning, event.target, word);
          }
        }
      }
    }
    for (const PortState& port : s_.ports) {
      port.out->control_out.for_each(port.out->control_in, [&](const Packet& frame) {
        if (static_cast<EventType>(frame.flags) == EventType::kCredit) {
          if (frame.flow == CbfcState::kOrigin) {
            count_repair(returning, port.peer.value(), frame.word);
          } else {
            count_grant(returning, port.peer.value(), frame.word);
          }
        }
      });
    }
    for (const PortState& port : s_.ports) {
      for (const ClassId c : s_.classes_of(port)) {
        if (!k_.of_class[c].is_credit) continue;
        if (k_.has_credit_returns) {
          s_.returns(port, c).for_each([&](const CreditReturns::Return& grant) {
            returning[s_.slot(port.peer.value(), c)] += grant.blocks;
          });
        }
        credits_of(port, c, returning);
      }
    }
  }

  std::vector<std::string> violations;

 private:
  template <class... Args>
  void expect(bool holds, fmt::format_string<Args...> sentence, Args&&... args) {
    if (!holds) violations.push_back(fmt::format(sentence, std::forward<Args>(args)...));
  }
  [[nodiscard]] std::string name(const PortState& port) const {
    return s_.fabric.port_name(port.id);
  }
  [[nodiscard]] const ClassQueue& queue(const PortState& port, ClassId c) const {
    return s_.queue(port, c);
  }
  [[nodiscard]] std::size_t slot(const SwitchState& sw, std::uint32_t ingress, ClassId c) const {
    return s_.slot(sw.first_port + ingress, c);
  }

  void buffer_of(std::uint32_t at, bool is_quiescent) {
    const SwitchState& sw = s_.switches[at];
    Bytes used;
    const auto hold = [&](std::uint32_t ingress, ClassId c, Bytes size) {
      const ClassConstants& constants = s_.class_at(s_.ports[sw.first_port + ingress], c);
      if (constants.is_credit) {
        expected_[slot(sw, ingress, c)] += whole_blocks(constants, size) * constants.block;
        return;
      }
      used += sw.cells(size);
      if (constants.is_pfc) expected_[slot(sw, ingress, c)] += sw.cells(size);
    };
    for (std::uint32_t p = 0; p < sw.port_count; ++p) {
      const PortState& port = s_.ports[sw.first_port + p];
      Bytes backlog;
      for (const ClassId c : s_.classes_of(port)) {
        backlog += queue(port, c).packets.bytes();
        queue(port, c).packets.for_each([&](const Packet& packet) {
          if (k_.works_in_network && pending_of(packet) != kPendingIngress) return;
          hold(k_.input_queued ? p : waiting_port(packet), c, packet.wire_size());
        });
      }
      expect(backlog == port.backlog, "{} has a backlog of {} by its account and {} in fact",
             name(port), port.backlog.count(), backlog.count());
      if (port.service_bytes != 0 && !k_.release_at_start &&
          port.service_pending == kPendingIngress) {
        hold(port.service_ingress, port.service_class, Bytes(port.service_bytes));
      }
    }
    if (k_.works_in_network) {
      for (const CopyTable::Original& o : s_.copies[at].originals()) {
        if (o.copies > 0) hold(o.ingress, class_of(o.packet), o.packet.wire_size());
      }
    }
    Bytes drawn;
    for (std::uint32_t p = 0; p < sw.port_count; ++p) {
      const PortState& port = s_.ports[sw.first_port + p];
      for (const ClassId c : s_.classes_of(port)) {
        const IngressAccount& account = s_.account(port, c);
        drawn += drawn_from_pool(sw, account, s_.class_at(port, c), Bytes(account.headroom_used));
      }
    }
    const std::string& node = s_.fabric.switch_node(SwitchId(at)).name;
    expect(sw.pool_used == drawn && drawn <= sw.pool_size,
           "the headroom pool of {} has given {} bytes of {} by its account and {} in fact", node,
           sw.pool_used.count(), sw.pool_size.count(), drawn.count());
    expect(sw.buffer_used == used, "the buffer of {} holds {} bytes by its account and {} in fact",
           node, sw.buffer_used.count(), used.count());
    expect(used == Bytes() || used <= sw.capacity, "the buffer of {} holds {} bytes of {}", node,
           used.count(), sw.capacity.count());
    expect(sw.shared_used >= Bytes() && sw.shared_used <= std::max(sw.shared_size, Bytes()),
           "{} uses {} bytes of {} that are shared", node, sw.shared_used.count(),
           sw.shared_size.count());
    if (is_quiescent)
      expect(used == Bytes(), "{} bytes left in the buffer of {}", used.count(), node);
  }

  void count_grant(std::vector<std::int64_t>& returning, std::uint32_t target,
                   std::uint32_t packed) const {
    const PortState& sender = s_.ports[target];
    const ControlWord word = ControlWord::unpack(packed);
    returning[s_.slot(sender.peer.value(), word.traffic_class)] += word.value;
  }

  /// Of frames that died: CBFC tells the receiver of them.
  void count_repair(std::vector<std::int64_t>& returning, std::uint32_t receiver,
                    std::uint32_t packed) const {
    const ControlWord word = ControlWord::unpack(packed);
    returning[s_.slot(receiver, word.traffic_class)] += LostBlocks::unpack(word.value).blocks;
  }

  void credits_of(const PortState& sender, ClassId c, const std::vector<std::int64_t>& returning) {
    const PortState& receiver = s_.ports[sender.peer.value()];
    const ClassConstants& constants = k_.of_class[c];
    const std::size_t i = s_.slot(receiver.index, c);
    std::int64_t on_wire = 0;
    sender.out->data_out.for_each(sender.out->data_in, [&](const Packet& packet) {
      if (class_of(packet) == c) on_wire += whole_blocks(constants, packet.wire_size());
    });
    if (sender.has_retry) {
      s_.retries[sender.index].for_each_missing([&](const Packet& packet) {
        if (class_of(packet) == c) on_wire += whole_blocks(constants, packet.wire_size());
      });
    }
    const std::int64_t at_sender = queue(sender, c).credits;
    const std::int64_t held = s_.ingress[i].bytes / constants.block;
    const std::int64_t freed = s_.ingress[i].freed_blocks + (s_.cbfc.empty() ? 0 : s_.cbfc[i].lost);
    expect(at_sender >= 0, "{} has {} credits of class {}", name(sender), at_sender, c.value());
    // An outage voids credits; the sum holds again once the link has been up for a while.
    if (sender.ingress_up_since != Picoseconds()) return;
    const std::int64_t sum = at_sender + on_wire + held + freed + returning[i];
    expect(sum == constants.credit_blocks,
           "{}, class {}: {} credits at the sender, {} on the wire, {} held, {} freed and {} on "
           "their way back are {}, not {}",
           name(sender), c.value(), at_sender, on_wire, held, freed, returning[i], sum,
           constants.credit_blocks);
  }

  const NetworkState& s_;
  const NetworkConstants& k_;
  const std::vector<LogicalProcess>& lps_;
  std::vector<Bytes> expected_;
};

/// Who waits for whom among the blocked ports of switches.
class WaitGraph {
 public:
  explicit WaitGraph(const NetworkState& state) : s_(state), k_(state.constants) {
    for (const PortState& port : s_.ports) {
      if (port.owner_is_host || port.is_down) continue;
      for (const ClassId c : s_.classes_of(port)) {
        if (is_blocked(port, c)) add(port, c);
      }
    }
    if (nodes_.size() < 2) return;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) connect(n);
  }

  std::vector<BlockedPort> circle() {
    if (nodes_.size() < 2) return {};
    remove_what_can_move();
    remove_what_waits_for_none();
    const auto first =
        std::find_if(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.is_stuck; });
    if (first == nodes_.end()) return {};
    return walk(static_cast<std::uint32_t>(first - nodes_.begin()));
  }

 private:
  /// `bytes` of the buffer behind `node` wait at the port that this edge belongs to.
  struct Edge {
    std::uint32_t node;
    Bytes bytes;
  };
  struct Node {
    const PortState* port;
    ClassId traffic_class{};
    bool is_stuck = true;
    Bytes stuck_bytes;           ///< of the peer's ingress account: at ports that are stuck
    std::vector<Edge> holds_up;  ///< those whose buffer the packets waiting here occupy
  };

  [[nodiscard]] const ClassQueue& queue(const PortState& port, ClassId c) const {
    return s_.queue(port, c);
  }
  [[nodiscard]] bool is_blocked(const PortState& port, ClassId c) const {
    // A pause that runs out holds nobody for good, nor one that a watchdog ends.
    const bool ends = k_.pauses_expire || s_.watchdog_of(port).is_on;
    const unsigned paused = ends ? 0U : port.paused;
    if (((paused | port.starved) & class_bit(c)) == 0) return false;
    if (k_.input_queued) return true;
    return (port.waiting & class_bit(c)) != 0;
  }
  void add(const PortState& port, ClassId c) {
    number_.resize(s_.queues.size(), kNoIndex);
    number_[s_.slot(port.index, c)] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({.port = &port, .traffic_class = c, .stuck_bytes = {}, .holds_up = {}});
  }
  [[nodiscard]] std::uint32_t number(std::uint32_t port, ClassId c) const {
    return number_[s_.slot(port, c)];
  }

  /// Finds the ports upstream whose packets wait at node `n`.
  void connect(std::uint32_t n) {
    const PortState& port = *nodes_[n].port;
    const ClassId c = nodes_[n].traffic_class;
    const SwitchState& sw = s_.switches[port.owner];
    std::vector<Bytes> bytes(sw.port_count);
    if (k_.input_queued) {
      for (std::uint32_t in = 0; in < sw.port_count; ++in) {
        const PacketQueue& fifo = queue(s_.ports[sw.first_port + in], c).packets;
        if (fifo.empty() || sw.first_port + waiting_port(fifo.front()) != port.index) continue;
        fifo.for_each(
            [&](const Packet& packet) { bytes[in] += occupied(sw, c, packet.wire_size()); });
      }
    } else {
      s_.for_each_waiting(port, c, [&](const Packet& packet) {
        bytes[waiting_port(packet)] += occupied(sw, c, packet.wire_size());
      });
    }
    for (std::uint32_t in = 0; in < sw.port_count; ++in) {
      if (bytes[in] == Bytes()) continue;
      const std::uint32_t upstream = s_.ports[sw.first_port + in].peer.value();
      const std::uint32_t node = number(upstream, c);
      if (node == kNoIndex) continue;
      nodes_[n].holds_up.push_back({node, bytes[in]});
      nodes_[node].stuck_bytes += bytes[in];
    }
  }

  /// Of the ingress account.
  [[nodiscard]] Bytes occupied(const SwitchState& sw, ClassId c, Bytes size) const {
    const ClassConstants& constants = k_.of_class[c];
    return constants.is_credit ? whole_blocks(constants, size) * constants.block : sw.cells(size);
  }

  /// Whether `node` could send again if everything but what is stuck drained.
  [[nodiscard]] bool can_move(const Node& node) const {
    const PortState& in = s_.ports[node.port->peer.value()];
    const ClassConstants& constants = s_.class_at(in, node.traffic_class);
    if (in.owner_is_host) return true;
    const IngressAccount& account = s_.ingress[s_.slot(in.index, node.traffic_class)];
    if (constants.is_credit) {
      const std::int64_t free = constants.credit_blocks - node.stuck_bytes / constants.block;
      return free >= head_blocks(node);
    }
    if (!account.is_pausing) return true;
    if (!constants.is_dynamic) return node.stuck_bytes < constants.xon;
    const SwitchState& sw = s_.switches[in.owner];
    const Bytes part = std::max(node.stuck_bytes - constants.reserved, Bytes());
    const Bytes left = std::max(sw.shared_size - part, Bytes());
    const auto product =
        static_cast<WideUnsigned>(constants.alpha) * static_cast<std::uint64_t>(left.count());
    const Bytes threshold(static_cast<std::int64_t>(product >> 16U));
    return part == Bytes() || part + constants.xon_offset <= threshold;
  }
  [[nodiscard]] std::int64_t head_blocks(const Node& node) const {
    const ClassConstants& constants = k_.of_class[node.traffic_class];
    if (!k_.input_queued) {
      return whole_blocks(constants,
                          queue(*node.port, node.traffic_class).packets.front().wire_size());
    }
    return whole_blocks(constants, k_.largest_packet());
  }

  void remove_what_can_move() {
    std::vector<std::uint32_t> work;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) work.push_back(n);
    while (!work.empty()) {
      const std::uint32_t n = work.back();
      work.pop_back();
      if (!nodes_[n].is_stuck || !can_move(nodes_[n])) continue;
      nodes_[n].is_stuck = false;
      for (const Edge& edge : nodes_[n].holds_up) {
        nodes_[edge.node].stuck_bytes -= edge.bytes;
        work.push_back(edge.node);
      }
    }
  }

  /// What remains may wait for a port that is blocked forever without waiting itself.
  void remove_what_waits_for_none() {
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<bool> waits(nodes_.size());
      for (const Node& node : nodes_) {
        if (!node.is_stuck) continue;
        for (const Edge& edge : node.holds_up) waits[edge.node] = true;
      }
      for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
        if (!nodes_[n].is_stuck || waits[n]) continue;
        nodes_[n].is_stuck = false;
        changed = true;
      }
    }
  }

  /// Follows from `n` who waits for whom until it meets itself.
  [[nodiscard]] std::vector<BlockedPort> walk(std::uint32_t n) const {
    std::vector<std::uint32_t> waits_for(nodes_.size(), kNoIndex);
    for (std::uint32_t m = 0; m < nodes_.size(); ++m) {
      if (!nodes_[m].is_stuck) continue;
      for (const Edge& edge : nodes_[m].holds_up) {
        if (waits_for[edge.node] == kNoIndex) waits_for[edge.node] = m;
      }
    }
    std::vector<std::uint32_t> path;
    std::vector<bool> is_seen(nodes_.size());
    for (; !is_seen[n]; n = waits_for[n]) {
      is_seen[n] = true;
      path.push_back(n);
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), n));
    std::vector<BlockedPort> circle;
    circle.reserve(path.size());
    for (const std::uint32_t m : path) {
      circle.push_back({.port = nodes_[m].port->id,
                        .traffic_class = nodes_[m].traffic_class,
                        .waiting = nodes_[m].port->backlog});
    }
    return circle;
  }

  const NetworkState& s_;
  const NetworkConstants& k_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> number_;  ///< by port and class
};

}  // namespace

std::vector<std::string> violated_laws(NetworkState& state, const std::vector<LogicalProcess>& lps,
                                       const Worker::Sums& sums, bool is_quiescent) {
  Audit audit(state, lps);
  audit.packets(sums);
  const Features needs = state.constants.needs();
  if (needs.has(Feature::kTrimming) || needs.has(Feature::kContexts)) audit.trims(sums);
  if (needs.has(Feature::kEntropies)) audit.path_probes(sums);
  audit.retries(is_quiescent);
  audit.telemetry();
  audit.buffers(is_quiescent);
  audit.accounts(state, is_quiescent);
  if (is_quiescent && needs.has(Feature::kContexts)) audit.contexts(state);
  audit.grants(state);
  audit.credits();
  return audit.violations;
}

std::vector<BlockedPort> find_deadlock(const NetworkState& state) {
  return WaitGraph(state).circle();
}

}  // namespace weft::protocols
