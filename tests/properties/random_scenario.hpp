#pragma once

#include <fmt/format.h>

#include <string>

#include "simcore/random.hpp"

namespace weft::testing {

/// The text of a random scenario, small enough to run in a fraction of a second: topology,
/// switches, transport and jobs are drawn by `seed`.
class RandomScenario {
 public:
  explicit RandomScenario(std::uint64_t seed)
      : random_(seed, Purpose::kTestScenario, 7), seed_(seed) {}

  std::string text() {
    std::string yaml = fmt::format("name: random-{}\nseed: {}\n", seed_, below(1000));
    const bool spray = below(2) == 0;
    const std::uint64_t hosts = topology(yaml, spray);
    transport(yaml, spray);
    yaml += "jobs:\n";
    const std::uint64_t jobs = 1 + below(3);
    for (std::uint64_t j = 0; j < jobs; ++j) job(yaml, j, hosts);
    return yaml;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.below(counter_++, n); }
  template <std::size_t N>
  const char* one_of(const char* const (&choices)[N]) {
    return choices[below(N)];
  }

  std::uint64_t topology(std::string& yaml, bool spray) {
    std::uint64_t hosts = 16;
    std::string fabric;
    if (below(4) == 0) {
      yaml += fmt::format("links: {{access: {{latency: {0}ns}}, uplink: {{latency: {1}ns}}}}\n",
                          100 + below(900), 100 + below(900));
      fabric = "topology: fat-tree, k: 4";
    } else {
      const std::uint64_t racks = 2 + below(3);
      const std::uint64_t servers = 2 + below(4);
      hosts = racks * servers;
      yaml += fmt::format("racks: {{count: {}, servers: {}, server: host-400g}}\n", racks, servers);
      yaml += fmt::format(
          "links: {{access: {{rate: {}Gbps, length: 3m, cable: copper}}, uplink: {{rate: {}Gbps, "
          "length: {}m, cable: fibre}}}}\n",
          one_of({"100", "200", "400"}), one_of({"100", "400", "800"}), 10 + below(200));
      fabric = fmt::format("topology: leaf-spine, spines: {}, links_per_pair: {}", 1 + below(4),
                           1 + below(2));
    }
    yaml += "fabric: {" + fabric + fmt::format(", switch: {}", one_of({"spectrum-4", "ideal"}));
    yaml += fmt::format(", load_balancing: {}", spray ? "spray" : "ecmp");
    const std::uint64_t xoff = 30 + below(300);
    yaml += fmt::format(
        ", flow_control: {{type: pfc, xoff: {}KB, xon: {}KB}}, pause: {{frame: {}, quanta: {}}}",
        xoff, xoff / 2, one_of({"0B", "64B"}), one_of({"standard", "until-resume"}));
    const std::uint64_t kmin = 10 + below(200);
    yaml += fmt::format(", ecn: {{kmin: {}KB, kmax: {}KB, pmax: 0.{}, mark: {}}}", kmin,
                        kmin + 1 + below(500), 1 + below(9), one_of({"enqueue", "dequeue"}));
    yaml +=
        fmt::format(", buffer_release: {}}}\n", one_of({"transmission-end", "transmission-start"}));
    return hosts;
  }

  void transport(std::string& yaml, bool spray) {
    if (!spray && below(6) == 0) {
      yaml += "transport: {type: datagram, mtu: 1500B}\n";
      return;
    }
    const std::uint64_t every = 1 + below(4);
    yaml += fmt::format(
        "transport: {{type: roce, mtu: {}B, receiver: {}, window: {}, queue_pairs: {}, ack: "
        "{{every: "
        "{}, priority: {}}}, congestion_control: {}}}\n",
        one_of({"1024", "4096"}), spray || below(2) == 0 ? "any-order" : "in-order",
        below(2) == 0 ? 0 : every + below(60), 1 + below(3), every, one_of({"data", "control"}),
        one_of(
            {"none", "dcqcn", "{type: dcqcn, preset: paper}", "{type: dcqcn, preset: hpcc-ns3}"}));
  }

  void job(std::string& yaml, std::uint64_t number, std::uint64_t hosts) {
    const std::string head = fmt::format("  - {{name: j{}, start: {}us, ", number, below(20));
    switch (below(6)) {
      case 0:
        yaml += head + fmt::format(
                           "type: incast, senders: {}, receiver: 0, size: {}B, rounds: {}, "
                           "jitter: {}us}}\n",
                           2 + below(hosts - 2), 1 + below(200'000), 1 + below(3), below(5));
        break;
      case 1:
        yaml += head + fmt::format("type: permutation, size: {}B, jitter: {}us}}\n",
                                   1 + below(300'000), below(5));
        break;
      case 2:
        yaml += head + fmt::format(
                           "type: all-reduce, size: {}B, iterations: {}, ranks: {{random: "
                           "{}}}}}\n",
                           1 + below(500'000), 1 + below(2), 2 + below(hosts - 1));
        break;
      case 3:
        yaml += head + fmt::format("type: all-to-all, size: {}B}}\n", 1 + below(30'000));
        break;
      case 4:
        yaml += head + fmt::format(
                           "type: messages, list: [{{from: 0, to: 1, size: {}B}}, {{start: "
                           "3us, from: 1, to: 0, size: {}B}}]}}\n",
                           1 + below(100'000), 1 + below(100'000));
        break;
      default:
        yaml += head + fmt::format(
                           "type: open-loop, size: {}B, load: 0.{}, arrivals: {}, stop: "
                           "30us}}\n",
                           1 + below(20'000), 1 + below(8), one_of({"poisson", "constant"}));
    }
  }

  RandomStream random_;
  std::uint64_t seed_;
  std::uint64_t counter_ = 0;
};

}  // namespace weft::testing
