#include "scenarios/build/resolve_observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/build/fabric_names.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/text/nearest.hpp"

namespace weft::scenarios {
namespace {

using collectives::JobPlan;
using collectives::Workload;

/// Rows of one trace file. A row has about fifty bytes: some gigabytes.
constexpr double kMaxRows = 100e6;
constexpr std::size_t kMaxFlows = 100'000;
constexpr std::size_t kMaxPatterns = 1'000;
/// Ports that are compared with patterns, some seconds of it.
constexpr std::size_t kMaxTried = 100'000'000;

/// Both sides of an arrow; nothing if there is none.
std::optional<std::pair<std::string, std::string>> split_arrow(const std::string& text) {
  const std::size_t arrow = text.find("->");
  if (arrow == std::string::npos) return std::nullopt;
  return std::pair(text.substr(0, arrow), text.substr(arrow + 2));
}

template <class Id>
void sort_and_deduplicate(std::vector<Id>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

class Resolver {
 public:
  Resolver(const Scenario& scenario, const Fabric& fabric, const Workload& workload)
      : scenario_(scenario), fabric_(fabric), workload_(workload) {}

  Result<protocols::ObservationConfig> run() {
    const ObserveSpec& observe = scenario_.observe;
    protocols::ObservationConfig config;
    config.credits = observe.credits;
    if (observe.queues) {
      config.queue_ports = ports(observe.queues->ports, "observe.queues.ports");
      config.queue_period = observe.queues->period.value_or(Picoseconds(0));
      check_samples(config.queue_ports.size() * scenario_.switches.classes.size(),
                    config.queue_period, "observe.queues.period");
    }
    if (observe.marks) {
      config.mark_ports = ports(observe.marks->ports, "observe.marks.ports");
      config.mark_period = observe.marks->period;
      check_samples(config.mark_ports.size() * scenario_.switches.classes.size(),
                    config.mark_period, "observe.marks.period");
    }
    if (observe.rates) {
      config.rate_flows = flows(observe.rates->flows, "observe.rates.flows");
      config.rate_period = observe.rates->period;
      check_samples(config.rate_flows.size() * 3, config.rate_period, "observe.rates.period");
    }
    if (observe.packets) {
      config.packet_flows = flows(observe.packets->flows, "observe.packets.flows");
      check_packets(config.packet_flows);
    }
    if (!errors_.empty()) return std::move(errors_);
    return config;
  }

 private:
  void fail(std::string key, std::string message) {
    errors_.push_back({std::move(message), {{}, 0, 0, std::move(key)}});
  }

  bool too_many(const std::vector<std::string>& patterns, const std::string& key) {
    if (patterns.size() <= kMaxPatterns) return false;
    fail(key, fmt::format("names {}; at most {} are read, and `*` stands for many", patterns.size(),
                          kMaxPatterns));
    return true;
  }

  // --- ports

  std::vector<PortId> ports(const std::vector<std::string>& patterns, const std::string& key) {
    std::vector<PortId> found;
    if (too_many(patterns, key)) return found;
    const FabricNames names(fabric_);
    for (std::size_t i = 0; i < patterns.size() && errors_.size() < 10; ++i) {
      const std::size_t before = found.size();
      const std::string path = fmt::format("{}[{}]", key, i);
      add_ports(patterns[i], names, path, found);
      if (found.size() == before && errors_.empty()) {
        fail(path, "`" + patterns[i] + "` names no port; expected `all`, a node, or two nodes as " +
                       fabric_.node(fabric_.port(PortId(0U)).node).name + "->" +
                       fabric_.node(fabric_.peer_node(PortId(0U))).name);
      }
      if (found.size() > 2 * fabric_.ports.size()) sort_and_deduplicate(found);
    }
    sort_and_deduplicate(found);
    return found;
  }

  void add_ports(const std::string& pattern, const FabricNames& names, const std::string& path,
                 std::vector<PortId>& found) {
    if (pattern == "all") return add_matching("*", "*", found);
    const auto arrow = split_arrow(pattern);
    const bool has_star = pattern.find('*') != std::string::npos;
    const bool is_one_port = arrow && pattern.find('[') != std::string::npos;
    if (is_one_port && !has_star) return add_named(pattern, *arrow, names, path, found);
    const std::string from = arrow ? arrow->first : pattern;
    const std::string to = arrow ? arrow->second : "*";
    if (has_star) {
      tried_ += fabric_.ports.size();
      if (tried_ > kMaxTried) return fail(path, "too many patterns with `*` for so large a fabric");
      return add_matching(from, to, found);
    }
    const NodeId node = find(from, names, path);
    const NodeId peer = arrow ? find(to, names, path) : NodeId::none();
    if (node.is_none() || (arrow && peer.is_none())) return;
    const std::vector<PortId> ports = names.ports(node, peer);
    if (ports.empty()) fail(path, "no link joins `" + from + "` and `" + to + "`");
    found.insert(found.end(), ports.begin(), ports.end());
  }

  NodeId find(const std::string& name, const FabricNames& names, const std::string& path) {
    const NodeId node = names.find(name);
    if (node.is_none()) fail(path, names.unknown(name));
    return node;
  }

  /// A port as reports write it: `leaf0[3]->spine1[0]`.
  void add_named(const std::string& name, const std::pair<std::string, std::string>& ends,
                 const FabricNames& names, const std::string& path, std::vector<PortId>& found) {
    const auto without_number = [](const std::string& end) { return end.substr(0, end.find('[')); };
    const NodeId from = find(without_number(ends.first), names, path);
    if (from.is_none()) return;
    for (const PortId port : names.ports(from, NodeId::none())) {
      if (fabric_.port_name(port) == name) return found.push_back(port);
    }
    fail(path, "`" + name + "` is no port of `" + fabric_.node(from).name +
                   "`; `weft run` lists them in ports.csv");
  }

  void add_matching(const std::string& from, const std::string& to, std::vector<PortId>& found) {
    for (std::size_t i = 0; i < fabric_.ports.size(); ++i) {
      const PortId port(i);
      if (matches_pattern(from, fabric_.node(fabric_.port(port).node).name) &&
          matches_pattern(to, fabric_.node(fabric_.peer_node(port)).name)) {
        found.push_back(port);
      }
    }
  }

  // --- flows

  std::vector<ConnectionId> flows(const std::vector<std::string>& patterns,
                                  const std::string& key) {
    std::vector<ConnectionId> found;
    if (too_many(patterns, key)) return found;
    for (std::size_t i = 0; i < patterns.size() && errors_.size() < 10; ++i) {
      add_flows(patterns[i], fmt::format("{}[{}]", key, i), found);
      if (found.size() <= kMaxFlows) continue;
      fail(key, fmt::format("names more than {} flows; name fewer", kMaxFlows));
      return {};
    }
    sort_and_deduplicate(found);
    return found;
  }

  void add_flows(const std::string& pattern, const std::string& path,
                 std::vector<ConnectionId>& found) {
    const std::size_t colon = pattern.find(':');
    const std::string name = pattern.substr(0, colon);
    std::vector<std::string> names;
    for (const JobPlan& job : workload_.jobs()) names.push_back(job.name);
    const auto job = std::ranges::find(names, name);
    if (job == names.end()) {
      return fail(path, "`" + name + "` is no job; the jobs are " + listing(names) +
                            did_you_mean(name, names));
    }
    const JobPlan& plan = workload_.jobs()[static_cast<std::size_t>(job - names.begin())];
    const auto arrow = colon == std::string::npos ? std::pair<std::string, std::string>("*", "*")
                                                  : split_arrow(pattern.substr(colon + 1));
    if (!arrow) {
      return fail(path, "`" + pattern + "` names no flow; expected `" + name + "`, or two ranks " +
                            "or hosts as `" + name + ":0->1`");
    }
    std::optional<std::uint32_t> from;
    std::optional<std::uint32_t> to;
    if (!end_of(arrow->first, plan, path, from) || !end_of(arrow->second, plan, path, to)) return;
    const std::size_t before = found.size();
    add_connections(plan, from, to, found);
    if (found.size() == before) {
      fail(path, "`" + pattern + "` names no flow; no message of `" + name + "` takes that path");
    }
  }

  /// A rank, or nothing for `*`. False if it is neither that nor a host of the job.
  bool end_of(const std::string& text, const JobPlan& plan, const std::string& path,
              std::optional<std::uint32_t>& rank) {
    if (text == "*") return true;
    std::uint32_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stop == end && !text.empty()) {
      rank = number;
      if (number < plan.ranks) return true;
      fail(path, fmt::format("`{}` is no rank; the job has ranks 0 to {}", text, plan.ranks - 1));
      return false;
    }
    for (std::uint32_t r = 0; r < plan.ranks; ++r) {
      const HostId host = workload_.process_hosts()[plan.process(r).value()];
      if (fabric_.host(host).name != text) continue;
      rank = r;
      return true;
    }
    fail(path, "`" + text + "` is no host of job `" + plan.name + "`; expected a rank from 0 to " +
                   std::to_string(plan.ranks - 1) + ", one of its hosts, or `*`");
    return false;
  }

  /// A connection, or the two legs of a relayed one.
  void add_legs(ConnectionId connection, std::vector<ConnectionId>& found) const {
    found.push_back(connection);
    const std::uint32_t relay = workload_.relay_of(connection);
    if (relay != Workload::kNoRelay) found.push_back(workload_.relays()[relay].second);
  }

  void add_connections(const JobPlan& plan, std::optional<std::uint32_t> from,
                       std::optional<std::uint32_t> to, std::vector<ConnectionId>& found) const {
    const std::uint32_t first = from.value_or(0);
    const std::uint32_t last = from ? *from + 1 : plan.ranks;
    for (std::uint32_t rank = first; rank < last; ++rank) {
      for (std::uint32_t lane = 0; lane < plan.lanes; ++lane) {
        if (found.size() > kMaxFlows) return;
        if (to) {
          const ConnectionId id = workload_.find(plan.process(rank), plan.process(*to), lane);
          if (!id.is_none()) add_legs(id, found);
          continue;
        }
        const auto [begin, end] =
            workload_.sends_of(workload_.lane_index(plan.process(rank), lane));
        for (std::uint32_t c = begin; c < end && found.size() <= kMaxFlows; ++c) {
          add_legs(ConnectionId(c), found);
        }
      }
    }
  }

  // --- sizes

  /// Periodic samples until the end of the run, or of ten milliseconds where it is not known.
  void check_samples(std::size_t series, Picoseconds period, const std::string& key) {
    if (period.count() == 0) return;
    const Picoseconds length = scenario_.run.until.value_or(10_ms);
    const double rows = static_cast<double>(series) * static_cast<double>(length.count()) /
                        static_cast<double>(period.count());
    if (rows <= kMaxRows) return;
    fail(key, fmt::format("makes up to {:.2g} rows in {} of the run; at most {:.2g} are written: "
                          "choose a longer period or less to observe",
                          rows, format_time(length), kMaxRows));
  }

  /// Every hop of a packet makes up to four rows.
  void check_packets(const std::vector<ConnectionId>& flows) {
    std::uint32_t tiers = 0;
    for (const Node& node : fabric_.nodes) tiers = std::max(tiers, node.tier);
    std::vector<bool> is_observed_job(workload_.jobs().size());
    for (const ConnectionId flow : flows) {
      is_observed_job[workload_.job_of(workload_.connections()[flow.value()].source)] = true;
    }
    double packets = 0;
    for (std::uint32_t job = 0; job < is_observed_job.size(); ++job) {
      if (!is_observed_job[job]) continue;
      collectives::for_each_likely_transfer(
          workload_, job, [&](ConnectionId flow, Bytes size, collectives::LikelyCount count) {
            if (!std::ranges::binary_search(flows, flow)) return;
            const std::uint8_t transport = workload_.connections()[flow.value()].transport;
            const Bytes payload =
                protocols::traits_of(scenario_.transport_of(transport)).format.payload;
            packets += static_cast<double>((size + payload - 1_B) / payload) * count.max;
          });
    }
    const double rows = packets * 4 * 2 * tiers;
    if (rows <= kMaxRows) return;
    fail("observe.packets.flows",
         fmt::format("makes up to {:.2g} rows; at most {:.2g} are written: name fewer flows", rows,
                     kMaxRows));
  }

  const Scenario& scenario_;
  const Fabric& fabric_;
  const Workload& workload_;
  std::size_t tried_ = 0;
  Errors errors_;
};

}  // namespace

Result<protocols::ObservationConfig> resolve_observation(const Scenario& scenario,
                                                         const Fabric& fabric,
                                                         const collectives::Workload& workload) {
  return Resolver(scenario, fabric, workload).run();
}

}  // namespace weft::scenarios
