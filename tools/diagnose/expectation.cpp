#include "tools/diagnose/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "simcore/text/counted.hpp"
#include "tools/diagnose/model/band.hpp"
#include "tools/diagnose/model/matching.hpp"

namespace weft::diagnose {
namespace {

using Json = nlohmann::ordered_json;

/// Which servers the ranks are on decides how much is unknown.
BandOf band_setting(const Simulator& simulator, const std::vector<std::uint32_t>& hosts) {
  const Places& places = simulator.places();
  std::set<std::uint32_t> used;
  for (std::uint32_t s = 0; s < places.servers.size(); ++s) {
    const auto is_used = [&hosts](std::uint32_t host) {
      return std::ranges::find(hosts, host) != hosts.end();
    };
    if (std::ranges::any_of(places.servers[s].hosts, is_used)) used.insert(s);
  }
  const auto crosses = [&](std::uint32_t s) { return places.crosses_uplinks(*used.begin(), s); };
  return {.has_several_servers = used.size() > 1,
          .hashes_flows = simulator.hashes_flows() && std::ranges::any_of(used, crosses)};
}

/// Pairs of servers whose paths are alike are simulated once.
Result<bool> add_pairs(Simulator& simulator, const ExpectationQuery& query, Expectation& all) {
  const Places& places = simulator.places();
  std::map<std::string, Run> of_relation;
  for (std::size_t i = 0; i < query.servers.size(); ++i) {
    for (std::size_t j = i + 1; j < query.servers.size(); ++j) {
      const std::uint32_t a = query.servers[i];
      const std::uint32_t b = query.servers[j];
      // With faults no two pairs are alike.
      std::string relation = places.relation(a, b);
      if (simulator.has_faults()) relation += fmt::format(" {} {}", a, b);
      auto known = of_relation.find(relation);
      if (known == of_relation.end()) {
        Call call{.operation = collectives::Operation::kAllReduce, .size = query.pair_size};
        for (const std::uint32_t s : {a, b}) {
          const auto& hosts = places.servers[s].hosts;
          call.hosts.insert(call.hosts.end(), hosts.begin(), hosts.end());
        }
        const auto run = simulator.run(call);
        if (!run) return run.errors();
        known = of_relation.emplace(relation, run.value()).first;
      }
      all.pairs.push_back({places.servers[a].name, places.servers[b].name,
                           known->second.bus_bandwidth, known->second.time_us});
    }
  }
  return true;
}

double rounded(double value) { return std::round(value * 1000) / 1000; }

/// A square, whose rows are as wide as a terminal.
std::string square_text(const std::vector<std::string>& names,
                        const std::vector<ExpectedPair>& pairs) {
  std::size_t width = 6;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string text = fmt::format("  {:>{}}", "", width);
  for (const std::string& name : names) text += fmt::format("  {:>{}}", name, width);
  for (const std::string& from : names) {
    text += fmt::format("\n  {:>{}}", from, width);
    for (const std::string& to : names) {
      const auto pair = std::ranges::find_if(pairs, [&](const ExpectedPair& p) {
        return (p.from == from && p.to == to) || (p.from == to && p.to == from);
      });
      text += pair == pairs.end() ? fmt::format("  {:>{}}", "-", width)
                                  : fmt::format("  {:>{}.1f}", pair->gigabytes_per_second, width);
    }
  }
  return text + "\n";
}

/// Of many servers: how many pairs reach the same, the slowest first.
std::string groups_text(const std::vector<ExpectedPair>& pairs) {
  std::map<std::string, std::vector<const ExpectedPair*>> groups;
  for (const ExpectedPair& pair : pairs) {
    groups[fmt::format("{:8.1f}", pair.gigabytes_per_second)].push_back(&pair);
  }
  std::string text;
  for (const auto& [rate, alike] : groups) {
    text += fmt::format("  {}  {}, such as {} and {}\n", rate,
                        counted(static_cast<std::int64_t>(alike.size()), "pair"),
                        alike.front()->from, alike.front()->to);
  }
  return text + "  `--json` has all pairs\n";
}

std::string pairs_text(const Expectation& e) {
  constexpr std::size_t kMaxColumns = 16;
  std::vector<std::string> names;
  for (const ExpectedPair& pair : e.pairs) {
    say_once(names, pair.from);
    say_once(names, pair.to);
  }
  return fmt::format("\nbusbw in GB/s of all-reduce of {} bytes of two servers alone\n",
                     e.pair_size.count()) +
         (names.size() <= kMaxColumns ? square_text(names, e.pairs) : groups_text(e.pairs));
}

}  // namespace

Result<Expectation> expectation(Simulator& simulator, const ExpectationQuery& query) {
  Expectation all{.ranks = query.hosts.size(), .pair_size = query.pair_size};
  all.findings = simulator.left_out();
  const BandOf setting = band_setting(simulator, query.hosts);
  for (const collectives::Operation operation : query.operations) {
    for (const Bytes size : query.sizes) {
      const auto run = simulator.run({.operation = operation, .size = size, .hosts = query.hosts});
      if (!run) return run.errors();
      for (const std::string& warning : run.value().warnings) say_once(all.warnings, warning);
      all.times.push_back({.operation = operation,
                           .size = size,
                           .run = run.value(),
                           .limit = run.value().limit(simulator.places()),
                           .band = band_of(operation, size.count(), setting)});
    }
  }
  const auto pairs = add_pairs(simulator, query, all);
  if (!pairs) return pairs.errors();
  return all;
}

Json to_json(const Expectation& e) {
  Json json{{"ranks", e.ranks}};
  json["expected"] = Json::array();
  for (const ExpectedTime& t : e.times) {
    json["expected"].push_back({{"operation", name_of(t.operation)},
                                {"bytes", t.size.count()},
                                {"time_us", rounded(t.run.time_us)},
                                {"algbw_GBps", rounded(t.run.algorithm_bandwidth)},
                                {"busbw_GBps", rounded(t.run.bus_bandwidth)},
                                {"algorithm", t.run.algorithm},
                                {"protocol", t.run.protocol},
                                {"channels", t.run.call_channels},
                                {"limit", t.limit},
                                {"band", t.band},
                                {"extrapolated", t.run.is_extrapolated}});
  }
  json["pairs"] = Json::array();
  for (const ExpectedPair& p : e.pairs) {
    json["pairs"].push_back({{"from", p.from},
                             {"to", p.to},
                             {"bytes", e.pair_size.count()},
                             {"busbw_GBps", rounded(p.gigabytes_per_second)},
                             {"time_us", rounded(p.time_us)}});
  }
  json["findings"] = e.findings;
  json["warnings"] = e.warnings;
  return json;
}

std::string to_text(const Expectation& e) {
  std::string text;
  for (const std::string& finding : e.findings) {
    text += "finding: the scenario has " + finding + ": left out\n";
  }
  for (const std::string& warning : e.warnings) text += "warning: " + warning + "\n";
  const ExpectedTime* last = nullptr;
  bool is_extrapolated = false;
  for (const ExpectedTime& t : e.times) {
    if (last == nullptr || last->operation != t.operation) {
      text += fmt::format("{} of {} ranks\n  {:>12}  {:>10}  {:>7}  {:>7}  {:>5}  {}\n",
                          name_of(t.operation), e.ranks, "bytes", "us", "algbw", "busbw", "band",
                          "how, and what limits it");
    }
    last = &t;
    is_extrapolated |= t.run.is_extrapolated;
    text += fmt::format(
        "  {:>12}  {:>10.1f}  {:>7.2f}  {:>7.2f}  {:>3.0f} %  {}/{}, {} channels; {}{}\n",
        t.size.count(), t.run.time_us, t.run.algorithm_bandwidth, t.run.bus_bandwidth, 100 * t.band,
        t.run.algorithm, t.run.protocol, t.run.call_channels, t.limit,
        t.run.is_extrapolated ? " *" : "");
  }
  if (is_extrapolated) {
    text +=
        "* larger than packets are simulated of: two smaller sizes, run as NCCL runs this one, are "
        "continued\n";
  }
  if (!e.pairs.empty()) text += pairs_text(e);
  return text;
}

}  // namespace weft::diagnose
