#pragma once

#include "protocols/network/packet_network.hpp"

namespace weft::testing {

/// csg-htsim's RoCE: 4000 B payload in 4064 B on the wire, 64 B ACKs, PFC per ingress port with
/// XOFF above 15 packets of 4000 B and XON below 12, pauses not serialised.
inline protocols::PacketNetwork::Options htsim_roce() {
  protocols::PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.format.payload = 4000_B;
  roce.format.header = 64_B;
  roce.ack_size = 64_B;
  roce.congestion_control = protocols::congestion::NoControlConfig{};
  options.transport = roce;
  options.switches.data().ecn.enabled = false;
  options.switches.data().pfc().xoff = 60'000_B;
  options.switches.data().pfc().xon = 48'000_B;
  options.switches.pause.frame = 0_B;
  options.switches.pause.response = 0_ps;
  options.switches.pause.quanta = protocols::PauseConfig::Quanta::kUntilResume;
  return options;
}

}  // namespace weft::testing
