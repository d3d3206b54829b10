#include "scenarios/zero_load/operation_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "scenarios/zero_load/connection_transports.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

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

/// Payload per second out of a set of ranks, into it, and both together.
struct Capacity {
  double out = 0;
  double in = 0;
  double both = 0;
  Capacity& operator+=(const Capacity& other) {
    out += other.out;
    in += other.in;
    both += other.both;
    return *this;
  }
};

/// Looks at one cut after the other.
class Search {
 public:
  Search(const Scenario& scenario, const Fabric& fabric, const JobSpec& job)
      : scenario_(scenario), fabric_(fabric), job_(job), kinds_(scale_up_kinds(scenario, fabric)) {}

  /// Payload per second of the links of some ranks into a network. Links that they share are one.
  [[nodiscard]] Capacity rate_of(std::span<const std::uint32_t> ranks, NetworkKind network) const {
    const bool is_nic = network == NetworkKind::kScaleOut;
    const BitsPerSecond unlimited = BitsPerSecond::max();
    const BitsPerSecond taken_in =
        is_nic ? scenario_.nic.receive_rate.value_or(unlimited) : unlimited;
    std::set<std::uint32_t> sending;
    std::set<std::uint32_t> receiving;
    const auto is_new = [](std::set<std::uint32_t>& known, const Port& port) {
      return port.shared_link == 0 || known.insert(port.shared_link).second;
    };
    Capacity rate;
    for (const std::uint32_t rank : ranks) {
      const HostId host = job_.ranks[rank];
      const Framing framing = framing_of_link(host, network);
      for (const Port& port : fabric_.ports_of(fabric_.hosts[host.value()])) {
        const Port& peer = fabric_.port(port.peer);
        if (fabric_.network_of(peer.peer) != network) continue;
        const bool is_one_way = port.shared_link != 0 && port.shared_link == peer.shared_link;
        const bool sends = is_new(sending, port);
        const double out = sends ? payload_rate(port.rate, framing) : 0;
        const double in =
            is_new(receiving, peer) ? payload_rate(std::min(peer.rate, taken_in), framing) : 0;
        rate += {out, in, is_one_way ? out : out + in};
      }
    }
    return rate;
  }
  [[nodiscard]] Capacity rate_of(std::span<const std::uint32_t> ranks) const {
    Capacity rate = rate_of(ranks, NetworkKind::kScaleOut);
    rate += rate_of(ranks, NetworkKind::kScaleUp);
    return rate;
  }
  /// The link that all of a rank's ports to NICs share for what it sends; 0: there is none.
  [[nodiscard]] std::uint32_t shared_link_of(std::uint32_t rank) const {
    std::optional<std::uint32_t> only;
    for (const Port& port : fabric_.ports_of(fabric_.hosts[job_.ranks[rank].value()])) {
      if (fabric_.network_of(fabric_.port(port.peer).peer) != NetworkKind::kScaleOut) continue;
      if (only.value_or(port.shared_link) != port.shared_link) return 0;
      only = port.shared_link;
    }
    return only.value_or(0);
  }
  /// Of a switch's links to other switches.
  [[nodiscard]] Capacity uplink_rate(NodeId leaf) const {
    Capacity rate;
    for (const Port& port : fabric_.ports_of(leaf)) {
      const Node& peer = fabric_.node(fabric_.port(port.peer).node);
      if (peer.kind == NodeKind::kSwitch && peer.tier > fabric_.node(leaf).tier) {
        const Framing framing = framing_of(scenario_, job_.transport);
        const double out = payload_rate(port.rate, framing);
        const double in = payload_rate(fabric_.port(port.peer).rate, framing);
        rate += {out, in, out + in};
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

  void consider(const Crossing& bytes, const Capacity& rate, const std::string& cut) {
    consider(bytes.out, rate.out, cut);
    consider(bytes.in, rate.in, cut);
    consider(bytes.in + bytes.out, rate.both, cut);
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

/// Returns how long the rank that has least to take in needs for it.
double consider_ranks(const Fabric& fabric, const JobSpec& job, const CollectiveSpec& spec,
                      const collectives::RankLayout& layout, Search& search) {
  const auto n = static_cast<std::uint32_t>(job.ranks.size());
  const CutNeeds needs(spec, n);
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0U);
  double min_taken_in = std::numeric_limits<double>::max();
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    const Capacity rate = search.rate_of({&all[rank], 1});
    const Crossing c = needs.of({rank});
    search.consider(c, rate, "links of " + fabric.host(job.ranks[rank]).name);
    min_taken_in = std::min(min_taken_in, rate.in > 0 ? c.in / rate.in : 0);
  }
  if (spec.operation != Operation::kAllReduce) return min_taken_in;
  const auto size = static_cast<double>(spec.size.count());
  double each = 2.0 * (n - 1) / n * size;
  const bool works_in_network = collectives::works_in_network(spec, layout);
  if (works_in_network) each = std::min(each, size + size / n);
  // Sums of scale-up switches pass other domains' ranks by.
  const bool is_one_domain = collectives::RankMap(n, layout).domains() == 1;
  if (works_in_network && !is_one_domain) return min_taken_in;
  search.consider({each * n, each * n}, search.rate_of(all), "links of all ranks");
  return min_taken_in;
}

void consider_domains(const JobSpec& job, const CollectiveSpec& spec,
                      const collectives::RankLayout& layout, Search& search) {
  const auto n = static_cast<std::uint32_t>(job.ranks.size());
  if (layout.domain.empty()) return;
  const CutNeeds needs(spec, n);
  Groups domains;
  for (std::uint32_t rank = 0; rank < n; ++rank) domains[layout.domain[rank]].push_back(rank);
  if (domains.size() < 2) return;
  Capacity together;
  for (const auto& [domain, members] : domains) {
    const Capacity rate = search.rate_of(members, NetworkKind::kScaleOut);
    search.consider(needs.of(members), rate, "links out of a scale-up domain");
    together += rate;
  }
  if (spec.operation != Operation::kAllReduce) return;
  const auto k = static_cast<double>(domains.size());
  const double all = 2 * (k - 1) * static_cast<double>(spec.size.count());
  search.consider({all, all}, together, "links out of all scale-up domains");
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
    Capacity rate = search.uplink_rate(NodeId(leaf));
    rate += search.rate_of(members, NetworkKind::kScaleUp);
    search.consider(needs.of(members), rate, "links above " + fabric.node(NodeId(leaf)).name);
  }
}

/// Ranks behind one host link.
void consider_shared_links(const Fabric& fabric, const JobSpec& job, const CollectiveSpec& spec,
                           Search& search) {
  if (!fabric.has_shared_links()) return;
  const auto n = static_cast<std::uint32_t>(job.ranks.size());
  const CutNeeds needs(spec, n);
  Groups links;
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    const std::uint32_t link = search.shared_link_of(rank);
    if (link != 0) links[link].push_back(rank);
  }
  for (const auto& [link, members] : links) {
    search.consider(needs.of(members), search.rate_of(members),
                    "the host link of " + fabric.host(job.ranks[members.front()]).name);
  }
}

/// Computing before each iteration, of the rank that computes fastest: factors may be below 1.
double min_computing(const CollectiveSpec& spec) {
  double factor = 1;
  const auto apply = [&factor](double of) { factor *= std::min(1.0, of); };
  for (const collectives::Straggler& s : spec.stragglers) apply(s.compute_factor);
  for (const collectives::JitterSpec& noise : spec.noise) {
    apply(noise.factor);
    for (const collectives::Throttle& throttle : noise.throttles) apply(throttle.factor);
  }
  return factor * to_seconds(spec.compute);
}

/// Of n iterations, each of which computes for `compute` before it communicates, and of which the
/// tightest cut needs `crossing` and every rank at least `taken_in`. Iterations overlap: a rank
/// begins the next one when it has what it needs itself, whatever others still wait for. Two
/// statements hold nevertheless, and the larger one counts.
///
/// - Through the cut, bytes of all iterations go one after the other, the first ones after the
///   first computing.
/// - Let m be when the first rank begins to communicate in an iteration. No byte of that is sent
///   before m, so no rank ends it before m + taken_in, and none communicates in the next one before
///   m + taken_in + compute. From the last m on, its bytes cross the cut.
double of_iterations(double n, double compute, double crossing, double taken_in) {
  return std::max(compute + n * crossing, n * compute + (n - 1) * taken_in + crossing);
}

}  // namespace

OperationBound operation_bound(const Scenario& scenario, const Fabric& fabric,
                               const CollectiveSpec& spec, const JobSpec& job,
                               const collectives::RankLayout& layout) {
  if (job.ranks.size() < 2 || spec.operation == Operation::kBarrier) return {};
  if (spec.operation == Operation::kAllToAllV && spec.matrix.empty()) return {};
  Search search(scenario, fabric, job);
  const double taken_in = consider_ranks(fabric, job, spec, layout, search);
  consider_domains(job, spec, layout, search);
  consider_leaves(fabric, job, spec, search);
  consider_shared_links(fabric, job, spec, search);
  const double whole =
      of_iterations(spec.iterations, min_computing(spec), search.seconds(), taken_in);
  return {Picoseconds(std::llround(std::floor(whole * 1e12))), search.cut()};
}

}  // namespace weft::scenarios
