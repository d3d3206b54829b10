#include "protocols/recurrence/leaper.hpp"

#include <algorithm>
#include <utility>

namespace weft::protocols {
namespace {

/// A queue pair with fewer packets left is no clock: what could be left out is not worth looking.
constexpr std::uint32_t kLeastPackets = 128;
/// Nor does one with fewer left go on as a clock.
constexpr std::uint32_t kFewPackets = 32;
/// The longest time between two states that are compared, in packets of the clock.
constexpr std::uint32_t kLongestPeriod = 4096;
/// What it takes to copy one, and to look at one, as Leaper::kWordsPerStop.
constexpr std::uint64_t kWordsPerHistogram = 2'000;
constexpr std::uint64_t kWordsPerSender = 4;
/// For so many packets of the clock nothing is looked at where a message has ended: hardly a state
/// comes back before the last packets and their ACKs are through.
constexpr std::int64_t kPacketsToSettle = 8;
/// How often the port of a clock is looked at while it sends a packet.
constexpr std::int64_t kLooksPerPacket = 4;

/// Of a packet of the largest size, by the slowest port.
Picoseconds longest_transmission(const NetworkState& s) {
  Picoseconds longest;
  for (const PortState& port : s.ports) {
    longest = std::max(longest, port.transmission(s.constants.largest_packet()));
  }
  return longest;
}

}  // namespace

Leaper::Leaper(NetworkState& state, Cell& cell, Worker& worker)
    : s_(state),
      cell_(cell),
      worker_(worker),
      live_part_(state),
      packet_(longest_transmission(state)) {}

bool Leaper::run(Picoseconds& now, Picoseconds until, const Run& simulate) {
  while (now < until) {
    const bool has_given_up = given_up_at_ == messages_ended() || !may_look();
    const std::optional<QueuePairId> clock = has_given_up ? std::nullopt : find_clock();
    const bool goes_on = clock ? search(s_.senders.whole(*clock), now, until, simulate)
                               : wait(has_given_up, now, until, simulate);
    if (!goes_on) return false;
  }
  return true;
}

// As long as stopping and looking takes no more than a hundredth of what is simulated.
bool Leaper::wait(bool has_given_up, Picoseconds& now, Picoseconds until, const Run& simulate) {
  const std::uint64_t before = worker_.sums.packet_hops;
  const bool goes_on = simulate(now, std::min(until, now + wait_ * packet_));
  std::uint64_t least = kWordsPerStop;
  if (!has_given_up) least += kWordsPerSender * s_.senders.all_whole().size();
  const bool is_long = worker_.sums.packet_hops - before >= least;
  wait_ = is_long ? std::max(wait_ / 2, kShortestWait) : std::min(2 * wait_, kLongestWait);
  return goes_on;
}

std::optional<QueuePairId> Leaper::find_clock() const {
  std::optional<QueuePairId> best;
  std::uint32_t most = kLeastPackets - 1;
  for (const SenderState& s : s_.senders.all_whole()) {
    const bool has_one_message = s.message != kNoIndex && s.message == s.oldest_message;
    if (!has_one_message || s.message_last - s.next <= most) continue;
    most = s.message_last - s.next;
    best = s_.senders.queue_pair_of(s);
  }
  return best;
}

std::optional<Picoseconds> Leaper::end_of_packet(const SenderState& clock) const {
  const PortState& port = s_.ports[clock.port()];
  const bool is_full = port.service_bytes == full_size_of(clock).count();
  if (!port.is_transmitting || !is_full) return std::nullopt;
  return cell_.keys.time_of(cell_.next.key(port.local));
}

std::unique_ptr<StatePicture> Leaper::picture(Picoseconds now) {
  auto taken = std::make_unique<StatePicture>(s_, cell_, worker_, live_part_.find(), now);
  looked_at_ += 4 * taken->size() + 2 * s_.ports.size() + kWordsPerHistogram * taken->histograms();
  return taken;
}

// States are compared as long before the end of a packet as the first picture was taken, which is
// in the second half of one: wherever in a packet it is looked at first, that is still to come.
bool Leaper::search(const SenderState& clock, Picoseconds& now, Picoseconds until,
                    const Run& simulate) {
  const Picoseconds packet = s_.ports[clock.port()].transmission(full_size_of(clock));
  const Picoseconds step = std::max(packet / kLooksPerPacket, Picoseconds(1));
  const std::uint32_t message = clock.message;
  const auto is_clock = [&] {
    return clock.message == message && clock.message_last - clock.next >= kFewPackets;
  };
  std::unique_ptr<StatePicture> before;
  Picoseconds ahead;               // of the end of a packet
  Picoseconds last_end;            // of the packet that was looked at last
  std::uint32_t packets = 0;       // since `before`
  std::uint32_t most_packets = 1;  // until it is taken anew
  std::uint64_t ended = messages_ended();
  while (now < until && is_clock() && may_look()) {
    looked_at_ += kWordsPerStop;
    if (ended != messages_ended()) {
      ended = messages_ended();
      before.reset();
      packets = 0;
      most_packets = 1;
      if (!simulate(now, std::min(until, now + kPacketsToSettle * packet))) return false;
      continue;
    }
    const std::optional<Picoseconds> end = end_of_packet(clock);
    if (before == nullptr && end && *end - now <= packet / 2) {
      before = picture(now);
      ahead = *end - now;
      last_end = *end;
    }
    if (before == nullptr || !end || *end == last_end || *end - ahead < now) {
      if (!simulate(now, std::min(until, now + step))) return false;
      continue;
    }
    last_end = *end;
    if (!simulate(now, std::min(until, *end - ahead))) return false;
    if (now != *end - ahead) break;
    ++packets;
    if (before->is_again(s_, cell_, worker_, now, looked_at_)) {
      if (leap(*before, now, until)) return true;
      break;
    }
    if (packets < most_packets) continue;
    if (most_packets >= kLongestPeriod) break;
    most_packets *= 2;
    packets = 0;
    before = picture(now);
  }
  if (now < until) given_up_at_ = messages_ended();
  return true;
}

bool Leaper::leap(const StatePicture& before, Picoseconds& now, Picoseconds until) {
  // Beyond what keys can hold the next leap goes on.
  const Picoseconds reach = cell_.keys.epoch + reach_of(s_.constants, cell_.keys);
  const Picoseconds left = std::min({until, reach, before.next_look(s_, cell_, now)}) - now;
  const auto in_time = static_cast<std::uint64_t>(left / (now - before.time()));
  const std::uint64_t times = before.most_repeats(s_, now, in_time);
  if (times == 0) return before.most_repeats(s_, now, 1) > 0;
  const std::uint64_t hops = worker_.sums.packet_hops;
  before.repeat(s_, cell_, worker_, now, times);
  ++leaps_.count;
  leaps_.periods += times;
  leaps_.packet_hops += worker_.sums.packet_hops - hops;
  return true;
}

}  // namespace weft::protocols
