#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// What a buffer says of a packet that has come.
enum class Admission : std::uint8_t {
  kAdmitted,
  kBufferFull,   ///< refused: no byte of the buffer is left
  kIngressFull,  ///< refused: its ingress account is at its threshold, and has no headroom left
  kPoolEmpty,    ///< refused: as before, and what it may draw from the headroom pool is not there
  kEgressFull,   ///< refused: its egress queue is at its limit, or the shared part is full
};

/// Whether it was the ingress account that had no room.
[[nodiscard]] constexpr bool is_of_ingress(Admission refusal) {
  return refusal == Admission::kIngressFull || refusal == Admission::kPoolEmpty;
}

/// What becomes of a packet that has come.
enum class Verdict : std::uint8_t {
  kAdmit,
  kDrop,  ///< it, or another one whose place it has taken
};

/// Of `used` bytes of an account's headroom, what is drawn from the headroom pool.
[[nodiscard]] inline Bytes drawn_from_pool(const SwitchState& sw, const IngressAccount& in,
                                           const ClassConstants& c, Bytes used) {
  if (sw.pool_size == Bytes()) return {};
  return std::max(used - std::min(c.headroom_reserved, Bytes(in.headroom)), Bytes());
}

/// The packet buffer of a switch: which packets it admits, and whose sender is to be paused.
///
/// Three kinds of accounts hold bytes, always in whole cells: the switch as a whole; per ingress
/// port and PFC class, with a threshold and headroom; per egress queue, with an optional limit. A
/// credit class has an ingress buffer of its own per port, which its credits never let overflow and
/// the others cannot use.
///
/// Where anything is reserved, set aside as headroom, or limited by a dynamic threshold, the buffer
/// is partitioned: reserved parts and headroom belong to their accounts, the rest is shared, and a
/// dynamic threshold is alpha times what the shared part has left (A. Choudhury and E. Hahne,
/// "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998). A lossless class
/// fills the shared part by its ingress accounts, a lossy one by its egress queues.
///
/// A switch may have one headroom pool for all ingress accounts (SONiC's shared headroom pool). An
/// account then has `headroom_reserved` to itself and draws what it needs beyond that from the
/// pool, up to its headroom. It is the first to come that finds room there.
///
/// Ingress and egress accounts are separate, as in switches: a packet that the egress refuses is
/// dropped and says nothing of its ingress, which alone decides on pauses.
template <class Path>
class SharedBuffer {
 public:
  /// What a packet's class is where it came in, and at its egress.
  struct Ends {
    const ClassConstants& in;
    const ClassConstants& out;
  };

  /// Unless it admits a packet of `cells` bytes, nothing has changed.
  [[nodiscard]] Admission admit(SwitchState& sw, IngressAccount& in, ClassQueue& out,
                                const Ends& ends, Bytes cells) const {
    const ClassConstants& c = ends.in;
    if (sw.buffer_used + cells > sw.capacity) [[unlikely]]
      return Admission::kBufferFull;
    if (Path::has(Feature::kPartitions) && c.has_partitions) {
      const Admission part = admit_to_partition(sw, in, out, ends, cells);
      if (part != Admission::kAdmitted) [[unlikely]]
        return part;
    }
    sw.buffer_used += cells;
    if (sw.buffer_used > sw.buffer_peak) sw.buffer_peak = sw.buffer_used;
    if (c.is_pfc) in.bytes += cells;
    return Admission::kAdmitted;
  }

  /// A packet that was admitted leaves.
  void release(SwitchState& sw, IngressAccount& in, ClassQueue& out, const Ends& ends,
               Bytes cells) const {
    const ClassConstants& c = ends.in;
    sw.buffer_used -= cells;
    if (Path::has(Feature::kPartitions) && c.has_partitions)
      release_from_partition(sw, in, out, ends, cells);
    if (c.is_pfc) in.bytes -= cells;
  }

  [[nodiscard]] bool is_above_xoff(const SwitchState& sw, const IngressAccount& in,
                                   const ClassConstants& c) const {
    if (!Path::has(Feature::kPartitions) || !c.is_dynamic) return in.bytes > c.xoff;
    return in.headroom_used > 0 || shared_part(in, c) > threshold(sw, c.alpha);
  }
  [[nodiscard]] bool is_below_xon(const SwitchState& sw, const IngressAccount& in,
                                  const ClassConstants& c) const {
    if (!Path::has(Feature::kPartitions) || !c.is_dynamic) return in.bytes < c.xon;
    const Bytes part = shared_part(in, c);
    return in.headroom_used == 0 &&
           (part == Bytes() || part + c.xon_offset <= threshold(sw, c.alpha));
  }

  /// alpha x (shared part - its use).
  [[nodiscard]] static Bytes threshold(const SwitchState& sw, std::uint64_t alpha) {
    const Bytes left = std::max(sw.shared_size - sw.shared_used, Bytes());
    const auto product =
        static_cast<WideUnsigned>(alpha) * static_cast<std::uint64_t>(left.count());
    return Bytes(static_cast<std::int64_t>(product >> 16U));
  }

 private:
  [[nodiscard]] static Bytes above(Bytes bytes, Bytes reserved) {
    return std::max(bytes - reserved, Bytes());
  }
  /// What an ingress account takes of the shared part.
  [[nodiscard]] static Bytes shared_part(const IngressAccount& in, const ClassConstants& c) {
    return above(in.bytes - Bytes(in.headroom_used), c.reserved);
  }

  [[nodiscard]] static Admission admit_to_partition(SwitchState& sw, IngressAccount& in,
                                                    ClassQueue& out, const Ends& ends,
                                                    Bytes cells) {
    const ClassConstants& c = ends.in;
    const ClassConstants& e = ends.out;
    const Bytes left = sw.shared_size - sw.shared_used;
    const Bytes at_egress = above(out.held + cells, e.egress_reserved);
    if (e.limits_egress && at_egress > threshold(sw, e.egress_alpha)) return Admission::kEgressFull;
    if (!c.is_pfc) {
      const Bytes growth =
          above(out.held + cells, e.lossy_reserved) - above(out.held, e.lossy_reserved);
      if (growth > left) return Admission::kEgressFull;
      sw.shared_used += growth;
      out.held += cells;
      return Admission::kAdmitted;
    }
    const Bytes held = in.bytes - Bytes(in.headroom_used);
    const Bytes growth = above(held + cells, c.reserved) - above(held, c.reserved);
    const Bytes limit = c.is_dynamic ? c.reserved + threshold(sw, c.alpha) : c.xoff;
    const bool fits = growth <= left && (!c.limits_headroom || held + cells <= limit);
    if (fits) {
      sw.shared_used += growth;
    } else {
      const Bytes used(in.headroom_used);
      if (used + cells > Bytes(in.headroom)) return Admission::kIngressFull;
      const Bytes drawn =
          drawn_from_pool(sw, in, c, used + cells) - drawn_from_pool(sw, in, c, used);
      if (drawn > sw.pool_size - sw.pool_used) return Admission::kPoolEmpty;
      sw.pool_used += drawn;
      sw.pool_peak = std::max(sw.pool_peak, sw.pool_used);
      in.headroom_used += static_cast<std::int32_t>(cells.count());
    }
    out.held += cells;
    return Admission::kAdmitted;
  }

  static void release_from_partition(SwitchState& sw, IngressAccount& in, ClassQueue& out,
                                     const Ends& ends, Bytes cells) {
    const ClassConstants& c = ends.in;
    const ClassConstants& e = ends.out;
    out.held -= cells;
    if (!c.is_pfc) {
      sw.shared_used -=
          above(out.held + cells, e.lossy_reserved) - above(out.held, e.lossy_reserved);
      return;
    }
    const Bytes used(in.headroom_used);
    const Bytes from_headroom = std::min(used, cells);
    sw.pool_used -=
        drawn_from_pool(sw, in, c, used) - drawn_from_pool(sw, in, c, used - from_headroom);
    in.headroom_used -= static_cast<std::int32_t>(from_headroom.count());
    const Bytes after = in.bytes - cells - Bytes(in.headroom_used);
    const Bytes before = after + cells - from_headroom;
    sw.shared_used -= above(before, c.reserved) - above(after, c.reserved);
  }
};

}  // namespace weft::protocols
