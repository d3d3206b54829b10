#include "protocols/config/headroom.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "protocols/config/response_class.hpp"
#include "simcore/base/check.hpp"

namespace weft::protocols {
namespace {

std::int64_t cells_of(Bytes bytes, Bytes cell) { return (bytes + cell - 1_B) / cell; }

/// The bytes that `rate` carries in `time`, or a petabyte where it is more: no buffer is that
/// large, and sums of a few stay in range.
Bytes carried(Picoseconds time, BitsPerSecond rate) {
  constexpr Bytes kPetabyte = Bytes(1'000'000'000'000'000);
  const double bytes = to_seconds(time) * static_cast<double>(rate.count()) / 8;
  return bytes > 1e15 ? kPetabyte : bytes_in(time, rate);
}

Bytes sn5600(BitsPerSecond rate, double cable_bytes, const Sn5600Settings& settings) {
  constexpr Bytes kSmallPacket = 64_B;
  constexpr double kMacPhy = 819.2;         // 0.8 KiB
  constexpr double kTileBytesPerGbps = 15;  // what arrives in 120 ns
  // sonic-swss#3235: bytes of cells per byte of packets, `small_packets` percent of which are
  // small.
  const auto mixed = [&settings](Bytes small, Bytes large) {
    return static_cast<double>(
        (settings.small_packets * small + (100 - settings.small_packets) * large).count());
  };
  const auto in_cells = [&settings](Bytes packet) {
    return cells_of(packet, settings.cell) * settings.cell;
  };
  const double occupancy = mixed(in_cells(kSmallPacket), in_cells(settings.lossless_mtu)) /
                           mixed(kSmallPacket, settings.lossless_mtu);
  const auto response = static_cast<double>(carried(standard_pause_response(rate), rate).count());
  const double gbps = static_cast<double>(rate.count()) * 1e-9;
  const double arriving = static_cast<double>(settings.port_mtu.count()) + cable_bytes + kMacPhy +
                          response + kTileBytesPerGbps * gbps;
  const double bytes = static_cast<double>(settings.lossless_mtu.count()) + occupancy * arriving;
  // Sums of a few products are good to far better than a thousandth of a byte.
  return 1_KiB * static_cast<std::int64_t>(std::ceil((std::min(bytes, 1e15) - 1e-3) / 1024));
}

/// A packet that comes by the slowest link of the switch and is forwarded by `port`, which is
/// faster: from its first bytes, when it gets the egress, until the last, when it may go.
Picoseconds reverse_hold(const Fabric& fabric, const Port& port, const SwitchConfig& switches,
                         Bytes packet) {
  if (switches.forwarding != SwitchConfig::Forwarding::kCutThrough) return {};
  BitsPerSecond slowest = port.rate;
  for (const Port& other : fabric.ports_of(port.node)) {
    slowest = std::min(slowest, fabric.port(other.peer).rate);
  }
  if (slowest == port.rate) return {};
  const Bytes first = std::min(packet, switches.cut_through_after);
  return transmission_time(packet, slowest) - transmission_time(first, slowest);
}

}  // namespace

PacketSizes packet_sizes(const SwitchConfig& switches, const TrafficClass& traffic_class,
                         const std::vector<TransportConfig>& transports) {
  PacketSizes sizes{Bytes::max(), Bytes()};
  const auto add = [&sizes](Bytes size) {
    sizes.smallest = std::min(sizes.smallest, size);
    sizes.largest = std::max(sizes.largest, size);
  };
  const auto carries = [&](const std::string& name) {
    return name == kSameClass ||
           switches.classes[response_class(switches, name, ClassId())].name == traffic_class.name;
  };
  for (const TransportConfig& transport : transports) {
    const TransportTraits traits = traits_of(transport);
    add(traits.format.header + 1_B);
    add(traits.full_packet());
    const bool has_responses = traits.is_acknowledged;
    if (has_responses && (carries(traits.ack_class) || carries(traits.cnp_class))) {
      add(traits.ack_size);
    }
  }
  return sizes;
}

// A packet of c cells needs at least max(smallest, (c - 1) cell + 1) bytes. Let j packets have the
// fewest cells that any packet has, c0, and n others S cells together. One packet more among the j
// gains c0 cells and takes no more than c0 from S, so for each n the largest j is best.
std::int64_t max_cells(Bytes bytes, Bytes smallest, Bytes largest, Bytes cell) {
  WEFT_CHECK(smallest >= 1_B && largest >= smallest && cell >= 1_B, "packets and cells have bytes");
  const std::int64_t fewest = cells_of(smallest, cell);
  const std::int64_t max = cells_of(largest, cell);
  const std::int64_t only_small = bytes / smallest * fewest;
  if (fewest == max) return only_small;
  const Bytes next = fewest * cell + 1_B;  // the least that takes more than c0 cells
  const double density =
      std::max(static_cast<double>(fewest) / static_cast<double>(smallest.count()),
               static_cast<double>(fewest + 1) / static_cast<double>(next.count()));
  const auto bound =
      static_cast<std::int64_t>(static_cast<double>(bytes.count()) * density * (1 + 1e-12));
  // Beyond some gigabytes the bound is as good as the sum.
  constexpr std::int64_t kMaxSteps = 10'000'000;
  if (bytes / next > kMaxSteps) return bound;
  std::int64_t best = only_small;
  for (std::int64_t n = 1; n <= bytes / next && best < bound; ++n) {
    const std::int64_t j = (bytes - n * next) / smallest;
    const std::int64_t others = (bytes - j * smallest - Bytes(n)) / cell + n;
    best = std::max(best, j * fewest + std::min(others, n * max));
  }
  return best;
}

Bytes exact_headroom(const HeadroomTerms& t) {
  const auto bounded = [](Picoseconds time) { return std::min(time, 10'000_s); };
  Picoseconds loop = bounded(t.response) + bounded(t.wire) + bounded(t.pipeline);
  if (t.pause_frame > 0_B) {
    loop += bounded(t.reverse_hold) + transmission_time(t.reverse_packet, t.rate) +
            transmission_time(t.pause_frame, t.rate);
  }
  if (t.pause_propagates) loop += bounded(t.wire);
  const std::int64_t between =
      max_cells(carried(loop, t.rate) + t.sent_again, t.smallest, t.largest, t.cell);
  return (2 * cells_of(t.largest, t.cell) + between) * t.cell;
}

Bytes sn5600_headroom(BitsPerSecond rate, Picoseconds propagation, const Sn5600Settings& settings) {
  const double bits = 2 * to_seconds(propagation) * static_cast<double>(rate.count());
  return sn5600(rate, bits / 8, settings);
}

Bytes sn5600_headroom(BitsPerSecond rate, Millimetres length, const Sn5600Settings& settings) {
  constexpr double kMillimetresPerSecond = 198e9;
  const double seconds = static_cast<double>(length.count()) / kMillimetresPerSecond;
  return sn5600(rate, 2 * seconds * static_cast<double>(rate.count()) / 8, settings);
}

HeadroomTerms headroom_terms(const Fabric& fabric, PortId in, const SwitchConfig& switches,
                             const TrafficClass& traffic_class,
                             const std::vector<TransportConfig>& transports) {
  const Port& port = fabric.port(in);
  const PauseConfig& pause = switches.pause;
  const PacketSizes own = packet_sizes(switches, traffic_class, transports);
  HeadroomTerms terms;
  terms.rate = port.rate;
  terms.wire = port.wire_latency;
  terms.pipeline = fabric.node(port.node).pipeline + fabric.port(port.peer).edge_latency;
  terms.response = pause.response_at(port.rate);
  terms.pause_propagates = pause.propagates;
  terms.pause_frame = pause.wire_bytes();
  terms.reverse_packet = own.largest;
  for (const TrafficClass& other : switches.classes) {
    terms.reverse_packet =
        std::max(terms.reverse_packet, packet_sizes(switches, other, transports).largest);
  }
  terms.reverse_hold = reverse_hold(fabric, port, switches, terms.reverse_packet);
  terms.smallest = own.smallest;
  terms.largest = own.largest;
  terms.cell = switches.cell;
  // One frame more may have started while fewer were outstanding.
  if (switches.link_retry.enabled) terms.sent_again = switches.link_retry.outstanding + own.largest;
  return terms;
}

Bytes headroom_of(const Fabric& fabric, PortId in, const SwitchConfig& switches,
                  const TrafficClass& traffic_class,
                  const std::vector<TransportConfig>& transports) {
  const PfcConfig& pfc = traffic_class.pfc();
  const Port& port = fabric.port(in);
  switch (pfc.headroom) {
    case PfcConfig::Headroom::kShared:
      break;
    case PfcConfig::Headroom::kExact:
      return exact_headroom(headroom_terms(fabric, in, switches, traffic_class, transports));
    case PfcConfig::Headroom::kSn5600:
      return sn5600_headroom(port.rate, port.wire_latency);
    case PfcConfig::Headroom::kGiven:
      return pfc.headroom_bytes;
    case PfcConfig::Headroom::kHpcc:
      return 3 * carried(port.wire_latency, port.rate);
  }
  return 0_B;
}

}  // namespace weft::protocols
