#include "scenarios/language/placement.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

#include "simcore/nearest.hpp"
#include "simcore/random.hpp"

namespace weft::scenarios::language {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

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

/// The first `wanted` elements of a Fisher-Yates shuffle.
Placement draw(std::uint32_t wanted, const HostNames& names, std::uint64_t seed, std::size_t job) {
  Placement placement;
  const auto count = static_cast<std::uint32_t>(names.count());
  if (wanted > count) {
    placement.problems.push_back({std::nullopt, "asks for " + std::to_string(wanted) +
                                                    " hosts; there are " + std::to_string(count)});
    return placement;
  }
  const RandomStream stream(seed, Purpose::kPlacement, job);
  std::vector<std::uint32_t> hosts(count);
  std::iota(hosts.begin(), hosts.end(), 0U);
  for (std::uint32_t i = 0; i < wanted; ++i) {
    std::swap(hosts[i], hosts[i + static_cast<std::uint32_t>(stream.below(i, count - i))]);
    placement.hosts.emplace_back(hosts[i]);
  }
  return placement;
}

}  // namespace

std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    const auto number = parse_number(text);
    if (!number) return std::nullopt;
    return std::pair(*number, *number);
  }
  const auto first = parse_number(text.substr(0, dash));
  const auto last = parse_number(text.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return std::pair(*first, *last);
}

HostNames::HostNames(const Document& document) {
  if (const auto* tree = std::get_if<FatTreeDocument>(&document.fabric.topology)) {
    count_ = std::uint64_t{tree->k} * tree->k * tree->k / 4;
  } else if (const auto* custom = std::get_if<CustomDocument>(&document.fabric.topology)) {
    is_numbered_ = false;
    for (const CustomDocument::Node& node : custom->nodes) {
      if (node.kind != CustomDocument::NodeKind::kHost) continue;
      numbers_.emplace(node.name, static_cast<std::uint32_t>(count_++));
      names_.push_back(node.name);
    }
  } else if (document.racks) {
    const RacksDocument& racks = *document.racks;
    count_ = std::uint64_t{racks.count} * racks.servers * racks.server.nics;
  }
}

std::optional<std::uint32_t> HostNames::find(const std::string& name) const {
  if (!is_numbered_) {
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }
  if (name.size() < 2 || name.front() != 'h') return std::nullopt;
  const auto number = parse_number(std::string_view(name).substr(1));
  if (!number || *number >= count_) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::string HostNames::description() const {
  const std::string numbers = "the hosts 0 to " + std::to_string(count_ - 1);
  if (is_numbered_) return numbers + " (h0 to h" + std::to_string(count_ - 1) + ")";
  return numbers + " (" + listing(names_) + ")";
}

std::string HostNames::suggestion(const std::string& name) const {
  return did_you_mean(name, names_);
}

Placement place_ranks(const RanksDocument& ranks, const HostNames& names, std::uint64_t seed,
                      std::size_t job) {
  if (ranks.random) return draw(*ranks.random, names, seed, job);
  Placer placer(names);
  for (std::size_t i = 0; i < ranks.hosts.size(); ++i) placer.add_word(ranks.hosts[i], i);
  return placer.take();
}

}  // namespace weft::scenarios::language
