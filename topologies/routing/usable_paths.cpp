#include "topologies/routing/usable_paths.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "topologies/analysis/network_view.hpp"
#include "topologies/analysis/pair_paths.hpp"

namespace weft::topologies {
namespace {

__extension__ using Wide = unsigned __int128;

/// Values from `low` on, below `high`, of a hash of 64 bits that all nodes share.
class Interval {
 public:
  /// Those that choose one of the candidates `first` to `last` of n: reduce_range turned round.
  [[nodiscard]] std::optional<Interval> choosing(std::size_t first, std::size_t last, std::size_t n,
                                                 std::uint64_t /*seed*/) const {
    Interval part(*this);
    part.low_ = std::max(low_, start_of(first, n));
    part.high_ = std::min(high_, start_of(last + 1, n));
    if (part.low_ >= part.high_) return {};
    return part;
  }

 private:
  static constexpr Wide kAll = Wide{1} << 64U;
  [[nodiscard]] static Wide start_of(std::size_t candidate, std::size_t n) {
    return (kAll * candidate + n - 1) / n;
  }

  Wide low_ = 0;
  Wide high_ = kAll;
};

/// Values of CRC-16 from start 0. It is linear: another start changes all of them by the same bits.
class CrcValues {
 public:
  CrcValues() : values_(std::size_t{1} << 16U) {
    std::iota(values_.begin(), values_.end(), std::uint16_t{0});
  }

  [[nodiscard]] std::optional<CrcValues> choosing(std::size_t first, std::size_t last,
                                                  std::size_t n, std::uint64_t seed) const {
    const std::uint16_t change = crc16(static_cast<std::uint16_t>(seed), 0);
    CrcValues part{std::vector<std::uint16_t>()};
    for (const std::uint16_t value : values_) {
      const std::size_t choice = static_cast<std::uint16_t>(value ^ change) % n;
      if (choice >= first && choice <= last) part.values_.push_back(value);
    }
    if (part.values_.empty()) return {};
    return part;
  }

 private:
  explicit CrcValues(std::vector<std::uint16_t> values) : values_(std::move(values)) {}
  std::vector<std::uint16_t> values_;
};

/// Walks from a host to another along the next hops that some value of the hash chooses.
template <class Values>
class Walk {
 public:
  Walk(const Fabric& fabric, const Routes& routes, const Hashing& hashing, HostPair pair)
      : fabric_(fabric), routes_(routes), hashing_(hashing), pair_(pair) {}

  std::uint64_t count() {
    forward(fabric_.hosts[pair_.first.value()], Values(), 0);
    return paths_;
  }
  [[nodiscard]] const std::vector<PortId>& ports() const { return ports_; }

 private:
  void forward(NodeId at, const Values& values, std::size_t links) {
    if (at == fabric_.hosts[pair_.second.value()]) {
      ++paths_;
      return;
    }
    if (links == kMaxPathLinks) return;
    const Node& node = fabric_.node(at);
    const auto hops = ports_towards(routes_, node, pair_.first, pair_.second);
    const std::uint64_t seed = hashing_.hash.seed_of(hashing_.run_seed, at);
    // A port is repeated for its weight.
    for (std::size_t first = 0; first < hops.size();) {
      std::size_t last = first;
      while (last + 1 < hops.size() && hops[last + 1] == hops[first]) ++last;
      if (const auto part = values.choosing(first, last, hops.size(), seed)) {
        const PortId port(node.first_port.value() + hops[first]);
        ports_.push_back(port);
        forward(fabric_.peer_node(port), *part, links + 1);
      }
      first = last + 1;
    }
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const Hashing& hashing_;
  HostPair pair_;
  std::uint64_t paths_ = 0;
  std::vector<PortId> ports_;
};

/// Visits every port that some flow takes.
template <class Visit>
std::uint64_t usable_count(const Fabric& fabric, const Routes& routes, const Hashing& hashing,
                           HostPair pair, Visit visit) {
  const auto walk = [&]<class Values>() {
    Walk<Values> w(fabric, routes, hashing, pair);
    const std::uint64_t paths = w.count();
    for (const PortId port : w.ports()) visit(port);
    return paths;
  };
  return hashing.hash.type == PathHash::Type::kCrc16 ? walk.template operator()<CrcValues>()
                                                     : walk.template operator()<Interval>();
}

}  // namespace

bool may_polarise(const PathHash& hash) {
  return hash.type == PathHash::Type::kCrc16 || hash.seeds == PathHash::Seeds::kSame;
}

UsablePaths usable_paths(const Fabric& fabric, const Routes& routes, const Hashing& hashing,
                         HostId from, HostId to) {
  const std::uint64_t shortest = pair_paths(fabric, routes, from, to).paths;
  if (!may_polarise(hashing.hash)) return {shortest, shortest};
  return {shortest, usable_count(fabric, routes, hashing, {from, to}, [](PortId) {})};
}

UsablePathSurvey survey_usable_paths(const Fabric& fabric, const Routes& routes,
                                     const Hashing& hashing, std::span<const HostPair> pairs) {
  UsablePathSurvey survey;
  if (!may_polarise(hashing.hash)) return survey;
  std::unordered_set<std::uint32_t> crossed;
  std::unordered_set<std::uint32_t> taken;
  const auto is_inner = [&fabric](PortId port) {
    return fabric.node(fabric.port(port).node).kind == NodeKind::kSwitch &&
           fabric.node(fabric.peer_node(port)).kind == NodeKind::kSwitch;
  };
  for (const HostPair& pair : pairs) {
    const PairPaths all = pair_paths(fabric, routes, pair.first, pair.second);
    if (all.links == 0) continue;
    ++survey.pairs;
    for (const PortId port : all.ports) {
      if (is_inner(port)) crossed.insert(port.value());
    }
    const std::uint64_t usable = usable_count(fabric, routes, hashing, pair, [&](PortId port) {
      if (is_inner(port)) taken.insert(port.value());
    });
    if (usable >= all.paths) continue;
    ++survey.reduced;
    const UsablePaths& worst = survey.of_worst;
    if (survey.reduced > 1 &&
        static_cast<double>(usable) * static_cast<double>(worst.shortest) >=
            static_cast<double>(worst.usable) * static_cast<double>(all.paths))
      continue;
    survey.worst = pair;
    survey.of_worst = {all.paths, usable};
  }
  survey.links = crossed.size();
  survey.idle_links = crossed.size() - taken.size();
  return survey;
}

std::vector<HostPair> representative_pairs(const Fabric& fabric, std::size_t limit) {
  const NetworkView view(fabric, NetworkKind::kScaleOut);
  const auto& sites = view.sites();
  const std::size_t all = sites.size() * sites.size();
  const std::size_t stride = all / std::max<std::size_t>(1, limit) + 1;
  std::vector<HostPair> pairs;
  for (std::size_t i = 0; i < all; i += stride) {
    const HostId from = sites[i / sites.size()].hosts.front();
    const HostId to = sites[i % sites.size()].hosts.front();
    if (from == to || fabric.network_between(from, to) != NetworkKind::kScaleOut) continue;
    pairs.emplace_back(from, to);
  }
  return pairs;
}

}  // namespace weft::topologies
