// The transport of MRC on `line(2)`: host, switch, host, with links of 1 us at 100 Gbps. It has the
// packet delivery of Ultra Ethernet with sizes and time-outs of its own.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "tests/support/uec_runs.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::MrcConfig;
using protocols::PacketNetwork;

PacketNetwork::Options mrc_options(const MrcConfig& mrc) {
  PacketNetwork::Options options = uec_options({});
  options.transport = mrc;
  return options;
}
MrcConfig mrc_without_control() {
  MrcConfig mrc;
  mrc.congestion_control = protocols::congestion::NoControlConfig{};
  return mrc;
}
/// Packets that start at the first host within [from, to) are lost.
void lose_mrc(PacketNetwork::Options& options, Picoseconds from, Picoseconds to) {
  options.faults.push_back({.kind = Fault::Kind::kLinkErrors,
                            .port = PortId(0u),
                            .at = from + 1_us + 1_ns,  // errors are those at the time of arrival
                            .until = to + 1_us + 1_ns,
                            .errors = {1, LinkErrors::Unit::kFrames}});
}
FlowRun write_of(const PacketNetwork::Options& options, Bytes size) {
  return {line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), size, 0_ps}}};
}

// MODEL.md 19.5
TEST(MrcTransport, HasTheHeadersOfRoceAndTheSackOnTop) {
  MrcConfig mrc;
  EXPECT_EQ(mrc.traits().full_packet(), 4'178_B);
  EXPECT_EQ(mrc.traits().ack_size, 102_B);
  EXPECT_EQ(mrc.traits().delivery->nack_size, 86_B);
  mrc.source_routes = true;
  EXPECT_EQ(mrc.traits().full_packet(), 4'218_B) << "IPv6 around IPv6";
  EXPECT_EQ(mrc.traits().ack_size, 142_B);
  EXPECT_EQ(mrc.traits().delivery->nack_size, 126_B);
  mrc.header = 60_B;
  mrc.ack_size = 70_B;
  EXPECT_EQ(mrc.traits().full_packet(), 4'156_B);
  EXPECT_EQ(mrc.traits().delivery->nack_size, 70_B);
  EXPECT_EQ(MrcConfig().timeout(), 262'144_ns);
}

// T, T and T, then 2 T and 4 T: the first packet and two linear retries, then two exponential ones.
// MODEL.md 19.5
TEST(MrcTransport, TimeOutsAreLinearThenExponential) {
  MrcConfig mrc = mrc_without_control();
  mrc.timeout_exponent = 3;
  mrc.linear_retries = 2;
  mrc.exponential_retries = 2;
  const Picoseconds t = mrc.timeout();
  EXPECT_EQ(t, 8'192_ns);
  FlowRun whole = write_of(mrc_options(mrc), 4'096_B);
  const Picoseconds end = whole.completions().front();
  const std::int64_t after[] = {0, 1, 2, 3, 5};
  for (const int k : {1, 2, 3, 4}) {
    PacketNetwork::Options options = mrc_options(mrc);
    lose_mrc(options, 0_ps, after[k] * t);
    FlowRun lossy = write_of(options, 4'096_B);
    EXPECT_EQ(lossy.completions().front(), end + after[k] * t) << k;
    EXPECT_EQ(lossy.network().totals().packets_retransmitted, static_cast<std::uint64_t>(k));
  }
  PacketNetwork::Options gone = mrc_options(mrc);
  lose_mrc(gone, 0_ps, 1_s);
  FlowRun failed = write_of(gone, 4'096_B);
  EXPECT_EQ(failed.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
  EXPECT_EQ(failed.network().failed_connections().size(), 1U);
  EXPECT_EQ(failed.network().totals().timeouts, 4U);
  EXPECT_EQ(failed.network().last_event(), 9 * t);
}

TEST(MrcTransport, RetriesMayBeWithoutEnd) {
  MrcConfig mrc = mrc_without_control();
  mrc.timeout_exponent = 3;
  mrc.linear_retries = 0;
  mrc.exponential_retries = MrcConfig::kEndless;
  EXPECT_EQ(mrc.traits().delivery->retries, std::numeric_limits<std::uint32_t>::max());
  PacketNetwork::Options options = mrc_options(mrc);
  lose_mrc(options, 0_ps, 10_ms);
  FlowRun run = write_of(options, 4'096_B);
  // The first repeat after 10 ms: T (2^11 - 1).
  EXPECT_GT(run.completions().front(), 2'047 * mrc.timeout());
  EXPECT_LT(run.completions().front(), 2'047 * mrc.timeout() + 10_us);
  const protocols::PacketDelivery delivery = *mrc.traits().delivery;
  EXPECT_GT(delivery.timeout_after(17'179'869'184_ns, 255), 100 * 1_s);
  EXPECT_GT(delivery.timeout_after(17'179'869'184_ns, 255), Picoseconds()) << "it does not wrap";
}

// A loss that a window of later packets has overtaken is repeated before its time-out.
// MODEL.md 19.5
TEST(MrcTransport, GapsAreRepeatedBeforeTheTimeOut) {
  for (const bool infers : {true, false}) {
    MrcConfig mrc;
    mrc.infers_loss = infers;
    PacketNetwork::Options options = mrc_options(mrc);
    lose_mrc(options, 100 * 334'240_ps, 101 * 334'240_ps);
    FlowRun run = write_of(options, 4_MB);
    run.completions();
    const protocols::NetworkTotals totals = run.network().totals();
    EXPECT_EQ(totals.error_drops, 1);
    EXPECT_EQ(totals.losses_inferred, infers ? 1U : 0U);
    EXPECT_EQ(totals.timeouts, infers ? 0U : 1U);
  }
}

}  // namespace
}  // namespace weft::testing
