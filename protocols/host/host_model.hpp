#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "protocols/host/credit_scheduler.hpp"
#include "protocols/host/host_context.hpp"
#include "protocols/host/nic_scheduler.hpp"
#include "protocols/host/port_selection.hpp"
#include "protocols/host/receive_buffer.hpp"
#include "protocols/host/wrong_delivery.hpp"
#include "protocols/link/egress.hpp"
#include "protocols/link/incident_log.hpp"
#include "protocols/link/link_control.hpp"
#include "protocols/link/link_turns.hpp"
#include "protocols/link/tracing.hpp"
#include "protocols/path_selection/source_route.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/answer.hpp"
#include "protocols/transports/list.hpp"
#include "protocols/transports/sender.hpp"
#include "simcore/base/check.hpp"
#include "simcore/messages/size_class.hpp"

namespace weft::protocols {

/// A host: its ports (classes by strict priority and weight; within a class responses, then queue
/// pairs in turn), what it takes in, and the processes that live on it. The two ends of its queue
/// pairs are the transports' (`protocols/transports/`).
///
/// A queue pair waits to send at one port at a time. Where several lead to its destination and its
/// packets are spread over them, it continues to the next one after each packet. Responses leave by
/// the port that their cause came in by.
template <class Path>
class HostModel {
 public:
  explicit HostModel(NetworkState& state)
      : s_(state),
        control_(state),
        scheduler_(state),
        inbox_(state),
        port_selection_(state),
        tracer_(state),
        sender_(state),
        credit_scheduler_(state, *this),
        transports_(state, *this) {}
  HostModel(const HostModel&) = delete;
  HostModel& operator=(const HostModel&) = delete;

  /// Whether some of what it receives is never acknowledged.
  static constexpr bool kTakesSums = Path::has(Feature::kInNetwork);
  /// Whether some packets have telemetry.
  static constexpr bool kHasTelemetry = Path::has(Feature::kTelemetry);
  static constexpr bool kHasEntropies = Path::has(Feature::kEntropies);
  /// Whether some queue pairs are packet delivery contexts.
  static constexpr bool kHasContexts = Path::has(Feature::kContexts);
  /// Whether switches cut some packets to their headers.
  static constexpr bool kHasTrimming = Path::has(Feature::kTrimming);
  /// Whether some receivers grant credit.
  static constexpr bool kHasGrants = Path::has(Feature::kGrants);
  /// Whether some packets name their route.
  static constexpr bool kHasSourceRoutes = Path::has(Feature::kSourceRoutes);
  /// Whether some hosts choose a port packet by packet, among which may be planes.
  static constexpr bool kHasHostPorts = Path::has(Feature::kHostPorts);

  /// Ask for the memory of a host's port, and of the queue pairs that used it last.
  [[gnu::always_inline]] void fetch(const PortState& port) const {
    fetch_lines<1, true>(&s_.nics[port.index]);
  }
  [[gnu::always_inline]] void fetch_flows(const PortState& port) const {
    const NicState& nic = s_.nics[port.index];
    if (s_.senders.empty()) return;
    fetch_lines<2, true>(&s_.senders[nic.recent_sender]);
    fetch_lines<2, true>(&s_.receivers[nic.recent_receiver]);
    if (nic.recent_control != nullptr) fetch_lines<1, true>(nic.recent_control);
  }

  void arrive(const Here& here, const Packet& packet, PortState& port) {
    // Links of a GPU into its domain do not pass its NIC.
    if (Path::has(Feature::kReceiveRate) && s_.constants.receive_rate != BitsPerSecond() &&
        port.network == NetworkKind::kScaleOut) {
      if (!inbox_.put(here, packet, port)) refuse(here, packet, port);
      return;
    }
    if (Path::has(Feature::kCredits)) grant(here, packet, port);
    receive(here, packet, port);
  }

  /// The transmission under way ends, or the time has come for a paced queue pair.
  void depart(const Here& here, PortState& port) {
    port.is_transmitting = false;
    port.service_bytes = 0;
    start(here, port);
  }

  void resume(const Here& here, PortState& port) {
    if (!port.is_transmitting) start(here, port);
  }

  /// The link of `port` failed: queue pairs that can send by another one go there.
  void flush(const Here& here, PortState& port) {
    std::vector<QueuePairId> moving;  // failures are rare
    take_all(port, moving);
    for (const QueuePairId qp : moving) activate(here, qp);
    if (!kHasHostPorts || !s_.planes.is_used() || !s_.planes.is_in_plane(port.index)) return;
    tell_peers(here, port);
    const auto planes = static_cast<std::uint8_t>(1U << s_.planes.plane_of(port.index));
    for (const QueuePairId qp : queue_pairs_of(port.host())) repeat_of_planes(here, qp, planes);
  }

  /// A port of a host in a plane has failed or is back: those who send to it are told, by all
  /// ports that are up.
  void tell_peers(const Here& here, const PortState& changed) {
    if (!kHasHostPorts || !s_.planes.is_used() || !s_.planes.is_in_plane(changed.index)) return;
    const HostId host = changed.host();
    const std::span<const ReceiverId> listeners = s_.planes.listeners_of(host);
    if (listeners.empty()) return;
    const Node& node = s_.fabric.host(host);
    const std::span ports(&s_.ports[node.first_port.value()], node.port_count);
    std::uint32_t down = 0;
    for (const PortState& port : ports) {
      const bool is_lost = s_.planes.is_in_plane(port.index) && port.is_down;
      if (is_lost) down |= 1U << s_.planes.plane_of(port.index);
    }
    const std::uint32_t number = s_.planes.next_status(host);
    for (const ReceiverId id : listeners) {
      const ReceiverState& r = s_.receivers[id];
      Packet packet = answer_of(id, r, transport(r.transport), PacketKind::kPortStatus);
      packet.sequence = number;
      packet.word = down;
      for (PortState& port : ports) {
        if (s_.planes.is_in_plane(port.index) && !port.is_down) respond(here, packet, port);
      }
    }
  }

  /// Packets of `plane` were lost, as a time-out says.
  void note_plane_loss(const Here& here, const SenderState& s, std::uint32_t plane) {
    if (!kHasHostPorts || !s_.planes.is_used()) return;
    const TransportConstants& t = transport(s.transport);
    if (t.plane_notice != PlaneConfig::Notice::kLoss) return;
    s_.planes[s_.senders.queue_pair_of(s)].lose(plane, here.now, t.plane_retry);
  }
  /// A queue pair that waits in a plane with losses waits elsewhere.
  void leave_lost_plane(const Here& here, SenderState& s) {
    if (!kHasHostPorts || !s_.planes.is_used() || !selects_planes(s)) return;
    const PlaneSender& known = s_.planes[s_.senders.queue_pair_of(s)];
    if (!known.may_use(s_.planes.plane_of(s.port()), here.now)) leave_port(here, s);
  }
  /// Whether the next packet may leave by some plane, where each has a window.
  [[nodiscard]] bool has_plane_with_room(const Here& here, const SenderState& s) {
    return port_selection_.has_plane_with_room(s, here.now);
  }
  /// The plane of the port where it waits, or sent last.
  [[nodiscard]] std::uint32_t plane_of(const SenderState& s) const {
    return kHasHostPorts && s_.planes.is_used() ? s_.planes.plane_of(s.port()) : 0;
  }

  // Paths that senders select.

  /// A packet with this value of entropy was lost.
  void lose_path(const Here& here, const SenderState& s, std::uint32_t value,
                 congestion::LossSignal signal) {
    if constexpr (kHasEntropies) {
      const path_selection::ChoiceRef choice = transport(s.transport).entropy;
      if (choice.is_fixed()) return;
      const QueuePairId qp = s_.senders.queue_pair_of(s);
      note_path(s, s_.entropies.on_path_loss(choice, qp, value, signal, here.now), here.now);
      watch_paths(here, s, qp);
    }
  }
  /// The oldest packet that is not acknowledged was lost, whatever value it had.
  void lose_path(const Here& here, const SenderState& s, congestion::LossSignal signal) {
    if constexpr (kHasEntropies) {
      const path_selection::ChoiceRef choice = transport(s.transport).entropy;
      if (choice.is_fixed()) return;
      const QueuePairId qp = s_.senders.queue_pair_of(s);
      note_path(s, s_.entropies.on_loss(choice, qp, s.unacked, signal, here.now), here.now);
      watch_paths(here, s, qp);
    }
  }
  /// An ACK, or what else answers a packet, says this of its path.
  void notice_path(const SenderState& s, QueuePairId qp, const path_selection::AckedPacket& answer,
                   Picoseconds now) {
    if constexpr (kHasEntropies) {
      const path_selection::ChoiceRef choice = transport(s.transport).entropy;
      note_path(s, s_.entropies.on_ack(choice, qp, answer, now), now);
    }
  }
  void note_path(const SenderState& s, const std::optional<path_selection::ChangedPath>& changed,
                 Picoseconds now) {
    if (changed) s_.path_history(s.host, changed->plane).note(changed->change, now);
  }
  /// Probes of bad values are sent while packets of the queue pair are outstanding, from now on.
  void watch_paths(const Here& here, const SenderState& s, QueuePairId qp) {
    if constexpr (kHasEntropies) {
      const path_selection::ChoiceRef choice = transport(s.transport).entropy;
      if (choice.is_fixed()) return;
      s_.entropies.at_prober(choice, qp, [&](auto& paths, const auto& /*p*/) {
        if (kHasHostPorts && s_.planes.is_used()) {
          s_.planes[qp].pathless = paths.planes_without_values();
        }
        const OptionalTime due = paths.next_probe();
        if (!due || paths.is_timed()) return;
        paths.set_timed(true);
        push_probe_timer(here.lp, qp, std::max(*due, here.now));
      });
    }
  }
  /// False: nothing is outstanding, or what was to be probed is good again.
  bool expire_probe_timer(const Here& here, QueuePairId qp) {
    bool has_sent = false;
    if constexpr (kHasEntropies) {
      const SenderState& s = s_.senders.whole(qp);
      const bool is_active = s.has_outstanding() && s.schedule != SenderState::Schedule::kFailed;
      s_.entropies.at_prober(transport(s.transport).entropy, qp, [&](auto& paths, const auto& p) {
        paths.set_timed(false);
        if (!is_active) return;
        auto value = paths.take_probe(p, here.now);
        for (; value; value = paths.take_probe(p, here.now)) {
          has_sent |= send_path_probe(here, s, qp, *value, paths.plane_of(*value));
        }
      });
      if (is_active) watch_paths(here, s, qp);
      if (has_sent) here.lp.last_event_time = here.now;
    }
    return has_sent;
  }
  /// Of the next packet of a queue pair that selects paths.
  [[nodiscard, gnu::always_inline]] std::uint32_t next_entropy(const SenderState& s, QueuePairId qp,
                                                               Picoseconds now) {
    const TransportConstants& t = transport(s.transport);
    const std::uint32_t entropy =
        s_.entropies.next(t.entropy, qp, s.entropy, s.next, now, [&] { return selected_plane(s); });
    return routed(t, qp, entropy);
  }
  /// Of what answers a packet with this entropy: it takes the path back that its value gives.
  [[nodiscard]] std::uint32_t routed(const TransportConstants& t, QueuePairId qp,
                                     std::uint32_t entropy) const {
    if (!kHasSourceRoutes || !t.source_routes) return entropy;
    return path_selection::with_route(qp, path_selection::value_in(entropy), s_.planes_of(qp));
  }

  /// Which ports of a host lead where has changed. Queue pairs that have the same ports as before
  /// continue as if nothing had been, above all those inside a scale-up domain.
  void change_routes(const Here& here, HostId host, const Routes& routes) {
    const std::vector<QueuePairId> changed = queue_pairs_with_new_ports(host, routes);
    std::vector<bool> is_left(s_.fabric.host(host).port_count);
    const std::uint32_t first = s_.fabric.host(host).first_port.value();
    for (const QueuePairId qp : changed) is_left[s_.senders.whole(qp).local_port] = true;
    std::vector<QueuePairId> moving;
    for (std::uint32_t i = 0; i < is_left.size(); ++i) {
      if (is_left[i]) take_all(s_.ports[first + i], moving);
    }
    for (const QueuePairId qp : changed) {
      SenderState& s = s_.senders.whole(qp);
      s.set_local_ports(routes.host_ports(host, s.destination));
      choose_port(s, here.now);
    }
    for (const QueuePairId qp : moving) activate(here, qp);
  }

  /// A NIC of finite receive rate has taken in the oldest packet of its buffer.
  void finish_receive(const Here& here, PortState& port) {
    const Packet packet = inbox_.take(here, port);
    grant(here, packet, port);
    inbox_.resume_senders(here, port);
    receive(here, packet, port);
  }

  void post(const Here& here, ConnectionId connection, Bytes size);
  void restart(ConnectionId connection);
  void expire_retransmit_timer(const Here& here, QueuePairId queue_pair) {
    transports_.with(transport(s_.senders.whole(queue_pair).transport).sender_model,
                     [&](auto& model) { model.expire_timer(here, queue_pair); });
  }
  /// False: the ACK had gone earlier.
  bool expire_ack_timer(const Here& here, ReceiverId receiver) {
    bool is_current = false;
    transports_.with(transport(s_.receivers[receiver].transport).receiver_model, [&](auto& model) {
      if constexpr (requires { model.expire_ack_timer(here, receiver); }) {
        is_current = model.expire_ack_timer(here, receiver);
      }
    });
    return is_current;
  }
  bool expire_grant(const Here& here, PortState& port) {
    credit_scheduler_.expire_grant(here, port);
    return true;
  }
  /// False: it came in time.
  bool expire_credit_wait(const Here& here, QueuePairId queue_pair) {
    return credit_scheduler_.expire_wait(here, queue_pair);
  }
  void wake(const Here& here, ProcessId process, std::uint64_t token) {
    call(here, process, [&](ProcessContext& c) { s_.handler->on_wake(c, process, token); });
  }
  void deliver_control_event(const Here& here, ProcessId process, ProcessId from,
                             std::uint64_t token) {
    call(here, process,
         [&](ProcessContext& c) { s_.handler->on_control_event(c, process, from, token); });
  }
  /// False: the timer had become void.
  bool fire(const Here& here, ProcessId process, std::uint32_t timer) {
    bool is_current = false;
    call(here, process,
         [&](ProcessContext& c) { is_current = s_.handler->on_job_timer(c, process, timer); });
    return is_current;
  }
  void start_process(const Here& here, ProcessId process) {
    call(here, process, [&](ProcessContext& c) { s_.handler->on_start(c, process); });
  }

  // What transports ask of their host.

  [[nodiscard]] const TransportConstants& transport(std::uint8_t index) const {
    return s_.constants.transports[Path::has(Feature::kTransports) ? index : 0];
  }

  /// Sends an answer by the port that its cause came in by, before data of its class.
  void respond(const Here& here, const Packet& packet, PortState& port) {
    const ClassId c = class_of(packet);
    ClassQueue& queue = s_.queue(port, c);
    queue.account(here.now);
    queue.packets.push(packet, here.worker.pool);
    if (queue.packets.bytes() > queue.peak_bytes) queue.peak_bytes = queue.packets.bytes();
    port.waiting |= class_bit(c);
    port.note_backlog(packet.wire_size());
    if (!port.is_transmitting) start(here, port);
  }

  // What contexts ask where receivers grant credit.

  /// Credit has come for the congestion context of a queue pair.
  void on_credit(const Here& here, QueuePairId qp) {
    if constexpr (kHasContexts) {
      with_contexts(qp, [&](auto& model) { model.on_credit(here, qp); });
    }
  }
  /// Its receiver does not answer.
  void fail_contexts(const Here& here, QueuePairId qp) {
    if constexpr (kHasContexts) {
      with_contexts(qp, [&](auto& model) { model.fail_all(here, qp); });
    }
  }

  /// Adds an idle queue pair with pending data to the port's round-robin ring.
  void activate(const Here& here, QueuePairId qp) {
    SendingEnd& s = sender_of(qp);
    if (s.schedule == SendingEnd::Schedule::kPaced && is_repaced(s)) [[unlikely]] {
      PortState& port = s_.ports[s.port()];
      if (!port.is_transmitting) start(here, port);
      return;
    }
    if (s.schedule != SendingEnd::Schedule::kIdle || !can_send(s)) return;
    if (Path::has(Feature::kHostPorts) && PortSelection::has_choice(s)) choose_port(s, here.now);
    PortState& port = s_.ports[s.port()];
    port.waiting |= NicScheduler(s_, port).activate(qp, here.now);
    if (!port.is_transmitting) start(here, port);
  }

  /// Nothing of the queue pair leaves any more: its transport has given up.
  void fail(SenderState& s) const { NicScheduler::fail(s); }

  /// A message whose last packet has this number is whole.
  void record_delivery(const Here& here, ReceiverId receiver, std::uint32_t last_sequence,
                       const PortState& port) {
    s_.hosts[port.host()].delivered.push_back({receiver, last_sequence, here.now});
    ++here.worker.sums.messages_delivered;
  }
  [[gnu::noinline]] void notify_delivered(const Here& here, ReceiverId receiver) {
    const ProcessId self = s_.receivers[receiver].process;
    const ConnectionId connection = s_.receivers[receiver].connection;
    if (!is_whole(s_.delivered_parts, connection, receiver.value())) return;
    call(here, self, [&](ProcessContext& c) { s_.handler->on_delivered(c, self, connection); });
  }
  /// A message that `self` posted, or a part of one, is acknowledged.
  [[gnu::noinline]] void notify_acknowledged(const Here& here, QueuePairId queue_pair,
                                             ProcessId self, ConnectionId connection) {
    if (!is_whole(s_.acknowledged_parts, connection, queue_pair.value())) return;
    call(here, self, [&](ProcessContext& c) { s_.handler->on_acknowledged(c, self, connection); });
  }

 private:
  /// `use(model)` with Ultra Ethernet's, where the queue pair is of that.
  template <class Use>
  void with_contexts(QueuePairId qp, Use use) {
    transports_.with(transport(s_.senders.whole(qp).transport).sender_model, [&](auto& model) {
      if constexpr (requires { model.is_of_contexts(); }) use(model);
    });
  }
  /// `tell(context)` calls a process back.
  template <class Tell>
  void call(const Here& here, ProcessId process, Tell tell) {
    HostContext<HostModel> context(s_, *this, here, process);
    tell(context);
  }

  /// One more message of a queue pair is through, or one more part, which `parts` counts. Returns
  /// whether nothing is missing of the message.
  [[nodiscard]] bool is_whole(PartCounts& parts, ConnectionId connection, std::size_t queue_pair) {
    const ConnectionState& c = s_.connections[connection.value()];
    return !s_.is_split(c) || parts.add(c.first_queue_pair.value(), c.queue_pairs, queue_pair);
  }

  /// A message, or the part of one that a queue pair sends: of 0 bytes it is a packet without
  /// payload.
  void post_on(const Here& here, QueuePairId qp, Bytes size);

  /// A packet found no room in the NIC. A context asks for it again.
  [[gnu::noinline]] void refuse(const Here& here, const Packet& packet, PortState& port) {
    if constexpr (kHasContexts) {
      const bool is_whole = kind_of(packet) == PacketKind::kData;
      if (is_whole && packet.destination() == port.owner) {
        const ReceiverState& r = s_.receivers[receiver_of(packet)];
        transports_.with(transport(r.transport).receiver_model, [&](auto& model) {
          if constexpr (requires { model.refuse_data(here, packet, port); }) {
            model.refuse_data(here, packet, port);
          }
        });
      }
    }
    forget<Path>(s_, here, packet);
  }

  void receive(const Here& here, const Packet& packet, PortState& port) {
    if (packet.destination() != port.owner) [[unlikely]] {
      fail_delivery(s_.fabric, port.id, HostId(packet.destination()));
    }
    if (Path::has(Feature::kLinkRetry) && kind_of(packet) == PacketKind::kPoisoned) [[unlikely]] {
      ++port.poison_drops;
      forget<Path>(s_, here, packet);
      return;
    }
    ++here.worker.sums.packets_delivered;
    if (Path::has(Feature::kInNetwork) && (packet.flow & kInNetworkFlow) != 0) {
      receive_word(here, packet);
      return;
    }
    if (Path::has(Feature::kInNetwork) && kind_of(packet) == PacketKind::kData &&
        s_.is_to_copy(receiver_of(packet))) {
      receive_copy(here, packet, port);
      return;
    }
    if constexpr (Path::has(Feature::kTelemetry)) {
      if (s_.telemetry.is_in(packet)) {
        receive_with_telemetry(here, packet, port);
        return;
      }
    }
    deliver(here, packet, port);
  }

  /// To the transport, with its own word and, in its stamp, the number of its record. What an ACK
  /// does not take on is over.
  void receive_with_telemetry(const Here& here, const Packet& packet, PortState& port) {
    Packet opened = s_.telemetry.opened(packet);
    opened.stamp = packet.word;
    std::uint32_t record = packet.word;
    const bool is_data = kind_of(packet) == PacketKind::kData;
    if (is_data) s_.telemetry.arrive(receiver_of(packet), record);
    const bool asks = kHasGrants && (is_data || is_trimmed(kind_of(packet)));
    // Contexts are answered before they are granted credit, so that a short message ends as
    // without.
    const bool is_answered_first =
        kHasContexts && asks && transport(s_.receivers[receiver_of(packet)].transport).has_contexts;
    if (asks && !is_answered_first) on_credit_request(here, packet, record, port);
    deliver(here, opened, port);
    if (is_answered_first) on_credit_request(here, packet, record, port);
    if (is_data) record = s_.telemetry.hand_on(receiver_of(packet));
    if (record != Telemetry::kNone) s_.telemetry.give_back(here.worker.number, record);
  }

  void on_credit_request(const Here& here, const Packet& packet, std::uint32_t record,
                         PortState& port) {
    const ReceiverId id = receiver_of(packet);
    if (!transport(s_.receivers[id].transport).has_grants()) return;
    congestion::Arrival arrival =
        has(packet, kMarked) ? congestion::Arrival::kMarked : congestion::Arrival::kWhole;
    if (kind_of(packet) == PacketKind::kTrimmed) arrival = congestion::Arrival::kTrimmed;
    if (kind_of(packet) == PacketKind::kTrimmedLastHop) {
      arrival = congestion::Arrival::kTrimmedLastHop;
    }
    credit_scheduler_.on_credit_request(here, s_.telemetry[record].request, arrival, id, port);
  }
  /// What a sender of Ultra Ethernet says without data.
  [[gnu::noinline]] void receive_control(const Here& here, const Packet& packet, PortState& port) {
    const ReceiverId id = receiver_of(packet);
    if (static_cast<ControlCode>(packet.sent_upper()) == ControlCode::kProbe) {
      transports_.with(transport(s_.receivers[id].transport).receiver_model, [&](auto& model) {
        if constexpr (requires { model.receive_probe(here, packet, port); }) {
          model.receive_probe(here, packet, port);
        }
      });
      return;
    }
    const CreditRequest request{.total = packet.word, .repeats = packet.sequence != 0};
    if constexpr (kHasGrants) credit_scheduler_.receive_request(here, request, id, port);
  }

  [[gnu::always_inline]] void deliver(const Here& here, const Packet& packet, PortState& port) {
    const PacketKind kind = kind_of(packet);
    if (kind == PacketKind::kData) {
      receive_data(here, packet, port);
    } else if (kHasTrimming && is_trimmed(kind)) {
      receive_trimmed(here, packet, port);
    } else if (kHasGrants && kind == PacketKind::kGrant) {
      credit_scheduler_.receive_grant(here, packet);
    } else if (kHasContexts && kind == PacketKind::kPdsControl) {
      receive_control(here, packet, port);
    } else if (kHasHostPorts && kind == PacketKind::kPortStatus) {
      receive_port_status(here, packet);
    } else {
      if (kHasEntropies && is_path_probe(kind)) [[unlikely]] {
        receive_path_probe(here, packet, port);
        return;
      }
      if (kHasHostPorts && s_.planes.is_used() && s_.planes.is_in_plane(port.index)) {
        s_.planes[queue_pair_of_response(packet)].note_answer(s_.planes.plane_of(port.index));
      }
      transports_.with(
          transport(s_.senders.whole(queue_pair_of_response(packet)).transport).sender_model,
          [&](auto& model) { model.receive_response(here, packet, port); });
    }
  }

  /// By the path of a bad value. False: no port leads there at present.
  bool send_path_probe(const Here& here, const SenderState& s, QueuePairId qp, std::uint32_t value,
                       std::uint32_t plane) {
    const TransportConstants& t = transport(s.transport);
    PortState* port = &s_.ports[s.port()];
    if (kHasHostPorts && s.spreading == PortSpreading::kPlanes) {
      port = port_selection_.port_of_plane(s, plane);
      if (port == nullptr || (s_.planes[qp].down >> plane & 1U) != 0) return false;
    }
    if (port->is_down) return false;
    Packet packet;
    packet.flow = flow_of(qp);
    packet.entropy = routed(t, qp, path_selection::with_value(s.entropy, value));
    packet.size = t.probe_size();
    packet.ttl = t.ttl;
    const ClassId c = t.ack_class.is_none() ? s.traffic_class : t.ack_class;
    packet.set_header(s.destination.value(), packet_type(PacketKind::kPathProbe, c), 0);
    ++here.worker.sums.path_probes;
    respond(here, packet, *port);
    return true;
  }
  /// A probe goes back as it came; its sender takes note.
  [[gnu::noinline]] void receive_path_probe(const Here& here, const Packet& packet,
                                            PortState& port) {
    if (kind_of(packet) == PacketKind::kPathProbe) {
      const ReceiverId id = receiver_of(packet);
      const ReceiverState& r = s_.receivers[id];
      const TransportConstants& t = transport(r.transport);
      Packet reply = answer_of(id, r, t, PacketKind::kPathProbeReply);
      reply.entropy = routed(t, queue_pair_of(id), packet.entropy);
      reply.size = packet.size;
      respond(here, reply, port);
      return;
    }
    const QueuePairId qp = queue_pair_of_response(packet);
    const SenderState& s = s_.senders.whole(qp);
    ++here.worker.sums.path_probes_answered;
    const bool has_plane =
        kHasHostPorts && s_.planes.is_used() && s_.planes.is_in_plane(port.index);
    if (has_plane) s_.planes[qp].note_answer(s_.planes.plane_of(port.index));
    s_.entropies.at_prober(transport(s.transport).entropy, qp, [&](auto& paths, const auto& p) {
      paths.on_probe(p, path_selection::value_in(packet.entropy));
      note_path(s, paths.take_change(), here.now);
      if (has_plane) s_.planes[qp].pathless = paths.planes_without_values();
    });
  }
  /// The plane that the next packet leaves by, among those that its values are shares of.
  [[nodiscard]] std::uint32_t selected_plane(const SenderState& s) const {
    if (!kHasHostPorts || s.spreading != PortSpreading::kPlanes) return 0;
    const std::uint32_t plane = s_.planes.plane_of(s.port());
    return plane < s_.planes.count() ? plane : 0;
  }

  /// The host of a receiver says which of its ports are down. Queue pairs to it leave these planes,
  /// and what was sent there goes again.
  [[gnu::noinline]] void receive_port_status(const Here& here, const Packet& packet) {
    const SenderState& told = s_.senders.whole(queue_pair_of_response(packet));
    const auto down = static_cast<std::uint8_t>(packet.word);
    for (const QueuePairId qp : queue_pairs_of(HostId(told.host))) {
      SenderState& s = s_.senders.whole(qp);
      PlaneSender& known = s_.planes[qp];
      if (s.destination != told.destination || !selects_planes(s)) continue;
      if (transport(s.transport).plane_notice != PlaneConfig::Notice::kPortStatus) continue;
      if (packet.sequence <= known.status) continue;
      const auto lost = static_cast<std::uint8_t>(down & ~known.down);
      known.status = packet.sequence;
      known.down = down;
      if (lost == 0) continue;
      IncidentLog(s_).note_told(qp, s.destination, here.now);
      if ((lost >> s_.planes.plane_of(s.port()) & 1U) != 0) leave_port(here, s);
      repeat_of_planes(here, qp, lost);
    }
  }
  /// It waits elsewhere, if it waits.
  void leave_port(const Here& here, SenderState& s) {
    if (s.schedule != SendingEnd::Schedule::kReady && s.schedule != SendingEnd::Schedule::kPaced) {
      return;
    }
    std::vector<QueuePairId> moving;  // failures are rare
    take_all(s_.ports[s.port()], moving);
    for (const QueuePairId qp : moving) activate(here, qp);
  }
  /// What contexts have sent by these planes, a bit each, and is not known to have arrived is sent
  /// again.
  void repeat_of_planes(const Here& here, QueuePairId qp, std::uint8_t planes) {
    if constexpr (kHasContexts) {
      SenderState& s = s_.senders.whole(qp);
      if (!selects_planes(s)) return;
      if (transport(s.transport).plane_notice != PlaneConfig::Notice::kPortStatus) return;
      with_contexts(qp, [&](auto& model) { model.repeat_of_planes(here, qp, planes); });
    }
  }
  [[nodiscard]] bool selects_planes(const SenderState& s) const {
    return transport(s.transport).selects_planes() && !s.is_in_network() &&
           s_.planes.is_in_plane(s.port());
  }
  /// Those of one host are contiguous.
  [[nodiscard]] std::vector<QueuePairId> queue_pairs_of(HostId host) const {
    std::vector<QueuePairId> own;
    const std::span<const SenderState> all = s_.senders.all_whole();
    for (auto s = std::ranges::lower_bound(all, host, {}, &SenderState::host);
         s != all.end() && s->host == host; ++s) {
      own.push_back(s_.senders.queue_pair_of(*s));
    }
    return own;
  }

  /// A scale-up switch says that a sum with a packet of this host is complete.
  void receive_word(const Here& here, const Packet& packet) {
    const QueuePairId qp = queue_pair_of(packet);
    const SendingEnd& s = s_.senders[qp];
    s_.rounds_done.add(s_.senders.number_of(s), s_.reduction_of(s).link_of(packet.sequence));
    activate(here, qp);
  }

  [[nodiscard]] std::vector<QueuePairId> queue_pairs_with_new_ports(HostId host,
                                                                    const Routes& routes) const {
    std::vector<QueuePairId> changed;
    // Queue pairs of one host are contiguous; what scale-up switches reduce never moves.
    const std::span<const SenderState> all = s_.senders.all_whole();
    auto s = std::ranges::lower_bound(all, host, {}, &SenderState::host);
    for (; s != all.end() && s->host == host; ++s) {
      const auto ports = routes.host_ports(host, s->destination);
      if (ports.empty() || s->is_in_network()) continue;
      // Who names routes goes by what it finds out itself.
      if (kHasSourceRoutes && transport(s->transport).source_routes) continue;
      if (std::ranges::equal(ports, s->local_ports())) continue;
      changed.push_back(s_.senders.queue_pair_of(*s));
    }
    return changed;
  }

  /// Queue pairs that wait at `port` wait nowhere any more.
  void take_all(PortState& port, std::vector<QueuePairId>& taken) {
    NicScheduler(s_, port).take_all(s_.classes_of(port), taken);
    for (const ClassId c : s_.classes_of(port)) {
      const std::uint8_t bit = class_bit(c);
      if (s_.queue(port, c).packets.empty()) port.waiting &= static_cast<std::uint8_t>(~bit);
    }
  }

  /// The buffer that a packet of a credit class held is free again.
  void grant(const Here& here, const Packet& packet, PortState& port) {
    const ClassId c = class_of(packet);
    if (!s_.constants.of_class[c].is_credit) return;
    control_.grant(here, port, c, scheduler_.blocks(c, packet.wire_size()));
  }

  void start(const Here& here, PortState& port) {
    if (port.pending_control != 0 && !port.is_down) [[unlikely]] {
      control_.transmit(here, port);
      return;
    }
    if constexpr (Path::has(Feature::kSharedLinks)) {
      if (!LinkTurns(s_).may_start(port)) {
        here.lp.next.remove(port.local);
        return;
      }
    }
    NicScheduler nic(s_, port);
    port.waiting |= nic.release_paced(here.now);
    for (;;) {
      const std::uint32_t eligible = port.waiting & ~static_cast<unsigned>(port.blocked);
      const ClassId c = scheduler_.choose(
          here, port, eligible, [&](ClassId of) { return next_size(port, nic, of, here.now); });
      if (c.is_none()) [[unlikely]]
        break;
      QueuePairId moving;
      if (!send_next(here, port, nic, c, eligible, moving)) continue;
      if (Path::has(Feature::kHostPorts) && !moving.is_none()) activate(here, moving);
      return;
    }
    if (nic.has_paced()) {
      here.lp.next.update(port.local, here.lp.keys.departure(nic.next_paced(), port.local));
    } else {
      here.lp.next.remove(port.local);
    }
  }

  /// Wire bytes of what class `c` would send next: a response, or a packet of the queue pair whose
  /// turn it is. 0 if it turns out that nothing may be sent.
  [[nodiscard]] Bytes next_size(const PortState& port, NicScheduler& nic, ClassId c,
                                Picoseconds now) {
    const ClassQueue& queue = s_.queue(port, c);
    if (!queue.packets.empty()) return queue.packets.front().wire_size();
    const QueuePairId qp = next_sender(nic, c, now);
    if (qp.is_none()) return {};
    return next_size_of(sender_of(qp));
  }

  /// The queue pair of class `c` whose turn it is; those that may not send lose their turn.
  [[nodiscard]] QueuePairId next_sender(NicScheduler& nic, ClassId c, Picoseconds now) {
    QueuePairId qp = nic.first_ready(c);
    while (!qp.is_none() && !may_go(nic, qp, c, now)) qp = nic.first_ready(c);
    return qp;
  }
  /// False: it has lost its turn. One whose rate has changed since it was ready may have to wait.
  [[gnu::always_inline]] bool may_go(NicScheduler& nic, QueuePairId qp, ClassId c,
                                     Picoseconds now) {
    const SendingEnd& s = sender_of(qp);
    if (can_send(s)) [[likely]] {
      if (s.next_send <= now || !is_repaced(s)) [[likely]]
        return true;
      nic.take_ready(c);
      nic.activate(qp, now);
      return false;
    }
    nic.take_ready(c);
    return false;
  }
  [[nodiscard]] bool is_repaced(const SendingEnd& s) const {
    return transport(s.transport).control.needs.repaces;
  }

  /// Sends a packet of class `c`. False: it had none that may be sent. `moving`: a queue pair whose
  /// next packet may leave by another port.
  [[gnu::always_inline]] bool send_next(const Here& here, PortState& port, NicScheduler& nic,
                                        ClassId c, std::uint32_t eligible, QueuePairId& moving) {
    ClassQueue& queue = s_.queue(port, c);
    bool has_sent = false;
    if (!queue.packets.empty()) {
      queue.account(here.now);
      const Packet& packet = queue.packets.take();
      port.backlog -= packet.wire_size();
      scheduler_.charge(port, c, packet.wire_size(), eligible);
      send_response(here, port, queue, packet);
      queue.packets.reclaim(here.worker.pool);
      has_sent = true;
    } else if (const QueuePairId qp = next_sender(nic, c, here.now); !qp.is_none()) {
      nic.take_ready(c);
      scheduler_.charge(port, c, next_size_of(sender_of(qp)), eligible);
      const Picoseconds end = send_data(here, port, queue, qp);
      if (Path::has(Feature::kHostPorts) && PortSelection::is_spread(sender_of(qp))) {
        moving = qp;
      } else if (can_send(sender_of(qp))) {
        nic.activate(qp, end);  // its class still waits, or is paced
      }
      has_sent = true;
    }
    if (queue.packets.empty() && nic.first_ready(c).is_none()) {
      port.waiting &= static_cast<std::uint8_t>(~class_bit(c));
      if (Path::has(Feature::kWeightedClasses)) queue.deficit = 0;
    }
    return has_sent;
  }

  [[nodiscard]] SendingEnd& sender_of(QueuePairId qp) {
    if constexpr (Path::has(Feature::kInNetwork)) return s_.senders[qp];
    return s_.senders.whole(qp);
  }
  [[nodiscard]] Bytes next_size_of(const SendingEnd& s) const {
    return s.next == s.message_last ? Bytes(s.last_size) : transport(s.transport).full_size();
  }

  /// Whether the scale-up switch can hold the next packet of a reduction.
  [[nodiscard]] bool is_in_window(const SendingEnd& s) const {
    const Reduction& reduction = s_.reduction_of(s);
    return s_.rounds_done.ahead(s_.senders.number_of(s), reduction.link_of(s.next),
                                reduction.round_of(s.next)) < reduction.window;
  }

  [[nodiscard]] bool can_send(const SendingEnd& end) {
    if (end.next == end.posted || end.schedule == SendingEnd::Schedule::kFailed) return false;
    if (Path::has(Feature::kInNetwork) && end.is_added_up()) return is_in_window(end);
    const SenderState& s = end.whole();
    const std::uint32_t in_flight = s.next == s.sent_end ? s.next - s.received : s.next - s.unacked;
    if (kHasGrants && transport(s.transport).has_grants() && !credit_scheduler_.may_send(s)) {
      return false;
    }
    return in_flight < s.window;
  }

  void send_response(const Here& here, PortState& port, ClassQueue& queue, const Packet& packet) {
    ++here.worker.sums.packets_injected;
    port.service_bytes = packet.size;
    const Picoseconds end = transmit<Path>(s_, here, port, queue, packet.wire_size(), here.now,
                                           [&packet](Packet& on_wire) { on_wire = packet; });
    tracer_.sent(here, packet, port, here.now, end);
  }

  [[nodiscard]] RoutingKey routing_key_of(const SenderState& s, QueuePairId qp, Picoseconds now) {
    return {.destination = s.destination, .entropy = entropy_of(s, qp, now)};
  }
  /// What the next packet's path follows from. Where every packet takes one by lot, one that is
  /// sent again draws again.
  [[nodiscard]] std::uint32_t entropy_of(const SenderState& s, QueuePairId qp, Picoseconds now) {
    if constexpr (kHasEntropies) {
      if (!transport(s.transport).entropy.is_fixed()) return next_entropy(s, qp, now);
    }
    const bool is_new = s.next == s.sent_end;
    if (is_new || s_.constants.of_class[s.traffic_class].balancing != LoadBalancing::kSpray) {
      return s.entropy;
    }
    const std::uint64_t attempt = (std::uint64_t{s.sent_end} << 32U) | s.retries;
    return static_cast<std::uint32_t>(mix64(s.entropy, attempt));
  }

  /// Returns the end of the transmission.
  Picoseconds send_data(const Here& here, PortState& port, ClassQueue& queue, QueuePairId qp) {
    SendingEnd& s = sender_of(qp);
    const bool is_added_up = Path::has(Feature::kInNetwork) && s.is_added_up();
    const TransportConstants& t = transport(s.transport);
    const bool is_last = s.next == s.message_last;
    const std::uint32_t sequence = s.next;
    const auto size = static_cast<std::uint16_t>(next_size_of(s).count());
    std::uint8_t flags = flag_if(is_last, kLast) | flag_if(s.first_of_message, kFirst) |
                         flag_if(s.window_reduced, kWindowReduced);
    if constexpr (kHasContexts) {
      const bool asks = s.asks_ack || (!is_added_up && asks_ack_in_plane(s.whole(), qp));
      flags = static_cast<std::uint8_t>(flags | flag_if(asks, kAsksAck) |
                                        flag_if(s.repeats, kRepeated));
    }
    const std::uint32_t type = packet_type(PacketKind::kData, s.traffic_class);
    std::uint32_t word = stamp_of(here.now);
    const std::uint32_t sent_upper = upper_stamp_of(here.now);
    if constexpr (Path::has(Feature::kTelemetry)) {
      if (s_.telemetry.is_of(qp)) word = s_.telemetry.take(here.worker.number, word);
    }
    const bool is_granted = kHasGrants && t.has_grants();
    if (is_granted)
      s_.telemetry[word].request = credit_scheduler_.request(s.whole(), qp, Bytes(size));
    const RoutingKey routing_key =
        is_added_up ? s_.routing_key_of(s) : routing_key_of(s.whole(), qp, here.now);
    if constexpr (kHasContexts) {
      if (t.has_contexts) {
        s_.uec.sender(qp).value =
            static_cast<std::uint8_t>(path_selection::value_in(routing_key.entropy));
      }
    }
    const auto write = [&](Packet& packet) {
      packet.flow = flow_of(qp, Path::has(Feature::kInNetwork) ? s.marks & kFlowMarks : s.marks);
      packet.sequence = sequence;
      packet.set_header(routing_key.destination.value(), type, sent_upper);
      packet.entropy = routing_key.entropy;
      packet.word = word;
      packet.size = size;
      packet.flags = flags;
      packet.ttl = t.ttl;
    };
    s_.nics[port.index].recent_sender = qp;
    sender_.pass_next(s);
    if (kHasHostPorts && !is_added_up) port_selection_.note_sent(s.whole());
    if (!is_added_up) note_sent(here, s.whole(), t, qp);
    ++here.worker.sums.packets_injected;
    port.service_bytes = size;
    const Picoseconds end = transmit<Path>(s_, here, port, queue, Bytes(size), here.now, write);
    if constexpr (Tracer<Path>::kTraces) {
      Packet packet;
      write(packet);
      tracer_.sent(here, packet, port, here.now, end);
    }
    sender_.hold_until(
        s, Path::has(Feature::kHostPorts) && PortSelection::is_spread(s) ? here.now : end);
    if (is_added_up) {
      if (is_last) sender_.end_contribution(here, s);
      return end;
    }
    SenderState& whole = s.whole();
    if (!t.control.is_none()) {
      sender_.pace(whole, t, s_.nics[port.index], Bytes(size), here.now);
    }
    if (is_last) sender_.next_message(s);
    transports_.with(t.sender_model, [&](auto& model) { model.on_sent(here, whole, is_last); });
    if (is_granted) credit_scheduler_.wait(here, whole, qp);
    return end;
  }

  /// The port that the next packet waits at. One that tries a plane again asks for an ACK.
  void choose_port(SendingEnd& s, Picoseconds now) {
    [[maybe_unused]] const bool is_trial = port_selection_.choose(s, now);
    if constexpr (kHasContexts) {
      if (!is_trial) return;
      SenderState& whole = s.whole();
      with_contexts(s_.senders.queue_pair_of(whole), [&](auto& model) { model.ask_ack(whole); });
    }
  }

  /// Whether the window of the plane that its next packet leaves by asks for an ACK.
  [[nodiscard]] bool asks_ack_in_plane(const SenderState& s, QueuePairId qp) const {
    if (!kHasHostPorts || !s_.has_window_per_plane(s)) return false;
    return (s_.planes[qp].asks_ack >> s_.planes.plane_of(s.port()) & 1U) != 0;
  }

  /// The transmission of the packet before `s.next` begins.
  [[gnu::always_inline]] void note_sent(const Here& here, SenderState& s,
                                        const TransportConstants& t, QueuePairId qp) {
    if (s.next > s.sent_end) {
      transports_.with(t.sender_model, [&](auto& model) { model.on_first_sent(here, s, qp); });
      sender_.note_first_sent(s);
    } else {
      ++here.worker.sums.packets_retransmitted;
      IncidentLog(s_).note_repeat(qp, here.now);
    }
  }

  void record_latency(const Here& here, const Packet& packet, std::uint8_t group) {
    const std::size_t place = std::size_t{group} * kSizeClasses + size_class_in(packet);
    here.worker.packet_latency[place].add(s_.old_packets.elapsed(packet, here.now).count());
  }

  void receive_data(const Here& here, const Packet& packet, PortState& port) {
    const ReceiverState& r = s_.receivers[receiver_of(packet)];
    record_latency(here, packet, r.latency_group);
    const TransportConstants& t = transport(r.transport);
    transports_.with(t.receiver_model,
                     [&](auto& model) { model.receive_data(here, packet, port); });
  }

  /// The header of a packet that a switch had no room for.
  [[gnu::noinline]] void receive_trimmed(const Here& here, const Packet& packet, PortState& port) {
    const ReceiverState& r = s_.receivers[receiver_of(packet)];
    transports_.with(transport(r.transport).receiver_model, [&](auto& model) {
      if constexpr (requires { model.receive_trimmed(here, packet, port); }) {
        model.receive_trimmed(here, packet, port);
        ++here.worker.sums.trims_answered;
      }
    });
  }

  /// A packet of a multicast, which come in any order.
  void receive_copy(const Here& here, const Packet& packet, const PortState& port) {
    const ReceiverId receiver = receiver_of(packet);
    record_latency(here, packet, s_.multicast_of(receiver).latency_group);
    CopyReceiver& r = s_.copy_receiver(receiver);
    const bool is_last = has(packet, kLast);
    if (packet.sequence != r.expected) {
      r.early.insert(r.expected, packet.sequence, is_last);
      return;
    }
    std::uint32_t messages = r.early.close_gap(r.expected, is_last, [&](std::uint32_t last) {
      record_delivery(here, receiver, last, port);
    });
    for (; messages > 0; --messages) notify_copied(here, receiver);
  }
  [[gnu::noinline]] void notify_copied(const Here& here, ReceiverId receiver) {
    const Multicast& multicast = s_.multicast_of(receiver);
    const std::uint32_t member = receiver.value() - multicast.first_receiver.value();
    const ProcessId self = s_.groups[multicast.group].processes[member];
    const ConnectionId connection = multicast.connection;
    call(here, self, [&](ProcessContext& c) { s_.handler->on_delivered(c, self, connection); });
  }

  NetworkState& s_;
  LinkControl control_;
  ClassScheduler<Path> scheduler_;
  ReceiveBuffer<Path> inbox_;
  PortSelection port_selection_;
  Tracer<Path> tracer_;
  Sender sender_;
  CreditScheduler<HostModel> credit_scheduler_;
  TransportModels<HostModel> transports_;
};

template <class Path>
void HostModel<Path>::post(const Here& here, ConnectionId connection, Bytes size) {
  WEFT_CHECK(size >= Bytes(1), "a message has bytes");
  ConnectionState& c = s_.connections[connection.value()];
  if (s_.is_split(c)) [[unlikely]] {
    for (std::uint32_t i = 0; i < c.queue_pairs; ++i) {
      post_on(here, c.queue_pair(i), part_of(size, c.queue_pairs, i));
    }
    return;
  }
  const QueuePairId qp = c.queue_pair(c.next);
  c.next = c.next + 1 == c.queue_pairs ? std::uint16_t{0} : static_cast<std::uint16_t>(c.next + 1);
  post_on(here, qp, size);
}

template <class Path>
void HostModel<Path>::post_on(const Here& here, QueuePairId qp, Bytes size) {
  ++here.worker.sums.messages_posted;
  SendingEnd& s = sender_of(qp);
  const TransportConstants& k = transport(s.transport);
  HostState& host = s_.hosts[s.host];
  const std::int64_t packets = std::max<std::int64_t>((size + k.payload - Bytes(1)) / k.payload, 1);
  const bool is_alone = s.newest_message == kNoIndex;
  // Those that wait for a fresh queue pair are not in `posted` yet.
  const std::uint32_t first = k.is_per_message && !is_alone
                                  ? host.messages[s.newest_message].last_sequence() + 1
                                  : s.posted;
  WEFT_CHECK(packets < (std::int64_t{1} << 32) - first, "sequence numbers do not wrap");
  const std::uint32_t place = host.messages.add({.queue_pair = qp,
                                                 .first_sequence = first,
                                                 .packets = static_cast<std::uint32_t>(packets),
                                                 .next = kNoIndex,
                                                 .bytes = size,
                                                 .posted = here.now,
                                                 .acknowledged = {}});
  sender_.append_message(s, place);
  if (k.is_per_message) {
    if (is_alone) sender_.begin_afresh(s.whole(), qp);
  } else {
    if (kHasGrants && k.has_grants()) {
      credit_scheduler_.post(s.whole(), qp, size + packets * k.header, is_alone);
    }
    sender_.extend(s, static_cast<std::uint32_t>(packets), place);
    if (kHasGrants && k.has_grants()) credit_scheduler_.wait(here, s.whole(), qp);
  }
  activate(here, qp);
}

/// Its next packet takes the first of its links again, and its next message the first queue pair.
template <class Path>
void HostModel<Path>::restart(ConnectionId connection) {
  ConnectionState& c = s_.connections[connection.value()];
  c.next = 0;
  for (std::uint32_t i = 0; i < c.queue_pairs; ++i) {
    SendingEnd& s = sender_of(c.queue_pair(i));
    if (Path::has(Feature::kInNetwork) && s.is_added_up()) {
      sender_.start_at_first_link(s);
    } else {
      s.whole().take_turns_from(s.posted);
    }
  }
}

}  // namespace weft::protocols
