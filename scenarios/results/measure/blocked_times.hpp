#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "protocols/analysis/pause_index.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/zero_load/connection_transports.hpp"

namespace weft::scenarios {

/// How long flow control held ports on the paths of messages: pauses, and waits for credits.
///
/// A message counts as held while a port of its path may not start packets of its class, whichever
/// that is, and whether or not one of its own packets is at the head there: at most this much of
/// its delay is flow control's. Of ports that its packets spread over, each counts for its share of
/// the packets of that step. Nothing is known of the time before the measurement, nor of pauses
/// that were too many to keep.
class BlockedTimes {
 public:
  /// The experiment must outlive it.
  BlockedTimes(const Experiment& experiment, std::span<const protocols::PauseInterval> pauses,
               std::vector<protocols::CreditWait> waits);

  /// A path that a message takes, or one of two that a relayed one takes.
  struct Leg {
    ConnectionId connection;
    std::uint32_t entropy = 0;
    HostId to;  ///< where it is delivered; of a multicast, one of several
  };
  /// Between two times.
  [[nodiscard]] Picoseconds of(std::span<const Leg> legs, Picoseconds from, Picoseconds until);

 private:
  /// Ports that a message crosses side by side, one step of its path.
  using Tier = std::vector<PortId>;
  /// From `time` on, so much more of a tier is held.
  struct Change {
    Picoseconds time;
    std::size_t tier = 0;
    double share = 0;
  };

  [[nodiscard]] std::vector<Tier> path_of(const Leg& leg);
  [[nodiscard]] std::vector<Tier> spread(HostId from, HostId to) const;
  void add(const Tier& tier, std::size_t number, ClassId traffic_class, Picoseconds from,
           Picoseconds until);
  [[nodiscard]] std::span<const protocols::CreditWait> waits_of(PortId port,
                                                                ClassId traffic_class) const;

  const Experiment& e_;
  ConnectionTransports transports_;
  protocols::PauseIndex pauses_;
  std::vector<protocols::CreditWait> waits_;
  std::map<std::pair<HostId, HostId>, std::vector<Tier>> spread_;
  std::vector<Change> changes_;
};

}  // namespace weft::scenarios
