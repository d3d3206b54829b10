#include "tools/diagnose/search/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace weft::diagnose {

std::string device_of(const Places& places, std::uint32_t server, std::size_t rail) {
  const std::string& name = places.nics[places.servers[server].nics[rail]].name;
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? fmt::format("mlx5_{}", rail) : name.substr(slash + 1);
}

namespace {

std::size_t rail_of(const Places& places, std::uint32_t nic) {
  const auto& own = places.servers[places.nics[nic].server].nics;
  return static_cast<std::size_t>(std::ranges::find(own, nic) - own.begin());
}

std::string command(const Places& places, std::uint32_t from, std::uint32_t to, std::size_t rail) {
  const std::string& client = places.servers[from].name;
  const std::string& server = places.servers[to].name;
  const std::string device = device_of(places, from, rail);
  return fmt::format(
      "\n      on {1} `ib_write_bw -d {3}`, on {0} `ib_write_bw -d {2} {1} > "
      "ib_write_bw-{0}-{1}-{2}.txt`",
      client, server, device, device_of(places, to, rail));
}

/// NICs that are suspected, and servers of which all are.
struct Suspects {
  std::set<std::uint32_t> nics;
  std::set<std::uint32_t> servers;  ///< of both
  bool has_others = false;          ///< causes beyond one server
  bool has_all_nics = false;
};

Suspects suspects_of(const Places& places, const std::vector<Fit>& undecided) {
  Suspects all;
  for (const Fit& fit : undecided) {
    const Hypothesis& h = fit.hypothesis;
    const bool is_of_all = h.kind == CulpritKind::kAllNics || h.kind == CulpritKind::kMtu;
    const bool is_of_nic = h.kind == CulpritKind::kNic || h.kind == CulpritKind::kStorm;
    all.has_all_nics |= is_of_all;
    all.has_others |= !is_of_all && !is_of_nic && h.kind != CulpritKind::kServer;
    if (!is_of_nic && h.kind != CulpritKind::kServer) continue;
    for (std::uint32_t n = 0; n < places.nics.size(); ++n) {
      if (std::ranges::find(h.resources, places.nics[n].resource) == h.resources.end()) continue;
      all.servers.insert(places.nics[n].server);
      if (is_of_nic) all.nics.insert(n);
    }
  }
  return all;
}

/// A server beside those that are suspected, the first that was measured.
std::optional<std::uint32_t> other_server(const Places& places, const Suspects& suspects,
                                          const std::vector<std::uint32_t>& servers) {
  for (const std::uint32_t s : servers) {
    if (!suspects.servers.contains(s)) return s;
  }
  for (std::uint32_t s = 0; s < places.servers.size(); ++s) {
    if (!suspects.servers.contains(s)) return s;
  }
  return {};
}

/// Between a server that is to blame and another: each NIC that was not measured, of one that is
/// suspected already a single other one.
std::string of_one_server(const Places& places, const Suspects& suspects, std::uint32_t other,
                          const std::set<std::uint32_t>& measured) {
  const std::uint32_t server = *suspects.servers.begin();
  const auto& own = places.servers[server].nics;
  std::string lines;
  for (std::size_t rail = 0; rail < own.size(); ++rail) {
    const bool is_possible = suspects.nics.size() < 2 || suspects.nics.contains(own[rail]);
    if (!is_possible || measured.contains(own[rail])) continue;
    if (rail >= places.servers[other].nics.size()) continue;
    lines += command(places, server, other, rail);
    if (suspects.nics.size() == 1) break;
  }
  if (lines.empty()) return {};
  return fmt::format(
      "run `ib_write_bw` between {} and {}, one NIC at a time, and hand over the "
      "files:{}",
      places.servers[server].name, places.servers[other].name, lines);
}

}  // namespace

std::string perftest_commands(const Places& places, const std::vector<Fit>& undecided,
                              const std::vector<std::uint32_t>& servers,
                              const std::set<std::uint32_t>& measured) {
  const Suspects suspects = suspects_of(places, undecided);
  const auto other = other_server(places, suspects, servers);
  if (suspects.has_others || suspects.nics.empty() || !other) return {};
  if (suspects.servers.size() == 1 && !suspects.has_all_nics) {
    return of_one_server(places, suspects, *other, measured);
  }
  if (suspects.nics.size() != 2 || suspects.servers.size() != 2) return {};
  const std::uint32_t first = *suspects.nics.begin();
  const std::uint32_t second = *suspects.nics.rbegin();
  const std::size_t rail = rail_of(places, first);
  if (rail != rail_of(places, second) || rail >= places.servers[*other].nics.size()) return {};
  std::string lines = command(places, places.nics[first].server, *other, rail);
  if (suspects.has_all_nics) lines += command(places, places.nics[second].server, *other, rail);
  return fmt::format(
      "run `ib_write_bw` against a third server, and hand over the file{}: a NIC that "
      "is slow to {} as well is the slow one:{}",
      suspects.has_all_nics ? "s" : "", places.servers[*other].name, lines);
}

}  // namespace weft::diagnose
