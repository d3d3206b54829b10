#pragma once

#include <gtest/gtest.h>

#include "tests/support/flow_runner.hpp"
#include "tests/support/slotted_traffic.hpp"

namespace weft::testing {

inline protocols::PacketNetwork::Options lossy_datagrams(Bytes payload, Bytes header) {
  protocols::PacketNetwork::Options options;
  protocols::DatagramConfig datagram;
  datagram.format.payload = payload;
  datagram.format.header = header;
  options.transport = datagram;
  options.switches.data().flow_control = protocols::NoFlowControl{};
  options.switches.data().ecn.enabled = false;
  options.switches.buffer = Bytes(1'000'000'000'000);
  return options;
}

/// Mean wait of an M/D/1 queue at `load` in service times, by simulation: one NIC, Poisson
/// arrivals, no pacing, window or pauses; the wait is from posting to the start of transmission.
inline double md1_wait(double load, std::int64_t packets, std::uint64_t seed) {
  const Picoseconds service = transmission_time(1000_B, 100_Gbps);  // 80 ns
  const Picoseconds latency = 1_us;
  RandomSenders::Traffic traffic;
  traffic.slot = service;
  traffic.load = load;
  traffic.is_poisson = true;
  traffic.size = 900_B;
  traffic.seed = seed;
  const auto duration = static_cast<std::int64_t>(static_cast<double>(packets) / load);
  traffic.measure = duration / 20 * service;
  traffic.stop = duration * service;
  RandomSenders senders(traffic);
  const Fabric fabric = back_to_back(100_Gbps, latency);
  const Routes routes = back_to_back_routes();
  protocols::PacketNetwork network(fabric, routes, lossy_datagrams(900_B, 100_B), senders.hosts(),
                                   senders.connections());
  network.start(senders);
  EXPECT_EQ(network.run_until(traffic.stop + 1_ms), protocols::PacketNetwork::Status::kQuiescent);
  const double unloaded = static_cast<double>((service + latency).count());
  return (senders.sum / static_cast<double>(senders.count) - unloaded) /
         static_cast<double>(service.count());
}

/// Kleinrock, Queueing Systems I (1975), section 5.8: M/D/1 waits rho / (2 (1 - rho)) services.
inline double md1_theory(double load) { return load / (2 * (1 - load)); }

}  // namespace weft::testing
