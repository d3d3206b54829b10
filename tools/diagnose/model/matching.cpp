#include "tools/diagnose/model/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace weft::diagnose {

void say_once(std::vector<std::string>& remarks, std::string remark) {
  if (std::ranges::find(remarks, remark) == remarks.end()) remarks.push_back(std::move(remark));
}

Result<std::vector<std::uint32_t>> matched_servers(const Places& places,
                                                   const std::vector<std::string>& hosts,
                                                   const std::string& what,
                                                   std::vector<std::string>& remarks) {
  std::vector<std::uint32_t> servers;
  std::vector<std::string> unknown;
  for (const std::string& host : hosts) {
    // Logs have the full name where the cluster has the short one.
    auto server = places.server_named(host);
    if (!server) server = places.server_named(host.substr(0, host.find('.')));
    if (server) {
      servers.push_back(*server);
    } else {
      unknown.push_back(host);
    }
  }
  if (unknown.empty()) return servers;
  if (unknown.size() < hosts.size()) {
    return Error{fmt::format("{} ran on {}, which the cluster has not; it has {} to {}", what,
                             unknown.front(), places.servers.front().name,
                             places.servers.back().name)};
  }
  if (hosts.size() > places.servers.size()) {
    return Error{fmt::format("{} ran on {} servers, and the cluster has {}: another machine", what,
                             hosts.size(), places.servers.size())};
  }
  for (std::uint32_t s = 0; s < hosts.size(); ++s) servers.push_back(s);
  say_once(remarks,
           fmt::format("no server of the cluster is called {}: those of the logs are taken "
                       "in their order, {} for {}",
                       hosts.front(), hosts.front(), places.servers.front().name));
  return servers;
}

namespace {

Error another_machine(const Places& places, const std::string& what, std::uint32_t ranks) {
  std::size_t all = 0;
  for (const ServerPlace& server : places.servers) all += server.hosts.size();
  return Error{
      fmt::format("{} is of {} ranks, and the cluster has {} GPUs in {} servers: another "
                  "machine",
                  what, ranks, all, places.servers.size())};
}

/// The first servers that have that number of ranks.
std::vector<std::uint32_t> first_servers(const Places& places, std::uint32_t ranks) {
  std::vector<std::uint32_t> servers;
  std::size_t have = 0;
  for (std::uint32_t s = 0; s < places.servers.size() && (ranks == 0 || have < ranks); ++s) {
    servers.push_back(s);
    have += places.servers[s].hosts.size();
  }
  return servers;
}

}  // namespace

Result<MatchedRanks> matched_ranks(const Places& places, const evidence::MeasuredOn& on,
                                   const std::string& what, std::vector<std::string>& remarks) {
  MatchedRanks matched;
  if (on.hosts.empty()) {
    matched.servers = first_servers(places, on.ranks);
    if (on.ranks == 0) {
      say_once(remarks,
               what + " does not say how many ranks it is of: all of the cluster are taken");
    } else if (matched.servers.size() < places.servers.size()) {
      say_once(remarks, fmt::format("{} does not say where its {} ranks ran: the first {} servers "
                                    "are taken",
                                    what, on.ranks, matched.servers.size()));
    }
  } else {
    auto servers = matched_servers(places, on.hosts, what, remarks);
    if (!servers) return servers.errors();
    matched.servers = std::move(servers).value();
  }
  std::size_t have = 0;
  for (const std::uint32_t s : matched.servers) have += places.servers[s].hosts.size();
  const std::uint32_t ranks = on.ranks == 0 ? static_cast<std::uint32_t>(have) : on.ranks;
  if (ranks > have) return another_machine(places, what, ranks);
  const std::size_t each = (ranks + matched.servers.size() - 1) / matched.servers.size();
  const bool takes_all = ranks == have;
  for (const std::uint32_t s : matched.servers) {
    const auto& hosts = places.servers[s].hosts;
    for (std::size_t i = 0; i < hosts.size() && matched.hosts.size() < ranks; ++i) {
      if (takes_all || i < each) matched.hosts.push_back(hosts[i]);
    }
  }
  if (matched.hosts.size() < ranks) return another_machine(places, what, ranks);
  if (!takes_all) {
    say_once(remarks, fmt::format("{} used {} of {} GPUs: the first {} of each server are taken",
                                  what, ranks, have, each));
  }
  return matched;
}

}  // namespace weft::diagnose
