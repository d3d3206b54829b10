#include "scenarios/ideal/operation_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "scenarios/ideal/connection_transports.hpp"
#include "scenarios/ideal/ideal_times.hpp"

namespace weft::scenarios {
namespace {

using collectives::CollectiveSpec;
using collectives::Operation;

/// Bytes that must leave a set of ranks, and enter it.
struct Crossing {
  double out = 0;
  double in = 0;
};

/// What must cross the cut around some of the ranks.
class CutNeeds {
 public:
  CutNeeds(const CollectiveSpec& spec, std::size_t ranks)
      : spec_(spec),
        n_(static_cast<double>(ranks)),
        size_(static_cast<double>(spec.size.count())) {}

  [[nodiscard]] Crossing of(const std::vector<std::uint32_t>& members) const {
    const double m = static_cast<double>(members.size());
    const double left = n_ - m;
    if (left <= 0) return {};
    const bool has_root = std::ranges::find(members, spec_.root) != members.end();
    switch (spec_.operation) {
      case Operation::kAllReduce:
        return {size_, size_};
      case Operation::kAllGather:
        return {size_ * m / n_, size_ * left / n_};
      case Operation::kReduceScatter:
        return {size_ * left / n_, size_ * m / n_};
      case Operation::kAllToAll:
        return {size_ * m * left, size_ * m * left};
      case Operation::kBroadcast:
        return has_root ? Crossing{size_, 0} : Crossing{0, size_};
      case Operation::kReduce:
        return has_root ? Crossing{0, size_} : Crossing{size_, 0};
      case Operation::kScatter:
        return has_root ? Crossing{size_ * left / n_, 0} : Crossing{0, size_ * m / n_};
      case Operation::kGather:
        return has_root ? Crossing{0, size_ * left / n_} : Crossing{size_ * m / n_, 0};
      case Operation::kAllToAllV:
        return by_matrix(members);
      case Operation::kSendReceive:
        return to_next(members);
      case Operation::kBarrier:
        break;
    }
    return {};
  }

 private:
  [[nodiscard]] Crossing by_matrix(const std::vector<std::uint32_t>& members) const {
    const auto n = static_cast<std::size_t>(n_);
    std::vector<bool> is_member(n);
    for (const std::uint32_t rank : members) is_member[rank] = true;
    Crossing c;
    for (const std::uint32_t rank : members) {
      for (std::size_t other = 0; other < n; ++other) {
        if (is_member[other]) continue;
        c.out += static_cast<double>(spec_.matrix[rank * n + other]);
        c.in += static_cast<double>(spec_.matrix[other * n + rank]);
      }
    }
    return c;
  }
  [[nodiscard]] Crossing to_next(const std::vector<std::uint32_t>& members) const {
    const auto n = static_cast<std::uint32_t>(n_);
    const std::set<std::uint32_t> inside(members.begin(), members.end());
    double leaving = 0;
    for (const std::uint32_t rank : members) {
      if (!inside.contains((rank + 1) % n)) leaving += size_;
    }
    return {leaving, leaving};  // a ring enters a set as often as it leaves it
  }

  const CollectiveSpec& spec_;
  double n_;
  double size_;
};

/// Looks at one cut after the other.
class Search {
 public:
  Search(const Scenario& scenario, const Fabric& fabric, const JobSpec& job)
      : scenario_(scenario), fabric_(fabric), job_(job), kinds_(scale_up_kinds(scenario, fabric)) {}

  /// Payload per second of a rank's links into a network, each way.
  [[nodiscard]] double rate_of(std::uint32_t rank, NetworkKind network) const {
    const HostId host = job_.ranks[rank];
    double rate = 0;
    for (const Port& port : fabric_.ports_of(fabric_.hosts[host.value()])) {
      if (fabric_.network_of(fabric_.port(port.peer).peer) != network) continue;
      rate += payload_rate(port.rate, framing_of_link(host, network));
    }
    return rate;
  }
  [[nodiscard]] double rate_of(std::uint32_t rank) const {
    return rate_of(rank, NetworkKind::kScaleOut) + rate_of(rank, NetworkKind::kScaleUp);
  }
  /// Of a switch's links to other switches.
  [[nodiscard]] double uplink_rate(NodeId leaf) const {
    double rate = 0;
    for (const Port& port : fabric_.ports_of(leaf)) {
      const Node& peer = fabric_.node(fabric_.port(port.peer).node);
      if (peer.kind == NodeKind::kSwitch && peer.tier > fabric_.node(leaf).tier) {
        rate += payload_rate(port.rate, framing_of(scenario_, job_.transport));
      }
    }
    return rate;
  }
  /// The switch on which a rank hangs alone; none: it has several, or a NIC of its own in between.
  [[nodiscard]] NodeId leaf_of(std::uint32_t rank) const {
    NodeId leaf = NodeId::none();
    for (const Port& port : fabric_.ports_of(fabric_.hosts[job_.ranks[rank].value()])) {
      if (fabric_.network_of(fabric_.port(port.peer).peer) != NetworkKind::kScaleOut) continue;
      const NodeId peer = fabric_.port(port.peer).node;
      if (fabric_.node(peer).kind != NodeKind::kSwitch) return NodeId::none();
      if (!leaf.is_none() && leaf != peer) return NodeId::none();
      leaf = peer;
    }
    return leaf;
  }

  void consider(double bytes, double rate, const std::string& cut) {
    if (bytes <= 0 || rate <= 0) return;
    const double seconds = bytes / rate;
    if (seconds <= seconds_) return;
    seconds_ = seconds;
    cut_ = cut;
  }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] const std::string& cut() const { return cut_; }

 private:
  [[nodiscard]] Framing framing_of_link(HostId host, NetworkKind network) const {
    const std::int32_t domain = fabric_.host(host).domain;
    if (network == NetworkKind::kScaleUp && domain >= 0 && !scenario_.scale_up.empty()) {
      return scale_up_framing(scenario_.scale_up[kinds_[static_cast<std::size_t>(domain)]]);
    }
    return framing_of(scenario_, job_.transport);
  }
  [[nodiscard]] static double payload_rate(BitsPerSecond rate, const Framing& framing) {
    const auto payload = static_cast<double>(framing.payload.count());
    return static_cast<double>(rate.count()) / 8 * payload /
           static_cast<double>((framing.payload + framing.header).count());
  }

  const Scenario& scenario_;
  const Fabric& fabric_;
  const JobSpec& job_;
  std::vector<std::uint8_t> kinds_;
  double seconds_ = 0;
  std::string cut_;
};

using Groups = std::map<std::uint32_t, std::vector<std::uint32_t>>;

void consider_ranks(const Fabric& fabric, const JobSpec& job, const CollectiveSpec& spec,
                    const collectives::RankLayout& layout, Search& search) {
  const auto n = static_cast<std::uint32_t>(job.ranks.size());
  const CutNeeds needs(spec, n);
  double together = 0;
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    const double rate = search.rate_of(rank);
    const Crossing c = needs.of({rank});
    search.consider(std::max(c.out, c.in), rate, "links of " + fabric.host(job.ranks[rank]).name);
    together += rate;
  }
  if (spec.operation != Operation::kAllReduce) return;
  const auto size = static_cast<double>(spec.size.count());
  double each = 2.0 * (n - 1) / n * size;
  if (layout.has_in_network_reduction) each = std::min(each, size + size / n);
  // Sums of chips pass other domains' ranks by.
  const bool is_one_domain = collectives::RankMap(n, layout).domains() == 1;
  if (layout.has_in_network_reduction && !is_one_domain) return;
  search.consider(each * n, together, "links of all ranks");
}

void consider_domains(const JobSpec& job, const CollectiveSpec& spec,
                      const collectives::RankLayout& layout, Search& search) {
  const auto n = static_cast<std::uint32_t>(job.ranks.size());
  if (layout.domain.empty()) return;
  const CutNeeds needs(spec, n);
  Groups domains;
  for (std::uint32_t rank = 0; rank < n; ++rank) domains[layout.domain[rank]].push_back(rank);
  if (domains.size() < 2) return;
  double together = 0;
  for (const auto& [domain, members] : domains) {
    double rate = 0;
    for (const std::uint32_t rank : members) {
      rate += search.rate_of(rank, NetworkKind::kScaleOut);
    }
    const Crossing c = needs.of(members);
    search.consider(std::max(c.out, c.in), rate, "links out of a scale-up domain");
    together += rate;
  }
  if (spec.operation != Operation::kAllReduce) return;
  const auto k = static_cast<double>(domains.size());
  search.consider(2 * (k - 1) * static_cast<double>(spec.size.count()), together,
                  "links out of all scale-up domains");
}

void consider_leaves(const Fabric& fabric, const JobSpec& job, const CollectiveSpec& spec,
                     Search& search) {
  const auto n = static_cast<std::uint32_t>(job.ranks.size());
  const CutNeeds needs(spec, n);
  Groups leaves;
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    const NodeId leaf = search.leaf_of(rank);
    if (!leaf.is_none()) leaves[leaf.value()].push_back(rank);
  }
  for (const auto& [leaf, members] : leaves) {
    double rate = search.uplink_rate(NodeId(leaf));
    for (const std::uint32_t rank : members) {
      rate += search.rate_of(rank, NetworkKind::kScaleUp);
    }
    const Crossing c = needs.of(members);
    search.consider(std::max(c.out, c.in), rate, "links above " + fabric.node(NodeId(leaf)).name);
  }
}

/// Computing before each iteration, where nobody computes faster than planned.
double computing(const CollectiveSpec& spec) {
  double factor = 1;
  for (const collectives::Straggler& s : spec.stragglers) {
    factor = std::min(factor, s.compute_factor);
  }
  return factor * to_seconds(spec.compute);
}

}  // namespace

OperationBound operation_bound(const Scenario& scenario, const Fabric& fabric,
                               const CollectiveSpec& spec, const JobSpec& job,
                               const collectives::RankLayout& layout) {
  if (job.ranks.size() < 2 || spec.operation == Operation::kBarrier) return {};
  if (spec.operation == Operation::kAllToAllV && spec.matrix.empty()) return {};
  Search search(scenario, fabric, job);
  consider_ranks(fabric, job, spec, layout, search);
  consider_domains(job, spec, layout, search);
  consider_leaves(fabric, job, spec, search);
  const double whole = spec.iterations * (search.seconds() + computing(spec));
  return {Picoseconds(std::llround(std::floor(whole * 1e12))), search.cut()};
}

}  // namespace weft::scenarios
