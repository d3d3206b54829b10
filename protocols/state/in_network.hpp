#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocols/packet/packet_kind.hpp"

namespace weft::protocols {

/// Data of all members of a group that chips add up for one of them, packet by packet, as NVLink
/// SHARP does (NVIDIA, "The NVLink-Network Switch", Hot Chips 34).
///
/// Packet number s of every member passes the same chip, by the members' link number p = s' mod
/// links with s' = s + offset. A chip keeps a count per link and window place; it never needs more
/// than `window` of them per link and owner, since members wait for its word before they go on.
struct Reduction {
  std::uint32_t owner = 0;     ///< HostId that gets the sum
  std::uint32_t receiver = 0;  ///< number of its ReceiverState
  std::uint32_t entropy = 0;   ///< of all members' packets: by which link the first ones leave
  std::uint32_t links = 1;     ///< of each member
  std::uint32_t offset = 0;    ///< entropy % links
  std::uint32_t window = 1;
  std::vector<std::uint32_t> members;      ///< HostIds
  std::vector<std::uint32_t> queue_pairs;  ///< by member
  std::vector<std::uint16_t> counts;       ///< [link * window + place]: contributions so far

  [[nodiscard]] std::uint32_t link_of(std::uint32_t sequence) const {
    return (sequence + offset) % links;
  }
  [[nodiscard]] std::uint32_t round_of(std::uint32_t sequence) const {
    return (sequence + offset) / links;
  }
  [[nodiscard]] std::uint16_t& count_of(std::uint32_t sequence) {
    return counts[link_of(sequence) * window + round_of(sequence) % window];
  }
};

/// Data of one member that chips repeat to all members of its group.
struct Multicast {
  std::uint32_t first_receiver = 0;    ///< ReceiverStates of the members lie side by side
  std::vector<std::uint32_t> members;  ///< HostIds
};

/// Originals of multicast packets that a chip holds: their credits are granted again when the last
/// copy has left.
class CopyTable {
 public:
  struct Original {
    std::uint32_t copies = 0;  ///< still to leave
    std::uint16_t ingress = 0;
    std::uint8_t traffic_class = 0;
    std::int32_t size = 0;
  };

  std::uint32_t add(const Original& original) {
    if (free_.empty()) {
      originals_.push_back(original);
      return static_cast<std::uint32_t>(originals_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    originals_[place] = original;
    return place;
  }
  /// A copy has left. Returns the original if that was the last one, else nothing.
  [[nodiscard]] const Original* remove_copy(std::uint32_t place) {
    if (--originals_[place].copies > 0) return nullptr;
    free_.push_back(place);
    return &originals_[place];
  }
  /// Places out of use have no copies.
  [[nodiscard]] std::span<const Original> originals() const { return originals_; }

 private:
  std::vector<Original> originals_;
  std::vector<std::uint32_t> free_;
};

/// What a packet that waits in a chip owes, above kTailShift in its stamp: nothing special (its
/// ingress account, as every packet), no account at all, or a share in an original.
inline constexpr std::uint32_t kOwesIngress = 0;
inline constexpr std::uint32_t kOwesNothing = 1;
[[nodiscard]] constexpr std::uint32_t debt_of(const Packet& waiting) {
  return static_cast<std::uint32_t>(waiting.stamp >> kTailShift);
}
[[nodiscard]] constexpr std::uint32_t owes_original(std::uint32_t place) { return place + 2; }

}  // namespace weft::protocols
