#include "protocols/steady_state/skipper.hpp"

#include <algorithm>
#include <utility>

namespace weft::protocols {
namespace {

/// A queue pair with fewer packets left is no reference: what could be skipped is not worth a
/// search.
constexpr std::uint32_t kMinPackets = 128;
/// Nor does one with fewer left continue as a reference.
constexpr std::uint32_t kFewPackets = 32;
/// The longest time between two states that are compared, in packets of the reference.
constexpr std::uint32_t kLongestPeriod = 4096;
/// What it takes to copy one, and to look at one, as Skipper::kWordsPerStop.
constexpr std::uint64_t kWordsPerHistogram = 2'000;
constexpr std::uint64_t kWordsPerSender = 4;
constexpr std::uint64_t kWordsPerPort = 10;
/// Flow groups are not simulated each for a shorter time than these take.
constexpr std::int64_t kMinPacketsOnFlowGroups = 64;
/// So long a period is looked for in the whole before it is in flow groups: mostly all continue in
/// step.
constexpr std::uint32_t kPacketsBeforeFlowGroups = 64;
/// For this many packets of the reference nothing is checked where a message was posted
/// or has ended: hardly a state comes back before the first or last packets and their ACKs are
/// through.
constexpr std::int64_t kPacketsToSettle = 4;
/// How often the port of a reference is checked while it sends a packet.
constexpr std::int64_t kChecksPerPacket = 4;

/// Of a packet of the largest size, by the slowest port.
Picoseconds longest_transmission(const NetworkState& s) {
  Picoseconds longest;
  for (const PortState& port : s.ports) {
    longest = std::max(longest, port.transmission(s.constants.largest_packet()));
  }
  return longest;
}

}  // namespace

Skipper::Skipper(NetworkState& state, LogicalProcess& lp, Worker& worker, Run run_lp)
    : s_(state),
      lp_(lp),
      worker_(worker),
      run_lp_(std::move(run_lp)),
      live_part_(state),
      flow_groups_(state, lp),
      packet_(longest_transmission(state)) {}

bool Skipper::run(Picoseconds& now, Picoseconds until, const Run& simulate) {
  while (now < until) {
    if (may_be_flow_groups() && run_flow_groups(now, until)) continue;
    const bool has_given_up = given_up_at_ == changes() || !may_check();
    if (!search_ && !has_given_up) search_ = begin_search();
    const bool continues =
        search_ ? search(now, until, simulate) : wait(has_given_up, now, until, simulate);
    if (!continues) return false;
  }
  return true;
}

bool Skipper::may_be_flow_groups() const {
  const std::uint64_t at = changes();
  return flow_groups_given_up_at_ != at && (given_up_at_ == at || no_short_period_at_ == at);
}

bool Skipper::run_flow_groups(Picoseconds& now, Picoseconds until) {
  const Picoseconds min = kMinPacketsOnFlowGroups * packet_;
  until = std::min(until, lp_.keys.origin + reach_of(s_.constants, lp_.keys));
  if (until - now < min || !may_check()) return false;
  words_checked_ += kWordsPerStop + kWordsPerSender * s_.senders.all_whole().size();
  const std::optional<Picoseconds> end = flow_groups_.find(now, until, min);
  if (!end) {
    flow_groups_given_up_at_ = changes();
    return false;
  }
  const std::optional<std::uint64_t> given_up_at = given_up_at_;
  words_checked_ += kWordsPerPort * s_.ports.size();
  const Picoseconds begin = now;
  const Picoseconds last_before = lp_.last_event_time;
  Picoseconds last = last_before;
  const std::uint64_t hops = worker_.sums.packet_hops;
  const std::uint64_t skipped = skips_.packet_hops;
  flow_groups_.set_aside_all();
  for (std::uint32_t flow_group = 0; flow_group < flow_groups_.count(); ++flow_group) {
    flow_groups_.put_back(flow_group);
    flow_group_ = &flow_groups_[flow_group];
    lp_.last_event_time = last_before;
    now = begin;
    run_flow_group(now, *end);
    last = std::max(last, lp_.last_event_time);
    flow_groups_.set_aside(flow_group);
  }
  for (std::uint32_t flow_group = 0; flow_group < flow_groups_.count(); ++flow_group)
    flow_groups_.put_back(flow_group);
  lp_.last_event_time = last;
  flow_group_ = nullptr;
  given_up_at_ = given_up_at;
  const bool is_worth_it = skips_.packet_hops - skipped > (worker_.sums.packet_hops - hops) / 2;
  if (!is_worth_it) flow_groups_given_up_at_ = changes();
  return true;
}

void Skipper::run_flow_group(Picoseconds& now, Picoseconds until) {
  given_up_at_.reset();
  while (now < until) {
    search_ = given_up_at_ || !may_check() ? std::nullopt : begin_search();
    if (search_) {
      search(now, until, run_lp_);
    } else {
      run_lp_(now, until);
    }
  }
  search_.reset();
}

// As long as stopping and looking takes no more than a hundredth of what is simulated.
bool Skipper::wait(bool has_given_up, Picoseconds& now, Picoseconds until, const Run& simulate) {
  const std::uint64_t before = worker_.sums.packet_hops;
  const bool continues = simulate(now, std::min(until, now + wait_ * packet_));
  std::uint64_t min = kWordsPerStop;
  if (!has_given_up) min += kWordsPerSender * s_.senders.all_whole().size();
  const bool is_long = worker_.sums.packet_hops - before >= min;
  wait_ = is_long ? std::max(wait_ / 2, kShortestWait) : std::min(2 * wait_, kLongestWait);
  return continues;
}

std::optional<Skipper::Search> Skipper::begin_search() const {
  const SenderState* best = nullptr;
  std::uint32_t max = kMinPackets - 1;
  const auto consider = [&](const SenderState& s) {
    const bool has_one_message = s.message != kNoIndex && s.message == s.oldest_message;
    if (!has_one_message || s.message_last - s.next <= max) return;
    max = s.message_last - s.next;
    best = &s;
  };
  if (flow_group_ == nullptr) {
    std::ranges::for_each(s_.senders.all_whole(), consider);
  } else {
    for (const QueuePairId qp : flow_group_->queue_pairs) consider(s_.senders.whole(qp));
  }
  if (best == nullptr) return std::nullopt;
  Search search;
  search.reference = s_.senders.queue_pair_of(*best);
  search.message = best->message;
  search.changes = changes();
  return search;
}

void Skipper::give_up() {
  search_.reset();
  given_up_at_ = changes();
}

bool Skipper::is_reference(const SenderState& sender, std::uint32_t message) {
  return sender.message == message && sender.message_last - sender.next >= kFewPackets;
}

std::optional<Picoseconds> Skipper::end_of_packet(const SenderState& reference) const {
  const PortState& port = s_.ports[reference.port()];
  const bool is_full = port.service_bytes == full_size_of(reference).count();
  if (!port.is_transmitting || !is_full) return std::nullopt;
  return lp_.keys.time_of(lp_.next.key(port.local));
}

void Skipper::take_snapshot(Picoseconds now) {
  LivePart part = flow_group_ == nullptr ? live_part_.find() : *flow_group_;
  auto taken = std::make_unique<StateSnapshot>(s_, lp_, worker_, std::move(part), now);
  words_checked_ += 4 * taken->size() + kWordsPerHistogram * taken->histograms();
  if (flow_group_ == nullptr) words_checked_ += 2 * s_.ports.size();
  search_->before = std::move(taken);
  search_->packets = 0;
}

std::uint32_t Skipper::longest_period() const {
  const std::uint64_t at = changes();
  const bool checks_flow_groups_next =
      flow_group_ == nullptr && flow_groups_given_up_at_ != at && no_short_period_at_ != at;
  return checks_flow_groups_next ? kPacketsBeforeFlowGroups : kLongestPeriod;
}

bool Skipper::search(Picoseconds& now, Picoseconds until, const Run& simulate) {
  const SenderState& reference = s_.senders.whole(search_->reference);
  while (now < until) {
    if (!is_reference(reference, search_->message)) {
      search_.reset();
      return true;
    }
    if (!may_check()) {
      give_up();
      return true;
    }
    words_checked_ += kWordsPerStop;
    restart_if_changed(reference, now);
    const Picoseconds next = next_stop(reference, now);
    if (next > now) {
      if (!simulate(now, std::min(until, next))) return false;
    } else if (!poll(now, until)) {
      return true;
    }
  }
  return true;
}

void Skipper::restart_if_changed(const SenderState& reference, Picoseconds now) {
  if (search_->changes == changes()) return;
  search_->changes = changes();
  search_->restart();
  search_->settled_at = now + kPacketsToSettle * packet_of(reference);
}

// States are compared as long before the end of a packet as the first snapshot was taken, which is
// in the second half of one: wherever in a packet it is checked first, that is still to come.
Picoseconds Skipper::next_stop(const SenderState& reference, Picoseconds now) {
  Search& search = *search_;
  if (now < search.settled_at) return search.settled_at;
  const Picoseconds packet = packet_of(reference);
  const std::optional<Picoseconds> end = end_of_packet(reference);
  if (search.before == nullptr && end && *end - now <= packet / 2) {
    search.ahead = *end - now;
    search.last_end = *end;
    take_snapshot(now);
  }
  const bool is_to_come =
      search.before != nullptr && end && *end != search.last_end && *end - search.ahead >= now;
  if (!is_to_come) return now + std::max(packet / kChecksPerPacket, Picoseconds(1));
  return *end - search.ahead;
}

bool Skipper::poll(Picoseconds& now, Picoseconds until) {
  Search& search = *search_;
  search.last_end = now + search.ahead;
  ++search.packets;
  if (search.before->is_again(s_, lp_, worker_, now, words_checked_)) {
    const Picoseconds period = now - search.before->time();
    if (!skip(*search.before, now, until)) {
      give_up();
    } else if (until - now < period) {  // but for which it would have continued
      search.last_end = now + search.ahead;
      take_snapshot(now);
      return true;
    } else {
      search_.reset();
    }
    return false;
  }
  if (search.packets < search.max_packets) return true;
  if (search.max_packets >= longest_period()) {
    if (search.max_packets >= kLongestPeriod) {
      give_up();
    } else {
      search_.reset();
      no_short_period_at_ = changes();
    }
    return false;
  }
  search.max_packets *= 2;
  take_snapshot(now);
  return true;
}

bool Skipper::skip(const StateSnapshot& before, Picoseconds& now, Picoseconds until) {
  // Beyond what keys can hold the next skip continues.
  const Picoseconds reach = lp_.keys.origin + reach_of(s_.constants, lp_.keys);
  const Picoseconds left = std::min({until, reach, before.next_check(s_, lp_, now)}) - now;
  const auto in_time = static_cast<std::uint64_t>(left / (now - before.time()));
  const std::uint64_t times = before.max_repeats(s_, now, in_time);
  if (times == 0) return before.max_repeats(s_, now, 1) > 0;
  const std::uint64_t hops = worker_.sums.packet_hops;
  before.repeat(s_, lp_, worker_, now, times);
  ++skips_.count;
  skips_.periods += times;
  skips_.packet_hops += worker_.sums.packet_hops - hops;
  return true;
}

}  // namespace weft::protocols
