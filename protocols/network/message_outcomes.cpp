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
  [[nodiscard]] const std::vector<std::size_t>& of(std::uint32_t queue_pair,
                                                   std::uint32_t last_sequence) {
    const SenderState& sender = s_.senders[queue_pair];
    const std::size_t receivers =
        sender.is_repeated() ? s_.members_of(s_.multicasts[sender.in_network_index()]).size() : 1;
    const std::uint32_t first = s_.first_receiver(queue_pair);
    places_.clear();
    for (std::uint32_t i = 0; i < receivers; ++i) {
      const DeliveryRecord wanted{
          .receiver = first + i, .last_sequence = last_sequence, .time = {}};
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

MessageOutcome outcome_of(const NetworkState& s, std::uint32_t queue_pair,
                          std::uint32_t last_sequence, Bytes bytes, Picoseconds posted,
                          Picoseconds delivered, Picoseconds acknowledged) {
  const SenderState& sender = s.senders[queue_pair];
  const TransportConstants& t = s.constants.transports[sender.transport];
  std::uint32_t entropy = sender.entropy;
  if (t.is_per_message) {
    const std::int64_t packets = (bytes + t.payload - Bytes(1)) / t.payload;
    entropy = message_entropy(sender.host, sender.destination, queue_pair,
                              last_sequence + 1 - static_cast<std::uint32_t>(packets));
  }
  return {.connection = sender.connection,
          .queue_pair = queue_pair,
          .last_sequence = last_sequence,
          .entropy = entropy,
          .bytes = bytes,
          .posted = posted,
          .delivered = delivered,
          .acknowledged = acknowledged};
}

/// Outcomes that are visited at once.
constexpr std::size_t kMostAtOnce = 4096;
/// What a host may have noted without giving its memory back: few enough for many hosts.
constexpr std::size_t kNotesKept = 256;

template <class Note>
void clear(std::vector<Note>& notes) {
  if (notes.capacity() > kNotesKept) notes = {};
  notes.clear();
}

}  // namespace

void MessageOutcomes::take_notes(NetworkState& s) {
  for (HostState& host : s.hosts) {
    sent_.insert(sent_.end(), host.sent.begin(), host.sent.end());
    delivered_.insert(delivered_.end(), host.delivered.begin(), host.delivered.end());
    clear(host.sent);
    clear(host.delivered);
  }
  std::ranges::sort(delivered_, is_earlier);
}

std::vector<MessageOutcomes::Ended> MessageOutcomes::find_ended(const NetworkState& s) {
  Deliveries deliveries(s, delivered_);
  std::vector<bool> is_used(delivered_.size());
  std::vector<Ended> ended;
  ended.reserve(sent_.size());  // what is not filled takes no memory
  for (std::uint32_t i = 0; i < sent_.size(); ++i) {
    const SentMessage& m = sent_[i];
    const std::vector<std::size_t>& places = deliveries.of(m.queue_pair, m.last_sequence);
    if (places.empty()) continue;
    // What chips add up is one delivery of several messages.
    for (const std::size_t place : places) is_used[place] = true;
    const Picoseconds delivered = deliveries.last(places);
    ended.push_back({.over = std::max(delivered, m.acknowledged),
                     .delivered = delivered,
                     .connection = s.senders[m.queue_pair].connection,
                     .place = i});
  }
  std::size_t place = 0;
  std::erase_if(delivered_, [&](const DeliveryRecord&) { return is_used[place++]; });
  std::ranges::sort(ended, [this](const Ended& a, const Ended& b) {
    if (a.over != b.over) return a.over < b.over;
    if (a.connection != b.connection) return a.connection < b.connection;
    const auto rest = [this](const Ended& e) {
      const SentMessage& m = sent_[e.place];
      return std::tuple(m.queue_pair, m.posted, e.delivered, e.place);
    };
    return rest(a) < rest(b);
  });
  return ended;
}

MessageOutcome MessageOutcomes::outcome_of_ended(const NetworkState& s, const Ended& ended) const {
  const SentMessage& m = sent_[ended.place];
  return outcome_of(s, m.queue_pair, m.last_sequence, m.bytes, m.posted, ended.delivered,
                    m.acknowledged);
}

void MessageOutcomes::take_ended(NetworkState& s, const Visit& visit) {
  take_notes(s);
  std::vector<bool> is_over(sent_.size());
  {
    const std::vector<Ended> ended = find_ended(s);
    std::vector<MessageOutcome> block;
    block.reserve(std::min(ended.size(), kMostAtOnce));
    for (const Ended& e : ended) {
      is_over[e.place] = true;
      block.push_back(outcome_of_ended(s, e));
      if (block.size() < kMostAtOnce) continue;
      visit(block);
      block.clear();
    }
    if (!block.empty()) visit(block);
  }
  std::size_t place = 0;
  std::erase_if(sent_, [&](const SentMessage&) { return is_over[place++]; });
}

void MessageOutcomes::look_at_ended(const NetworkState& s,
                                    const std::function<void(const MessageOutcome&)>& visit) const {
  MessageOutcomes seen = *this;
  for (const HostState& host : s.hosts) {
    seen.sent_.insert(seen.sent_.end(), host.sent.begin(), host.sent.end());
    seen.delivered_.insert(seen.delivered_.end(), host.delivered.begin(), host.delivered.end());
  }
  std::ranges::sort(seen.delivered_, is_earlier);
  for (const Ended& e : seen.find_ended(s)) visit(seen.outcome_of_ended(s, e));
}

std::vector<MessageOutcome> MessageOutcomes::pending(const NetworkState& s) const {
  Deliveries deliveries(s, delivered_);
  std::vector<MessageOutcome> all;
  for (const SentMessage& m : sent_) {
    all.push_back(outcome_of(s, m.queue_pair, m.last_sequence, m.bytes, m.posted, Picoseconds(-1),
                             m.acknowledged));
  }
  for (const HostState& host : s.hosts) {
    host.messages.for_each([&](const MessageRecord& m) {
      const Picoseconds delivered = deliveries.last(deliveries.of(m.queue_pair, m.last_sequence()));
      all.push_back(outcome_of(s, m.queue_pair, m.last_sequence(), m.bytes, m.posted, delivered,
                               Picoseconds(-1)));
    });
  }
  std::ranges::stable_sort(all, {}, [](const MessageOutcome& m) {
    return std::tuple(m.connection, m.posted, m.queue_pair);
  });
  return all;
}

}  // namespace weft::protocols
