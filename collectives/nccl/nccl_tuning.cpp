#include "collectives/nccl/nccl_tuning.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "collectives/algorithms/nvls/heads.hpp"

namespace weft::collectives {

namespace {

using Row = std::array<double, 3>;  // LL, LL128, Simple

struct Latencies {
  Row tree;
  Row ring;
};
constexpr Latencies kBase = {{6.8, 14.0, 8.4}, {6.6, 14.0, 8.4}};
constexpr Latencies kNvlinkHop = {{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}};
constexpr Latencies kPciHop = {{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}};
constexpr Latencies kNetHop = {{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}};
constexpr double kNvlsHop = 25;
constexpr double kNvlsTreeNetHop = 20.9;
constexpr double kPatBase = 8;
constexpr double kPatNetHop = 14;

/// GB/s per channel on 1, 2 and more nodes (the table's third column, called N4, is for all above
/// 2).
using ByNodes = std::array<double, 3>;
constexpr std::array<ByNodes, 3> kRingLl128Cap = {{{20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}}};
constexpr std::array<ByNodes, 3> kTreeLl128Cap = {
    {{20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
constexpr std::array<ByNodes, 3> kTreeSimpleCap = {
    {{24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
constexpr std::array<ByNodes, 3> kNvlsTreeCap = {{{0, 0, 0}, {0, 57.7, 45.5}, {0, 96, 80}}};
/// GB/s of all channels. On several nodes NCCL takes the row by the maker of the CPUs, which weft
/// does not know; these are the values that stand in the rows of the GPUs.
constexpr std::array<ByNodes, 3> kLlCap = {{{87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
constexpr std::array<double, 3> kNvlsEfficiency = {0, 0.85, 0.74};

/// What of a tree's bandwidth an all-reduce gets, by the power of two of its size in units of 64 B.
constexpr std::array<std::array<double, 24>, 3> kTreeCorrection = {
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
      .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}};
/// What posting a step to the network takes on the host, a third of it outside Simple: between
/// nodes, rings cannot take their steps faster (getNetOverhead, Intel).
constexpr double kNetOverhead = 1;
/// Channels that the search may find; twice as many are MAXCHANNELS.
constexpr std::uint32_t kMostSearched = 32;
/// Rings of Simple between nodes take longer once a rank and channel have so many bytes.
constexpr double kPlateauBytes = 64;
constexpr double kPlateau = 1.4;

std::size_t index_of(GpuGeneration generation) { return static_cast<std::size_t>(generation); }
std::size_t column_of(std::uint32_t nodes) { return nodes <= 2 ? nodes - 1 : 2; }
std::size_t index_of(Protocol protocol) {
  return protocol == Protocol::kLl ? 0 : protocol == Protocol::kLl128 ? 1 : 2;
}

class Tuning {
 public:
  Tuning(Operation operation, double bytes, const NcclMachine& machine)
      : operation_(operation),
        bytes_(bytes),
        m_(machine),
        bus_(machine.channels * machine.channel_bandwidth),
        column_(column_of(machine.nodes)),
        generation_(index_of(machine.generation)) {}

  std::vector<NcclEstimate> all() {
    for (const Protocol protocol : {Protocol::kLl, Protocol::kLl128, Protocol::kSimple}) {
      ring(protocol);
      if (operation_ == Operation::kAllReduce) tree(protocol);
    }
    if (m_.has_nvls && kNvlsEfficiency[generation_] > 0) nvls();
    if ((operation_ == Operation::kAllGather || operation_ == Operation::kReduceScatter) &&
        m_.nodes == m_.ranks && m_.nodes > 1) {
      pat();
    }
    std::ranges::stable_sort(estimates_, {}, &NcclEstimate::time_us);
    return std::move(estimates_);
  }

 private:
  [[nodiscard]] double steps() const {
    const double n = m_.ranks;
    if (operation_ == Operation::kAllReduce) return 2 * (n - 1);
    return operation_ == Operation::kBroadcast || operation_ == Operation::kReduce ? n : n - 1;
  }

  void add(NcclAlgorithm algorithm, Protocol protocol, double latency, double bandwidth,
           double correction = 1) {
    if (bandwidth <= 0) return;
    bandwidth *= correction;
    const double time = latency + bytes_ / (bandwidth * 1e3);  // GB/s are bytes per ns
    estimates_.push_back({algorithm, protocol, latency, bandwidth, time});
  }

  void ring(Protocol protocol) {
    const double bus = nccl_ring_bandwidth(protocol, m_);
    const double inter = m_.nodes > 1 ? 2.0 * (m_.nodes - 1) : 0;
    const double hops = steps();
    const double crossing = operation_ == Operation::kAllReduce ? inter : inter / 2;
    double latency = kBase.ring[index_of(protocol)] +
                     (hops - crossing) * nccl_local_hop(NcclAlgorithm::kRing, protocol, m_) +
                     crossing * nccl_network_hop(NcclAlgorithm::kRing, protocol, m_);
    if (m_.nodes > 1 && protocol == Protocol::kSimple && operation_ == Operation::kAllReduce &&
        bytes_ / (m_.channels * m_.ranks) >= kPlateauBytes) {
      latency *= kPlateau;
    }
    add(NcclAlgorithm::kRing, protocol, latency, bus * m_.ranks / steps());
  }

  void tree(Protocol protocol) {
    const std::size_t i = index_of(protocol);
    double bus = bus_ * 0.92;
    if (protocol == Protocol::kLl) bus = std::min(bus / 3.8, kLlCap[generation_][column_]);
    if (protocol == Protocol::kLl128) {
      bus = std::min(bus * (m_.nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                     m_.channels * kTreeLl128Cap[generation_][column_]);
    }
    if (protocol == Protocol::kSimple) {
      bus = std::min(bus, m_.channels * kTreeSimpleCap[generation_][column_]);
    }
    const double per_node = static_cast<double>(m_.ranks) / m_.nodes;
    const double latency =
        kBase.tree[i] +
        2 * ((per_node - 1) * nccl_local_hop(NcclAlgorithm::kTree, protocol, m_) +
             std::log2(m_.nodes) * nccl_network_hop(NcclAlgorithm::kTree, protocol, m_));
    const double unit = std::floor(bytes_ / 64);
    const auto power =
        unit < 1 ? kTreeCorrection[i].size() : static_cast<std::size_t>(std::log2(unit));
    add(NcclAlgorithm::kTree, protocol, latency, bus / 2,
        power < kTreeCorrection[i].size() ? kTreeCorrection[i][power] : 1);
  }

  void nvls() {
    const double efficiency = kNvlsEfficiency[generation_];
    const double n = m_.ranks;
    if (m_.nodes == 1) {
      // Of S + S/n bytes per direction and rank.
      const double bandwidth = bus_ * efficiency * n / (n + 1);
      const bool is_half = operation_ != Operation::kAllReduce;
      if (is_half && m_.ranks > kMostHeads) return;  // every rank would have to be a head
      add(NcclAlgorithm::kNvls, Protocol::kSimple, kNvlsHop,
          is_half ? bus_ * efficiency * n / (n - 1) : bandwidth);
      return;
    }
    if (operation_ != Operation::kAllReduce) return;
    // By channel of the search, one per head: the efficiency is that of the domain, where sums and
    // copies go on at once, and two nodes exchange halves (src/tuning/nvls.cc).
    const double heads = m_.channels / 2.0;
    const double head = 2 * m_.channel_bandwidth;
    const double inside = 2 * head * efficiency * (heads - 1) / heads;
    const double between = m_.nodes == 2 ? 2 * head : head;
    const double bus = heads * std::min({inside, between, kNvlsTreeCap[generation_][column_]});
    add(NcclAlgorithm::kNvlsTree, Protocol::kSimple,
        kNvlsHop + 2 * std::log2(m_.nodes) *
                       nccl_network_hop(NcclAlgorithm::kNvlsTree, Protocol::kSimple, m_),
        bus * n / steps());
  }

  void pat() {
    add(NcclAlgorithm::kPat, Protocol::kSimple,
        kPatBase +
            std::log2(m_.nodes) * nccl_network_hop(NcclAlgorithm::kPat, Protocol::kSimple, m_) /
                3.5 +
            2.8 * m_.ranks,
        bus_ * 0.75 * m_.ranks / steps());
  }

  Operation operation_;
  double bytes_;
  NcclMachine m_;
  double bus_;
  std::size_t column_;
  std::size_t generation_;
  std::vector<NcclEstimate> estimates_;
};

}  // namespace

double nccl_ring_bandwidth(Protocol protocol, const NcclMachine& machine) {
  const double bus = machine.channels * machine.channel_bandwidth;
  const std::size_t generation = index_of(machine.generation);
  const std::size_t column = column_of(machine.nodes);
  switch (protocol) {
    case Protocol::kLl:
      return std::min(kLlCap[generation][column], bus * 0.5);
    case Protocol::kLl128:
      return std::min(bus * 0.92, machine.channels * kRingLl128Cap[generation][column]);
    case Protocol::kSimple:
    case Protocol::kNone:
      break;
  }
  return bus;
}

double nccl_local_hop(NcclAlgorithm algorithm, Protocol protocol, const NcclMachine& machine) {
  const Latencies& hops = machine.is_pci ? kPciHop : kNvlinkHop;
  const std::size_t i = index_of(protocol);
  if (algorithm != NcclAlgorithm::kRing) return hops.tree[i];
  const double posting = (protocol == Protocol::kSimple ? 3 : 1) * kNetOverhead;
  return machine.nodes > 1 ? std::max(hops.ring[i], posting) : hops.ring[i];
}

double nccl_network_hop(NcclAlgorithm algorithm, Protocol protocol, const NcclMachine& machine) {
  const std::size_t i = index_of(protocol);
  const bool flushes = i == 2 && machine.generation == GpuGeneration::kAmpere;
  const double transport = (flushes ? 2 : 1) * machine.transport_us;
  switch (algorithm) {
    case NcclAlgorithm::kRing:
      // With one GPU per node nothing hides the latency: that of trees.
      return transport + (machine.nodes == machine.ranks ? kNetHop.tree[i] : kNetHop.ring[i]);
    case NcclAlgorithm::kTree:
      return transport + kNetHop.tree[i];
    case NcclAlgorithm::kPat:
      return transport + kPatNetHop;
    case NcclAlgorithm::kNvls:
    case NcclAlgorithm::kNvlsTree:
      break;
  }
  return transport + kNvlsTreeNetHop;
}

const char* name_of(NcclAlgorithm algorithm) {
  switch (algorithm) {
    case NcclAlgorithm::kTree:
      return "Tree";
    case NcclAlgorithm::kRing:
      return "Ring";
    case NcclAlgorithm::kNvls:
      return "NVLS";
    case NcclAlgorithm::kNvlsTree:
      return "NVLSTree";
    case NcclAlgorithm::kPat:
      break;
  }
  return "PAT";
}

NcclMachine nccl_machine(GpuGeneration generation, std::uint32_t ranks, std::uint32_t nodes,
                         double intra, double nic) {
  NcclMachine machine;
  machine.generation = generation;
  machine.ranks = ranks;
  machine.nodes = nodes;
  if (nodes == 1) {
    static constexpr std::array<double, 3> kSpeeds = {20, 30, 40};
    const double speed = std::min(kSpeeds[index_of(generation)], intra);
    machine.channels = static_cast<std::uint32_t>(std::max(1.0, std::floor(intra / speed)));
    machine.channel_bandwidth = speed;
  } else {
    machine.channels = std::clamp(ranks / nodes, 1U, kMostSearched);
    machine.channel_bandwidth =
        machine.channels == 1 ? nic : std::min(nic, intra / machine.channels);
  }
  // Rings are duplicated after the search: twice the channels at half the speed each.
  machine.channels *= 2;
  machine.channel_bandwidth /= 2;
  return machine;
}

std::vector<NcclEstimate> nccl_estimates(Operation operation, double bytes,
                                         const NcclMachine& machine) {
  switch (operation) {
    case Operation::kAllReduce:
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kBroadcast:
    case Operation::kReduce:
      return Tuning(operation, bytes, machine).all();
    default:
      return {};
  }
}

}  // namespace weft::collectives
