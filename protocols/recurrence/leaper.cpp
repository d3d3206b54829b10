#include "protocols/recurrence/leaper.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace weft::protocols {
namespace {

/// A queue pair with fewer packets left is no clock: what could be left out is not worth looking.
constexpr std::uint32_t kLeastPackets = 256;
/// Between two looks for a clock, in packets of the largest size.
constexpr std::int64_t kLookEvery = 64;
/// The longest period that is looked for, in packets of the clock.
constexpr std::uint32_t kLongestPeriod = 4096;
/// How often the port of a clock is looked at, while it sends one packet.
constexpr std::int64_t kLooksPerPacket = 4;

}  // namespace

Leaper::Leaper(NetworkState& state, Cell& cell, Worker& worker, Run run)
    : s_(state), cell_(cell), worker_(worker), run_(std::move(run)) {}

Leaper::Status Leaper::run(Picoseconds& now, Picoseconds until) {
  while (now < until) {
    const std::optional<QueuePairId> clock = find_clock();
    const bool looks = clock && !(has_given_up_ && !has_changed());
    if (looks) {
      has_given_up_ = false;
      if (const auto status = search(*clock, now, until)) return *status;
      continue;
    }
    Picoseconds longest;
    for (const PortState& port : s_.ports) {
      longest = std::max(longest, port.transmission(s_.constants.largest_packet()));
    }
    const Status status = run_(now, std::min(until, now + kLookEvery * longest));
    if (status != Status::kTimeLimit) return status;
  }
  return Status::kTimeLimit;
}

std::optional<QueuePairId> Leaper::find_clock() const {
  std::optional<QueuePairId> best;
  std::uint32_t most = kLeastPackets - 1;
  for (std::uint32_t i = 0; i < s_.senders.size(); ++i) {
    const SenderState& s = s_.senders[QueuePairId(i)];
    const bool has_message = s.message != kNoIndex && s.message == s.oldest_message;
    if (!has_message || s.message_last - s.next <= most) continue;
    most = s.message_last - s.next;
    best = QueuePairId(i);
  }
  return best;
}

std::optional<Picoseconds> Leaper::end_of_packet(const SenderState& clock) const {
  const PortState& port = s_.ports[clock.port];
  const bool sends = port.is_transmitting && port.service_bytes == clock.full_size;
  const std::uint64_t key = cell_.next.key(port.local);
  if (!sends || key == WinnerTree::kNone) return std::nullopt;
  return cell_.keys.time_of(key);
}

std::optional<Leaper::Status> Leaper::search(QueuePairId clock_id, Picoseconds& now,
                                             Picoseconds until) {
  const SenderState& clock = s_.senders[clock_id];
  const Picoseconds packet = s_.ports[clock.port].transmission(Bytes(clock.full_size));
  const Picoseconds step = std::max(packet / kLooksPerPacket, Picoseconds(1));
  const std::uint32_t message = clock.message;
  std::unique_ptr<StatePicture> before;
  Picoseconds ahead;     // from when a picture is taken to the end of the packet at hand
  Picoseconds last_end;  // of the packet that was looked at last
  std::uint32_t power = 1;
  std::uint32_t packets = 0;  // since `before`
  while (now < until && clock.message == message &&
         clock.message_last - clock.next >= kLeastPackets / 4) {
    const auto end = end_of_packet(clock);
    if (end && *end != last_end) {
      if (before == nullptr && *end - now <= packet / 2) {
        ahead = *end - now;
        before = std::make_unique<StatePicture>(s_, cell_, worker_, now);
        last_end = *end;
      } else if (before != nullptr && *end - ahead >= now && *end - ahead <= until) {
        last_end = *end;
        if (*end - ahead > now) {
          const Status status = run_(now, *end - ahead);
          if (status != Status::kTimeLimit) return status;
        }
        ++packets;
        if (before->is_again(s_, cell_, worker_, now)) {
          const std::uint64_t times = before->most_repeats(s_, cell_, now, until);
          if (times > 0) leap(*before, times, now);
          break;
        }
        if (packets == power) {
          if (power >= kLongestPeriod) break;
          power *= 2;
          packets = 0;
          before = std::make_unique<StatePicture>(s_, cell_, worker_, now);
        }
      }
    }
    const Status status = run_(now, std::min(until, now + step));
    if (status != Status::kTimeLimit) return status;
  }
  if (now < until) {
    has_given_up_ = true;
    messages_ = worker_.sums.messages_sent + worker_.sums.messages_delivered;
  }
  return std::nullopt;
}

void Leaper::leap(const StatePicture& before, std::uint64_t times, Picoseconds& now) {
  const std::uint64_t hops = worker_.sums.packet_hops;
  before.repeat(s_, cell_, worker_, now, times);
  ++leaps_.count;
  leaps_.periods += times;
  leaps_.packet_hops += worker_.sums.packet_hops - hops;
}

}  // namespace weft::protocols
