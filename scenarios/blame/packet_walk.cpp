#include "scenarios/blame/packet_walk.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "protocols/packet/flow_bits.hpp"
#include "protocols/packet/packet_kind.hpp"

namespace weft::scenarios {

using protocols::HoldReason;
using protocols::TraceRecord;

namespace {

/// Packet::flow of the packets of a message.
std::uint32_t flow_of(const PathMessage& m) { return protocols::flow_of(m.message.queue_pair); }

}  // namespace

/// One message, from its delivery to its posting.
class PacketWalk::Walk {
 public:
  Walk(const PacketWalk& log, std::size_t message)
      : log_(log),
        fabric_(log.around_.fabric),
        message_(log.messages_[message]),
        first_(log.first_sequences_[message]),
        known_(log.place_[message] == kNowhere ? log.nothing_ : log.known_[log.place_[message]]),
        now_(message_.message.delivered) {}

  std::vector<Charge> run() {
    const Picoseconds posted = message_.message.posted;
    if (begin_at_arrival()) {
      while (now_ > posted && cross_link() && wait_at_port()) continue;
    }
    // Nothing is left unless records are missing.
    charge(posted, Cause::kProtocol, connection());
    return std::move(charges_);
  }

  /// The ports of switches at which its packets queued, each once.
  [[nodiscard]] std::vector<PortId> queues() const {
    std::vector<PortId> ports;
    for (const PacketLog& packet : known_.packets) {
      for (const Event& event : packet.events) {
        const bool is_host = fabric_.node(fabric_.port(event.port).node).kind == NodeKind::kHost;
        if (!is_host && std::ranges::find(ports, event.port) == ports.end()) {
          ports.push_back(event.port);
        }
      }
    }
    return ports;
  }

 private:
  [[nodiscard]] Culprit connection() const { return Culprit::connection(message_.connection); }
  /// Packet::flow of its packets.
  [[nodiscard]] std::uint32_t flow() const { return flow_of(message_); }
  [[nodiscard]] bool is_own(const Busy& b) const {
    return b.is_data && b.flow == flow() && b.sequence >= first_ &&
           b.sequence <= message_.message.last_sequence && b.port == out_;
  }

  void charge(Picoseconds begin, Cause cause, Culprit culprit, PortId port = PortId::none()) {
    begin = std::max(begin, message_.message.posted);
    if (begin >= now_) return;
    // Packets of a message follow one another: one charge.
    if (!charges_.empty() && charges_.back().cause == cause && charges_.back().port == port &&
        charges_.back().culprit == culprit) {
      charges_.back().begin = begin;
    } else {
      charges_.push_back({begin, now_, cause, culprit, port});
    }
    now_ = begin;
  }

  /// To the arrival of the packet that completed the message.
  bool begin_at_arrival() {
    const Arrival& last = known_.last;
    if (!last.time) return false;
    sequence_ = last.sequence;
    // A NIC that takes packets in more slowly than they come.
    charge(*last.time, Cause::kQueueing,
           Culprit::of_job(log_.around_.workload.job_of(destination())), last.port);
    in_ = last.port;
    return true;
  }

  [[nodiscard]] ProcessId destination() const {
    return log_.around_.workload.connections()[message_.connection.value()].destination;
  }
  [[nodiscard]] bool is_input_queued() const { return log_.around_.has_input_queues; }
  [[nodiscard]] const PacketLog& packet() const { return known_.packets[sequence_ - first_]; }
  [[nodiscard]] static bool is_port_of(const Node& node, PortId port) {
    return port.value() - node.first_port.value() < node.port_count;
  }

  /// From the arrival of the packet at `in_` to the start of its transmission.
  bool cross_link() {
    out_ = fabric_.port(in_).peer;
    const Busy* sent = transmission_before(now_);
    if (sent == nullptr) return false;
    // Of a packet that is forwarded before it is whole, only its begin is waited for.
    const bool is_whole = sent->end + fabric_.port(out_).wire_latency <= now_;
    const Picoseconds left =
        is_whole ? sent->end : std::max(sent->begin, now_ - fabric_.data_latency(out_));
    class_ = sent->traffic_class;
    // With retry, the last bit that came left when the frame was sent for the last time.
    if (is_whole && log_.around_.has_link_retry) {
      charge(std::max(left, now_ - fabric_.data_latency(out_) - added_latency(left)),
             Cause::kPropagation, Culprit::port(out_), out_);
      charge(left, Cause::kLinkRetry, Culprit::port(out_), out_);
    }
    charge(left, Cause::kPropagation, Culprit::port(out_), out_);
    charge(sent->begin, Cause::kSerialisation, Culprit::port(out_), out_);
    return true;
  }

  /// What faults add to the latency of the link that leaves `out_`.
  [[nodiscard]] Picoseconds added_latency(Picoseconds time) const {
    Picoseconds added;
    for (const protocols::Fault& f : log_.around_.faults) {
      const bool is_meant = f.kind == protocols::Fault::Kind::kLinkLatency && f.port == out_;
      if (is_meant && f.at <= time && time < f.until) added = f.latency;
    }
    return added;
  }

  /// The last transmission of the packet at `out_` that began before `time`; null: there is none.
  [[nodiscard]] const Busy* transmission_before(Picoseconds time) const {
    const std::vector<Busy>& busy = log_.busy_at(out_);
    // Mostly it is the one whose last bit has just come.
    const auto ended =
        std::ranges::upper_bound(busy, time - fabric_.data_latency(out_), {}, &Busy::end);
    if (ended != busy.begin() && std::prev(ended)->is_of(flow(), sequence_, out_) &&
        std::prev(ended)->end == time - fabric_.data_latency(out_)) {
      return &*std::prev(ended);
    }
    for (auto next = std::ranges::lower_bound(busy, time, {}, &Busy::begin);
         next != busy.begin();) {
      --next;
      if (next->is_of(flow(), sequence_, out_)) return &*next;
      if (next->end < message_.message.posted) break;
    }
    return nullptr;
  }

  /// From the start of a transmission at `out_` to the packet's arrival at that node, by `in_`.
  bool wait_at_port() {
    const bool is_host = fabric_.node(fabric_.port(out_).node).kind == NodeKind::kHost;
    for (;;) {
      const std::optional<Picoseconds> arrival = is_host ? eligible_since() : queued_since();
      if (!arrival) return false;
      if (step_back(std::min(*arrival, now_))) continue;  // an earlier packet of the message
      if (is_host) {
        if (!has_sent_before_) return false;  // at the posting
        go_to_first_time();
        continue;
      }
      return true;
    }
  }

  /// Charges what the port did from `arrival` on. True: an earlier packet of the message was sent
  /// meanwhile, which the walk is at now.
  bool step_back(Picoseconds arrival) {
    const std::vector<Busy>& busy = log_.busy_at(out_);
    auto next = std::ranges::upper_bound(busy, now_, {}, &Busy::end);
    while (now_ > arrival) {
      const Busy* before = next == busy.begin() ? nullptr : &*--next;
      if (before != nullptr && before->begin >= now_) continue;
      const Picoseconds free = before == nullptr ? arrival : std::max(arrival, before->end);
      if (free < now_) charge_gap(free);
      if (before == nullptr || now_ <= arrival) return false;
      if (is_own(*before)) {
        charge(before->begin, Cause::kSerialisation, Culprit::port(out_), out_);
        sequence_ = before->sequence;
        class_ = before->traffic_class;
        return true;
      }
      charge(std::max(arrival, before->begin), Cause::kQueueing, job_of(before->flow), out_);
    }
    return false;
  }

  [[nodiscard]] Culprit job_of(std::uint32_t flow) const {
    return Culprit::of_job(log_.job_of(flow));
  }

  /// When the packet came to the queue of `out_`; `in_` is the link by which it came then.
  [[nodiscard]] std::optional<Picoseconds> queued_since() {
    std::optional<Picoseconds> since;
    const bool is_at_input = is_input_queued();
    for (const Event& e : packet().events) {
      if (e.time > now_ || (since && e.time < *since)) continue;
      const bool is_here =
          is_at_input ? fabric_.port(e.port).node == fabric_.port(out_).node : e.port == out_;
      if (!is_here) continue;
      since = e.time;
      in_ = e.in;
    }
    return since;
  }

  /// Since when the sender may send the packet: since the message was posted, or since it heard
  /// that what it had sent was lost.
  std::optional<Picoseconds> eligible_since() {
    has_sent_before_ = false;
    for (const auto& [port, busy] : packet().sent) {
      const bool is_here = fabric_.port(port).node == fabric_.port(out_).node;
      if (!is_here || busy.begin >= now_) continue;
      has_sent_before_ = true;
      earlier_ = {port, busy};
    }
    if (!has_sent_before_) return message_.message.posted;
    loss_ = {earlier_.second.end, protocols::congestion::LossSignal::kNack};
    for (const auto& loss : log_.network_->watch().losses(message_.message.queue_pair)) {
      if (loss.time > earlier_.second.begin && loss.time <= now_) loss_ = loss;
    }
    return std::max(loss_.time, std::min(now_, earlier_.second.end));
  }

  /// From when the sender heard of a loss to the start of the transmission before.
  void go_to_first_time() {
    const bool is_timeout = loss_.signal == protocols::congestion::LossSignal::kTimeout;
    charge(earlier_.second.end, is_timeout ? Cause::kTimeout : Cause::kRetransmission, connection(),
           out_);
    out_ = earlier_.first;
    class_ = earlier_.second.traffic_class;
    charge(earlier_.second.begin, Cause::kSerialisation, Culprit::port(out_), out_);
  }

  /// The port sent nothing from `free` until now.
  void charge_gap(Picoseconds free) {
    while (now_ > free) {
      const Obstacle obstacle = last_obstacle(free);
      if (obstacle.end < now_) charge_rest(std::max(free, obstacle.end));
      if (now_ > free)
        charge(std::max(free, obstacle.begin), obstacle.cause, obstacle.culprit, out_);
    }
  }

  /// A time in which the port was not allowed to send.
  struct Obstacle {
    Picoseconds begin;
    Picoseconds end;
    Cause cause = Cause::kPause;
    Culprit culprit;
  };
  /// The last one before now; one that ends at `free`, if there is none after that.
  [[nodiscard]] Obstacle last_obstacle(Picoseconds free) const {
    Obstacle last{free, free, Cause::kPause, {}};
    const auto consider = [&](Picoseconds begin, Picoseconds end, Cause cause, Culprit culprit) {
      if (begin >= now_ || end <= free || std::min(end, now_) <= last.end) return;
      last = {begin, std::min(end, now_), cause, culprit};
    };
    // Of a class they follow one another.
    const auto& pauses = log_.network_->ended_pauses(out_);
    auto pause = std::ranges::upper_bound(pauses, free, {}, &protocols::PauseInterval::end);
    for (; pause != pauses.end(); ++pause) {
      const protocols::PauseInterval& p = *pause;
      if (p.traffic_class != class_) continue;
      if (p.start >= now_) break;
      consider(p.start, p.end, Cause::kPause, log_.root_of_(p));
    }
    const std::vector<Stall>& stalls = log_.ports_[out_.value()].stalls;
    auto stall = std::ranges::upper_bound(stalls, free, {}, &Stall::end);
    for (; stall != stalls.end(); ++stall) {
      const Stall& s = *stall;
      if (s.traffic_class != class_) continue;
      if (s.begin >= now_) break;
      consider(s.begin, s.end, Cause::kCredits, Culprit::port(out_));
    }
    for (const Stall& s : log_.ports_[out_.value()].replays) {
      if (s.begin >= now_) break;
      consider(s.begin, s.end, Cause::kLinkRetry, Culprit::port(out_));
    }
    for (const protocols::Fault& f : log_.around_.faults) {
      if (f.kind != protocols::Fault::Kind::kLinkDown) continue;
      if (f.port != out_ && f.port != fabric_.port(out_).peer) continue;
      consider(f.at, f.until, Cause::kLinkFailure, Culprit::port(out_));
    }
    return last;
  }

  /// The port was free, and might send.
  void charge_rest(Picoseconds begin) {
    if (fabric_.node(fabric_.port(out_).node).kind != NodeKind::kHost) {
      // Inputs that are matched to outputs wait for each other; else it is link control.
      const bool is_crossbar = is_input_queued();
      charge(begin, is_crossbar ? Cause::kQueueing : Cause::kProtocol, Culprit::port(out_), out_);
      return;
    }
    // Of the packet that started next.
    auto hold = std::ranges::lower_bound(known_.holds, now_, {}, &Hold::time);
    while (hold != known_.holds.end() && hold->port != out_) ++hold;
    if (hold != known_.holds.end()) {
      const bool is_static = hold->reason == HoldReason::kStaticWindow;
      charge(std::max(begin, hold->paced_until),
             is_static ? Cause::kWindow : Cause::kCongestionControl, connection(), out_);
    }
    charge(begin, Cause::kCongestionControl, connection(), out_);
  }

  const PacketWalk& log_;
  const Fabric& fabric_;
  const PathMessage& message_;
  const std::uint32_t first_;
  const MessageRecord& known_;
  std::vector<Charge> charges_;
  // Where the walk is: a packet at a port.
  Picoseconds now_;
  std::uint32_t sequence_ = 0;
  PortId in_;
  PortId out_;
  ClassId class_;
  bool has_sent_before_ = false;
  std::pair<PortId, Busy> earlier_;
  protocols::MessageWatch::Loss loss_;
};

PacketWalk::PacketWalk(const Surroundings& around, std::span<const PathMessage> messages,
                       std::span<const std::uint32_t> first_sequences, RootOf root_of, Found found)
    : around_(around),
      messages_(messages),
      first_sequences_(first_sequences),
      root_of_(std::move(root_of)),
      found_(std::move(found)),
      oldest_left_(messages.size() + 1, Picoseconds::max()),
      ports_(around.fabric.ports.size()),
      owners_(around.fabric.link_owners()),
      place_(messages.size(), kNowhere) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Node& owner = around.fabric.node(around.fabric.ports[i].node);
    ports_[i].is_of_host = owner.kind == NodeKind::kHost;
  }
  std::uint32_t flows = 0;
  for (std::size_t i = messages.size(); i-- > 0;) {
    oldest_left_[i] = std::min(oldest_left_[i + 1], messages[i].message.posted);
    flows = std::max(flows, flow_of(messages[i]) + 1);
  }
  first_of_flow_.resize(flows + 1);
  std::vector<std::uint32_t> order(messages.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&messages](std::uint32_t i) {
    return std::pair(flow_of(messages[i]), messages[i].message.last_sequence);
  });
  by_flow_.reserve(messages.size());
  for (const std::uint32_t i : order) {
    ++first_of_flow_[flow_of(messages[i]) + 1];
    by_flow_.emplace_back(messages[i].message.last_sequence, i);
  }
  std::partial_sum(first_of_flow_.begin(), first_of_flow_.end(), first_of_flow_.begin());
  last_of_flow_ = first_of_flow_;
}

std::uint32_t PacketWalk::message_of(std::uint32_t flow, std::uint32_t sequence) {
  if (flow + std::size_t{1} >= first_of_flow_.size()) return kNowhere;
  const std::uint32_t end = first_of_flow_[flow + 1];
  const auto has = [&](std::uint32_t i) {
    return i < end && sequence <= by_flow_[i].first &&
           first_sequences_[by_flow_[i].second] <= sequence;
  };
  std::uint32_t& last = last_of_flow_[flow];
  if (!has(last)) {
    const auto begin = by_flow_.begin();
    last = static_cast<std::uint32_t>(std::lower_bound(begin + first_of_flow_[flow], begin + end,
                                                       std::pair(sequence, std::uint32_t{0})) -
                                      begin);
    if (!has(last)) return kNowhere;
  }
  return by_flow_[last].second;
}

PacketWalk::MessageRecord& PacketWalk::record_of(std::size_t message) {
  std::uint32_t& place = place_[message];
  if (place == kNowhere) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(known_.size()));
      known_.emplace_back();
    }
    place = free_.back();
    free_.pop_back();
    const PathMessage& m = messages_[message];
    known_[place].packets.resize(m.message.last_sequence - first_sequences_[message] + 1);
  }
  return known_[place];
}

void PacketWalk::MessageRecord::clear() {
  for (PacketLog& packet : packets) {
    packet.events.clear();
    packet.sent.clear();
  }
  holds.clear();
  last = {};
}

PacketWalk::PacketLog* PacketWalk::log_of(std::uint32_t flow, std::uint32_t sequence) {
  const std::uint32_t message = message_of(flow, sequence);
  if (message == kNowhere || message < next_) return nullptr;
  return &record_of(message).packets[sequence - first_sequences_[message]];
}

void PacketWalk::add(std::span<const TraceRecord> records, Picoseconds until) {
  for (const TraceRecord& record : records) add(record);
  while (next_ < messages_.size() && messages_[next_].message.delivered < until) resolve(next_++);
  records_ += records.size();
  if (records_ > forgets_after_) forget();
}

void PacketWalk::add(const TraceRecord& record) {
  const auto flow = static_cast<std::uint32_t>(record.value);
  const auto sequence = static_cast<std::uint32_t>(record.value >> 32);
  const PortId port(record.subject);
  switch (record.kind) {
    case TraceRecord::Kind::kPacketEnqueued:
      if (PacketLog* log = log_of(flow, record.detail)) {
        log->events.push_back({record.time, port, PortId(record.other)});
      }
      break;
    case TraceRecord::Kind::kPacketArrived:
      add_arrival(record);
      break;
    case TraceRecord::Kind::kPortBusy:
      add_busy(record);
      break;
    case TraceRecord::Kind::kPacketHeld:
      if (const auto message = message_of(flow, sequence);
          message != kNowhere && message >= next_) {
        record_of(message).holds.push_back({record.time, record.time - Picoseconds(record.detail),
                                            port, static_cast<HoldReason>(record.what)});
      }
      break;
    case TraceRecord::Kind::kCreditStall:
      ports_[record.subject].stalls.push_back(
          {Picoseconds(record.value), record.time, record.traffic_class});
      break;
    case TraceRecord::Kind::kReplay:
      ports_[record.subject].replays.push_back(
          {Picoseconds(record.value), record.time, record.traffic_class});
      break;
    default:
      return;
  }
}

void PacketWalk::add_arrival(const TraceRecord& record) {
  const std::uint32_t sequence = record.detail;
  const std::uint32_t message = message_of(static_cast<std::uint32_t>(record.value), sequence);
  if (message == kNowhere || message < next_) return;
  if (record.time > messages_[message].message.delivered) return;
  Arrival& last = record_of(message).last;
  if (std::pair(OptionalTime(record.time), sequence) < std::pair(last.time, last.sequence)) return;
  last = {record.time, PortId(record.subject), sequence};
}

void PacketWalk::add_busy(const TraceRecord& record) {
  PortLog& port = ports_[record.subject];
  Busy& busy = ports_[owners_[record.subject].value()].busy.emplace_back();
  busy.port = PortId(record.subject);
  const std::uint64_t took = std::uint64_t{record.other} << 32U | record.detail;
  busy.begin = record.time - Picoseconds(static_cast<std::int64_t>(took));
  busy.end = record.time;
  busy.flow = static_cast<std::uint32_t>(record.value);
  busy.sequence = static_cast<std::uint32_t>(record.value >> 32);
  busy.is_data = record.what == static_cast<std::uint8_t>(protocols::PacketKind::kData);
  busy.traffic_class = record.traffic_class;
  if (!busy.is_data) return;
  if (!port.is_of_host) {
    port.sent_by_job[job_of(busy.flow)] += busy.end - busy.begin;
    return;
  }
  if (PacketLog* packet = log_of(busy.flow, busy.sequence)) {
    packet->sent.emplace_back(PortId(record.subject), busy);
  }
}

std::uint32_t PacketWalk::job_of(std::uint32_t flow) const {
  const protocols::FlowName name = network_->name_of(flow);
  return around_.workload.job_of(around_.workload.connections()[name.connection.value()].source);
}

void PacketWalk::resolve(std::size_t number) {
  Walk walk(*this, number);
  const std::vector<Charge> charges = walk.run();
  const bool is_held =
      std::ranges::find(charges, Cause::kCongestionControl, &Charge::cause) != charges.end();
  if (is_held && held_back_) held_back_(number, walk.queues());
  found_(number, charges);
  const std::uint32_t place = place_[number];
  if (place == kNowhere) return;
  known_[place].clear();
  free_.push_back(place);
}

void PacketWalk::finish() {
  while (next_ < messages_.size()) resolve(next_++);
}

void PacketWalk::forget() {
  records_ = 0;
  const Picoseconds before = oldest_left_[next_];
  const auto is_old = [before](const auto& entry) { return entry.end < before; };
  const auto erase_old = [&is_old](auto& list) {
    list.erase(list.begin(), std::ranges::find_if_not(list, is_old));
  };
  std::size_t left = 0;
  for (PortLog& port : ports_) {
    erase_old(port.busy);
    erase_old(port.stalls);
    erase_old(port.replays);
    left += port.busy.size();
  }
  forgets_after_ = std::max(left, kForgottenAtOnce);
}

}  // namespace weft::scenarios
