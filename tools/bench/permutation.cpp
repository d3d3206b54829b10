#include "tools/bench/permutation.hpp"

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "simcore/base/random.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::bench {
namespace {

/// Every process sends one long message to its partner.
class Senders final : public ProcessHandler {
 public:
  explicit Senders(Bytes size) : size_(size) {}
  void on_start(ProcessContext& context, ProcessId self) override {
    context.post(ConnectionId(self.value()), size_);
  }
  void on_delivered(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_acknowledged(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_wake(ProcessContext&, ProcessId, std::uint64_t) override {}
  void on_control_event(ProcessContext&, ProcessId, ProcessId, std::uint64_t) override {}

 private:
  Bytes size_;
};

/// Sattolo's shuffle: one cycle, so nobody sends to itself.
std::vector<std::uint32_t> random_cycle(std::uint32_t n) {
  std::vector<std::uint32_t> partner(n);
  std::iota(partner.begin(), partner.end(), 0U);
  const RandomStream random(1, Purpose::kPermutation, 0);
  for (std::uint32_t i = n - 1; i > 0; --i) {
    std::swap(partner[i], partner[random.below(i, i)]);
  }
  return partner;
}

Bytes message_size(std::uint32_t hosts) {
  if (hosts >= 32'768) return 1_MB;
  return hosts >= 4'096 ? 4_MB : 8_MB;
}

/// Everything that a run needs, in one place that does not move.
struct Permutation {
  Permutation(std::uint32_t hosts, const topologies::LeafSpineSpec& spec,
              const protocols::PacketNetwork::Options& options, const LinkErrors& errors)
      : fabric(topologies::build_fabric(spec).value()),
        routes(topologies::build_routes(fabric, spec).value()),
        senders(message_size(hosts)) {
    for (Port& port : fabric.ports) port.errors = errors;
    std::vector<HostId> processes;
    std::vector<Connection> connections;
    const std::vector<std::uint32_t> partner = random_cycle(hosts);
    for (std::uint32_t i = 0; i < hosts; ++i) {
      processes.emplace_back(i);
      connections.push_back({ProcessId(i), ProcessId(partner[i]), 0});
    }
    network =
        std::make_unique<protocols::PacketNetwork>(fabric, routes, options, processes, connections);
    network->start(senders);
  }
  Fabric fabric;
  Routes routes;
  Senders senders;
  std::unique_ptr<protocols::PacketNetwork> network;
};

}  // namespace

protocols::PacketNetwork::Options usual_options(bool spray) {
  protocols::PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.format.payload = 4_KiB;
  roce.window = 64;
  if (spray) {
    roce.receiver = protocols::RoceConfig::Receiver::kAnyOrder;
    options.switches.load_balancing = protocols::LoadBalancing::kSpray;
  }
  options.transport = roce;
  return options;
}

Prepare permutation(std::uint32_t hosts, const protocols::PacketNetwork::Options& options,
                    const LinkErrors& errors) {
  return [hosts, options, errors]() -> Run {
    std::uint32_t radix = 8;  // servers per rack, and spines
    while (radix * radix < hosts) radix *= 2;
    topologies::LeafSpineSpec spec;
    spec.servers_per_rack = spec.spines = radix;
    spec.racks = hosts / radix;
    spec.access = spec.uplink = {400_Gbps, 500_ns};
    const auto all = std::make_shared<Permutation>(hosts, spec, options, errors);
    return [all] {
      all->network->run_until(1_s);
      return Measured{.hops = static_cast<double>(all->network->totals().packet_hops),
                      .state_bytes = static_cast<double>(all->network->memory_bytes()),
                      .simulated = to_seconds(all->network->last_event())};
    };
  };
}

}  // namespace weft::bench
