#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "protocols/packet/ids.hpp"
#include "protocols/packet/no_index.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/engine/packet.hpp"

namespace weft::protocols {

/// Many small counts: of one byte each, or of two where they may come to more than 255.
class SmallCounts {
 public:
  SmallCounts() = default;
  /// `max`: that any of them comes to, unless what matters is the difference to such a number.
  SmallCounts(std::size_t count, std::size_t max) : low_(count), high_(max > 0xff ? count : 0) {}

  void add(std::size_t i) {
    if (++low_[i] == 0 && is_wide()) ++high_[i];
  }
  void clear(std::size_t i) {
    low_[i] = 0;
    if (is_wide()) high_[i] = 0;
  }
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const {
    return is_wide() ? std::uint32_t{high_[i]} << 8U | low_[i] : low_[i];
  }
  /// How far `number` is ahead of a count, less than `max`.
  [[nodiscard]] std::uint32_t ahead(std::size_t i, std::uint32_t number) const {
    const std::uint32_t ahead = number - (*this)[i];
    return is_wide() ? static_cast<std::uint16_t>(ahead) : static_cast<std::uint8_t>(ahead);
  }

 private:
  [[nodiscard]] bool is_wide() const { return !high_.empty(); }

  std::vector<std::uint8_t> low_;
  std::vector<std::uint8_t> high_;
};

/// Data of all members of a group that scale-up switches reduce for one of them, packet by packet,
/// as NVLink SHARP does (NVIDIA, "The NVLink-Network Switch", Hot Scale-up switches 34).
///
/// Packet number s of every member passes the same scale-up switch, by the members' link number p =
/// s' mod links with s' = s + offset. A scale-up switch keeps a count per link and window place; it
/// never needs more than `window` of them per link and owner, since members wait for its word
/// before they continue.
struct Reduction {
  HostId owner;               ///< that gets the sum
  ReceiverId receiver{0U};    ///< its receiving end
  std::uint32_t entropy = 0;  ///< of all members' packets: by which link the first ones leave
  std::uint32_t links = 1;    ///< of each member
  std::uint32_t offset = 0;   ///< the link of packet number 0
  std::uint32_t window = 1;
  std::uint32_t group = 0;       ///< number of the members' group
  QueuePairId first_queue_pair;  ///< members' lie side by side, as in ReductionMembers::by_host
  SmallCounts counts;            ///< [link * window + place]: contributions so far

  [[nodiscard]] std::uint32_t link_of(std::uint32_t sequence) const {
    return (sequence + offset) % links;
  }
  [[nodiscard]] std::uint32_t round_of(std::uint32_t sequence) const {
    return (sequence + offset) / links;
  }
  /// In `counts`.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t sequence) const {
    return link_of(sequence) * window + round_of(sequence) % window;
  }
};

/// For each link of the members of reductions the rounds that were done, of which a sender is less
/// than a window ahead.
class RoundCounts {
 public:
  RoundCounts() = default;
  /// For `members` members of reductions, with at most `max_links` links and this window each.
  RoundCounts(std::size_t members, std::uint32_t max_links, std::uint32_t largest_window)
      : links_(max_links), done_(members * max_links, largest_window) {}
  void add(std::size_t member, std::uint32_t link) { done_.add(member * links_ + link); }
  /// How far `round` is ahead of those that are done.
  [[nodiscard]] std::uint32_t ahead(std::size_t member, std::uint32_t link,
                                    std::uint32_t round) const {
    return done_.ahead(member * links_ + link, round);
  }

 private:
  std::size_t links_ = 0;  ///< of a member
  SmallCounts done_;
};

/// Processes, each on another host, whose data scale-up switches work on.
struct ReductionMembers {
  std::vector<HostId> hosts;
  std::vector<HostId> by_host;  ///< the same, ascending
  std::vector<ProcessId> processes;
};

/// Data of one member that scale-up switches repeat to all members of its group.
struct Multicast {
  ReceiverId first_receiver;  ///< CopyReceivers of the members lie side by side
  std::uint32_t group = 0;    ///< its number
  ConnectionId connection;
  std::uint8_t latency_group = 0;
};

/// What a packet that waits in a scale-up switch owes, above kTailShift in its stamp: nothing
/// special (its ingress account, as every packet), no account at all, or a share in an original.
inline constexpr std::uint32_t kPendingIngress = 0;
inline constexpr std::uint32_t kNothingPending = 1;
[[nodiscard]] constexpr std::uint32_t pending_of(const Packet& waiting) {
  return static_cast<std::uint32_t>(waiting.stamp >> kTailShift);
}
[[nodiscard]] constexpr std::uint32_t pending_original(std::uint32_t place) { return place + 2; }
[[nodiscard]] constexpr bool is_copy(const Packet& waiting) {
  return pending_of(waiting) >= pending_original(0);
}

/// Originals of multicast packets that a scale-up switch holds: their credits are granted again
/// when the last copy has left.
///
/// A scale-up switch hands an original to all members at once, and one original after the other, so
/// that copies lie in all of its queues in the same order. A waiting copy therefore stands for
/// those that follow it at once: originals of one chain are numbered, and know their successors.
class CopyTable {
 public:
  /// Chains. By the links that originals come in by, where members have several to the scale-up
  /// switch.
  static constexpr std::uint32_t kChains = 8;

  struct Original {
    Packet packet;             ///< the copy for the first member of the group
    std::uint32_t copies = 0;  ///< still to leave
    std::uint16_t ingress = 0;
    std::uint8_t chain = 0;
    std::uint32_t number = 0;  ///< within its chain
    std::uint32_t next = 0;    ///< place of the next one of its chain, once there is one
  };

  CopyTable() { newest_.fill(kNoIndex); }

  /// `original` without its number and successor.
  std::uint32_t add(Original original) {
    const std::uint32_t place = take_place();
    std::uint32_t& newest = newest_[original.chain];
    if (newest != kNoIndex) originals_[newest].next = place;
    newest = place;
    original.number = numbers_[original.chain]++;
    originals_[place] = original;
    return place;
  }
  /// A copy has left. Returns the original if that was the last one, else nothing.
  [[nodiscard]] const Original* remove_copy(std::uint32_t place) {
    Original& original = originals_[place];
    if (--original.copies > 0) return nullptr;
    if (newest_[original.chain] == place) newest_[original.chain] = kNoIndex;
    free_.push_back(place);
    return &original;
  }
  /// Places out of use have no copies.
  [[nodiscard]] std::span<const Original> originals() const { return originals_; }

  /// How many copies a waiting one stands for besides itself.
  [[nodiscard]] static std::uint32_t followers(const Packet& waiting) {
    return static_cast<std::uint32_t>(waiting.stamp >> kFollowersShift);
  }
  /// Has `last`, the newest one that waits, stand for `copy`, too, which comes behind it. False if
  /// it cannot: they are not copies of successive originals for the same member.
  [[nodiscard]] bool coalesce(Packet& last, const Packet& copy, std::uint32_t place) const {
    if (!is_copy(last) || last.destination() != copy.destination()) return false;
    const Original& first = original_of(last);
    const Original& here = originals_[place];
    const std::uint32_t more = followers(last);
    const bool follows = first.chain == here.chain && first.number + more + 1 == here.number;
    if (!follows || more == kMaxFollowers) return false;
    if (last.flow - first.packet.flow != copy.flow - here.packet.flow) return false;
    last.stamp += std::int64_t{1} << kFollowersShift;
    return true;
  }
  /// The first of the copies that a waiting one stands for; that stands for the others.
  [[nodiscard]] Packet follower(const Packet& waiting) const {
    const Original& before = original_of(waiting);
    Packet packet = originals_[before.next].packet;
    packet.flow += waiting.flow - before.packet.flow;
    packet.set_destination(waiting.destination());
    --packet.ttl;
    packet.stamp = std::int64_t{pending_original(before.next)} << kTailShift |
                   std::int64_t{followers(waiting) - 1} << kFollowersShift;
    return packet;
  }

 private:
  static constexpr int kFollowersShift = 48;  ///< above the debt, in the stamp of a waiting packet
  static constexpr std::uint32_t kMaxFollowers = 0x7fff;

  [[nodiscard]] const Original& original_of(const Packet& waiting) const {
    return originals_[pending_of(waiting) - pending_original(0)];
  }
  [[nodiscard]] std::uint32_t take_place() {
    if (free_.empty()) {
      originals_.emplace_back();
      return static_cast<std::uint32_t>(originals_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }

  std::vector<Original> originals_;
  std::vector<std::uint32_t> free_;
  std::array<std::uint32_t, kChains> newest_{};  ///< by chain, its place; kNoIndex if it has left
  std::array<std::uint32_t, kChains> numbers_{};
};

}  // namespace weft::protocols
