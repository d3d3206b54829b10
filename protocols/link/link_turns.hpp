#pragma once

#include <algorithm>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// Turns on links that several ports share: the host links of GPUs and NICs below one PCIe switch.
/// One packet of them all is on the link at a time. Ports that want to send meanwhile wait, first
/// come, first served; the one that has sent joins at the end. A port that is paused or has nothing
/// to send passes its turn on. So no port holds up the others: as in PCIe, where a NIC asks for
/// what it sends only as fast as it sends it. Link control does not take turns.
class LinkTurns {
 public:
  explicit LinkTurns(NetworkState& state) : s_(state) {}

  /// Whether `port` may start a packet now. Where it may not, it waits for its turn.
  [[nodiscard]] bool may_start(const PortState& port) const {
    if (port.shared_link == 0) return true;
    SharedLink& link = s_.shared_links[port.shared_link];
    if (link.sender == kNoIndex) return true;
    if (std::ranges::find(link.waiting, port.index) == link.waiting.end()) {
      link.waiting.push_back(port.index);
    }
    return false;
  }

  /// Before `port` starts again: if its packet has left the link, those who wait are next.
  void release(const PortState& port) const {
    if (port.shared_link == 0) return;
    SharedLink& link = s_.shared_links[port.shared_link];
    if (link.sender != port.index) return;
    link.sender = link.waiting.empty() ? kNoIndex : kPassing;
  }
  /// After that: the first of those who wait and can send does. `resume(port)` lets one try.
  template <class Resume>
  void pass_on(const PortState& port, Resume resume) const {
    if (port.shared_link == 0) return;
    SharedLink& link = s_.shared_links[port.shared_link];
    if (link.sender == kPassing) link.sender = kNoIndex;
    while (link.sender == kNoIndex && !link.waiting.empty()) {
      PortState& next = s_.ports[link.waiting.front()];
      link.waiting.erase(link.waiting.begin());
      resume(next);
    }
  }

 private:
  /// No packet is on the link, and the port that sent last is not to start before others.
  static constexpr std::uint32_t kPassing = kNoIndex - 1;

  NetworkState& s_;
};

}  // namespace weft::protocols
