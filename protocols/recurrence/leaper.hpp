#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "protocols/recurrence/leaps.hpp"
#include "protocols/recurrence/recurrence.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/engine/cell.hpp"

namespace weft::protocols {

/// Runs a network of one cell and leaves out whole periods of what recurs within long messages: to
/// the bit as if all of it had been simulated.
///
/// A queue pair with many packets left serves as a clock: whenever it sends a packet, the state is
/// compared with an earlier one, which is taken anew after 1, 2, 4, 8, ... packets (R. P. Brent,
/// "An improved Monte Carlo factorization algorithm", BIT 20, 1980), so that a period is found
/// whatever came before it. Where a message ends meanwhile, that begins anew, since no state from
/// before comes back. Where none is found, looking is given up until a message ends; and all of it
/// takes no more than a small part of the run, which leaps make longer.
class Leaper {
 public:
  /// Simulates up to a time, which becomes now. False: the run came to an end before that.
  using Run = std::function<bool(Picoseconds& now, Picoseconds until)>;

  /// All must outlive it; the network can recur (`can_recur`).
  Leaper(NetworkState& state, Cell& cell, Worker& worker);

  /// As `Run`, which simulates.
  bool run(Picoseconds& now, Picoseconds until, const Run& simulate);
  [[nodiscard]] const Leaps& leaps() const { return leaps_; }

 private:
  /// The one that has the most packets left, if they are many.
  [[nodiscard]] std::optional<QueuePairId> find_clock() const;
  /// Simulates until it is time to look for a clock again, or whether a message has ended since
  /// looking was given up; as `Run`.
  bool wait(bool has_given_up, Picoseconds& now, Picoseconds until, const Run& simulate);
  /// Looks for a recurrence by the packets of a clock, and leaps; as `Run`, but may end earlier.
  bool search(const SenderState& clock, Picoseconds& now, Picoseconds until, const Run& simulate);
  /// Looking takes a small part of the time that it has taken to simulate, or has spared.
  [[nodiscard]] bool may_look() const {
    const std::uint64_t simulated = worker_.sums.packet_hops - leaps_.packet_hops;
    return looked_at_ <= kFirstWords + simulated + kWordsPerHopSpared * leaps_.packet_hops;
  }
  /// When the packet will be on the wire that the clock's port sends now; nothing: it sends none of
  /// full size.
  [[nodiscard]] std::optional<Picoseconds> end_of_packet(const SenderState& clock) const;
  [[nodiscard]] Bytes full_size_of(const SenderState& clock) const {
    return s_.constants.transports[clock.transport].full_size();
  }
  [[nodiscard]] std::unique_ptr<StatePicture> picture(Picoseconds now);
  /// The state is that of `before`. False: messages are in the way.
  bool leap(const StatePicture& before, Picoseconds& now, Picoseconds until);
  [[nodiscard]] std::uint64_t messages_ended() const {
    return worker_.sums.messages_sent + worker_.sums.messages_delivered;
  }

  NetworkState& s_;
  Cell& cell_;
  Worker& worker_;
  LivePartFinder live_part_;
  const Picoseconds packet_;  ///< what the slowest port sends the largest one in
  // In words of a picture that are compared, of about a nanosecond each; a packet-hop takes a
  // hundred.
  static constexpr std::uint64_t kFirstWords = 30'000'000;
  static constexpr std::uint64_t kWordsPerHopSpared = 20;
  static constexpr std::uint64_t kWordsPerStop = 500;  ///< to stop and go on
  std::uint64_t looked_at_ = 0;
  // Packets of the slowest port, of which a host may have many.
  static constexpr std::int64_t kShortestWait = 4;
  static constexpr std::int64_t kLongestWait = 64;
  std::int64_t wait_ = kShortestWait;
  Leaps leaps_;
  std::optional<std::uint64_t> given_up_at_;  ///< messages that had ended then
};

}  // namespace weft::protocols
