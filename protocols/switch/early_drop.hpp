#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/packet/packet_kind.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/base/random.hpp"

namespace weft::protocols {

/// WRED that drops (S. Floyd and V. Jacobson, "Random Early Detection Gateways for Congestion
/// Avoidance", 1993, figure 2; SAI's saiwred.h): nothing up to a minimum of the average queue, a
/// linear probability up to a maximum, everything above. As in switches, each packet has the
/// probability of its queue: the count of packets since the last drop, by which the paper spreads
/// drops, does not matter. The average moves by 2^-weight of the distance with each arrival, and
/// decays while the queue is empty as if packets had come one after the other. Weight 0, SAI's
/// default, takes the queue as it is.
///
/// Where a class has ECN, data are marked in place of that (RFC 3168, section 7), and what cannot
/// be marked is dropped.
template <class Path>
class EarlyDrop {
 public:
  explicit EarlyDrop(NetworkState& state) : s_(state) {}

  /// Whether `packet`, which has come for `out`, is dropped. Counts it there.
  [[nodiscard]] bool drops(const Here& here, const Packet& packet, const PortState& out,
                           const ClassQueue& queue, const ClassConstants& c) {
    if (!Path::has(Feature::kSettings) || !c.has_wred) return false;
    return draw(here, packet, out, queue, c);
  }
  /// The queue of class `c` at `out` has become empty.
  void emptied(const Here& here, const PortState& out, ClassId c) {
    if (!Path::has(Feature::kSettings) || s_.early_drops.empty()) return;
    s_.early_drops_at(out, c).emptied = here.now;
  }

 private:
  [[nodiscard, gnu::noinline]] bool draw(const Here& here, const Packet& packet,
                                         const PortState& out, const ClassQueue& queue,
                                         const ClassConstants& c) {
    EarlyDrops& state = s_.early_drops_at(out, class_of(packet));
    const std::int64_t number = state.seen++;
    update(state, here.now, out, queue, c.wred_weight);
    if (c.spares_data && kind_of(packet) == PacketKind::kData) return false;
    const Bytes average(state.average >> EarlyDrops::kFraction);
    if (average <= c.wred_min) return false;
    if (average <= c.wred_max) {
      const auto probability =
          static_cast<std::uint64_t>(static_cast<WideUnsigned>(c.wred_probability) *
                                     static_cast<std::uint64_t>((average - c.wred_min).count()) /
                                     static_cast<std::uint64_t>((c.wred_max - c.wred_min).count()));
      const RandomStream random(s_.constants.seed, Purpose::kEarlyDrop, out.index);
      const std::uint64_t at =
          static_cast<std::uint64_t>(number) * kMaxClasses + class_of(packet).value();
      if (random.bits32(at) >= probability) return false;
    }
    ++state.drops;
    return true;
  }

  void update(EarlyDrops& state, Picoseconds now, const PortState& out, const ClassQueue& queue,
              unsigned weight) const {
    const std::int64_t bytes = queue.packets.bytes().count() << EarlyDrops::kFraction;
    if (weight == 0) {
      state.average = bytes;
    } else if (!queue.packets.empty()) {
      state.average += (bytes - state.average) >> weight;
    } else {
      const Picoseconds packet = out.transmission(s_.constants.largest_packet());
      state.average = decayed(state.average, (now - state.emptied) / packet, weight);
    }
  }

  /// After `times` packets that found nothing: times (1 - 2^-weight)^times.
  [[nodiscard]] static std::int64_t decayed(std::int64_t average, std::int64_t times,
                                            unsigned weight) {
    constexpr unsigned kBits = 32;
    std::uint64_t factor = (std::uint64_t{1} << kBits) - (std::uint64_t{1} << (kBits - weight));
    std::uint64_t power = std::uint64_t{1} << kBits;
    for (auto n = static_cast<std::uint64_t>(times); n != 0 && power != 0; n >>= 1U) {
      if ((n & 1U) != 0) power = scaled(power, factor);
      factor = scaled(factor, factor);
    }
    return static_cast<std::int64_t>(scaled(static_cast<std::uint64_t>(average), power));
  }
  [[nodiscard]] static std::uint64_t scaled(std::uint64_t value, std::uint64_t factor) {
    return static_cast<std::uint64_t>((static_cast<WideUnsigned>(value) * factor) >> 32U);
  }

  NetworkState& s_;
};

}  // namespace weft::protocols
