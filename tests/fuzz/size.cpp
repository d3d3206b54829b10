#include "tests/fuzz/size.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

#include "topologies/assembly/servers.hpp"

namespace weft::testing {
namespace {

constexpr double kMaxRanks = 2'000;
constexpr double kMaxCables = 50'000;
constexpr double kMaxPoints = 64;

/// An upper bound on the number of cables, far too high where leaves have many hosts.
struct CablesOf {
  double operator()(const topologies::ClosSpec& c) const {
    const double inner = (*this)(topologies::SingleDomainSpec{c.racks, {}});
    const double spines = 1.0 * c.planes * c.spines * std::max(c.pods, 1U);
    return inner + inner * c.spines * c.links_per_pair +
           spines * c.super_spines * c.super_links_per_pair;
  }
  double operator()(const topologies::SingleDomainSpec& lone) const {
    const topologies::Servers servers(lone.racks);
    return static_cast<double>(servers.inner_cables() + servers.nic_ports() + servers.racks());
  }
  double operator()(const topologies::LeafSpineSpec& s) const {
    return 1.0 * s.racks * (s.servers_per_rack + 1.0 * s.spines * s.links_per_pair);
  }
  double operator()(const topologies::FatTreeSpec& s) const { return std::pow(s.k, 3); }
  double operator()(const topologies::CabledSpec& s) const {
    double cables = (*this)(topologies::SingleDomainSpec{s.racks, {}});
    for (const auto& cable : s.cables) cables += cable.count;
    return cables;
  }
  double operator()(const topologies::CustomSpec& s) const {
    double cables = 0;
    for (const auto& link : s.links) cables += link.count;
    return cables;
  }
};

}  // namespace

bool is_small(const scenarios::Scenario& scenario) {
  double ranks = 0;
  for (const scenarios::JobSpec& job : scenario.jobs) {
    ranks += static_cast<double>(job.ranks.size());
  }
  return ranks <= kMaxRanks && std::visit(CablesOf{}, scenario.topology) <= kMaxCables;
}

bool is_small(const sweep::Sweep& sweep) {
  if (const auto* sampling = std::get_if<sweep::Sampling>(&sweep.strategy)) {
    return sampling->samples <= kMaxPoints;
  }
  double points = 1;
  for (const sweep::Axis& axis : sweep.axes) {
    points *= static_cast<double>(std::max<std::size_t>(axis.rows.size(), 1));
  }
  return points <= kMaxPoints;
}

}  // namespace weft::testing
