#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "protocols/network/packet_network.hpp"
#include "protocols/recurrence/recurrence.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/engine/cell.hpp"

namespace weft::protocols {

/// Runs a network of one cell and leaves out whole periods of what recurs within long messages: to
/// the bit as if all of it had been simulated.
///
/// One queue pair with many packets left serves as a clock: whenever it begins a packet, the state
/// is compared with an earlier one, which is taken anew after 1, 2, 4, 8, ... packets (R. P. Brent,
/// "An improved Monte Carlo factorization algorithm", BIT 20, 1980), so that a period is found
/// whatever came before it and however long it is. Where none is found, looking is given up until a
/// message begins or ends.
class Leaper {
 public:
  using Status = PacketNetwork::Status;
  /// Simulates up to a time, which becomes now.
  using Run = std::function<Status(Picoseconds& now, Picoseconds until)>;

  /// All must outlive it.
  Leaper(NetworkState& state, Cell& cell, Worker& worker, Run run);

  Status run(Picoseconds& now, Picoseconds until);
  [[nodiscard]] const Leaps& leaps() const { return leaps_; }

 private:
  /// Those that have the most packets left, if they are many.
  [[nodiscard]] std::optional<QueuePairId> find_clock() const;
  /// Looks for a recurrence, and leaps. Nothing: it came to an end of the search, and no further
  /// than to `until`.
  [[nodiscard]] std::optional<Status> search(QueuePairId clock, Picoseconds& now,
                                             Picoseconds until);
  /// When the packet will be on the wire that its port sends now; nothing: it sends no whole one.
  [[nodiscard]] std::optional<Picoseconds> end_of_packet(const SenderState& clock) const;
  [[nodiscard]] bool has_changed() const {
    return messages_ != worker_.sums.messages_sent + worker_.sums.messages_delivered;
  }
  void leap(const StatePicture& before, std::uint64_t times, Picoseconds& now);

  NetworkState& s_;
  Cell& cell_;
  Worker& worker_;
  const Run run_;
  Leaps leaps_;
  std::uint64_t messages_ = 0;  ///< that had ended when looking was given up
  bool has_given_up_ = false;
};

}  // namespace weft::protocols
