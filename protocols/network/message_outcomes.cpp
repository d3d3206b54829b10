#include "protocols/network/message_outcomes.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft::protocols {
namespace {

bool is_earlier(const DeliveryRecord& a, const DeliveryRecord& b) {
  return std::tuple(a.receiver, a.last_sequence) < std::tuple(b.receiver, b.last_sequence);
}

/// Looks for the deliveries of messages.
class Deliveries {
 public:
  /// `sorted`: by receiver and sequence.
  Deliveries(const NetworkState& state, const std::vector<DeliveryRecord>& sorted)
      : s_(state), sorted_(sorted) {}

  /// Where the deliveries of a message are: one, or of one that is multicast as many as members.
  /// Empty if it was not delivered to all. Valid until the next call.
  [[nodiscard]] const std::vector<std::size_t>& of(const MessageRecord& message) {
    const SendingEnd& sender = s_.senders[message.queue_pair];
    const std::size_t receivers =
        sender.is_repeated() ? s_.members_of(s_.multicasts[sender.in_network_index()]).size() : 1;
    const ReceiverId first = s_.first_receiver(message.queue_pair);
    places_.clear();
    for (std::uint32_t i = 0; i < receivers; ++i) {
      const DeliveryRecord wanted{.receiver = ReceiverId(first.value() + i),
                                  .last_sequence = message.last_sequence(),
                                  .time = {}};
      const auto it = std::lower_bound(sorted_.begin(), sorted_.end(), wanted, is_earlier);
      if (it == sorted_.end() || is_earlier(wanted, *it)) {
        places_.clear();
        break;
      }
      places_.push_back(static_cast<std::size_t>(it - sorted_.begin()));
    }
    return places_;
  }
  /// When the last of these happened; -1: there is none.
  [[nodiscard]] Picoseconds last(const std::vector<std::size_t>& places) const {
    Picoseconds latest{-1};
    for (const std::size_t place : places) latest = std::max(latest, sorted_[place].time);
    return latest;
  }

 private:
  const NetworkState& s_;
  const std::vector<DeliveryRecord>& sorted_;
  std::vector<std::size_t> places_;
};

MessageOutcome outcome_of(const NetworkState& s, const MessageRecord& m, Picoseconds delivered) {
  const SendingEnd& sender = s.senders[m.queue_pair];
  auto [destination, entropy] = s.heading_of(sender);
  if (s.constants.transports[sender.transport].is_per_message) {
    entropy = message_entropy(sender.host, destination, m.queue_pair, m.first_sequence);
  }
  return {.connection = sender.connection,
          .queue_pair = m.queue_pair,
          .last_sequence = m.last_sequence(),
          .entropy = entropy,
          .bytes = m.bytes,
          .posted = m.posted,
          .delivered = delivered,
          .acknowledged = m.acknowledged};
}

/// A message that is over.
struct Ended {
  Picoseconds over;
  Picoseconds delivered;
  HostId host;
  std::uint32_t place = 0;  ///< in its list

  [[nodiscard]] const MessageRecord& record(const NetworkState& s) const {
    return s.hosts[host].messages[place];
  }
  [[nodiscard]] MessageOutcome outcome(const NetworkState& s) const {
    return outcome_of(s, record(s), delivered);
  }
};

struct EndedMessages {
  std::vector<Ended> all;        ///< by the time when they were over
  std::vector<bool> deliveries;  ///< those that are theirs
};

/// Those that are over, of whose deliveries some are in `delivered`.
EndedMessages find_ended(const NetworkState& s, const std::vector<DeliveryRecord>& delivered) {
  Deliveries deliveries(s, delivered);
  EndedMessages ended{.all = {}, .deliveries = std::vector<bool>(delivered.size())};
  std::size_t done = 0;
  for (const HostState& host : s.hosts) done += host.messages.done();
  ended.all.reserve(done);  // what is not filled takes no memory
  for (std::uint32_t i = 0; i < s.hosts.size(); ++i) {
    const HostId host(i);
    s.hosts[host].messages.for_each_done([&](std::uint32_t place, const MessageRecord& m) {
      const std::vector<std::size_t>& places = deliveries.of(m);
      if (places.empty()) return;
      // What chips add up is one delivery of several messages.
      for (const std::size_t delivery : places) ended.deliveries[delivery] = true;
      const Picoseconds last = deliveries.last(places);
      ended.all.push_back({.over = std::max(last, m.acknowledged),
                           .delivered = last,
                           .host = host,
                           .place = place});
    });
  }
  std::ranges::sort(ended.all, [&s](const Ended& a, const Ended& b) {
    if (a.over != b.over) return a.over < b.over;
    const auto rest = [&s](const Ended& e) {
      const MessageRecord& m = e.record(s);
      return std::tuple(s.senders[m.queue_pair].connection, m.queue_pair, m.posted, e.delivered,
                        m.first_sequence);
    };
    return rest(a) < rest(b);
  });
  return ended;
}

/// Outcomes that are visited at once.
constexpr std::size_t kMostAtOnce = 4096;
/// What a host may have noted without giving its memory back: few enough for many hosts.
constexpr std::size_t kNotesKept = 256;

/// Adds what hosts have noted to `delivered`, and brings that in order.
void add_notes(const NetworkState& s, std::vector<DeliveryRecord>& delivered) {
  for (const HostState& host : s.hosts) {
    delivered.insert(delivered.end(), host.delivered.begin(), host.delivered.end());
  }
  std::ranges::sort(delivered, is_earlier);
}

void clear(std::vector<DeliveryRecord>& notes) {
  if (notes.capacity() > kNotesKept) notes = std::vector<DeliveryRecord>();
  notes.clear();
}

}  // namespace

void MessageOutcomes::take_ended(NetworkState& s, const Visit& visit) {
  add_notes(s, delivered_);
  for (HostState& host : s.hosts) clear(host.delivered);
  const EndedMessages ended = find_ended(s, delivered_);
  std::size_t delivery = 0;
  std::erase_if(delivered_, [&](const DeliveryRecord&) { return ended.deliveries[delivery++]; });
  std::vector<MessageOutcome> block;
  block.reserve(std::min(ended.all.size(), kMostAtOnce));
  for (const Ended& e : ended.all) {
    block.push_back(e.outcome(s));
    if (block.size() < kMostAtOnce) continue;
    visit(block);
    block.clear();
  }
  if (!block.empty()) visit(block);
  for (const Ended& e : ended.all) s.hosts[e.host].messages.forget(e.place);
  undelivered_ = 0;
  for (HostState& host : s.hosts) {
    host.messages.remove_forgotten();
    undelivered_ += host.messages.done();
  }
}

void MessageOutcomes::look_at_ended(const NetworkState& s,
                                    const std::function<void(const MessageOutcome&)>& visit) const {
  std::vector<DeliveryRecord> delivered = delivered_;
  add_notes(s, delivered);
  for (const Ended& e : find_ended(s, delivered).all) visit(e.outcome(s));
}

std::vector<MessageOutcome> MessageOutcomes::pending(const NetworkState& s) const {
  Deliveries deliveries(s, delivered_);
  std::vector<MessageOutcome> all;
  for (const HostState& host : s.hosts) {
    host.messages.for_each([&](const MessageRecord& m) {
      all.push_back(outcome_of(s, m, deliveries.last(deliveries.of(m))));
    });
  }
  std::ranges::sort(all, {}, [](const MessageOutcome& m) {
    return std::tuple(m.connection, m.posted, m.queue_pair, m.last_sequence);
  });
  return all;
}

}  // namespace weft::protocols
