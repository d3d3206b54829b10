#include "protocols/steady_state/live_part.hpp"

#include <algorithm>

namespace weft::protocols {

bool is_idle(const NetworkState& s, const PortState& port) {
  if (port.is_transmitting || port.waiting != 0 || port.pending_control != 0) return false;
  if (port.out->in_flight() != 0) return false;
  if (port.has_retry && s.retries[port.index].kept() != 0) return false;
  if (port.out->control_out.front(port.out->control_in) != nullptr) return false;
  for (const ClassId c : s.classes_of(port)) {
    const ClassConstants& constants = s.constants.of_class[c];
    const bool has_credits =
        constants.is_credit && s.queue(port, c).credits != constants.credit_blocks;
    if (has_credits || (!s.cbfc.empty() && s.cbfc[port.first_slot + c.value()].timers != 0)) {
      return false;
    }
  }
  return true;
}

LivePartFinder::LivePartFinder(const NetworkState& state) : s_(state) {
  const auto host_at = [this](PortId port) {
    const Node& node = s_.fabric.node(s_.fabric.port(port).node);
    return node.kind == NodeKind::kHost ? HostId(node.index) : HostId::none();
  };
  for (std::uint32_t p = 0; p < s_.ports.size(); ++p) {
    ends_.push_back({host_at(PortId(p)), host_at(s_.fabric.port(PortId(p)).peer)});
  }
}

// A packet comes by hosts at the ends of its path alone: of a host that has no part in any message,
// at whose links nothing is under way, no port does anything before it is sent something.
LivePart LivePartFinder::find() {
  LivePart part;
  is_live_.assign(s_.hosts.size(), false);
  for (const SenderState& sender : s_.senders.all_whole()) {
    if (!has_work(sender)) continue;
    part.queue_pairs.push_back(s_.senders.queue_pair_of(sender));
    wake(sender.host);
    wake(sender.destination);
  }
  for (std::uint32_t p = 0; p < ends_.size(); ++p) {
    if (is_idle(s_, s_.ports[p])) continue;
    wake(ends_[p].own);
    wake(ends_[p].peer);
  }
  for (std::uint32_t p = 0; p < ends_.size(); ++p) {
    if (is_live(ends_[p].own) && is_live(ends_[p].peer)) part.ports.push_back(p);
  }
  return part;
}

}  // namespace weft::protocols
