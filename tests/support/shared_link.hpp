#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "simcore/base/random.hpp"
#include "tests/support/flow_runner.hpp"

/// Long flows of several hosts through one link: what fixed points of congestion controls are
/// measured with.
namespace weft::testing {

struct SharedLink {
  std::uint32_t flows = 2;
  BitsPerSecond rate = 100'000'000'000_bps;
  BitsPerSecond sender_rate{};     ///< of the links of senders; 0: the same
  Picoseconds latency = 2'500_ns;  ///< of each of the two links
  Picoseconds from = 10_ms;        ///< the measurement begins
  Picoseconds to = 40_ms;
  Picoseconds spread = 20_us;         ///< flows start at random times up to this
  std::uint64_t seed = 1;             ///< of these times
  Picoseconds sample_period = 10_us;  ///< of what controls tell; 0: none
  Picoseconds queue_period{};         ///< of samples of the queue; 0: none
  Bytes size = 2_GiB;
};

/// What was seen between `from` and `to`.
class SharedLinkRun {
 public:
  SharedLinkRun(const SharedLink& link, protocols::PacketNetwork::Options options) : link_(link) {
    std::vector<Flow> flows;
    const RandomStream jitter(link.seed, Purpose::kTestScenario, 0);
    for (std::uint32_t i = 1; i <= link.flows; ++i) {
      const auto max = static_cast<std::uint64_t>(link.spread.count());
      const Picoseconds start(static_cast<std::int64_t>(jitter.below(i, max)));
      flows.push_back({HostId(i), HostId(0u), link.size, start});
      if (link.sample_period != Picoseconds()) {
        options.observation.rate_flows.emplace_back(i - 1);
      }
    }
    options.observation.rate_period = link.sample_period;
    options.trace_sink = [this](std::span<const TraceRecord> records) {
      for (const TraceRecord& r : records) {
        if (r.time < link_.from) continue;
        if (r.kind == TraceRecord::Kind::kControl) samples_.push_back(r);
        if (r.kind == TraceRecord::Kind::kQueue) queue_.push_back(r);
      }
    };
    topologies::CustomSpec topology =
        std::get<topologies::CustomSpec>(star(link.flows + 1, link.rate, link.latency));
    if (link.sender_rate != BitsPerSecond()) {
      for (std::size_t i = 1; i < topology.links.size(); ++i) {
        topology.links[i].link.rate = link.sender_rate;
      }
    }
    const Fabric fabric = topologies::build_fabric(topology).value();
    const PortId port = fabric.port(fabric.host(HostId(0u)).first_port).peer;
    if (link.queue_period != Picoseconds()) {
      options.observation.queue_ports = {port};
      options.observation.queue_period = link.queue_period;
    }
    FlowRun run(fabric, topology, options, flows);
    protocols::PacketNetwork& network = run.network();
    EXPECT_EQ(network.run_until(link.from), protocols::PacketNetwork::Status::kTimeLimit);
    network.reset_statistics();
    std::vector<double> received(link.flows);
    for (std::uint32_t i = 0; i < link.flows; ++i) {
      received[i] = -static_cast<double>(network.packets_received(ConnectionId(i)));
    }
    EXPECT_EQ(network.run_until(link.to), protocols::PacketNetwork::Status::kTimeLimit);
    double sum = 0;
    double squares = 0;
    for (std::uint32_t i = 0; i < link.flows; ++i) {
      received[i] += static_cast<double>(network.packets_received(ConnectionId(i)));
      sum += received[i];
      squares += received[i] * received[i];
    }
    jain_ = sum * sum / (link.flows * squares);
    packets_ = std::move(received);
    counters_ = network.port_counters(port);
    peak_ = static_cast<double>(network.class_counters(port, ClassId()).peak_bytes.count());
    latency_ = network.packet_latency().mean() * 1e-12;
    pauses_ = network.totals().pauses;
    EXPECT_TRUE(network.violated_invariants(false).empty());
  }

  [[nodiscard]] double seconds() const { return to_seconds(link_.to - link_.from); }
  /// Share of the link's time that packets took.
  [[nodiscard]] double used() const {
    return static_cast<double>(counters_.bytes.count()) * 8 /
           static_cast<double>(link_.rate.count()) / seconds();
  }
  /// Bytes that waited, without the packet in transmission: on average and at most.
  [[nodiscard]] double mean_queue() const {
    return static_cast<double>(counters_.queue_integral) * 1e-12 / seconds();
  }
  [[nodiscard]] double peak_queue() const { return peak_; }
  /// The bytes that wait all through a `time`, on average over the run. Needs `queue_period`.
  [[nodiscard]] double standing_queue(Picoseconds time) const {
    double sum = 0;
    std::int64_t min = 0;
    std::int64_t waiting = 0;
    std::size_t next = 0;
    int count = 0;
    for (Picoseconds at = link_.from; at < link_.to; at += time, ++count) {
      min = waiting;
      for (; next < queue_.size() && queue_[next].time < at + time; ++next) {
        waiting = queue_[next].value;
        min = std::min(min, waiting);
      }
      sum += static_cast<double>(min);
    }
    return sum / count;
  }
  /// Of data packets, in seconds: from their first bit until the last one is there.
  [[nodiscard]] double mean_latency() const { return latency_; }
  /// Jain's index of what the flows got.
  [[nodiscard]] double jain() const { return jain_; }
  /// Payload packets by flow.
  [[nodiscard]] const std::vector<double>& packets() const { return packets_; }
  [[nodiscard]] std::int64_t marks() const { return counters_.ecn_marked; }
  [[nodiscard]] std::int64_t pauses() const { return pauses_; }

  /// At each sample the sum over all flows of a column of rates.csv, as recorded.
  [[nodiscard]] std::vector<double> sums(std::string_view column) const {
    const auto number = static_cast<std::uint32_t>(protocols::congestion::kAllColumns.find(column));
    std::vector<double> sums;
    Picoseconds time(-1);
    for (const TraceRecord& r : samples_) {
      if (r.detail != number) continue;
      if (r.time != time) sums.push_back(0);
      time = r.time;
      sums.back() += static_cast<double>(r.value);
    }
    return sums;
  }
  /// Of such sums per flow, on average.
  [[nodiscard]] double mean(std::string_view column) const {
    double sum = 0;
    const std::vector<double> all = sums(column);
    for (const double value : all) sum += value;
    return sum / static_cast<double>(all.size()) / link_.flows;
  }

 private:
  SharedLink link_;
  std::vector<TraceRecord> samples_;
  std::vector<TraceRecord> queue_;
  std::vector<double> packets_;
  protocols::PortCounters counters_;
  double peak_ = 0;
  double latency_ = 0;
  double jain_ = 0;
  std::int64_t pauses_ = 0;
};

/// RoCE under a congestion control, with packets of `wire` bytes and ACKs that take next to no
/// time.
inline protocols::PacketNetwork::Options options_with(
    const protocols::congestion::ControlConfig& control, Bytes wire = 4'000_B,
    Bytes header = 64_B) {
  protocols::PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.format.payload = wire - header;
  roce.format.header = header;
  roce.ack_size = 1_B;
  roce.congestion_control = control;
  options.transport = roce;
  options.switches.data().ecn.enabled = false;
  return options;
}

/// Every packet is marked that leaves more than `threshold` bytes behind.
inline protocols::EcnConfig marks_above(Bytes threshold) {
  return {.enabled = true,
          .curve = protocols::EcnConfig::Curve::kStep,
          .kmin = threshold,
          .kmax = threshold,
          .mark = protocols::EcnConfig::Mark::kDequeue};
}

}  // namespace weft::testing
