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
        sender.is_repeated() ? s_.multicasts[sender.in_network_index()].members.size() : 1;
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

MessageOutcome outcome_of(const NetworkState& s, std::uint32_t queue_pair, Bytes bytes,
                          Picoseconds posted, Picoseconds delivered, Picoseconds acknowledged) {
  const SenderState& sender = s.senders[queue_pair];
  return {.connection = sender.connection,
          .queue_pair = queue_pair,
          .entropy = sender.entropy,
          .bytes = bytes,
          .posted = posted,
          .delivered = delivered,
          .acknowledged = acknowledged};
}

}  // namespace

std::vector<MessageOutcome> MessageOutcomes::take_ended(NetworkState& s) {
  for (HostState& host : s.hosts) {
    sent_.insert(sent_.end(), host.sent.begin(), host.sent.end());
    delivered_.insert(delivered_.end(), host.delivered.begin(), host.delivered.end());
    host.sent.clear();
    host.delivered.clear();
  }
  std::ranges::sort(delivered_, is_earlier);
  Deliveries deliveries(s, delivered_);
  std::vector<bool> is_used(delivered_.size());
  std::vector<MessageOutcome> ended;
  std::erase_if(sent_, [&](const SentMessage& m) {
    const std::vector<std::size_t>& places = deliveries.of(m.queue_pair, m.last_sequence);
    if (places.empty()) return false;
    // What chips add up is one delivery of several messages.
    for (const std::size_t place : places) is_used[place] = true;
    ended.push_back(
        outcome_of(s, m.queue_pair, m.bytes, m.posted, deliveries.last(places), m.acknowledged));
    return true;
  });
  std::size_t place = 0;
  std::erase_if(delivered_, [&](const DeliveryRecord&) { return is_used[place++]; });
  std::ranges::stable_sort(ended, {}, [](const MessageOutcome& m) {
    return std::tuple(std::max(m.delivered, m.acknowledged), m.connection, m.queue_pair, m.posted,
                      m.delivered);
  });
  return ended;
}

std::vector<MessageOutcome> MessageOutcomes::pending(const NetworkState& s) const {
  Deliveries deliveries(s, delivered_);
  std::vector<MessageOutcome> all;
  for (const SentMessage& m : sent_) {
    all.push_back(outcome_of(s, m.queue_pair, m.bytes, m.posted, Picoseconds(-1), m.acknowledged));
  }
  for (const HostState& host : s.hosts) {
    host.messages.for_each([&](const MessageRecord& m) {
      const Picoseconds delivered = deliveries.last(deliveries.of(m.queue_pair, m.last_sequence()));
      all.push_back(outcome_of(s, m.queue_pair, m.bytes, m.posted, delivered, Picoseconds(-1)));
    });
  }
  std::ranges::stable_sort(all, {}, [](const MessageOutcome& m) {
    return std::tuple(m.connection, m.posted, m.queue_pair);
  });
  return all;
}

}  // namespace weft::protocols
