#pragma once

#include <cstdint>
#include <vector>

#include "protocols/state/network_state.hpp"
#include "simcore/base/ids.hpp"

namespace weft::protocols {

/// Whether nothing is under way at a port, and it has all its credits.
[[nodiscard]] bool is_idle(const NetworkState& state, const PortState& port);

/// Whether a queue pair has something to send, or waits for ACKs.
[[nodiscard]] inline bool has_work(const SenderState& sender) {
  return sender.next != sender.posted || sender.has_outstanding();
}

/// What of a network may change until a message is posted: queue pairs that are not through with
/// what they have to send, and ports that packets of theirs may come by. All else stays as it is.
struct LivePart {
  std::vector<QueuePairId> queue_pairs;
  std::vector<std::uint32_t> ports;
};

/// Finds it again and again.
class LivePartFinder {
 public:
  /// The network must outlive it.
  explicit LivePartFinder(const NetworkState& state);

  [[nodiscard]] LivePart find();

 private:
  /// Hosts at the two ends of a port's link; none: a switch.
  struct Ends {
    HostId own = HostId::none();
    HostId peer = HostId::none();
  };
  void wake(HostId host) {
    if (!host.is_none()) is_live_[host.value()] = true;
  }
  [[nodiscard]] bool is_live(HostId host) const { return host.is_none() || is_live_[host.value()]; }

  const NetworkState& s_;
  std::vector<Ends> ends_;     ///< by port
  std::vector<bool> is_live_;  ///< by host
};

}  // namespace weft::protocols
