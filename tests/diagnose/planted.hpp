#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "collectives/nccl/nccl_tuning.hpp"
#include "tools/diagnose/diagnosis.hpp"
#include "tools/evidence/operations.hpp"

/// Clusters with one fault that is simulated in packets, and what would be measured on them.
namespace weft::diagnose::planted {

struct Cluster {
  std::uint32_t servers = 2;
  std::uint32_t gpus = 2;
  std::uint32_t leaves = 1;
  std::uint32_t spines = 2;
  std::uint32_t links = 1;
  double nvlink_metres = 0.5;
  double uplink_metres = 20;
  std::uint32_t seed = 1;

  [[nodiscard]] std::string text() const {
    return fmt::format(
        "name: planted\nseed: {}\n"
        "racks: {{count: {}, servers: {}, server: {{gpus: {}, gpu: h100, nics: {}, nic: "
        "connectx-7, "
        "scale_up: {{part: nvswitch-3, switches: 1, links_per_switch: 18}}, host_link: "
        "pcie-5-x16}}}}\n"
        "links: {{access: {{length: {:.0f}cm, cable: copper}}, uplink: {{length: {:.0f}cm, cable: "
        "fibre}}}}\n"
        "fabric: {{topology: leaf-spine, spines: {}, links_per_pair: {}, load_balancing: spray}}\n"
        "transport: {{receiver: any-order}}\n"
        "jobs: [{{name: ar, type: all-reduce, size: 1MiB}}]\n",
        seed, leaves, servers / leaves, gpus, gpus, 100 * nvlink_metres * 4, 100 * uplink_metres,
        spines, links);
  }
};

struct Fault {
  std::string kind = "none";
  std::string place{};
  std::vector<std::string> changes{};
  std::vector<std::string> execution{};
  std::vector<std::string> keys{};
  std::string algorithm{};     ///< `Tree`: all that NCCL is let have, with protocols of its choice
  bool is_of_library = false;  ///< perftest does not have it
};

/// What would be measured: packets of another seed and other cables, times a common factor that
/// the search does not know, with noise.
class Laboratory {
 public:
  Laboratory(const Cluster& cluster, std::uint32_t number) : random_(number) {
    Cluster real = cluster;
    std::uniform_real_distribution<double> around(0.9, 1.1);
    real.seed = 1000 + number;
    real.nvlink_metres *= around(random_);
    real.uplink_metres *= around(random_);
    level_ = std::exp(std::uniform_real_distribution<double>(-0.05, 0.05)(random_));
    simulator_.emplace(Simulator::of_text(real.text(), "planted.yaml", {}, Twin::kAsFound).value());
  }

  [[nodiscard]] evidence::Measurements measure(const Fault& fault) {
    evidence::Measurements all;
    std::vector<std::uint32_t> hosts;
    for (const ServerPlace& s : places().servers) {
      hosts.insert(hosts.end(), s.hosts.begin(), s.hosts.end());
    }
    for (const auto operation :
         {collectives::Operation::kAllReduce, collectives::Operation::kAllToAll}) {
      evidence::Series series{.operation = name_of(operation), .type = "float"};
      series.on.ranks = static_cast<std::uint32_t>(hosts.size());
      for (const std::int64_t size : {16 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20}) {
        // Some calls never end, such as those of lost packets.
        const auto time = run(fault, operation, size, hosts);
        if (time) series.times.push_back({size, level_ * noisy(time->time_us)});
      }
      all.series.push_back(series);
    }
    add_pairs(fault, all);
    for (std::uint32_t rail = 0; rail < places().servers.front().nics.size(); ++rail) {
      add_rail(fault, rail, all);
    }
    return all;
  }

  [[nodiscard]] const Places& places() const { return simulator_->places(); }
  [[nodiscard]] std::mt19937& random() { return random_; }

 private:
  [[nodiscard]] double noisy(double value) {
    return value * std::exp(std::normal_distribution<double>(0, 0.02)(random_));
  }
  [[nodiscard]] std::optional<Run> run(const Fault& fault, collectives::Operation operation,
                                       std::int64_t size, const std::vector<std::uint32_t>& hosts) {
    Call call{.operation = operation, .size = Bytes(size), .hosts = hosts};
    call.changes = fault.changes;
    if (fault.kind != "wrong-algorithm" || operation == collectives::Operation::kAllReduce) {
      call.execution = fault.execution;
      if (!fault.algorithm.empty()) force(fault.algorithm, call);
    }
    call.keys = fault.keys;
    const auto result = simulator_->run(call);
    if (result) return result.value();
    const std::string error = result.errors().front().to_string();
    if (error.find("did not finish") == std::string::npos) throw std::runtime_error(error);
    return {};
  }
  /// As NCCL_ALGO does.
  void force(const std::string& algorithm, Call& call) const {
    const auto gpus = static_cast<std::uint32_t>(places().servers.front().hosts.size());
    const collectives::NcclMachine machine =
        collectives::nccl_machine({.generation = GpuGeneration::kHopper,
                                   .nodes = static_cast<std::uint32_t>(call.hosts.size()) / gpus,
                                   .gpus = gpus,
                                   .nvlink = 370.8,
                                   .nics = gpus,
                                   .nic = 50});
    static const std::map<std::string, std::string> names{
        {"Ring", "ring"}, {"Tree", "double-binary-tree"}, {"NVLSTree", "nvls-tree"}};
    call.algorithm = names.at(algorithm);
    for (const auto& e : collectives::nccl_estimates(
             call.operation, static_cast<double>(call.size.count()), machine)) {
      if (name_of(e.algorithm) != algorithm) continue;
      call.execution.push_back(fmt::format("protocol: {}", name_of(e.protocol)));
      break;
    }
  }
  void add_pairs(const Fault& fault, evidence::Measurements& all) {
    constexpr std::int64_t kSize = 16 << 20;
    evidence::PairSeries pairs{.operation = "all-reduce", .bytes = kSize};
    const auto& servers = places().servers;
    for (std::size_t a = 0; a < servers.size(); ++a) {
      for (std::size_t b = a + 1; b < servers.size(); ++b) {
        std::vector<std::uint32_t> hosts = servers[a].hosts;
        hosts.insert(hosts.end(), servers[b].hosts.begin(), servers[b].hosts.end());
        const auto r = run(fault, collectives::Operation::kAllReduce, kSize, hosts);
        if (!r) continue;
        pairs.values.push_back(
            {servers[a].name, servers[b].name, noisy(r->bus_bandwidth) / level_});
      }
    }
    all.pairs.push_back(pairs);
  }
  [[nodiscard]] double wire_us(const Fault& fault, const std::vector<std::uint32_t>& hosts) {
    // In one direction, as a write.
    return run(fault, collectives::Operation::kBroadcast, 16 << 20, hosts).value().time_us -
           run(fault, collectives::Operation::kBroadcast, 8 << 20, hosts).value().time_us;
  }
  /// As ib_write_bw: one message after the other between two NICs, whose first costs are left out.
  void add_rail(const Fault& fault, std::uint32_t rail, evidence::Measurements& all) {
    evidence::PairSeries pairs{.operation = "write-bw", .bytes = 1 << 20, .rail = rail};
    const auto& servers = places().servers;
    for (std::size_t a = 0; a < servers.size(); ++a) {
      const std::size_t b = (a + 1) % servers.size();
      Fault wire = fault;
      wire.execution.clear();
      wire.keys.clear();
      if (fault.is_of_library) wire = {};
      const std::vector<std::uint32_t> hosts{servers[a].hosts[rail], servers[b].hosts[rail]};
      // What NCCL costs besides is in both.
      const double rate = 0.98 * 50 * wire_us({}, hosts) / wire_us(wire, hosts);
      pairs.values.push_back({servers[a].name, servers[b].name, noisy(rate)});
    }
    all.pairs.push_back(pairs);
  }

  std::mt19937 random_;
  double level_ = 1;
  std::optional<Simulator> simulator_;
};

inline Cluster random_cluster(std::mt19937& random) {
  const auto among = [&random](std::uint32_t from, std::uint32_t to) {
    return std::uniform_int_distribution<std::uint32_t>(from, to)(random);
  };
  Cluster cluster;
  cluster.gpus = 2;
  cluster.leaves = among(1, 3);
  cluster.servers =
      cluster.leaves * among(cluster.leaves == 1 ? 3 : 2, cluster.leaves == 1 ? 6 : 2);
  cluster.spines = 2;
  cluster.links = (cluster.servers / cluster.leaves * cluster.gpus + 1) / 2;
  return cluster;
}

inline const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all{
      "slow-nic",       "slow-server",     "slow-uplinks",   "collisions",
      "all-nics",       "straggler",       "pfc-storm",      "mtu",
      "gpu-direct-off", "wrong-algorithm", "ecn-thresholds", "loss"};
  return all;
}

/// Pauses that a NIC sends for long: of each period a part is left to data.
inline std::string storm(const std::string& host, double part, double period_us) {
  std::vector<std::string> pauses;
  for (int i = 0; i < 500; ++i) {
    const double at = i * period_us;
    pauses.push_back(fmt::format("{{type: nic-pause, host: {}, at: {:.0f}ns, until: {:.0f}ns}}",
                                 host, 1e3 * at, 1e3 * (at + (1 - part) * period_us)));
  }
  return fmt::format("{}", fmt::join(pauses, ", "));
}

/// Kinds that are no cable's: NICs, switches and the library are set otherwise.
inline void plant_in_software(const std::string& kind, double part, std::mt19937& random,
                              const Places& places, Fault& fault,
                              std::vector<std::string>& faults) {
  const auto among = [&random](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  const auto number = [&random](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  if (kind == "pfc-storm") {
    const NicPlace& nic = places.nics[among(places.nics.size())];
    fault.place = nic.name;
    faults.push_back(storm(nic.node, part, number(20, 60)));
  } else if (kind == "mtu") {
    // 1024 is 6 % slower, which is within the levels.
    const char* payload = among(2) == 0 ? "256" : "512";
    fault.place = fmt::format("{} bytes", payload);
    fault.changes = {fmt::format("transport.mtu={}B", payload)};
  } else if (kind == "gpu-direct-off") {
    for (const NicPlace& nic : places.nics) {
      faults.push_back(
          fmt::format("{{type: link-rate, from: {}, rate: {:.0f}Gbps}}", nic.node, 400 * part));
    }
    fault.execution = {fmt::format("network_step_latency: {:.1f}us", number(10, 30))};
    fault.is_of_library = true;
  } else if (kind == "wrong-algorithm") {
    const std::vector<std::string> choices{"Ring", "Tree", "NVLSTree", "LL", "Simple"};
    const std::size_t choice = among(choices.size());
    fault.place = (choice < 3 ? "NCCL_ALGO=" : "NCCL_PROTO=") + choices[choice];
    if (choice < 3) fault.algorithm = choices[choice];
    if (choice >= 3) fault.execution = {choice == 3 ? "protocol: ll" : "protocol: simple"};
    fault.is_of_library = true;
  } else if (kind == "ecn-thresholds") {
    const double from = number(3, 8);
    fault.changes = {
        fmt::format("fabric.ecn={{type: red, kmin: {:.1f}KB, kmax: {:.1f}KB, pmax: 1}}", from,
                    from * number(1.5, 4))};
  } else if (kind == "loss") {
    fault.changes = {"fabric.flow_control=none",
                     fmt::format("fabric.egress_limit={:.0f}KB", number(150, 400))};
  }
}

/// A fault of that kind, as packets have it.
inline Fault random_fault(const std::string& kind, const Places& places, std::mt19937& random) {
  const double part = std::uniform_real_distribution<double>(0.25, 0.65)(random);
  const auto among = [&random](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  const auto slow = [&](const std::string& from) {
    return fmt::format("{{type: link-rate, from: {}, rate: {:.0f}Gbps}}", from, 400 * part);
  };
  Fault fault{.kind = kind};
  std::vector<std::string> faults;
  if (kind == "slow-nic") {
    const NicPlace& nic = places.nics[among(places.nics.size())];
    fault.place = nic.name;
    faults.push_back(slow(nic.node));
  } else if (kind == "slow-server") {
    const ServerPlace& server = places.servers[among(places.servers.size())];
    fault.place = server.name;
    for (const std::uint32_t n : server.nics) faults.push_back(slow(places.nics[n].node));
  } else if (kind == "slow-uplinks") {
    const std::size_t leaf = among(places.leaves.size());
    fault.place = places.resources[places.leaves[leaf]].name;
    for (const int spine : {0, 1}) {
      // Half of the traffic stays below its leaf: less is not to be seen.
      faults.push_back(fmt::format("{{type: link-rate, from: {}, to: spine{}, rate: {:.0f}Gbps}}",
                                   fault.place, spine, 400 * part / 2));
    }
  } else if (kind == "all-nics") {
    for (const NicPlace& nic : places.nics) faults.push_back(slow(nic.node));
  } else if (kind == "collisions") {
    fault.changes = {"fabric.load_balancing=ecmp"};
  } else if (kind == "straggler") {
    fault.keys = {fmt::format("stragglers: [{{ranks: ['0'], late: {}us}}]",
                              100 + 10 * static_cast<int>(among(40)))};
  }
  plant_in_software(kind, part, random, places, fault, faults);
  if (!faults.empty()) fault.changes = {fmt::format("faults=[{}]", fmt::join(faults, ", "))};
  return fault;
}

/// How a diagnosis of a planted fault came out.
enum class Hit : std::uint8_t { kFirst, kAmongThree, kMissed, kInvisible };

struct Tally {
  std::map<std::string, std::map<Hit, int>> of_kind;
  int healthy = 0;
  int false_culprits = 0;
  std::string misses;

  [[nodiscard]] int count(Hit hit) const {
    int sum = 0;
    for (const auto& [kind, hits] : of_kind) {
      const auto at = hits.find(hit);
      sum += at == hits.end() ? 0 : at->second;
    }
    return sum;
  }
  [[nodiscard]] int visible() const {
    return count(Hit::kFirst) + count(Hit::kAmongThree) + count(Hit::kMissed);
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const auto& [kind, hits] : of_kind) {
      const auto n = [&hits = hits](Hit hit) { return hits.contains(hit) ? hits.at(hit) : 0; };
      out += fmt::format("{}: first {}, among three {}, missed {}, invisible {}\n", kind,
                         n(Hit::kFirst), n(Hit::kAmongThree), n(Hit::kMissed), n(Hit::kInvisible));
    }
    return out + fmt::format("healthy: {} false of {}\n", false_culprits, healthy) + misses;
  }
};

/// Kinds that no time separates: what slows all NICs, of which the files of perftest say one.
inline bool is_of_class(const std::string& kind, const Fault& fault) {
  if (kind == fault.kind) return true;
  return fault.kind == "mtu" && kind == "all-nics";
}

inline Hit judge(const Diagnosis& d, const Fault& fault) {
  std::vector<Culprit> ranked = d.culprits;
  ranked.insert(ranked.end(), d.undecided.begin(), d.undecided.end());
  for (std::size_t i = 0; i < std::min<std::size_t>(3, ranked.size()); ++i) {
    const bool is_whole = ranked[i].kind != fault.kind && is_of_class(ranked[i].kind, fault);
    const bool is_place =
        fault.place.empty() || is_whole ||
        std::ranges::find(ranked[i].places, fault.place) != ranked[i].places.end();
    if (!is_of_class(ranked[i].kind, fault) || !is_place) continue;
    // Both ends of the only path cannot be told apart; more places are no answer.
    return i == 0 && ranked[i].places.size() <= 2 ? Hit::kFirst : Hit::kAmongThree;
  }
  // What no measurement shows nobody can find.
  return d.anomalies.empty() ? Hit::kInvisible : Hit::kMissed;
}

/// Case `number`: of a kind each in turn.
inline void run_case(std::uint32_t number, bool is_healthy, Tally& tally) {
  std::mt19937 random(number * 7919 + (is_healthy ? 1 : 0));
  const std::string kind = is_healthy ? "none" : kinds()[number % kinds().size()];
  Cluster cluster = random_cluster(random);
  const bool needs_uplinks =
      kind == "slow-uplinks" || kind == "collisions" || kind == "ecn-thresholds" || kind == "loss";
  while (needs_uplinks && cluster.leaves < 2) cluster = random_cluster(random);
  // Where as much can leave as come in nothing meets for long.
  if (kind == "loss") cluster.links = (cluster.links + 1) / 2;
  Laboratory laboratory(cluster, number);
  const Fault fault = random_fault(kind, laboratory.places(), random);
  const auto measured = laboratory.measure(fault);
  auto healthy = Simulator::of_text(cluster.text(), "planted.yaml", {}, Twin::kHealthy);
  const auto found = diagnose(healthy.value(), measured, nullptr, {.confirms_by_packets = false});
  if (!found) throw std::runtime_error(found.errors().front().to_string());
  if (is_healthy) {
    ++tally.healthy;
    const bool is_false = !found.value().culprits.empty() || !found.value().undecided.empty();
    tally.false_culprits += is_false ? 1 : 0;
    if (is_false)
      tally.misses += fmt::format("healthy case {}\n{}", number, to_text(found.value()));
    return;
  }
  const Hit hit = judge(found.value(), fault);
  ++tally.of_kind[kind][hit];
  if (hit == Hit::kMissed || hit == Hit::kAmongThree) {
    tally.misses += fmt::format("case {}: {} {} {}\n{}", number, kind, fault.place,
                                fmt::format("{}", fmt::join(fault.changes, " ")).substr(0, 200),
                                to_text(found.value()));
  }
}

}  // namespace weft::diagnose::planted
