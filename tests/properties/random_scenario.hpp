#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/properties/random_collective_job.hpp"
#include "tests/properties/random_graph_job.hpp"
#include "tests/properties/random_traffic_job.hpp"
#include "tests/properties/random_transport.hpp"
#include "tests/properties/swarm.hpp"
#include "tests/support/draws.hpp"

namespace weft::testing {

/// The text of a random scenario, small enough to run in a fraction of a second: first how likely
/// each feature is, then topology, switches, transport and jobs are drawn by `seed`. Its first line
/// says what repeats it, and with which probabilities it was drawn.
class RandomScenario {
 public:
  explicit RandomScenario(std::uint64_t seed) : draws_(seed), seed_(seed) {}

  /// Whether some seeds have a job besides whose ranks have several lanes: a graph, or requests of
  /// several clients.
  enum class Graphs : std::uint8_t { kSome, kNone };
  std::string text(Graphs graphs = Graphs::kSome) {
    std::string yaml = fmt::format("name: random-{}\nseed: {}\n", seed_, below(1000));
    const std::uint64_t hosts = topology(yaml);
    RandomTransport transports(draws_, has(SwarmFeature::kInputQueues));
    transport(yaml, transports);
    yaml += "jobs:\n";
    const std::uint64_t jobs = has(SwarmFeature::kRivals) ? 2 + below(2) : 1 + below(3);
    for (std::uint64_t j = 0; j < jobs; ++j) job(yaml, j, hosts, transports);
    other_jobs(yaml, hosts, graphs);
    faults(yaml);
    if (is_reliable() && draws(SwarmFeature::kBitErrors)) lose_frames(yaml);
    receivers(yaml);
    planes(yaml);
    source_routes(yaml);
    pcie(yaml);
    splits(yaml);
    operations(yaml);
    const bool may_retry = !has(SwarmFeature::kCredits) ||
                           (has_cbfc_ && yaml.find("cut-through") == std::string::npos);
    if (may_retry && draws(SwarmFeature::kLinkRetry)) retry_links(yaml);
    note_path();
    return fmt::format("# WEFT_SWARM_SEED={}: {}\n", seed_, draws_.odds().text()) + yaml;
  }
  /// Of the text, once it is drawn.
  [[nodiscard]] const SwarmFeatures& features() const { return draws_.features(); }

 private:
  std::uint64_t below(std::uint64_t n) { return draws_.below(n); }
  bool draws(SwarmFeature feature) { return draws_.draws(feature); }
  [[nodiscard]] bool has(SwarmFeature feature) const { return draws_.has(feature); }
  template <std::size_t N>
  const char* one_of(const char* const (&choices)[N]) {
    return draws_.one_of(choices);
  }

  std::uint64_t topology(std::string& yaml) {
    std::uint64_t hosts = 16;
    std::string fabric;
    if (draws(SwarmFeature::kFatTree)) {
      yaml += fmt::format("links: {{access: {{latency: {0}ns}}, uplink: {{latency: {1}ns}}}}\n",
                          100 + below(900), 100 + below(900));
      fabric = "topology: fat-tree, k: 4";
    } else {
      const std::uint64_t racks = 2 + below(3);
      const std::uint64_t servers = 2 + below(4);
      hosts = racks * servers;
      yaml +=
          fmt::format("racks: {{count: {}, servers: {}, server: {}}}\n", racks, servers, server());
      yaml += fmt::format(
          "links: {{access: {{rate: {}Gbps, length: 3m, cable: copper}}, uplink: {{rate: {}Gbps, "
          "length: {}m, cable: fibre}}}}\n",
          one_of({"100", "200", "400"}), one_of({"100", "400", "800"}), 10 + below(200));
      fabric = fmt::format("topology: leaf-spine, spines: {}, links_per_pair: {}", 1 + below(4),
                           1 + below(2));
    }
    yaml += "fabric: {" + fabric + switches() + "}\n";
    return hosts;
  }

  /// Some with NICs that take in less than some links bring, with room for what comes until they
  /// pause.
  std::string server() {
    if (!draws(SwarmFeature::kSlowNics)) return "host-400g";
    return fmt::format(
        "{{part: host-400g, nic: {{part: connectx-7, receive_rate: {}Gbps, receive_buffer: 64MiB, "
        "xoff: 1MiB, xon: 900KiB}}}}",
        60 + below(300));
  }

  std::string switches() {
    const bool sprays = draws(SwarmFeature::kSpray);
    std::string text =
        fmt::format(", switch: {}", draws(SwarmFeature::kCells) ? "spectrum-4" : "ideal");
    text += fmt::format(", load_balancing: {}", sprays ? one_of({"spray", "round-robin"}) : "ecmp");
    const bool expires = draws(SwarmFeature::kExpiringPauses);
    text += fmt::format(", pause: {{frame: {}, quanta: {}}}", one_of({"0B", "64B"}),
                        expires ? "expire" : one_of({"standard", "until-resume"}));
    if (draws(SwarmFeature::kInputQueues)) {
      text += fmt::format(", queueing: input, arbitration: {}", one_of({"round-robin", "random"}));
    }
    if (draws(SwarmFeature::kCutThrough)) {
      text += fmt::format(", forwarding: cut-through, cut_through_after: {}B", 64 + below(200));
    }
    text += fmt::format(", buffer_release: {}", one_of({"transmission-end", "transmission-start"}));
    if (draws(SwarmFeature::kRivals)) {
      draws_.note(SwarmFeature::kClasses);
      draws_.note(SwarmFeature::kStrict);
      return text + classes();
    }
    if (draws(SwarmFeature::kClasses)) return text + classes();
    const std::string flow = flow_control();
    has_pfc_ = flow.find("type: pfc") != std::string::npos;
    return text + fmt::format(", flow_control: {}, ecn: {}{}{}", flow, marking(), trimming(flow),
                              changes(flow));
  }

  /// Switches, ports and NICs of some seeds that are not set as the others; drawn apart, so that
  /// all else of a seed does not depend on it. Where nothing is dropped, nothing is then.
  std::string changes(const std::string& flow) {
    Draws own(seed_ + 0x5e77);
    if (has(SwarmFeature::kFatTree) || !own.one_in(4)) return "";
    has_changes_ = true;
    std::string text = fmt::format(
        ", changes: [{{node: leaf0, classes: [{{name: data, ecn: {{kmin: {}KB, kmax: {}KB}}, "
        "egress_reserved: {}KB}}]}}",
        1 + own.below(50), 60 + own.below(100), own.below(50));
    if (has_pfc_ && flow.find("headroom") == std::string::npos) {
      text += fmt::format(
          ", {{node: leaf1, classes: [{{name: data, flow_control: {}}}]}}, {{node: h1, "
          "honours_pause: {}}}, {{node: leaf0, to: 'spine*', classes: [{{name: data, flow_control: "
          "{{xoff: {}KB, xon: 10KB}}}}]}}",
          own.one_in(2) ? "none" : "{xoff: 300KB, xon: 20KB}", own.one_in(2) ? "true" : "false",
          20 + own.below(200));
      if (!has(SwarmFeature::kInputQueues)) {
        text += fmt::format(
            ", {{node: 'leaf*', pfc_watchdog: {{detection: {}us, restoration: {}us, poll: 2us, "
            "action: forward}}}}",
            2 + own.below(20), 2 + own.below(20));
      }
    }
    return text + "]";
  }

  /// NICs of some seeds have a port in each of several planes, one of which fails where a link
  /// does; drawn apart, as settings are.
  void planes(std::string& yaml) {
    Draws own(seed_ + 0x91a5);
    const bool is_meant = !has(SwarmFeature::kFatTree) && !has(SwarmFeature::kSlowNics) &&
                          !has_changes_ && own.one_in(4);
    if (!is_meant) return;
    const std::uint64_t count = own.one_in(2) ? 2 : 4;
    replace(yaml, "server: host-400g",
            fmt::format("server: {{part: host-400g, nic: {{ports: {}}}}}", count));
    replace(yaml, "topology: leaf-spine", fmt::format("topology: leaf-spine, planes: {}", count));
    replace(yaml, "from: h1, at", "from: h1, to: p1-leaf0, at");
    for (const std::string type : {"{type: uec, ", "{type: mrc, ", "{type: roce, "}) {
      for (std::size_t at = yaml.find(type); at != std::string::npos;
           at = yaml.find(type, at + 1)) {
        const std::string_view rest = std::string_view(yaml).substr(at);
        const std::string_view keys = rest.substr(0, rest.find('\n'));
        const auto says = [&](const char* word) {
          return keys.find(word) != std::string_view::npos;
        };
        const bool any_order =
            type == "{type: roce, " ? says("receiver: any-order") : !says("delivery: rod");
        std::string choice = plane_choice(own, count, any_order, type != "{type: roce, ");
        Draws apart(seed_ + 0x77d0 + at);
        const bool has_windows = says("nscc") && choice.starts_with("plane_choice: packet");
        if (has_windows && apart.one_in(2)) choice += "plane_windows: each, ";
        yaml.insert(at + type.size(), choice);
      }
    }
    has_host_ports_ = has(SwarmFeature::kSpray) || yaml.find("plane_choice") != std::string::npos;
  }
  /// Receivers of Ultra Ethernet and MRC keep track of few packets, or ask for what was overtaken;
  /// drawn apart, as settings are.
  void receivers(std::string& yaml) {
    Draws own(seed_ + 0x3ace);
    for (const std::string type : {"{type: uec, ", "{type: mrc, "}) {
      for (std::size_t at = yaml.find(type); at != std::string::npos;
           at = yaml.find(type, at + 1)) {
        const std::string_view rest = std::string_view(yaml).substr(at);
        const std::string_view keys = rest.substr(0, rest.find('\n'));
        if (keys.find("delivery: rod") != std::string_view::npos) continue;
        std::string more;
        if (own.one_in(3)) more += fmt::format("tracked: {}, ", 10 + own.below(10));
        if (type == "{type: uec, " && own.one_in(3)) {
          more += fmt::format("receiver_gap: {}, ", 1 + own.below(60));
        }
        const std::string recovery = "recovery: {";
        yaml.insert(yaml.find(recovery, at) + recovery.size(), more);
      }
    }
  }
  /// Hosts of some seeds have NICs that outrun their PCIe links.
  void pcie(std::string& yaml) {
    Draws own(seed_ + 0x9c1e);
    if (!own.one_in(6)) return;
    replace(yaml, "server: host-400g",
            fmt::format("server: {{part: host-400g, host_link: {{rate: {}Gbps}}}}",
                        100 + 50 * own.below(6)));
    share_host_links(yaml, own);
  }
  /// Pairs of hosts are servers whose NICs share such a link, one way or both ways as one.
  void share_host_links(std::string& yaml, Draws& own) {
    const std::string_view servers = "servers: ";
    const std::string_view single = ", server: {part: host-400g, host_link: {";
    const std::size_t end = yaml.find(single);
    if (end == std::string::npos || has(SwarmFeature::kInputQueues) || !own.one_in(2)) return;
    const std::size_t begin = yaml.rfind(servers, end) + servers.size();
    const std::uint64_t count = std::stoull(yaml.substr(begin, end - begin));
    if (count % 2 != 0) return;
    // GPUs have other names than NICs that are hosts.
    const bool are_named = yaml.find(": h") != yaml.rfind(": h") || yaml.find("[h") != yaml.npos;
    const bool is_one_way = !are_named && own.one_in(2);
    shares_host_links_ = true;
    yaml.replace(begin, end - begin + single.size(),
                 fmt::format("{}, server: {{part: host-400g, {}nics: 2, host_link: {{shared_by: 2, "
                             "{}",
                             count / 2, is_one_way ? "gpus: 2, " : "",
                             is_one_way ? "through: root-complex, " : ""));
  }
  /// Where all transports are MRC's, packets of some seeds name their routes.
  void source_routes(std::string& yaml) {
    Draws own(seed_ + 0x57c6);
    const auto says = [&](const char* word) { return yaml.find(word) != std::string::npos; };
    const bool is_meant = says("{type: mrc, ") && !says("{type: roce") && !says("{type: uec") &&
                          !says("{type: tcp") && !says("{type: datagram") &&
                          !has(SwarmFeature::kSpray) && own.one_in(2);
    if (!is_meant) return;
    replace(yaml, "load_balancing: ecmp", "load_balancing: source-routes");
    replace(yaml, "{type: mrc, ", "{type: mrc, source_routes: true, ");
  }
  static std::string plane_choice(Draws& own, std::uint64_t count, bool any_order, bool is_uec) {
    if (own.one_in(4)) return "";
    if (!any_order || own.one_in(3)) {
      constexpr const char* kNotices[] = {"port-status", "loss", "none"};
      return fmt::format("plane_choice: qp, plane_notice: {}, ", kNotices[own.below(3)]);
    }
    std::string text = "plane_choice: packet, ";
    if (own.one_in(3))
      text += count == 2 ? "plane_weights: [2, 1], " : "plane_weights: [1, 3, 1, 2], ";
    if (is_uec && own.one_in(2)) text += "plane_notice: loss, plane_retry: 20us, ";
    return text;
  }
  static void replace(std::string& yaml, const std::string& old, const std::string& by) {
    for (std::size_t at = yaml.find(old); at != std::string::npos;
         at = yaml.find(old, at + by.size())) {
      yaml.replace(at, old.size(), by);
    }
  }

  /// Of a class that jobs use. Its buffers are deep enough to lose nothing without it.
  std::string flow_control() {
    if (draws(SwarmFeature::kLossy)) return "none";
    if (draws(SwarmFeature::kCredits)) {
      // A full packet of TCP takes 9 KiB and what is around it.
      const std::string keys = fmt::format("buffer: {}KiB, update: {}, processing: {}ns",
                                           std::max<std::uint64_t>(10, 8 + below(200)),
                                           one_of({"0B", "8B"}), below(200));
      Draws own(seed_ + 0xcbfc);  // drawn apart, so that nothing else changes
      has_cbfc_ = own.one_in(2);
      if (!has_cbfc_) return fmt::format("{{type: credit, {}}}", keys);
      return fmt::format(
          "{{type: cbfc, {}, credit_size: {}B, overhead: {}B, update_gap: {}B, update_period: "
          "{}KiB, "
          "repair: {}us}}",
          keys, 64 + own.below(200), own.below(128), 800 + own.below(8'000), 16 + own.below(200),
          1 + own.below(300));
    }
    if (draws(SwarmFeature::kDynamicThresholds)) {
      return fmt::format(
          "{{type: pfc, threshold: dynamic, alpha: {}, xon_offset: {}KB, reserved: {}KB, "
          "headroom: exact}}",
          one_of({"0.0005", "0.03125", "1"}), below(20), below(10));
    }
    const std::uint64_t xoff = 30 + below(300);
    return fmt::format("{{type: pfc, xoff: {}KB, xon: {}KB{}}}", xoff, xoff / 2,
                       draws(SwarmFeature::kHeadroom) ? ", headroom: exact" : "");
  }

  /// Of a lossy class: a bound of its queues, beyond which it trims.
  std::string trimming(const std::string& flow) {
    if (flow != "none" || has(SwarmFeature::kInputQueues)) return "";
    if (!draws(SwarmFeature::kTrimming)) return "";
    return fmt::format(", egress_limit: {}KB, trimming: {{size: {}B, class: {}, victim: {}}}",
                       20 + below(200), one_of({"64", "84", "148"}), one_of({"highest", "control"}),
                       one_of({"coin-toss", "arriving", "last-queued"}));
  }

  std::string marking() {
    if (draws(SwarmFeature::kNoMarks)) return "none";
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
  std::string classes() {
    const bool are_strict = has(SwarmFeature::kRivals);
    job_classes_ = are_strict ? 2 + below(2) : 1 + below(3);
    std::string text = ", classes: [";
    for (std::uint64_t c = 0; c < job_classes_; ++c) {
      const std::string flow = flow_control();
      if (c == 0) has_pfc_ = flow.find("type: pfc") != std::string::npos;
      // A strict class has no weight.
      const bool is_strict = are_strict || draws(SwarmFeature::kStrict);
      weighted_classes_ += is_strict ? 0 : 1;
      const std::string service =
          is_strict ? std::string("scheduling: strict") : fmt::format("weight: {}", 1 + below(5));
      text += fmt::format("{{name: c{}, flow_control: {}, {}, ecn: {}{}}}, ", c, flow, service,
                          marking(), trimming(flow));
    }
    return text + "{name: control, scheduling: strict, flow_control: none, ecn: none}]";
  }

  /// What a job writes to choose its class.
  std::string job_class(std::uint64_t number) {
    if (job_classes_ == 0) return "";
    const bool has_own = has(SwarmFeature::kRivals) && number < job_classes_;
    return fmt::format("class: c{}, ", has_own ? number : below(job_classes_));
  }

  void transport(std::string& yaml, RandomTransport& transports) {
    if (!has(SwarmFeature::kSpray) && draws(SwarmFeature::kDatagrams)) {
      yaml += "transport: {type: datagram, mtu: 1500B}\n";
      return;
    }
    yaml += "transport: " + reliable(transports) + "\n";
  }
  std::string reliable(RandomTransport& transports) {
    if (draws(SwarmFeature::kTcp)) return transports.tcp();
    return draws(SwarmFeature::kUltraEthernet) ? transports.uec() : transports.roce();
  }
  /// Whether whatever is lost is sent again.
  [[nodiscard]] bool is_reliable() const { return !has(SwarmFeature::kDatagrams); }

  /// What a job writes to have a transport of its own.
  std::string job_transport(RandomTransport& transports) {
    if (!draws(SwarmFeature::kOwnTransports)) return "";
    return "transport: " + reliable(transports) + ", ";
  }

  /// What fails and slows down for a while, where the transport recovers what is lost.
  void faults(std::string& yaml) {
    const auto during = [&] {
      const std::uint64_t at = below(40'000);
      return fmt::format("at: {}ns, until: {}ns", at, at + 1 + below(40'000));
    };
    std::string text;
    if (is_reliable() && draws(SwarmFeature::kLinkFailures)) {
      const std::string when = during();
      text += below(2) == 0 ? fmt::format("  - {{type: link-down, from: h1, {}}}\n", when)
                            : fmt::format(
                                  "  - {{type: flapping, from: h1, {}, up: {{mean: {}ns}}, down: "
                                  "{{mean: {}ns, distribution: {}}}}}\n",
                                  when, 500 + below(9'000), 100 + below(3'000),
                                  one_of({"fixed", "exponential"}));
    }
    if (draws(SwarmFeature::kSlowLinks)) {
      text += fmt::format("  - {{type: link-rate, from: h2, {}, rate: 25Gbps, direction: {}}}\n",
                          during(), one_of({"both", "out", "in"}));
    }
    if (has_pfc_ && draws(SwarmFeature::kNicPauses)) {
      text += fmt::format("  - {{type: nic-pause, host: h3, {}}}\n", during());
    }
    if (!text.empty()) yaml += "faults:\n" + text;
  }

  /// Access links that corrupt frames, and what else they can be given.
  void lose_frames(std::string& yaml) {
    const std::string key = "access: {";
    yaml.insert(yaml.find(key) + key.size(),
                one_of({"frame_loss_rate: 0.003, ", "bit_error_rate: 1e-7, code_word: rs-528, "}));
    if (yaml.find("\nfaults:\n") == std::string::npos) return;
    yaml += "  - {type: bit-errors, from: h0, at: 1us, until: 20us, frame_loss_rate: 0.05}\n";
  }

  /// Links between servers send again what they corrupt; some have little room for that.
  void retry_links(std::string& yaml) {
    const std::string key = "fabric: {";
    const std::string retry = fmt::format(
        "link_retry: {{outstanding: {}KB, frames: {}, ack_every: {}B, timeout: {}us, replays: {}, "
        "restarts: {}, max_age: {}}}, ",
        10 + below(100), 4 + below(100), 100 + below(4'000), 2 + below(20), 1 + below(4),
        one_of({"true", "false"}), one_of({"none", "15us", "100us"}));
    yaml.insert(yaml.find(key) + key.size(), retry);
  }

  void other_jobs(std::string& yaml, std::uint64_t hosts, Graphs graphs) {
    if (draws(SwarmFeature::kGraphs) && graphs == Graphs::kSome) {
      yaml += RandomGraphJob(seed_).text(hosts, job_classes_);
    }
    if (draws(SwarmFeature::kTraffic)) {
      yaml += RandomTrafficJob(seed_).text(hosts, job_classes_, graphs == Graphs::kSome);
    }
    if (draws(SwarmFeature::kCollectives)) {
      yaml += RandomCollectiveJob(seed_).text(hosts, job_classes_);
    }
  }

  void job(std::string& yaml, std::uint64_t number, std::uint64_t hosts,
           RandomTransport& transports) {
    std::string head = fmt::format("  - {{name: j{}, start: {}us, {}{}", number, below(20),
                                   job_class(number), job_transport(transports));
    if (number > 0 && draws(SwarmFeature::kChains)) head += fmt::format("after: j{}, ", number - 1);
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

  /// Messages of some seeds are split over the queue pairs of their connection; drawn apart, as
  /// settings are.
  void splits(std::string& yaml) {
    Draws own(seed_ + 0x0591a);
    const std::string head = "{type: roce, ";
    for (std::size_t at = yaml.find(head); at != std::string::npos; at = yaml.find(head, at)) {
      at += head.size();
      const std::string keys = yaml.substr(at, yaml.find('\n', at) - at);
      const bool has_several = keys.find("queue_pairs: ") != std::string::npos &&
                               keys.find("queue_pairs: 1,") == std::string::npos;
      const bool lasts = keys.find("queue_pair_life: message") == std::string::npos;
      if (has_several && lasts && own.one_in(2)) yaml.insert(at, "split_messages: true, ");
    }
  }

  /// Jobs of some seeds read or send, and some permutations shift; drawn apart, as settings are.
  void operations(std::string& yaml) {
    Draws own(seed_ + 0x0fe2a);
    const auto says = [&](const char* word) { return yaml.find(word) != std::string::npos; };
    const bool may_send = !says("type: mrc") && !says("type: tcp");
    const bool may_read = may_send && !says("datagram") && !says("split_messages");
    for (const char* type : {"incast", "permutation", "messages", "open-loop"}) {
      const std::string head = std::string(", type: ") + type + ", ";
      for (std::size_t at = yaml.find(head); at != std::string::npos; at = yaml.find(head, at)) {
        at += head.size();
        std::string keys;
        if (std::string_view(type) == "permutation" && own.one_in(2)) {
          keys += fmt::format("pairs: shift, shift: {}, ", 1 + own.below(2));
        }
        if (may_send && own.one_in(3)) {
          keys += may_read ? "operation: read, " : "operation: send, ";
        }
        yaml.insert(at, keys);
      }
    }
  }

  void note_path() {
    SwarmFeatures others;
    for (const SwarmFeature f :
         {SwarmFeature::kSlowNics, SwarmFeature::kCells, SwarmFeature::kCredits,
          SwarmFeature::kDynamicThresholds, SwarmFeature::kHeadroom, SwarmFeature::kInputQueues,
          SwarmFeature::kCutThrough, SwarmFeature::kEntropies, SwarmFeature::kTelemetry,
          SwarmFeature::kGrants, SwarmFeature::kOwnTransports, SwarmFeature::kLinkFailures,
          SwarmFeature::kSlowLinks, SwarmFeature::kNicPauses, SwarmFeature::kBitErrors,
          SwarmFeature::kUltraEthernet, SwarmFeature::kTrimming, SwarmFeature::kLinkRetry}) {
      others.set(index_of(f));
    }
    const bool is_plain = weighted_classes_ <= 1 && !has_changes_ && !has_host_ports_ &&
                          !shares_host_links_ && (features() & others).none();
    if (is_plain) draws_.note(SwarmFeature::kPlainPath);
  }

  SwarmDraws draws_;
  std::uint64_t seed_;
  bool shares_host_links_ = false;
  std::uint64_t job_classes_ = 0;  ///< 0: no classes are named
  std::uint64_t weighted_classes_ = 0;
  bool has_changes_ = false;     ///< settings differ by switch, port or NIC
  bool has_host_ports_ = false;  ///< packets choose among ports of their NIC
  bool has_pfc_ = false;         ///< the first class
  bool has_cbfc_ = false;        ///< what has credits
};

}  // namespace weft::testing
