#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/state/network_state.hpp"
#include "simcore/base/random.hpp"

namespace weft::protocols {

/// Who comes first to the place that a departure frees in a full queue.
///
/// Senders at one rate reach a full tail-drop queue once per departure each, and the first one
/// after the departure gets the place. With equal clocks that is the same one every time, so that
/// it loses nothing and the others everything (S. Floyd and V. Jacobson, "On Traffic Phase Effects
/// in Packet-Switched Gateways", 1992, section 3). Clocks are not equal: Ethernet transmitters run
/// within +-100 ppm of their nominal rate (IEEE 802.3, signalling rates of the PMDs), so that the
/// phases of senders drift past each other, a packet time in 10,000 packets or so, and switches are
/// measured to share such losses evenly (openfabric-systems/simllm#196).
///
/// The engine keeps all clocks equal, for the sake of equal ranks, and lets the phases drift here
/// alone, where the order of arrivals decides who is dropped. The phase of an ingress is where in
/// its packet time its next packet comes after a departure. It starts anywhere and drifts with
/// every departure by the difference of the sender's clock and the switch's, which is up to 200
/// ppm: here 100 to 200, spread by multiples of the golden ratio so that neighbouring ports differ,
/// and moved a little at random so that no three are in step. With packets of 4 KiB at 100 Gbps a
/// sender is then first for a millisecond or two at a time. The lower bound of 100 ppm and the
/// spacing are choices of this model, not measurements. Everything is counted in departures and
/// by port numbers of the switch, so that it depends neither on when a run starts nor on which
/// switch this is.
class PlaceOrder {
 public:
  /// `out`: the port of the queue. `largest`: packet.
  PlaceOrder(std::uint64_t seed, Bytes largest, const PortState& out)
      : random_(seed, Purpose::kPlaceOrder, 0),
        largest_(largest),
        departure_(out.transmission(largest)) {}

  /// Whether a packet that comes by `in` is before one by `other`, after this number of departures.
  [[nodiscard]] bool is_first(const PortState& in, const PortState& other, const SwitchState& sw,
                              std::int64_t departures) const {
    if (in.index == other.index) return false;
    return arrival(in, sw, departures) < arrival(other, sw, departures);
  }

 private:
  /// 100 ppm of a turn, which is 2^32.
  static constexpr std::uint64_t kMinDrift = (std::uint64_t{1} << 32U) / 10'000;
  static constexpr std::uint32_t kGoldenRatio = 0x9e3779b9;

  /// After the last departure, in units of 2^-32 ps.
  [[nodiscard]] WideUnsigned arrival(const PortState& in, const SwitchState& sw,
                                     std::int64_t departures) const {
    const std::uint32_t number = in.index - sw.first_port;
    const std::uint64_t draw = random_.bits(1 + number);
    const std::uint32_t spread =
        number * kGoldenRatio + random_.bits32(0) + static_cast<std::uint32_t>(draw >> 32U) / 10;
    const std::uint64_t drift = kMinDrift + ((kMinDrift * spread) >> 32U);
    const auto phase =
        static_cast<std::uint32_t>(draw + drift * static_cast<std::uint64_t>(departures));
    // One who sends faster than the queue is emptied comes several times between two departures.
    const Picoseconds period =
        std::min(departure_, PortState::transmission_at(largest_, in.ingress_rate));
    return WideUnsigned{phase} * static_cast<std::uint64_t>(period.count());
  }

  RandomStream random_;
  Bytes largest_;
  Picoseconds departure_;
};

}  // namespace weft::protocols
