#pragma once

#include <cstdint>

#include "protocols/network/packet_network.hpp"
#include "tools/bench/measurement.hpp"

namespace weft::bench {

/// The fixed workload: a random permutation on a non-blocking leaf-spine of a power of two of hosts
/// >= 64, 400 Gbps, 500 ns per link, 4 KiB payload, a window of 64 packets, an ACK per packet, PFC,
/// ECN and DCQCN on; 8 MB per host, 4 MB from 4,096 hosts and 1 MB from 32,768 hosts on. All links
/// have `errors`.
[[nodiscard]] Prepare permutation(std::uint32_t hosts,
                                  const protocols::PacketNetwork::Options& options,
                                  const LinkErrors& errors = {});

/// Options of that workload: sprayed with receivers that accept any order, or one path per flow.
[[nodiscard]] protocols::PacketNetwork::Options usual_options(bool spray);

}  // namespace weft::bench
