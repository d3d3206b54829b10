#include "protocols/state/old_packets.hpp"

#include <algorithm>
#include <utility>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {
namespace {

/// Every data packet on a link or in a buffer.
template <class Visit>
void for_each_data_packet(const NetworkState& s, Visit visit) {
  const auto see = [&](const Packet& packet) {
    if (kind_of(packet) == PacketKind::kData) visit(s.telemetry.opened(packet));
  };
  for (const Link& link : s.links) link.data_out.for_each(link.data_in, see);
  for (const PortState& port : s.ports) {
    for (const ClassId c : s.classes_of(port)) s.for_each_waiting(port, c, see);
  }
  for (const NicState& nic : s.nics) nic.inbox.for_each(see);
}

}  // namespace

// Up to `safe_until_`, which is no earlier than `now`, the time in a packet that is not among the
// old ones is less than a wrap ago.
void OldPackets::check(const NetworkState& state, Picoseconds now, Picoseconds end,
                       bool has_packets) {
  safe_until_ = std::max(end, now + kCheckedAhead);
  if (!has_packets) {
    sent_.clear();
    return;
  }
  const Picoseconds too_old = kWrap - (safe_until_ - now);
  std::map<Key, Picoseconds> still_there;
  for_each_data_packet(state, [&](const Packet& packet) {
    const auto known = sent_.find(key(packet));
    if (known != sent_.end()) {
      still_there.insert(*known);
    } else if (age(packet, now) >= too_old) {
      still_there.emplace(key(packet), now - age(packet, now));
    }
  });
  sent_ = std::move(still_there);
}

}  // namespace weft::protocols
