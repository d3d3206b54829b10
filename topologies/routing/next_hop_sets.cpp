#include "topologies/routing/next_hop_sets.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "simcore/base/hash.hpp"

namespace weft::topologies {
namespace {

template <class T>
std::uint64_t hash_of(std::span<const T> values) {
  std::uint64_t hash = mix64(values.size());
  for (const T value : values) hash = mix64(hash ^ value) + value;
  return hash;
}

}  // namespace

NextHopSets::NextHopSets(Routes& routes) : routes_(routes) {
  routes_.local_ports.push_back(0);  // so that no set but the empty one is at place 0
  sets_.push_back({});
}

std::uint32_t NextHopSets::id_of(std::span<const std::uint16_t> ports) {
  if (ports.empty()) return 0;
  std::vector<std::uint32_t>& alike = sets_by_hash_[hash_of(ports)];
  for (const std::uint32_t id : alike) {
    if (holds(id, ports)) return id;
  }
  const auto id = static_cast<std::uint32_t>(sets_.size());
  sets_.push_back({static_cast<std::uint32_t>(routes_.local_ports.size()),
                   static_cast<std::uint32_t>(ports.size())});
  routes_.local_ports.insert(routes_.local_ports.end(), ports.begin(), ports.end());
  alike.push_back(id);
  return id;
}

bool NextHopSets::holds(std::uint32_t id, std::span<const std::uint16_t> ports) const {
  return std::ranges::equal(routes_.ports_of(sets_[id]), ports);
}

std::uint32_t NextHopSets::row_of(std::span<const std::uint32_t> ids) {
  std::vector<std::uint32_t>& alike = rows_by_hash_[hash_of(ids)];
  for (const std::uint32_t row : alike) {
    if (row + ids.size() > routes_.rows.size()) continue;
    const auto is_here = [&](std::size_t i) { return routes_.rows[row + i] == sets_[ids[i]]; };
    std::size_t same = 0;
    while (same < ids.size() && is_here(same)) ++same;
    if (same == ids.size()) return row;
  }
  const auto row = static_cast<std::uint32_t>(routes_.rows.size());
  for (const std::uint32_t id : ids) routes_.rows.push_back(sets_[id]);
  alike.push_back(row);
  return row;
}

void repeat_by_rate(const Fabric& fabric, const Node& node, std::vector<std::uint16_t>& ports) {
  constexpr std::int64_t kMaxRepeats = 64;
  const auto rate_of = [&](std::uint16_t local) {
    return fabric.port(PortId(node.first_port.value() + local)).rate.count();
  };
  std::int64_t divisor = 0;
  std::int64_t fastest = 0;
  for (const std::uint16_t local : ports) {
    divisor = std::gcd(divisor, rate_of(local));
    fastest = std::max(fastest, rate_of(local));
  }
  if (ports.empty() || fastest == divisor) return;
  std::vector<std::uint16_t> repeated;
  for (const std::uint16_t local : ports) {
    std::int64_t times = rate_of(local) / divisor;
    if (fastest / divisor > kMaxRepeats) {
      const double share = static_cast<double>(rate_of(local)) / static_cast<double>(fastest);
      times = std::max<std::int64_t>(1, std::llround(kMaxRepeats * share));
    }
    repeated.insert(repeated.end(), static_cast<std::size_t>(times), local);
  }
  ports = std::move(repeated);
}

}  // namespace weft::topologies
