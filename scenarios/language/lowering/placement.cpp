#include "scenarios/language/lowering/placement.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "scenarios/language/lowering/topology.hpp"
#include "simcore/base/random.hpp"
#include "simcore/fabric/limits.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/range_text.hpp"

namespace weft::scenarios::language {
namespace {

/// Collects hosts, each once.
class Placer {
 public:
  explicit Placer(const HostNames& names)
      : names_(names), is_taken_(static_cast<std::size_t>(names.count())) {}

  void add_word(const std::string& word, std::size_t index) {
    if (word == "all") return add_range(0, names_.count() - 1, index);
    if (const auto host = names_.find(word)) {
      add(*host, index);
      return;
    }
    const auto range = parse_range(word);
    if (!range) {
      return fail(index, "`" + word + "` names no host; there are " + names_.description() +
                             names_.suggestion(word));
    }
    if (range->first > range->second) {
      return fail(index, "`" + word + "` is a range that ends before it begins");
    }
    if (range->second >= names_.count()) {
      return fail(index, "`" + word + "` is beyond the last host; hosts are numbered 0 to " +
                             std::to_string(names_.count() - 1));
    }
    add_range(range->first, range->second, index);
  }

  Placement take() { return std::move(placement_); }

 private:
  void fail(std::size_t index, std::string message) {
    placement_.problems.push_back({index, std::move(message)});
  }
  void add_range(std::uint64_t first, std::uint64_t last, std::size_t index) {
    for (std::uint64_t host = first; host <= last; ++host) {
      if (!add(static_cast<std::uint32_t>(host), index)) return;
    }
  }
  bool add(std::uint32_t host, std::size_t index) {
    if (is_taken_[host]) {
      fail(index, "host " + std::to_string(host) + " appears twice; a host has one rank per job");
      return false;
    }
    is_taken_[host] = true;
    placement_.hosts.emplace_back(host);
    return true;
  }

  const HostNames& names_;
  std::vector<bool> is_taken_;
  Placement placement_;
};

/// Brings the first `wanted` of `hosts` into the order of a Fisher-Yates shuffle of all.
void shuffle(std::vector<HostId>& hosts, std::size_t wanted, std::uint64_t seed, std::size_t job) {
  const RandomStream stream(seed, Purpose::kPlacement, job);
  for (std::size_t i = 0; i < wanted; ++i) {
    std::swap(hosts[i], hosts[i + static_cast<std::size_t>(stream.below(i, hosts.size() - i))]);
  }
}

Placement draw(std::uint32_t wanted, const HostNames& names, std::uint64_t seed, std::size_t job) {
  Placement placement;
  const std::uint64_t count = names.count();
  if (wanted > count) {
    placement.problems.push_back({std::nullopt, "asks for " + std::to_string(wanted) +
                                                    " hosts; there are " + std::to_string(count)});
    return placement;
  }
  for (std::uint32_t i = 0; i < count; ++i) placement.hosts.emplace_back(i);
  shuffle(placement.hosts, wanted, seed, job);
  placement.hosts.resize(wanted);
  return placement;
}

/// The first host of every place, then the second of every place, and so on; places in the order of
/// their numbers, hosts of one in the order given.
template <class PlaceOf>
void stripe(std::vector<HostId>& hosts, PlaceOf place_of) {
  std::unordered_map<std::uint64_t, std::uint32_t> seen;
  struct Turn {
    std::uint32_t turn;
    std::uint64_t place;
    HostId host;
  };
  std::vector<Turn> turns;
  for (const HostId host : hosts) {
    const std::uint64_t place = place_of(host.value());
    turns.push_back({seen[place]++, place, host});
  }
  std::ranges::sort(turns, {}, [](const Turn& t) { return std::pair(t.turn, t.place); });
  for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i] = turns[i].host;
}

void put_in_order(RanksDocument::Order order, const HostNames& names, std::uint64_t seed,
                  std::size_t job, std::vector<HostId>& hosts) {
  using Order = RanksDocument::Order;
  const auto rack_of = [&](std::uint32_t host) { return names.rack_of(host); };
  if (order == Order::kRandom) shuffle(hosts, hosts.size(), seed, job);
  if (order == Order::kByRack) {
    std::ranges::stable_sort(hosts, {}, [&](HostId host) { return rack_of(host.value()); });
  }
  if (order == Order::kStriped) stripe(hosts, rack_of);
  if (order == Order::kServers) {
    stripe(hosts, [&](std::uint32_t host) { return names.server_of(host); });
  }
}

}  // namespace

void HostNames::add_block(const topologies::ServerPart& server, std::uint64_t racks,
                          std::uint64_t servers) {
  if (server.hosts() == 0 || racks == 0 || servers == 0) return;
  blocks_.push_back({count_, racks_, servers_, server.hosts(), servers, server.gpus > 0});
  racks_ += racks;
  servers_ += racks * servers;
  count_ += racks * servers * server.hosts();
}

HostNames::HostNames(const Document& document) {
  for (const topologies::RackSpec& rack : racks_of(document)) {
    add_block(rack.server, rack.count, rack.servers);
  }
  names_ = host_names_of(document);
  is_numbered_ = names_.empty();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    numbers_.emplace(names_[i], static_cast<std::uint32_t>(i));
  }
  if (blocks_.empty()) count_ = names_.size();
}

const HostNames::Block& HostNames::block_of(std::uint32_t host) const {
  const auto after = std::ranges::upper_bound(blocks_, host, {}, &Block::first_host);
  return *std::prev(after);
}

std::uint64_t HostNames::server_of(std::uint32_t host) const {
  const Block& block = block_of(host);
  return block.first_server + (host - block.first_host) / block.hosts_per_server;
}

std::uint64_t HostNames::rack_of(std::uint32_t host) const {
  const Block& block = block_of(host);
  return block.first_rack +
         (host - block.first_host) / block.hosts_per_server / block.servers_per_rack;
}

std::optional<std::uint32_t> HostNames::find(const std::string& name) const {
  if (!is_numbered_) {
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }
  const bool is_gpu = name.starts_with("gpu");
  const std::size_t prefix = is_gpu ? 3 : 1;
  if (name.size() <= prefix || (!is_gpu && name.front() != 'h')) return std::nullopt;
  const auto number = parse_unsigned(std::string_view(name).substr(prefix));
  if (!number || *number >= count_) return std::nullopt;
  const auto host = static_cast<std::uint32_t>(*number);
  if (block_of(host).is_gpu != is_gpu) return std::nullopt;
  return host;
}

std::string HostNames::name_of(std::uint64_t host) const {
  return (block_of(static_cast<std::uint32_t>(host)).is_gpu ? "gpu" : "h") + std::to_string(host);
}

std::string HostNames::description() const {
  const std::string numbers = "the hosts 0 to " + std::to_string(count_ - 1);
  if (!is_numbered_) return numbers + " (" + listing(names_) + ")";
  return numbers + " (" + name_of(0) + " to " + name_of(count_ - 1) + ")";
}

std::string HostNames::suggestion(const std::string& name) const {
  if (!is_numbered_) return did_you_mean(name, names_);
  // `host12` means the host of that number, whatever it is called.
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const auto number = parse_unsigned(std::string_view(name).substr(digits));
  if (digits == 0 || !number || *number >= count_) return {};
  return "; did you mean `" + name_of(*number) + "`?";
}

RanksByHost::RanksByHost(const Document& document, std::size_t job) : names_(document) {
  // Both are said of the fabric.
  if (names_.count() == 0 || names_.count() > kMaxHosts) {
    problem_ = "names no host, as the fabric has no hosts or too many";
    return;
  }
  const Placement placement = place_ranks(document.jobs[job].ranks, names_, document.seed, job);
  if (!placement.problems.empty()) {
    problem_ = "cannot be looked up, as the job's `ranks` are wrong: " +
               placement.problems.front().message;
    return;
  }
  for (std::uint32_t rank = 0; rank < placement.hosts.size(); ++rank) {
    rank_of_.emplace(placement.hosts[rank].value(), rank);
  }
}

std::variant<std::uint32_t, std::string> RanksByHost::on(const std::string& host) const {
  if (!problem_.empty()) return problem_;
  const auto number = names_.find(host);
  if (!number) {
    return "is no rank and names no host; there are " + names_.description() +
           names_.suggestion(host);
  }
  const auto rank = rank_of_.find(*number);
  if (rank != rank_of_.end()) return rank->second;
  return "is no host of the job, whose `ranks` are " + std::to_string(rank_of_.size()) +
         " hosts of " + std::to_string(names_.count());
}

Placement place_ranks(const RanksDocument& ranks, const HostNames& names, std::uint64_t seed,
                      std::size_t job) {
  Placement placement;
  if (ranks.random) {
    placement = draw(*ranks.random, names, seed, job);
  } else {
    Placer placer(names);
    for (std::size_t i = 0; i < ranks.hosts.size(); ++i) placer.add_word(ranks.hosts[i], i);
    placement = placer.take();
  }
  if (!placement.problems.empty()) return placement;
  const bool needs_racks =
      ranks.order != RanksDocument::Order::kGiven && ranks.order != RanksDocument::Order::kRandom;
  if (needs_racks && !names.has_racks()) {
    placement.problems.push_back(
        {std::nullopt, "has an order by racks or servers, and a custom fabric has none"});
    return placement;
  }
  put_in_order(ranks.order, names, seed, job, placement.hosts);
  if (!ranks.count) return placement;
  if (*ranks.count > placement.hosts.size()) {
    placement.problems.push_back({std::nullopt, "asks for " + std::to_string(*ranks.count) +
                                                    " hosts; there are " +
                                                    std::to_string(placement.hosts.size())});
    return placement;
  }
  placement.hosts.resize(*ranks.count);
  return placement;
}

}  // namespace weft::scenarios::language
