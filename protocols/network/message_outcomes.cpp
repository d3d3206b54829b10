#include "protocols/network/message_outcomes.hpp"

#include <algorithm>
#include <optional>
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
  /// The one of these that happened last; kNoIndex: there is none.
  [[nodiscard]] std::uint32_t last(const std::vector<std::size_t>& places) const {
    if (places.empty()) return kNoIndex;
    const auto time = [this](std::size_t place) { return sorted_[place].time; };
    return static_cast<std::uint32_t>(*std::ranges::max_element(places, {}, time));
  }

 private:
  const NetworkState& s_;
  const std::vector<DeliveryRecord>& sorted_;
  std::vector<std::size_t> places_;
};

MessageOutcome outcome_of(const NetworkState& s, const MessageRecord& m, OptionalTime delivered) {
  const SendingEnd& sender = s.senders[m.queue_pair];
  auto [destination, entropy] = s.routing_key_of(sender);
  if (s.constants.transports[sender.transport].is_per_message) {
    entropy = message_entropy(sender.host, destination, m.queue_pair, m.first_sequence);
  }
  return {.connection = sender.connection,
          .queue_pair = m.queue_pair,
          .first_sequence = m.first_sequence,
          .last_sequence = m.last_sequence(),
          .entropy = entropy,
          .bytes = m.bytes,
          .posted = m.posted,
          .delivered = delivered,
          .acknowledged = m.acknowledged};
}

/// The messages that are over, of whose deliveries some are in a list.
class EndedMessages {
 public:
  /// `delivered`: by receiver and sequence.
  EndedMessages(const NetworkState& state, const std::vector<DeliveryRecord>& delivered)
      : s_(state), delivered_(delivered), is_theirs_(delivered.size()) {
    std::size_t done = 0;
    for (const HostState& host : s_.hosts) done += host.messages.done();
    last_.reserve(done);
    Deliveries deliveries(s_, delivered);
    for (const HostState& host : s_.hosts) {
      host.messages.for_each_done([&](std::uint32_t, const MessageRecord& m) {
        const std::vector<std::size_t>& places = deliveries.of(m);
        // What scale-up switches reduce is one delivery of several messages.
        for (const std::size_t place : places) is_theirs_[place] = true;
        last_.push_back(deliveries.last(places));
        if (!places.empty()) ++left_;
      });
    }
    portion_.reserve(std::min(left_, 2 * kPortion));
  }

  /// Whether a delivery is of them.
  [[nodiscard]] bool is_theirs(std::size_t delivery) const { return is_theirs_[delivery]; }

  /// Calls `visit(outcome, host, place in its list)` with each, by the time when it was over.
  template <class Visit>
  void for_each(Visit visit) {
    while (left_ > 0) {
      find_portion();
      for (const Ended& e : portion_) {
        visit(outcome_of(s_, record(e), delivered_[last_[e.number]].time), e.host, e.place);
        last_[e.number] = kNoIndex;
      }
      left_ -= portion_.size();
    }
  }

 private:
  /// Messages that are sorted at once; the last batch has up to twice this number.
  static constexpr std::size_t kPortion = 32'768;

  struct Ended {
    Picoseconds over;
    HostId host;
    std::uint32_t place = 0;   ///< in its list
    std::uint32_t number = 0;  ///< in `last_`
  };

  [[nodiscard]] const MessageRecord& record(const Ended& e) const {
    return s_.hosts[e.host].messages[e.place];
  }
  [[nodiscard]] bool is_before(const Ended& a, const Ended& b) const {
    if (a.over != b.over) return a.over < b.over;
    const auto rest = [this](const Ended& e) {
      const MessageRecord& m = record(e);
      return std::tuple(s_.senders[m.queue_pair].connection, m.queue_pair, m.posted,
                        delivered_[last_[e.number]].time, m.first_sequence);
    };
    return rest(a) < rest(b);
  }

  /// The first ones of those that are left: there may be a million, of whose order only so much is
  /// at hand at once.
  void find_portion() {
    const auto in_order = [this](const Ended& a, const Ended& b) { return is_before(a, b); };
    portion_.clear();
    std::optional<Ended> end;  // the portion has all that come before this one
    std::uint32_t number = 0;
    for (std::uint32_t i = 0; i < s_.hosts.size(); ++i) {
      s_.hosts[HostId(i)].messages.for_each_done([&](std::uint32_t place, const MessageRecord& m) {
        const std::uint32_t last = last_[number++];
        if (last == kNoIndex) return;
        const Ended here{.over = std::max(delivered_[last].time, m.acknowledged.value_or({})),
                         .host = HostId(i),
                         .place = place,
                         .number = number - 1};
        if (end && !is_before(here, *end)) return;
        portion_.push_back(here);
        if (portion_.size() < 2 * kPortion) return;
        std::ranges::nth_element(portion_, portion_.begin() + kPortion, in_order);
        end = portion_[kPortion];
        portion_.resize(kPortion);
      });
    }
    std::ranges::sort(portion_, in_order);
  }

  const NetworkState& s_;
  const std::vector<DeliveryRecord>& delivered_;
  std::vector<bool> is_theirs_;  ///< by delivery
  /// Of each message that a sender is done with, by host and in the order of its list, the last of
  /// its deliveries; kNoIndex: it is not over, or was visited.
  std::vector<std::uint32_t> last_;
  std::size_t left_ = 0;  ///< of those that are over
  std::vector<Ended> portion_;
};

/// Outcomes that are visited at once.
constexpr std::size_t kMaxAtOnce = 4096;
/// What a host may have noted without giving its memory back: few enough for many hosts.
constexpr std::size_t kNotesKept = 256;

void clear(std::vector<DeliveryRecord>& notes) {
  if (notes.capacity() > kNotesKept) notes = std::vector<DeliveryRecord>();
  notes.clear();
}

/// Adds what hosts have noted to `delivered`, and brings that in order. Calls `done(host)` once
/// what a host has noted is there.
template <class Hosts, class Done>
void add_notes(Hosts& hosts, std::vector<DeliveryRecord>& delivered, Done done) {
  std::size_t size = delivered.size();
  for (const HostState& host : hosts) size += host.delivered.size();
  delivered.reserve(size);
  for (auto& host : hosts) {
    delivered.insert(delivered.end(), host.delivered.begin(), host.delivered.end());
    done(host);
  }
  std::ranges::sort(delivered, is_earlier);
}

/// Whether the end of the message is that of `part`, which is of another queue pair.
bool ends_later(const MessageOutcome& part, const MessageOutcome& than) {
  if (part.delivered == than.delivered) return part.queue_pair < than.queue_pair;
  if (!part.delivered || !than.delivered) return !part.delivered;
  return *part.delivered > *than.delivered;
}

/// Of two parts; missing if one is.
OptionalTime later(OptionalTime a, OptionalTime b) {
  return a && b ? std::max(a, b) : OptionalTime();
}

MessageOutcome joined(const MessageOutcome& a, const MessageOutcome& b) {
  MessageOutcome both = ends_later(a, b) ? a : b;
  both.bytes = a.bytes + b.bytes;
  both.delivered = later(a.delivered, b.delivered);
  both.acknowledged = later(a.acknowledged, b.acknowledged);
  return both;
}

/// The message that is over with what a queue pair sent: that, unless it is split.
std::optional<MessageOutcome> join(const NetworkState& s, JoinedParts& parts,
                                   const MessageOutcome& of_queue_pair) {
  const ConnectionState& c = s.connections[of_queue_pair.connection.value()];
  if (!s.is_split(c)) return of_queue_pair;
  return parts.add(of_queue_pair, c.queue_pairs, c.number_of(of_queue_pair.queue_pair));
}

}  // namespace

std::optional<MessageOutcome> JoinedParts::add(const MessageOutcome& part,
                                               std::uint32_t queue_pairs, std::uint32_t number) {
  Split& split = splits_[part.connection];
  split.added.resize(queue_pairs);
  const std::uint64_t place = split.added[number]++ - split.first;
  if (place >= split.wholes.size()) split.wholes.resize(place + 1);
  Whole& whole = split.wholes[place];
  whole.outcome = whole.parts == 0 ? part : joined(whole.outcome, part);
  if (++whole.parts < queue_pairs) return std::nullopt;
  // Every queue pair was through with earlier messages before.
  const MessageOutcome outcome = whole.outcome;
  split.wholes.pop_front();
  ++split.first;
  return outcome;
}

void MessageOutcomes::take_ended(NetworkState& s, const Visit& visit) {
  add_notes(s.hosts, delivered_, [](HostState& host) { clear(host.delivered); });
  EndedMessages ended(s, delivered_);
  std::vector<MessageOutcome> block;
  block.reserve(kMaxAtOnce);
  ended.for_each([&](const MessageOutcome& outcome, HostId host, std::uint32_t place) {
    s.hosts[host].messages.forget(place);
    const std::optional<MessageOutcome> whole = join(s, joined_, outcome);
    if (!whole) return;
    block.push_back(*whole);
    if (block.size() < kMaxAtOnce) return;
    visit(block);
    block.clear();
  });
  if (!block.empty()) visit(block);
  std::size_t delivery = 0;
  std::erase_if(delivered_, [&](const DeliveryRecord&) { return ended.is_theirs(delivery++); });
  delivered_.shrink_to_fit();
  undelivered_ = 0;
  for (HostState& host : s.hosts) {
    host.messages.remove_forgotten();
    undelivered_ += host.messages.done();
  }
}

void MessageOutcomes::visit_ended(const NetworkState& s,
                                  const std::function<void(const MessageOutcome&)>& visit) const {
  std::vector<DeliveryRecord> delivered = delivered_;
  add_notes(s.hosts, delivered, [](const HostState&) {});
  JoinedParts parts = joined_;
  EndedMessages(s, delivered).for_each([&](const MessageOutcome& outcome, HostId, std::uint32_t) {
    if (const auto whole = join(s, parts, outcome)) visit(*whole);
  });
}

std::vector<MessageOutcome> MessageOutcomes::pending(const NetworkState& s) const {
  Deliveries deliveries(s, delivered_);
  std::vector<MessageOutcome> all;
  for (const HostState& host : s.hosts) {
    host.messages.for_each([&](const MessageRecord& m) {
      const std::uint32_t last = deliveries.last(deliveries.of(m));
      all.push_back(outcome_of(s, m, last == kNoIndex ? OptionalTime() : delivered_[last].time));
    });
  }
  const auto in_order = [](const MessageOutcome& m) {
    return std::tuple(m.connection, m.posted, m.queue_pair, m.last_sequence);
  };
  std::ranges::sort(all, {}, in_order);
  if (s.delivered_parts.empty()) return all;
  // Parts of one queue pair are in order.
  JoinedParts parts = joined_;
  std::vector<MessageOutcome> whole;
  for (const MessageOutcome& part : all) {
    if (const auto message = join(s, parts, part)) whole.push_back(*message);
  }
  std::ranges::sort(whole, {}, in_order);
  return whole;
}

}  // namespace weft::protocols
