#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "protocols/congestion/specs.hpp"
#include "simcore/base/random.hpp"
#include "tests/properties/random_collective_job.hpp"
#include "tests/properties/random_graph_job.hpp"
#include "tests/properties/random_traffic_job.hpp"

namespace weft::testing {

/// The text of a random scenario, small enough to run in a fraction of a second: topology,
/// switches, transport and jobs are drawn by `seed`.
class RandomScenario {
 public:
  explicit RandomScenario(std::uint64_t seed)
      : random_(seed, Purpose::kTestScenario, 7), seed_(seed) {}

  /// Whether some seeds have a job besides whose ranks have several lanes: a graph, or requests of
  /// several clients.
  enum class Graphs : std::uint8_t { kSome, kNone };
  std::string text(Graphs graphs = Graphs::kSome) {
    std::string yaml = fmt::format("name: random-{}\nseed: {}\n", seed_, below(1000));
    const bool spray = below(2) == 0;
    const std::uint64_t hosts = topology(yaml, spray);
    transport(yaml, spray);
    yaml += "jobs:\n";
    const std::uint64_t jobs = 1 + below(3);
    for (std::uint64_t j = 0; j < jobs; ++j) job(yaml, j, hosts, spray);
    if (graphs == Graphs::kSome && seed_ % 3 == 0)
      yaml += RandomGraphJob(seed_).text(hosts, job_classes_);
    if (seed_ % 3 == 1) {
      yaml += RandomTrafficJob(seed_).text(hosts, job_classes_, graphs == Graphs::kSome);
    }
    if (seed_ % 5 == 3) yaml += RandomCollectiveJob(seed_).text(hosts, job_classes_);
    if (is_reliable_ && below(4) == 0) faults(yaml);
    if (is_reliable_ && seed_ % 4 == 2) lose_frames(yaml);
    if (seed_ % 7 == 4) receive_slowly(yaml);
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
    yaml += fmt::format(", load_balancing: {}", spray ? one_of({"spray", "round-robin"}) : "ecmp");
    yaml += fmt::format(", flow_control: {}", flow_control());
    yaml += fmt::format(", pause: {{frame: {}, quanta: {}}}", one_of({"0B", "64B"}),
                        seed_ % 9 == 5 ? "expire" : one_of({"standard", "until-resume"}));
    yaml += fmt::format(", ecn: {}", marking());
    if (below(4) == 0) {
      yaml += fmt::format(", queueing: input, arbitration: {}", one_of({"round-robin", "random"}));
      queues_at_inputs_ = true;
    }
    if (below(4) == 0) {
      yaml += fmt::format(", forwarding: cut-through, cut_through_after: {}B", 64 + below(200));
    }
    yaml += fmt::format(", buffer_release: {}", one_of({"transmission-end", "transmission-start"}));
    if (below(2) == 0) classes(yaml);
    yaml += "}\n";
    has_pfc_ = yaml.find(job_classes_ == 0 ? "type: pfc" : "c0, flow_control: {type: pfc") !=
               std::string::npos;
    return hosts;
  }

  /// Of a class that must not lose anything.
  std::string flow_control() {
    const std::uint64_t xoff = 30 + below(300);
    switch (below(4)) {
      case 0:
        return fmt::format("{{type: credit, buffer: {}KiB, update: {}, processing: {}ns}}",
                           8 + below(200), one_of({"0B", "8B"}), below(200));
      case 1:
        return fmt::format(
            "{{type: pfc, threshold: dynamic, alpha: {}, xon_offset: {}KB, reserved: {}KB, "
            "headroom: exact}}",
            one_of({"0.0005", "0.03125", "1"}), below(20), below(10));
      case 2:
        return fmt::format("{{type: pfc, xoff: {}KB, xon: {}KB, headroom: exact}}", xoff, xoff / 2);
      default:
        return fmt::format("{{type: pfc, xoff: {}KB, xon: {}KB}}", xoff, xoff / 2);
    }
  }

  /// Links of hosts that fail or slow down for a while, and a NIC that pauses; the transport
  /// recovers what is lost.
  void faults(std::string& yaml) {
    yaml += "faults:\n";
    const auto time = [&] { return below(40'000); };
    const std::uint64_t down = time();
    const std::uint64_t slow = time();
    const std::uint64_t held = time();
    yaml += fmt::format("  - {{type: link-down, from: h1, at: {}ns, until: {}ns}}\n", down,
                        down + 1 + time());
    yaml += fmt::format(
        "  - {{type: link-rate, from: h2, at: {}ns, until: {}ns, rate: 25Gbps, direction: {}}}\n",
        slow, slow + 1 + time(), one_of({"both", "out", "in"}));
    if (has_pfc_) {
      yaml += fmt::format("  - {{type: nic-pause, host: h3, at: {}ns, until: {}ns}}\n", held,
                          held + 1 + time());
    }
  }

  /// Access links that corrupt frames, and what else they can be given.
  void lose_frames(std::string& yaml) const {
    const std::string key = "access: {";
    yaml.insert(yaml.find(key) + key.size(), seed_ % 8 == 2
                                                 ? "frame_loss_rate: 0.003, "
                                                 : "bit_error_rate: 1e-7, code_word: rs-528, ");
    if (yaml.find("\nfaults:\n") == std::string::npos) return;
    yaml += "  - {type: bit-errors, from: h0, at: 1us, until: 20us, frame_loss_rate: 0.05}\n";
  }

  /// NICs that take in less than some links bring, with room for what comes until they pause.
  void receive_slowly(std::string& yaml) const {
    const std::string server = "server: host-400g";
    const std::size_t at = yaml.find(server);
    if (at == std::string::npos) return;
    yaml.replace(at, server.size(),
                 fmt::format("server: {{part: host-400g, nic: {{part: connectx-7, receive_rate: "
                             "{}Gbps, receive_buffer: 64MiB, xoff: 1MiB, xon: 900KiB}}}}",
                             60 + seed_ % 300));
  }

  std::string marking() {
    const std::uint64_t kmin = 10 + below(200);
    if (below(4) == 0) {
      return fmt::format("{{type: step, kmin: {}KB, mark: {}}}", kmin,
                         one_of({"enqueue", "dequeue"}));
    }
    return fmt::format("{{kmin: {}KB, kmax: {}KB, pmax: 0.{}, mark: {}, at_rate: {}}}", kmin,
                       kmin + 1 + below(500), 1 + below(9), one_of({"enqueue", "dequeue"}),
                       one_of({"100Gbps", "400Gbps"}));
  }

  /// Two to four classes, the first ones for jobs.
  void classes(std::string& yaml) {
    job_classes_ = 1 + below(3);
    yaml += ", classes: [";
    for (std::uint64_t c = 0; c < job_classes_; ++c) {
      yaml += fmt::format("{{name: c{}, flow_control: {}, scheduling: {}, ", c, flow_control(),
                          c > 0 && below(3) == 0 ? "strict" : "weighted");
      // A strict class has no weight.
      const bool is_strict = yaml.ends_with("strict, ");
      yaml += is_strict ? fmt::format("ecn: {}}}, ", marking())
                        : fmt::format("weight: {}, ecn: {}}}, ", 1 + below(5), marking());
    }
    yaml += "{name: control, scheduling: strict, flow_control: none, ecn: none}]";
  }

  /// What a job writes to choose its class.
  std::string job_class() {
    return job_classes_ == 0 ? "" : fmt::format("class: c{}, ", below(job_classes_));
  }

  void transport(std::string& yaml, bool spray) {
    if (!spray && below(6) == 0) {
      yaml += "transport: {type: datagram, mtu: 1500B}\n";
      is_reliable_ = false;
      return;
    }
    yaml += "transport: " + (below(6) == 0 ? tcp() : roce(spray)) + "\n";
  }

  [[nodiscard]] const char* around() const {
    const char* choices[] = {"", "encapsulation: vlan, ", "encapsulation: [vlan, macsec], ", "",
                             "encapsulation: psp, "};
    return choices[seed_ % std::size(choices)];
  }

  /// In whatever class and over whatever paths: it repairs what either does to it.
  std::string tcp() {
    const std::string control = one_of({"new-reno", "cubic", "dctcp", "swift", "timely", "none"});
    return fmt::format(
        "{{type: tcp, {}mtu: {}B, sack: {}, window: {}, queue_pairs: {}, ack: {{every: {}, delay: "
        "{}us, last: {}, priority: {}}}, timeout: {{least: 300us}}, congestion_control: {}}}",
        around(), one_of({"1500", "9000"}), one_of({"true", "false"}),
        below(2) == 0 ? 0 : 1 + below(60), 1 + below(3), 1 + below(4), 20 + below(200),
        one_of({"true", "false"}), one_of({"same", "highest", "control"}), control);
  }

  std::string roce(bool spray) {
    const std::uint64_t every = 1 + below(4);
    const char* mtu = one_of({"1024", "4096"});
    const bool takes_any_order = spray || below(2) == 0;
    return fmt::format(
        "{{type: roce, {}mtu: {}B, {}, window: {}, queue_pairs: {}, ack: {{every: {}, "
        "priority: {}{}}}, congestion_control: {}{}{}}}",
        around(), mtu, recovery(takes_any_order, spray), below(2) == 0 ? 0 : every + below(60),
        1 + below(3), every, one_of({"same", "highest", "control"}),
        !takes_any_order && seed_ % 5 != 2 && seed_ % 7 < 3 ? ", nack_interval: 5us" : "",
        congestion_control(), entropy(takes_any_order, every == 1),
        seed_ % 6 == 4 ? ", queue_pair_life: message" : "");
  }

  /// Who chooses ways, where the transport can do with it.
  [[nodiscard]] std::string entropy(bool takes_any_order, bool acks_every_packet) const {
    if (seed_ % 5 == 2 || seed_ % 6 == 4) return "";
    switch (seed_ % 8) {
      case 1:
        return takes_any_order ? ", path_selection: {type: oblivious, values: 8}" : "";
      case 3:
        return takes_any_order && acks_every_packet ? ", path_selection: bitmap" : "";
      case 5:
        return takes_any_order && acks_every_packet
                   ? ", path_selection: {type: reps, freeze_time: 1ms}"
                   : "";
      case 7:
        return acks_every_packet ? ", path_selection: plb" : "";
      default:
        return "";
    }
  }

  /// What receivers do out of order, or selective repeat in its place.
  [[nodiscard]] std::string recovery(bool takes_any_order, bool spray) const {
    if (seed_ % 5 != 2) {
      return fmt::format("receiver: {}", takes_any_order ? "any-order" : "in-order");
    }
    return fmt::format(
        "recovery: {{type: selective-repeat, cap: {}, timeout_low: {}us, reordering: "
        "{}}}",
        seed_ % 2 == 0   ? "bdp"
        : seed_ % 3 == 0 ? "none"
                         : "100KB",
        20 + seed_ % 80, spray && seed_ % 4 < 2 ? 32 : 0);
  }

  /// Any of the list, DCQCN also by its presets and RCCC with nothing unasked; where packets queue
  /// at inputs none that needs telemetry, which is refused.
  std::string congestion_control() {
    const auto& names = protocols::congestion::ControlSpecs::kNames;
    const std::uint64_t choice = below(names.size() + 3);
    if (choice < names.size()) {
      const bool is_refused =
          queues_at_inputs_ && protocols::congestion::ControlSpecs::kRequirements[choice].telemetry;
      return is_refused ? "none" : names[choice];
    }
    switch (choice - names.size()) {
      case 0:
        return "{type: dcqcn, preset: connectx}";
      case 1:
        return "{type: dcqcn, preset: hpcc-ns3}";
      default:
        return "{type: rccc, speculative: 0, quantum: 5000B, adapts_to_marks: true}";
    }
  }

  /// What a job writes to have a transport of its own.
  std::string job_transport(bool spray) {
    switch (below(10)) {
      case 0:
        return "transport: " + tcp() + ", ";
      case 1:
      case 2:
        return "transport: " + roce(spray) + ", ";
      default:
        return "";
    }
  }

  void job(std::string& yaml, std::uint64_t number, std::uint64_t hosts, bool spray) {
    std::string head = fmt::format("  - {{name: j{}, start: {}us, {}{}", number, below(20),
                                   job_class(), job_transport(spray));
    if (number > 0 && seed_ % 4 == 1) head += fmt::format("after: j{}, ", number - 1);
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
        yaml +=
            head +
            fmt::format(
                "type: all-reduce, algorithm: ring, size: {}B, iterations: {}, ranks: {{random: "
                "{}}}}}\n",
                1 + below(500'000), 1 + below(2), 2 + below(hosts - 1));
        break;
      case 3:
        yaml += head + fmt::format("type: all-to-all, algorithm: pairwise, size: {}B}}\n",
                                   1 + below(30'000));
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
  std::uint64_t job_classes_ = 0;  ///< 0: no classes are named
  bool is_reliable_ = true;
  bool queues_at_inputs_ = false;
  bool has_pfc_ = false;
};

}  // namespace weft::testing
