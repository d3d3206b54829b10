#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "topologies/build_fabric.hpp"

/// Plain flows on a fabric, without scenarios or jobs: what the oracle tests are written in.
namespace weft::testing {

/// Nothing but line rate and PFC: neither congestion control nor marks.
inline protocols::PacketNetwork::Options plain_options() {
  protocols::PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.congestion_control = protocols::congestion::NoControlConfig{};
  options.transport = roce;
  options.switches.data().ecn.enabled = false;
  return options;
}

inline protocols::RoceConfig& roce_of(protocols::PacketNetwork::Options& options) {
  return std::get<protocols::RoceConfig>(options.transport);
}

struct Flow {
  HostId source;
  HostId destination;
  Bytes size;
  Picoseconds start;
  ClassId traffic_class{};
  std::optional<std::uint32_t> label{};  ///< of its connection; absent: its number
};

/// Processes that post one message each at its start time.
class FlowSenders final : public ProcessHandler {
 public:
  explicit FlowSenders(std::vector<Flow> flows) : flows_(std::move(flows)) {}

  void on_start(ProcessContext& context, ProcessId self) override {
    if (self.value() >= flows_.size()) return;  // a receiver
    const Flow& flow = flows_[self.value()];
    if (flow.start > Picoseconds(0)) {
      context.wake_at(flow.start, 0);
    } else {
      context.post(ConnectionId(self.value()), flow.size);
    }
  }
  void on_wake(ProcessContext& context, ProcessId self, std::uint64_t) override {
    context.post(ConnectionId(self.value()), flows_[self.value()].size);
  }
  void on_delivered(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_acknowledged(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_control_event(ProcessContext&, ProcessId, ProcessId, std::uint64_t) override {}

 private:
  std::vector<Flow> flows_;
};

/// A fabric with the network and the flows on it. Flow i is connection i.
class FlowRun {
 public:
  FlowRun(const topologies::TopologySpec& topology,
          const protocols::PacketNetwork::Options& options, const std::vector<Flow>& flows)
      : FlowRun(topologies::build_fabric(topology).value(), topology, options, flows) {}

  FlowRun(const Fabric& fabric, const topologies::TopologySpec& topology,
          const protocols::PacketNetwork::Options& options, const std::vector<Flow>& flows)
      : FlowRun(fabric, topologies::build_routes(fabric, topology).value(), options, flows) {}

  FlowRun(Fabric fabric, Routes routes, const protocols::PacketNetwork::Options& options,
          const std::vector<Flow>& flows)
      : fabric_(std::move(fabric)), routes_(std::move(routes)), senders_(flows) {
    std::vector<HostId> processes;
    std::vector<Connection> connections;
    processes.reserve(2 * flows.size());
    connections.reserve(flows.size());
    for (const Flow& flow : flows) processes.push_back(flow.source);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      connections.push_back({ProcessId(i), ProcessId(processes.size()),
                             flows[i].label.value_or(static_cast<std::uint32_t>(i)),
                             flows[i].traffic_class});
      processes.push_back(flows[i].destination);
    }
    network_ = std::make_unique<protocols::PacketNetwork>(fabric_, routes_, options, processes,
                                                          connections);
    network_->start(senders_);
  }

  /// Runs until nothing is left to happen, checks the conservation laws, and returns the completion
  /// times at the sender, by flow.
  std::vector<Picoseconds> completions() {
    EXPECT_EQ(network_->run_until(10_s), protocols::PacketNetwork::Status::kQuiescent);
    EXPECT_TRUE(network_->violated_invariants(true).empty())
        << network_->violated_invariants(true).front();
    std::vector<Picoseconds> times(messages().size());
    for (const protocols::MessageOutcome& m : messages()) {
      EXPECT_TRUE(m.acknowledged) << "flow " << m.connection.value() << " did not complete";
      times[m.connection.value()] = m.acknowledged.value_or({}) - m.posted;
    }
    return times;
  }

  /// By connection and order of posting; once the network is at rest.
  [[nodiscard]] const std::vector<protocols::MessageOutcome>& messages() {
    if (!messages_.empty()) return messages_;
    messages_ = network_->take_messages();
    std::ranges::stable_sort(messages_, {}, [](const protocols::MessageOutcome& m) {
      return std::tuple(m.connection, m.posted);
    });
    return messages_;
  }
  [[nodiscard]] protocols::PacketNetwork& network() { return *network_; }
  [[nodiscard]] const Fabric& fabric() const { return fabric_; }
  [[nodiscard]] const Routes& routes() const { return routes_; }

 private:
  Fabric fabric_;
  Routes routes_;
  FlowSenders senders_;
  std::unique_ptr<protocols::PacketNetwork> network_;
  std::vector<protocols::MessageOutcome> messages_;
};

/// `hosts` hosts on one switch.
inline topologies::TopologySpec star(std::uint32_t hosts, BitsPerSecond rate, Picoseconds latency) {
  topologies::CustomSpec spec;
  spec.nodes.push_back({.name = "s0", .is_switch = true});
  for (std::uint32_t i = 0; i < hosts; ++i) {
    const std::string name = "h" + std::to_string(i);
    spec.nodes.push_back({.name = name});
    spec.links.push_back({.from = name, .to = "s0", .link = {rate, latency}});
  }
  return spec;
}

/// Two hosts on one cable, without a switch: a path of one link.
inline Fabric back_to_back(BitsPerSecond rate, Picoseconds latency) {
  Fabric fabric;
  for (std::uint32_t i = 0; i < 2; ++i) {
    fabric.nodes.push_back({.name = "h" + std::to_string(i),
                            .kind = NodeKind::kHost,
                            .index = i,
                            .first_port = PortId(i),
                            .port_count = 1,
                            .pipeline = 0_ps});
    fabric.ports.push_back({NodeId(i), PortId(1 - i), rate, latency});
    fabric.hosts.emplace_back(i);
  }
  return fabric;
}

/// Either host of it sends by its only port.
inline Routes back_to_back_routes() {
  Routes routes;
  routes.local_ports = {0, 0};
  routes.rows = {{}, {.first = 1, .count = 1}};
  routes.hosts.resize(2);
  routes.groups = {{{1, 1}, {0, 0}}};
  return routes;
}

/// Switches in a row, a host at each end: a path of `links` links.
inline topologies::TopologySpec line(std::uint32_t links, BitsPerSecond rate, Picoseconds latency) {
  topologies::CustomSpec spec;
  spec.nodes.push_back({.name = "h0"});
  spec.nodes.push_back({.name = "h1"});
  std::string previous = "h0";
  for (std::uint32_t i = 1; i < links; ++i) {
    const std::string name = "s" + std::to_string(i);
    spec.nodes.push_back({.name = name, .is_switch = true});
    spec.links.push_back({.from = previous, .to = name, .link = {rate, latency}});
    previous = name;
  }
  spec.links.push_back({.from = previous, .to = "h1", .link = {rate, latency}});
  return spec;
}

}  // namespace weft::testing
