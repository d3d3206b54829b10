#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "protocols/network/packet_network.hpp"
#include "tests/support/flow_runner.hpp"

/// Ultra Ethernet on plain fabrics.
namespace weft::testing {

/// A lossy class for data, and a strict one for what answers them.
inline protocols::PacketNetwork::Options uec_options(const protocols::UecConfig& uec) {
  protocols::PacketNetwork::Options options;
  options.transport = uec;
  options.switches.data().flow_control = protocols::NoFlowControl{};
  options.switches.data().ecn.enabled = false;
  return options;
}

/// The specification's transport without a window.
inline protocols::UecConfig uec_without_control() {
  protocols::UecConfig uec;
  uec.congestion_control = protocols::congestion::NoControlConfig{};
  return uec;
}

inline protocols::UecConfig& uec_of(protocols::PacketNetwork::Options& options) {
  return std::get<protocols::UecConfig>(options.transport);
}

/// Switches as uet-htsim sets them up: a data queue of this many packets of 4,150 B that trims to
/// 64 B by a coin toss and marks between two thresholds, and one for headers of twice the length.
inline void trim_as_htsim(protocols::SwitchConfig& switches, std::int64_t packets,
                          std::int64_t mark_from, std::int64_t mark_to) {
  constexpr Bytes kPacket = 4'150_B;
  protocols::TrafficClass& data = switches.classes[ClassId(0)];
  data.flow_control = protocols::NoFlowControl{};
  data.egress_limit = packets * kPacket;
  data.trimming = {.enabled = true, .size = 64_B};
  data.ecn = {.enabled = true, .kmin = mark_from * kPacket, .kmax = mark_to * kPacket, .pmax = 1};
  switches.classes[ClassId(1)].egress_limit = 2 * packets * kPacket;
}

/// uet-htsim with a base round trip, on such switches.
inline protocols::PacketNetwork::Options htsim_uec(Picoseconds base_rtt, std::int64_t packets,
                                                   std::int64_t mark_from, std::int64_t mark_to) {
  protocols::UecConfig uec =
      protocols::UecConfig::from_preset(protocols::UecConfig::Preset::kHtsim);
  std::get<protocols::congestion::NsccConfig>(uec.congestion_control).base_rtt = base_rtt;
  protocols::PacketNetwork::Options options;
  options.transport = uec;
  trim_as_htsim(options.switches, packets, mark_from, mark_to);
  return options;
}
/// On the star of the peer's in-casts, and on its fat tree of 128 hosts.
inline protocols::PacketNetwork::Options htsim_star() { return htsim_uec(9'348'480_ps, 29, 6, 24); }
inline protocols::PacketNetwork::Options htsim_fat_tree() {
  return htsim_uec(14'022'720_ps, 43, 9, 35);
}

/// Each of the first `senders` hosts sends to the last one.
inline std::vector<Flow> in_cast(std::uint32_t senders, Bytes size) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < senders; ++i) {
    flows.push_back({HostId(i), HostId(senders), size, 0_ps});
  }
  return flows;
}

}  // namespace weft::testing
