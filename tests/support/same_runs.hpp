#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {

inline void expect_same_counters(const FlowRun& a, const FlowRun& b,
                                 const protocols::PacketNetwork& x,
                                 const protocols::PacketNetwork& y) {
  EXPECT_EQ(a.fabric().ports.size(), b.fabric().ports.size());
  for (std::uint32_t p = 0; p < a.fabric().ports.size(); ++p) {
    const protocols::PortCounters m = x.port_counters(PortId(p));
    const protocols::PortCounters n = y.port_counters(PortId(p));
    EXPECT_EQ(m.bytes, n.bytes) << "port " << p;
    EXPECT_EQ(m.packets, n.packets) << "port " << p;
    EXPECT_TRUE(m.queue_integral == n.queue_integral) << "port " << p;
    EXPECT_EQ(m.peak_backlog, n.peak_backlog) << "port " << p;
    EXPECT_EQ(m.credit_stalls, n.credit_stalls) << "port " << p;
    EXPECT_EQ(m.credit_stall_time, n.credit_stall_time) << "port " << p;
    EXPECT_EQ(x.queue_bytes(PortId(p)), y.queue_bytes(PortId(p))) << "port " << p;
  }
}

/// Everything that can be asked of two runs of the same flows, but how many events they took.
inline void expect_same(FlowRun& a, FlowRun& b) {
  const protocols::PacketNetwork& x = a.network();
  const protocols::PacketNetwork& y = b.network();
  EXPECT_EQ(x.now(), y.now());
  EXPECT_EQ(x.last_event(), y.last_event());
  EXPECT_EQ(x.totals().packet_hops, y.totals().packet_hops);
  EXPECT_EQ(x.totals().packets_delivered, y.totals().packets_delivered);
  EXPECT_EQ(x.payload_packets_arrived(), y.payload_packets_arrived());
  EXPECT_EQ(x.packets_in_flight(), y.packets_in_flight());
  EXPECT_EQ(x.packet_latencies(), y.packet_latencies());
  EXPECT_TRUE(y.violated_invariants(false).empty());
  expect_same_counters(a, b, x, y);
  ASSERT_EQ(a.messages().size(), b.messages().size());
  for (std::size_t i = 0; i < a.messages().size(); ++i) {
    const protocols::MessageOutcome& m = a.messages()[i];
    const protocols::MessageOutcome& n = b.messages()[i];
    EXPECT_EQ(m.connection, n.connection);
    EXPECT_EQ(m.last_sequence, n.last_sequence);
    EXPECT_EQ(m.posted, n.posted);
    EXPECT_EQ(m.delivered, n.delivered) << "flow " << m.connection.value();
    EXPECT_EQ(m.acknowledged, n.acknowledged) << "flow " << m.connection.value();
  }
}

}  // namespace weft::testing
