#include "tools/diagnose/model/matching.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "simcore/text/range_text.hpp"
#include "tools/import/source/natural_order.hpp"

namespace weft::diagnose {

void say_once(std::vector<std::string>& remarks, std::string remark) {
  if (std::ranges::find(remarks, remark) == remarks.end()) remarks.push_back(std::move(remark));
}

std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMax = 4;
  const std::size_t shown = names.size() > kMax ? kMax - 1 : names.size() - 1;
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<long>(shown), ", "));
  if (!text.empty()) text += " and ";
  return text + (names.size() > kMax ? fmt::format("{} more", names.size() - shown) : names.back());
}

std::vector<std::string> hosts_of(const std::vector<evidence::Series>& series,
                                  const std::vector<evidence::PairSeries>& pairs) {
  std::vector<std::string> hosts;
  for (const evidence::Series& one : series) {
    hosts.insert(hosts.end(), one.on.hosts.begin(), one.on.hosts.end());
  }
  for (const evidence::PairSeries& one : pairs) {
    for (const evidence::PairValue& value : one.values) {
      hosts.push_back(value.from);
      hosts.push_back(value.to);
    }
  }
  return hosts;
}

namespace {

/// Logs have the full name where the cluster has the short one.
std::optional<std::uint32_t> known_server(const Places& places, const std::string& host) {
  const auto server = places.server_named(host);
  return server ? server : places.server_named(host.substr(0, host.find('.')));
}

/// `gpu01 to gpu08` where they are numbered so, else some of them.
std::string names_of_servers(const Places& places) {
  std::vector<std::string> names;
  for (const ServerPlace& server : places.servers) names.push_back(server.name);
  std::ranges::sort(names, import::NaturalOrder());
  const std::size_t stem = names.front().find_last_not_of("0123456789") + 1;
  const auto number_of = [&](const std::string& name) -> std::optional<std::uint64_t> {
    if (!import::is_same_name(name.substr(0, stem), names.front().substr(0, stem))) return {};
    return parse_unsigned(name.substr(stem));
  };
  const auto first = number_of(names.front());
  bool is_range = first && names.size() > 2;
  for (std::size_t i = 1; i < names.size() && is_range; ++i) {
    is_range = number_of(names[i]) == *first + i;
  }
  return is_range ? names.front() + " to " + names.back() : names_text(names);
}

}  // namespace

ServersInOrder servers_in_order(const Places& places, std::vector<std::string> hosts) {
  std::erase_if(hosts, [&places](const std::string& host) {
    return host.empty() || known_server(places, host).has_value();
  });
  std::ranges::sort(hosts, import::NaturalOrder());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  ServersInOrder servers;
  if (hosts.size() > places.servers.size()) return servers;
  for (std::uint32_t s = 0; s < hosts.size(); ++s) servers.emplace(hosts[s], s);
  return servers;
}

Result<std::vector<std::uint32_t>> matched_servers(const Places& places,
                                                   const ServersInOrder& in_order,
                                                   const std::vector<std::string>& hosts,
                                                   const std::string& what,
                                                   std::vector<std::string>& remarks) {
  std::vector<std::uint32_t> servers;
  std::vector<std::string> unknown;
  for (const std::string& host : hosts) {
    if (const auto server = known_server(places, host)) {
      servers.push_back(*server);
    } else {
      unknown.push_back(host);
    }
  }
  if (unknown.empty()) return servers;
  if (unknown.size() < hosts.size()) {
    return Error{fmt::format("{} ran on {}, which the cluster has not; it has {}", what,
                             unknown.front(), names_of_servers(places))};
  }
  if (hosts.size() > places.servers.size()) {
    return Error{fmt::format("{} ran on {} servers, and the cluster has {}: another machine", what,
                             hosts.size(), places.servers.size())};
  }
  for (std::uint32_t s = 0; s < hosts.size(); ++s) {
    const auto known = in_order.find(hosts[s]);
    servers.push_back(known == in_order.end() ? s : known->second);
  }
  const std::string& first = in_order.empty() ? hosts.front() : in_order.begin()->first;
  say_once(remarks,
           fmt::format("no server of the cluster is called {}: those of the logs are taken "
                       "in their order, {} for {}",
                       first, first,
                       places.servers[in_order.empty() ? 0 : in_order.begin()->second].name));
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

Result<MatchedRanks> matched_ranks(const Places& places, const ServersInOrder& in_order,
                                   const evidence::MeasuredOn& on, const std::string& what,
                                   std::vector<std::string>& remarks) {
  MatchedRanks matched;
  if (on.hosts.empty()) {
    matched.servers = first_servers(places, on.ranks);
    matched.is_guess = matched.servers.size() < places.servers.size();
    if (on.ranks == 0) {
      say_once(remarks,
               what + " does not say how many ranks it is of: all of the cluster are taken");
    } else if (matched.servers.size() < places.servers.size()) {
      say_once(remarks, fmt::format("{} does not say where its {} ranks ran: the first {} servers "
                                    "are taken",
                                    what, on.ranks, matched.servers.size()));
    }
  } else {
    auto servers = matched_servers(places, in_order, on.hosts, what, remarks);
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

std::vector<std::string> common_names(const std::vector<std::string>& some,
                                      const std::vector<std::string>& others) {
  std::vector<std::string> both;
  std::ranges::copy_if(some, std::back_inserter(both), [&others](const std::string& name) {
    return std::ranges::find(others, name) != others.end();
  });
  return both;
}

}  // namespace weft::diagnose
