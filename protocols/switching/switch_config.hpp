#pragma once

#include <cstdint>

#include "simcore/units.hpp"

namespace weft::protocols {

/// Priority flow control (IEEE 802.1Qbb) of the data class. The ingress counter of a port rises
/// with every packet that arrives through it and falls when the packet leaves the switch; crossing
/// `xoff` pauses the upstream port, falling below `xon` resumes it.
struct PfcConfig {
  enum class Quanta : std::uint8_t {
    kStandard,     ///< a pause lasts 65,535 quanta of 512 bit times and is refreshed before
    kUntilResume,  ///< a pause lasts until it is lifted (idealised)
  };
  bool enabled = true;
  Bytes xoff = 1024_KiB;  ///< pause when an ingress counter is above it
  Bytes xon = 1000_KiB;   ///< resume when it is below it again
  /// Bytes of a pause frame on the wire besides preamble and gap; 0: the pause takes no wire time.
  Bytes frame = 64_B;
  Bytes frame_overhead = 20_B;  ///< preamble 8 B and inter-packet gap 12 B
  /// From the end of a pause frame's reception until the port obeys. Below 0: IEEE 802.3 31B.3.7 by
  /// link rate (905 quanta at 400 Gbps).
  Picoseconds response = Picoseconds(-1);
  Quanta quanta = Quanta::kStandard;
  /// False: a pause reaches the peer at once, without the wire's latency (idealised; what csg-htsim
  /// does where a topology file gives the link latencies).
  bool propagates = true;
};

/// ECN marking by RED on the bytes that wait in an egress queue.
struct EcnConfig {
  enum class Mark : std::uint8_t { kEnqueue, kDequeue };
  bool enabled = true;
  Bytes kmin = 800_KB;
  Bytes kmax = 3200_KB;
  double pmax = 0.2;
  Mark mark = Mark::kDequeue;
};

/// How a switch chooses among equal-cost next hops.
enum class LoadBalancing : std::uint8_t {
  kFlow,   ///< per queue pair: every packet of it takes the same path (ECMP)
  kSpray,  ///< per packet, at random
};

/// An output-queued switch with one shared packet buffer.
struct SwitchConfig {
  /// When a packet's bytes leave the buffer accounts.
  enum class Release : std::uint8_t { kTransmissionEnd, kTransmissionStart };
  Bytes buffer = Bytes(158'229'504);
  Release release = Release::kTransmissionEnd;
  PfcConfig pfc;
  EcnConfig ecn;
  LoadBalancing load_balancing = LoadBalancing::kFlow;
};

}  // namespace weft::protocols
