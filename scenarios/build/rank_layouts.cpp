#include "scenarios/build/rank_layouts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocols/planes/plane_map.hpp"
#include "scenarios/zero_load/connection_transports.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/fabric/zero_load.hpp"

namespace weft::scenarios {
namespace {

/// What is left of a rate for payload.
BitsPerSecond without_headers(BitsPerSecond rate, const Framing& framing) {
  const auto payload = static_cast<double>(framing.payload.count());
  const double share = payload / static_cast<double>((framing.payload + framing.header).count());
  return BitsPerSecond(std::llround(static_cast<double>(rate.count()) * share));
}

class LayoutBuilder {
 public:
  LayoutBuilder(const Scenario& scenario, const Fabric& fabric, const Routes& routes,
                const protocols::PlaneMap& planes, const JobSpec& job)
      : scenario_(scenario),
        fabric_(fabric),
        routes_(routes),
        planes_(planes),
        ranks_(job.ranks),
        traffic_class_(job.traffic_class),
        transport_(job.transport),
        kinds_(scale_up_kinds(scenario, fabric)) {
    links_.reserve(ranks_.size());
    for (const HostId host : ranks_) links_.push_back(links_of(host));
  }

  [[nodiscard]] collectives::RankLayout layout() const {
    collectives::RankLayout layout;
    layout.network_rate = slowest(NetworkKind::kScaleOut);
    find_gpus(layout);
    find_domains(layout);
    find_nics(layout);
    find_planes(layout);
    // The first two ranks that are apart, and the first two that are not.
    for (std::size_t i = 1; i < ranks_.size(); ++i) {
      const bool is_inside = is_scale_up(ranks_[0], ranks_[i]);
      Picoseconds& latency_to = is_inside ? layout.domain_latency : layout.network_latency;
      if (latency_to == Picoseconds(0)) latency_to = latency(ranks_[0], ranks_[i]);
    }
    layout.transport_latency = scenario_.nic_transport.latency;
    layout.start_latency = scenario_.nic_transport.start;
    // Ranks side by side on one leaf would flatter the network.
    const HostId far = ranks_[ranks_.size() / 2];
    if (!is_scale_up(ranks_[0], far)) layout.network_latency = latency(ranks_[0], far);
    const std::size_t stride = ranks_.size() / kRanksSampled + 1;
    for (std::size_t i = 1; i < ranks_.size(); i += stride) {
      if (is_scale_up(ranks_[0], ranks_[i])) continue;
      layout.farthest_latency = std::max(layout.farthest_latency, latency(ranks_[0], ranks_[i]));
      layout.has_collisions = layout.has_collisions || chooses_path(ranks_[0], ranks_[i]);
    }
    return layout;
  }

  /// Of a message of one byte, its transmissions included.
  [[nodiscard]] Picoseconds latency(HostId from, HostId to) const {
    std::vector<PathHop> path = path_to(from, to);
    if (scenario_.nic.receive_rate && !is_scale_up(from, to)) {
      path.push_back({.rate = *scenario_.nic.receive_rate, .latency = {}, .takes_whole = true});
    }
    return zero_load(1_B, framing_between(from, to), path, path).delivered;
  }

 private:
  static constexpr std::size_t kRanksSampled = 256;

  [[nodiscard]] std::vector<PathHop> path_to(HostId from, HostId to) const {
    return hops_of(
        fabric_, flow_path(fabric_, routes_, scenario_.seed, from, to, flow_entropy(from, to, 0)));
  }
  [[nodiscard]] BitsPerSecond taken_in(BitsPerSecond rate) const {
    return std::min(rate, scenario_.nic.receive_rate.value_or(BitsPerSecond::max()));
  }

  /// Some switch on the way has several next hops, and a flow keeps to one of them.
  [[nodiscard]] bool chooses_path(HostId from, HostId to) const {
    if (!scenario_.keeps_path(traffic_class_, transport_)) return false;
    for (const PortId port :
         flow_path(fabric_, routes_, scenario_.seed, from, to, flow_entropy(from, to, 0))) {
      const Node& node = fabric_.node(fabric_.port(port).node);
      if (node.kind == NodeKind::kSwitch && ports_towards(routes_, node, from, to).size() > 1) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool is_scale_up(HostId a, HostId b) const {
    return fabric_.network_between(a, b) == NetworkKind::kScaleUp && !scenario_.scale_up.empty();
  }
  [[nodiscard]] const protocols::ScaleUpConfig& kind_of(HostId host) const {
    return scenario_.scale_up[kinds_[static_cast<std::size_t>(fabric_.host(host).domain)]];
  }
  [[nodiscard]] Framing framing_between(HostId a, HostId b) const {
    return is_scale_up(a, b) ? scale_up_framing(kind_of(a)) : framing_of(scenario_, transport_);
  }

  /// Of all ranks, what their links into a network carry together.
  [[nodiscard]] BitsPerSecond slowest(NetworkKind network) const {
    const bool is_inside = network == NetworkKind::kScaleUp;
    BitsPerSecond min = BitsPerSecond::max();
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const BitsPerSecond rate = is_inside ? links_[i].scale_up : links_[i].scale_out;
      if (rate == BitsPerSecond(0)) continue;
      min = std::min(min, without_headers(rate, is_inside ? scale_up_framing(kind_of(ranks_[i]))
                                                          : framing_of(scenario_, transport_)));
    }
    return min == BitsPerSecond::max() ? BitsPerSecond(0) : min;
  }

  /// How a host reaches the scale-out network.
  struct Nics {
    std::uint32_t id = 0;     ///< that of a host which shares its NIC is the other's, too
    std::uint32_t count = 0;  ///< side by side
    BitsPerSecond rate;       ///< of one of them
  };

  /// Nothing: hosts are listed.
  [[nodiscard]] const ServerBlock* block_of(HostId host) const {
    const auto& blocks = scenario_.servers;
    const auto after = std::ranges::upper_bound(blocks, host.value(), {}, &ServerBlock::first_host);
    return after == blocks.begin() ? nullptr : &*std::prev(after);
  }

  /// Of the links from a NIC that is a node to switches. Thousands of GPUs may share one, so it is
  /// looked at once.
  [[nodiscard]] BitsPerSecond rate_behind(NodeId nic) {
    const auto [place, is_new] = behind_.try_emplace(nic.value());
    BitsPerSecond& rate = place->second;
    if (!is_new) return rate;
    for (const Port& port : fabric_.ports_of(nic)) {
      if (fabric_.node(fabric_.port(port.peer).node).kind == NodeKind::kSwitch) rate += port.rate;
    }
    return rate;
  }

  /// What the link at a port of a rank carries of it if all ranks that share that link send; and
  /// receive, if both ways are one.
  [[nodiscard]] BitsPerSecond share_of(const Port& port) {
    if (port.shared_link == 0) return port.rate;
    if (sharers_.empty()) count_sharers();
    return BitsPerSecond(port.rate.count() / sharers_[port.shared_link]);
  }
  void count_sharers() {
    for (const HostId host : ranks_) {
      for (const Port& port : fabric_.ports_of(fabric_.hosts[host.value()])) {
        for (const std::uint32_t link : {port.shared_link, fabric_.port(port.peer).shared_link}) {
          if (link >= sharers_.size()) sharers_.resize(link + 1);
          ++sharers_[link];
        }
      }
    }
  }

  /// The links of a host. NICs that are nodes of their own are found behind it, others are its
  /// ports.
  struct Links {
    BitsPerSecond scale_out;  ///< all together: of each, what the host takes in from it
    BitsPerSecond scale_up;
    Nics nics;
  };
  [[nodiscard]] Links links_of(HostId host) {
    const BitsPerSecond taken_in = scenario_.nic.receive_rate.value_or(BitsPerSecond::max());
    const NodeId node = fabric_.hosts[host.value()];
    Links links;
    Nics& nics = links.nics;
    nics.id = node.value();
    std::uint32_t ports = 0;
    BitsPerSecond of_all;
    for (const Port& port : fabric_.ports_of(node)) {
      const NodeId peer_id = fabric_.port(port.peer).node;
      const Node& peer = fabric_.node(peer_id);
      if (peer.network == NetworkKind::kScaleUp) links.scale_up += port.rate;
      if (peer.network != NetworkKind::kScaleOut) continue;
      links.scale_out += std::min(share_of(port), taken_in);
      if (!peer.is_nic) {
        ++ports;
        of_all += port.rate;
        continue;
      }
      if (nics.count++ == 0) nics.id = peer_id.value();
      of_all += std::min(port.rate, rate_behind(peer_id));
    }
    const ServerBlock* block = block_of(host);
    if (ports > 0) nics.count = std::max(1U, ports / (block == nullptr ? 1 : block->nic_ports));
    if (nics.count > 0) nics.rate = BitsPerSecond(of_all.count() / nics.count);
    return links;
  }

  /// The NICs of the ranks, as NCCL finds them: the ports of one are one device.
  void find_nics(collectives::RankLayout& layout) const {
    std::vector<std::uint32_t> ids;
    BitsPerSecond slowest = BitsPerSecond::max();
    std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
    for (const Links& links : links_) {
      const Nics& nics = links.nics;
      if (nics.count == 0) return;
      ids.push_back(nics.id);
      slowest = std::min(slowest, nics.rate);
      fewest = std::min(fewest, nics.count);
    }
    layout.nic_rate = slowest;
    layout.nics_per_rank = fewest;
    std::vector<std::uint32_t> sorted = ids;
    std::ranges::sort(sorted);
    const bool is_shared = std::ranges::adjacent_find(sorted) != sorted.end();
    if (is_shared) layout.nic = std::move(ids);
  }

  /// Switches from a rank to the next one on another server, rounded up from the mean.
  [[nodiscard]] std::uint32_t stores() const {
    std::size_t switches = 0;
    std::size_t pairs = 0;
    const std::size_t stride = ranks_.size() / kRanksSampled + 1;
    for (std::size_t i = 0; i < ranks_.size(); i += stride) {
      const HostId next = ranks_[(i + 1) % ranks_.size()];
      if (is_scale_up(ranks_[i], next)) continue;
      const std::vector<PathHop> path = path_to(ranks_[i], next);
      if (path.empty()) continue;  // from plane to plane there is none
      switches += path.size() - 1;
      ++pairs;
    }
    return pairs == 0 ? 0 : static_cast<std::uint32_t>((switches + pairs - 1) / pairs);
  }

  /// Where each NIC has a port in several planes. By packets, all of them carry as much as the one
  /// lets them that is slowest for its weight.
  void find_planes(collectives::RankLayout& layout) const {
    if (!planes_.problem.empty()) return;
    collectives::NicPlanes planes{.rate = BitsPerSecond::max()};
    planes.is_by_flow = !scenario_.spreads_over_ports(traffic_class_, transport_);
    const protocols::PlaneConfig choice =
        protocols::traits_of(scenario_.transport_of(transport_)).planes;
    const Framing framing = framing_of(scenario_, transport_);
    BitsPerSecond all = BitsPerSecond::max();
    for (const HostId host : ranks_) {
      planes.count = 0;
      double turns = 0;
      double max_turns = 0;
      for (const Port& port : fabric_.ports_of(fabric_.hosts[host.value()])) {
        const std::uint8_t plane = planes_.of_port[fabric_.port(port.peer).peer.value()];
        if (plane == protocols::PlaneMap::kNone) continue;
        ++planes.count;
        const double weight = plane < choice.weights.size() ? choice.weights[plane] : 1;
        const BitsPerSecond rate = taken_in(port.rate);
        planes.rate = std::min(planes.rate, without_headers(rate, framing));
        turns += weight;
        max_turns = std::max(max_turns, weight / static_cast<double>(rate.count()));
      }
      if (planes.count == 0) return;
      const BitsPerSecond weighted(std::llround(turns / max_turns));
      all = std::min(all, without_headers(weighted, framing));
    }
    if (!planes.are_several()) return;
    if (framing.cut_through == 0_B) planes.stores = stores();
    planes.packet = framing.payload;
    layout.planes = planes;
    if (!choice.weights.empty()) layout.network_rate = all;
  }

  /// What a rank's links into its domain carry of what scale-up switches work on.
  [[nodiscard]] BitsPerSecond reduction_rate(std::size_t rank) const {
    const protocols::ScaleUpConfig& kind = kind_of(ranks_[rank]);
    Framing framing = scale_up_framing(kind);
    framing.header = kind.reduction_header;
    return without_headers(links_[rank].scale_up, framing);
  }

  void find_domains(collectives::RankLayout& layout) const {
    if (scenario_.scale_up.empty()) return;
    // Ranks without a domain are alone, under numbers that no domain has.
    auto next = static_cast<std::uint32_t>(kinds_.size());
    bool any = false;
    bool all_reduce = true;
    for (const HostId host : ranks_) {
      const std::int32_t domain = fabric_.host(host).domain;
      any = any || domain >= 0;
      all_reduce = all_reduce && domain >= 0 && kind_of(host).reduction_window > 0;
      layout.domain.push_back(domain < 0 ? next++ : static_cast<std::uint32_t>(domain));
    }
    if (!any) {
      layout.domain.clear();
      return;
    }
    layout.domain_rate = slowest(NetworkKind::kScaleUp);
    layout.reduction_rate = layout.domain_rate;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (fabric_.host(ranks_[i]).domain < 0) continue;
      layout.reduction_rate = std::min(layout.reduction_rate, reduction_rate(i));
    }
    layout.gpus = gpus();
    layout.has_in_network_reduction = all_reduce && can_work_in_network();
  }

  /// Of ranks of several generations, the oldest. Nothing: of some rank they are not known.
  [[nodiscard]] std::optional<GpuGeneration> gpus() const {
    std::optional<GpuGeneration> oldest;
    for (const HostId host : ranks_) {
      if (fabric_.host(host).domain < 0 || !kind_of(host).gpus) return {};
      oldest = std::min(oldest.value_or(*kind_of(host).gpus), *kind_of(host).gpus);
    }
    return oldest;
  }

  /// Ranks of a collective wait for each other, so all take their time by the slowest GPU.
  void find_gpus(collectives::RankLayout& layout) const {
    const ServerBlock* first = block_of(ranks_.front());
    if (first == nullptr) return;
    layout.gpu_rates = first->gpu_rates;
    layout.gpu_times = first->gpu_times;
    for (const HostId host : ranks_) {
      const ServerBlock& block = *block_of(host);
      layout.gpu_rates = layout.gpu_rates.slower(block.gpu_rates);
      layout.gpu_times = layout.gpu_times.slower(block.gpu_times);
    }
  }

  /// Scale-up switches work on packets that they hold whole, at their outputs; and every one of
  /// them must be attached to every GPU.
  [[nodiscard]] bool can_work_in_network() const {
    const protocols::SwitchConfig& switches = scenario_.switches;
    if (switches.queueing == protocols::SwitchConfig::Queueing::kInput) return false;
    if (switches.forwarding == protocols::SwitchConfig::Forwarding::kCutThrough) return false;
    for (const NodeId node : fabric_.switches) {
      if (fabric_.node(node).network != NetworkKind::kScaleUp) continue;
      for (const Port& port : fabric_.ports_of(node)) {
        if (fabric_.node(fabric_.port(port.peer).node).kind == NodeKind::kSwitch) return false;
      }
    }
    return true;
  }

  const Scenario& scenario_;
  const Fabric& fabric_;
  const Routes& routes_;
  const protocols::PlaneMap& planes_;
  const std::vector<HostId>& ranks_;
  ClassId traffic_class_;
  std::uint8_t transport_;
  std::vector<std::uint8_t> kinds_;
  std::unordered_map<std::uint32_t, BitsPerSecond> behind_;  ///< by node of a NIC
  std::vector<std::uint32_t> sharers_;  ///< by Port::shared_link: ports of ranks
  std::vector<Links> links_;            ///< by rank
};

}  // namespace

void fill_layouts(Scenario& scenario, const Fabric& fabric, const Routes& routes) {
  std::optional<protocols::PlaneMap> planes;
  for (JobSpec& job : scenario.jobs) {
    if (!collectives::has_iterations(job.kind) || job.ranks.size() < 2) continue;
    if (!planes) planes = protocols::planes_of(fabric);
    const LayoutBuilder builder(scenario, fabric, routes, *planes, job);
    job.layout = builder.layout();
    const auto* spec = std::get_if<collectives::CollectiveSpec>(&job.kind);
    if (spec == nullptr || spec->domain_size < 2 || !job.layout.domain.empty()) continue;
    job.layout.domain_rate = job.layout.planes.flow_rate(job.layout.network_rate);
    job.layout.domain_latency = builder.latency(job.ranks[0], job.ranks[1]);
  }
}

}  // namespace weft::scenarios
