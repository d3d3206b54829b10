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
/// whatever came before it. Where none is found, looking is given up until a message ends.
class Leaper {
 public:
  /// Simulates up to a time, which becomes now. False: the run came to an end before that.
  using Run = std::function<bool(Picoseconds& now, Picoseconds until)>;

  /// All must outlive it; the network can recur (`can_recur`).
  Leaper(NetworkState& state, Cell& cell, Worker& worker, Run run);

  /// As `Run`.
  bool run(Picoseconds& now, Picoseconds until);
  [[nodiscard]] const Leaps& leaps() const { return leaps_; }

 private:
  /// The one that has the most packets left, if they are many.
  [[nodiscard]] std::optional<QueuePairId> find_clock() const;
  /// Looks for a recurrence by the packets of a clock, and leaps; as `Run`, but may end earlier.
  bool search(const SenderState& clock, Picoseconds& now, Picoseconds until);
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
  const Run run_;
  LivePartFinder live_part_;
  const Picoseconds look_every_;  ///< for a clock, while there is none
  Leaps leaps_;
  std::optional<std::uint64_t> given_up_at_;  ///< messages that had ended then
};

}  // namespace weft::protocols
