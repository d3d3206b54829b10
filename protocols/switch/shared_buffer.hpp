#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {

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
template <class Path>
class SharedBuffer {
 public:
  /// False: there is no room for a packet of `cells` bytes, and nothing has changed.
  [[nodiscard]] bool admit(SwitchState& sw, IngressAccount& in, ClassQueue& out,
                           const ClassConstants& c, std::int64_t cells) const {
    if (sw.buffer_used + cells > sw.capacity) [[unlikely]]
      return false;
    if (Path::kGeneral && c.has_partitions && !admit_to_partition(sw, in, out, c, cells)) {
      return false;
    }
    sw.buffer_used += cells;
    if (sw.buffer_used > sw.buffer_peak) sw.buffer_peak = sw.buffer_used;
    if (c.is_pfc) in.bytes += cells;
    return true;
  }

  /// A packet that was admitted leaves.
  void release(SwitchState& sw, IngressAccount& in, ClassQueue& out, const ClassConstants& c,
               std::int64_t cells) const {
    sw.buffer_used -= cells;
    if (Path::kGeneral && c.has_partitions) release_from_partition(sw, in, out, c, cells);
    if (c.is_pfc) in.bytes -= cells;
  }

  [[nodiscard]] bool is_above_xoff(const SwitchState& sw, const IngressAccount& in,
                                   const ClassConstants& c) const {
    if (!Path::kGeneral || !c.is_dynamic) return in.bytes > c.xoff;
    return in.headroom_used > 0 || shared_part(in, c) > threshold(sw, c.alpha);
  }
  [[nodiscard]] bool is_below_xon(const SwitchState& sw, const IngressAccount& in,
                                  const ClassConstants& c) const {
    if (!Path::kGeneral || !c.is_dynamic) return in.bytes < c.xon;
    const std::int64_t part = shared_part(in, c);
    return in.headroom_used == 0 && (part == 0 || part + c.xon_offset <= threshold(sw, c.alpha));
  }

  /// alpha x (shared part - its use).
  [[nodiscard]] static std::int64_t threshold(const SwitchState& sw, std::uint64_t alpha) {
    const std::int64_t left = std::max<std::int64_t>(sw.shared_size - sw.shared_used, 0);
    return static_cast<std::int64_t>(
        (static_cast<WideUnsigned>(alpha) * static_cast<std::uint64_t>(left)) >> 16U);
  }

 private:
  [[nodiscard]] static std::int64_t above(std::int64_t bytes, std::int64_t reserved) {
    return std::max<std::int64_t>(bytes - reserved, 0);
  }
  /// What an ingress account takes of the shared part.
  [[nodiscard]] static std::int64_t shared_part(const IngressAccount& in, const ClassConstants& c) {
    return above(in.bytes - in.headroom_used, c.reserved);
  }

  [[nodiscard]] static bool admit_to_partition(SwitchState& sw, IngressAccount& in, ClassQueue& out,
                                               const ClassConstants& c, std::int64_t cells) {
    const std::int64_t left = sw.shared_size - sw.shared_used;
    const std::int64_t at_egress = above(out.held + cells, c.egress_reserved);
    if (c.limits_egress && at_egress > threshold(sw, c.egress_alpha)) return false;
    if (!c.is_pfc) {
      const std::int64_t growth = at_egress - above(out.held, c.egress_reserved);
      if (growth > left) return false;
      sw.shared_used += growth;
      out.held += cells;
      return true;
    }
    const std::int64_t held = in.bytes - in.headroom_used;
    const std::int64_t growth = above(held + cells, c.reserved) - above(held, c.reserved);
    const std::int64_t limit = c.is_dynamic ? c.reserved + threshold(sw, c.alpha) : c.xoff;
    const bool fits = growth <= left && (!c.limits_headroom || held + cells <= limit);
    if (fits) {
      sw.shared_used += growth;
    } else {
      if (in.headroom_used + cells > in.headroom) return false;
      in.headroom_used += static_cast<std::int32_t>(cells);
    }
    out.held += cells;
    return true;
  }

  static void release_from_partition(SwitchState& sw, IngressAccount& in, ClassQueue& out,
                                     const ClassConstants& c, std::int64_t cells) {
    out.held -= cells;
    if (!c.is_pfc) {
      sw.shared_used -=
          above(out.held + cells, c.egress_reserved) - above(out.held, c.egress_reserved);
      return;
    }
    const std::int64_t from_headroom = std::min<std::int64_t>(in.headroom_used, cells);
    in.headroom_used -= static_cast<std::int32_t>(from_headroom);
    const std::int64_t after = in.bytes - cells - in.headroom_used;
    const std::int64_t before = after + cells - from_headroom;
    sw.shared_used -= above(before, c.reserved) - above(after, c.reserved);
  }
};

}  // namespace weft::protocols
