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
    const SenderState& sender = s_.senders[message.queue_pair];
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
  const SenderState& sender = s.senders[m.queue_pair];
  std::uint32_t entropy = sender.entropy;
  if (s.constants.transports[sender.transport].is_per_message) {
    entropy = message_entropy(sender.host, sender.destination, m.queue_pair, m.first_sequence);
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
  HostId host;
  std::uint32_t place = 0;  ///< in its list

  [[nodiscard]] const MessageRecord& record(const NetworkState& s) const {
    return s.hosts[host].messages[place];
  }
};

/// Those that are over, by the time when they were, and which of the deliveries are theirs.
class EndedMessages {
 public:
  EndedMessages(const NetworkState& s, const std::vector<DeliveryRecord>& delivered)
      : s_(s), deliveries_(s, delivered), is_used_(delivered.size()) {
    std::size_t done = 0;
    for (const HostState& host : s.hosts) done += host.messages.done();
    all_.reserve(done);  // what is not filled takes no memory
    for (std::uint32_t i = 0; i < s.hosts.size(); ++i) {
      const HostId host(i);
      s.hosts[host].messages.for_each_done([&](std::uint32_t place, const MessageRecord& m) {
        const std::vector<std::size_t>& places = deliveries_.of(m);
        if (places.empty()) return;
        // What chips add up is one delivery of several messages.
        for (const std::size_t delivery : places) is_used_[delivery] = true;
        all_.push_back({.over = std::max(deliveries_.last(places), m.acknowledged),
                        .host = host,
                        .place = place});
      });
    }
    std::ranges::sort(all_, [this](const Ended& a, const Ended& b) { return is_before(a, b); });
  }

  [[nodiscard]] const std::vector<Ended>& all() const { return all_; }
  [[nodiscard]] const std::vector<bool>& used_deliveries() const { return is_used_; }
  [[nodiscard]] MessageOutcome outcome_of(const Ended& ended) {
    const MessageRecord& m = ended.record(s_);
    return protocols::outcome_of(s_, m, delivered(m));
  }

 private:
  [[nodiscard]] Picoseconds delivered(const MessageRecord& m) {
    return deliveries_.last(deliveries_.of(m));
  }
  bool is_before(const Ended& a, const Ended& b) {
    if (a.over != b.over) return a.over < b.over;
    const MessageRecord& left = a.record(s_);
    const MessageRecord& right = b.record(s_);
    const auto key = [this](const MessageRecord& m) {
      return std::tuple(s_.senders[m.queue_pair].connection, m.queue_pair, m.posted);
    };
    const auto [of_left, of_right] = std::pair(key(left), key(right));
    if (of_left != of_right) return of_left < of_right;
    return std::pair(delivered(left), left.first_sequence) <
           std::pair(delivered(right), right.first_sequence);
  }

  const NetworkState& s_;
  Deliveries deliveries_;
  std::vector<bool> is_used_;
  std::vector<Ended> all_;
};

/// Outcomes that are visited at once.
constexpr std::size_t kMostAtOnce = 4096;
/// What a host may have noted without giving its memory back: few enough for many hosts.
constexpr std::size_t kNotesKept = 256;

/// Adds what hosts have noted to `delivered`, and brings that in order.
template <class Hosts, class Taken>
void take_notes(Hosts& hosts, std::vector<DeliveryRecord>& delivered, const Taken& taken) {
  for (auto& host : hosts) {
    delivered.insert(delivered.end(), host.delivered.begin(), host.delivered.end());
    taken(host);
  }
  std::ranges::sort(delivered, is_earlier);
}

void clear(std::vector<DeliveryRecord>& notes) {
  if (notes.capacity() > kNotesKept) notes = std::vector<DeliveryRecord>();
  notes.clear();
}

}  // namespace

void MessageOutcomes::take_ended(NetworkState& s, const Visit& visit) {
  take_notes(s.hosts, delivered_, [](HostState& host) { clear(host.delivered); });
  EndedMessages ended(s, delivered_);
  std::vector<MessageOutcome> block;
  block.reserve(std::min(ended.all().size(), kMostAtOnce));
  for (const Ended& e : ended.all()) {
    block.push_back(ended.outcome_of(e));
    if (block.size() < kMostAtOnce) continue;
    visit(block);
    block.clear();
  }
  if (!block.empty()) visit(block);
  for (const Ended& e : ended.all()) s.hosts[e.host].messages.forget(e.place);
  undelivered_ = 0;
  for (HostState& host : s.hosts) {
    host.messages.remove_forgotten();
    undelivered_ += host.messages.done();
  }
  std::size_t place = 0;
  std::erase_if(delivered_,
                [&](const DeliveryRecord&) { return ended.used_deliveries()[place++]; });
}

void MessageOutcomes::look_at_ended(const NetworkState& s,
                                    const std::function<void(const MessageOutcome&)>& visit) const {
  std::vector<DeliveryRecord> delivered = delivered_;
  take_notes(s.hosts, delivered, [](const HostState&) {});
  EndedMessages ended(s, delivered);
  for (const Ended& e : ended.all()) visit(ended.outcome_of(e));
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
