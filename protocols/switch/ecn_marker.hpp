#pragma once

#include <cstdint>

#include "protocols/link/tracing.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/base/random.hpp"

namespace weft::protocols {

/// Which packets leave with a mark. RED (S. Floyd and V. Jacobson 1993, on the instantaneous queue
/// as DCQCN asks): no marks up to Kmin, linear to Pmax at Kmax, every packet above it. Or a step at
/// Kmin, as DCTCP has it (M. Alizadeh et al., SIGCOMM 2010, section 3.1).
template <class Path>
class EcnMarker {
 public:
  explicit EcnMarker(NetworkState& state) : s_(state), tracer_(state) {}

  /// Whether a packet that is about to wait in `queue` of `port` is marked. `number` counts the
  /// packets of this queue, so that each has a draw of its own. Counts the mark.
  [[nodiscard]] bool marks_arrival(const Here& here, const PortState& port, ClassQueue& queue,
                                   const Packet& packet, const ClassConstants& constants,
                                   std::int64_t number) const {
    return queue.packets.bytes() > constants.unmarked_on_arrival &&
           draw(here, port, queue, packet, number);
  }
  /// Whether one that has just left it is.
  [[nodiscard]] bool marks_departure(const Here& here, const PortState& port, ClassQueue& queue,
                                     const Packet& packet, const ClassConstants& constants,
                                     std::int64_t number) const {
    return queue.packets.bytes() > constants.unmarked_on_departure &&
           draw(here, port, queue, packet, number);
  }

 private:
  [[gnu::noinline]] bool draw(const Here& here, const PortState& port, ClassQueue& queue,
                              const Packet& packet, std::int64_t number) const {
    const NetworkConstants& k = s_.constants;
    const ClassId c = class_of(packet);
    const ClassConstants& constants = s_.class_on<Path>(port, c);
    const Bytes waiting = queue.packets.bytes();
    Bytes kmin = constants.kmin;
    Bytes kmax = constants.kmax;
    if (constants.ecn_rate != BitsPerSecond()) {
      kmin = scaled(kmin, port.nominal_rate, constants.ecn_rate);
      kmax = scaled(kmax, port.nominal_rate, constants.ecn_rate);
    }
    if (waiting <= kmin || kind_of(packet) != PacketKind::kData) return false;
    if (!constants.marks_last_hop && s_.ports[port.peer.value()].owner_is_host) return false;
    if (waiting <= kmax && !constants.step) {
      const auto probability =
          static_cast<std::uint64_t>(static_cast<WideUnsigned>(constants.pmax) *
                                     static_cast<std::uint64_t>((waiting - kmin).count()) /
                                     static_cast<std::uint64_t>((kmax - kmin).count()));
      const RandomStream random(k.seed, Purpose::kEcnMark, port.index);
      const std::uint64_t draw = static_cast<std::uint64_t>(number) * kMaxClasses + c.value();
      if (random.bits32(draw) >= probability) return false;
    }
    ++queue.marked;
    tracer_.marked(here, packet, port);
    return true;
  }

  [[nodiscard]] static Bytes scaled(Bytes bytes, BitsPerSecond rate, BitsPerSecond reference) {
    const WideUnsigned product =
        static_cast<WideUnsigned>(bytes.count()) * static_cast<std::uint64_t>(rate.count());
    return Bytes(
        static_cast<std::int64_t>(product / static_cast<std::uint64_t>(reference.count())));
  }

  const NetworkState& s_;
  Tracer<Path> tracer_;
};

}  // namespace weft::protocols
