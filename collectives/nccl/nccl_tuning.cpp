#include "collectives/nccl/nccl_tuning.hpp"

#include <algorithm>
#include <array>
#include <bit>
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
constexpr std::array<ByNodes, 4> kRingLl128Cap = {
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}}};
constexpr std::array<ByNodes, 4> kTreeLl128Cap = {
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
constexpr std::array<ByNodes, 4> kTreeSimpleCap = {
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
constexpr std::array<ByNodes, 4> kNvlsTreeCap = {
    {{0, 0, 0}, {0, 0, 0}, {0, 57.7, 45.5}, {0, 96, 80}}};
/// GB/s of all channels in LL: on one node by its GPUs, on several by their hosts' processors.
constexpr std::array<double, 4> kLlCapInside = {39, 87.7, 141, 282};
constexpr ByNodes kLlCapAmd = {0, 22.5, 19};
constexpr ByNodes kLlCapOthers = {0, 39, 20.4};
constexpr std::array<double, 4> kNvlsEfficiency = {0, 0, 0.85, 0.74};

/// What of a tree's bandwidth an all-reduce gets, by the power of two of its size in units of 64 B.
constexpr std::array<std::array<double, 24>, 3> kTreeCorrection = {
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
      .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}};
/// The last of them that trees take; NVLSTree takes one more.
constexpr std::size_t kTreeCorrected = 23;
/// What posting a step to the network takes on the host, a third of it outside Simple: between
/// nodes, rings cannot take their steps faster (getNetOverhead).
constexpr double kNetOverhead = 1;
constexpr double kNetOverheadAmd = 2;
constexpr std::uint32_t kMaxConnectedChannels = 64;  // MAXCHANNELS
/// Between nodes, GPUs of compute capability 9.0 or later have four blocks of threads, not two, for
/// each searched channel that is faster than this (GB/s), where that makes few (`ncclTopoPostset`).
constexpr double kCopiedAbove = 45;
constexpr std::uint32_t kMinUncopied = 16;
/// Rings of Simple between nodes take longer once a rank and channel have this many bytes,
/// those of Blackwell inside a node as well.
constexpr double kPlateauBytes = 64;
constexpr double kPlateau = 1.4;
constexpr double kPlateauVolta = 1.9;  // GPUs of compute capability below 8.0
/// Of trees whose traffic is all at one GPU.
constexpr double kSimpleTree = .85;

std::size_t index_of(GpuGeneration generation) { return static_cast<std::size_t>(generation); }
std::size_t column_of(std::uint32_t nodes) { return nodes <= 2 ? nodes - 1 : 2; }
std::size_t index_of(Protocol protocol) {
  return protocol == Protocol::kLl ? 0 : protocol == Protocol::kLl128 ? 1 : 2;
}

/// log2i of NCCL.
std::uint32_t log2_of(std::uint64_t n) {
  return n == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(n)) - 1;
}

double ll_cap(const NcclMachine& machine) {
  if (machine.nodes == 1) return kLlCapInside[index_of(machine.generation)];
  return (machine.is_amd ? kLlCapAmd : kLlCapOthers)[column_of(machine.nodes)];
}

bool is_half(Operation operation) {
  return operation == Operation::kAllGather || operation == Operation::kReduceScatter;
}

class Tuning {
 public:
  Tuning(Operation operation, double bytes, const NcclMachine& machine)
      : operation_(operation),
        bytes_(bytes),
        m_(machine),
        column_(column_of(machine.nodes)),
        generation_(index_of(machine.generation)) {}

  std::vector<NcclEstimate> all() {
    for (const Protocol protocol : {Protocol::kLl, Protocol::kLl128, Protocol::kSimple}) {
      ring(protocol);
      if (operation_ == Operation::kAllReduce) tree(protocol);
    }
    if (m_.has_nvls && kNvlsEfficiency[generation_] > 0 && m_.nvls.channels > 1) nvls();
    if (is_half(operation_) && m_.nodes == m_.ranks && m_.nodes > 1) pat();
    std::ranges::stable_sort(estimates_, {}, &NcclEstimate::time_us);
    return std::move(estimates_);
  }

 private:
  [[nodiscard]] double steps() const {
    const double n = m_.ranks;
    if (operation_ == Operation::kAllReduce) return 2 * (n - 1);
    return is_half(operation_) ? n - 1 : n;
  }

  /// What data of a rank and channel has, in the units of Simple's plateau.
  [[nodiscard]] double share() const { return std::floor(bytes_ / (m_.channels() * m_.ranks)); }

  void add(NcclAlgorithm algorithm, Protocol protocol, double latency, double bandwidth) {
    if (bandwidth <= 0) return;
    const double time = latency + bytes_ / (bandwidth * 1e3);  // GB/s are bytes per ns
    estimates_.push_back({algorithm, protocol, latency, bandwidth, time});
  }

  /// Of a hop between nodes; Simple adds a second trip of the transport, for the flush.
  [[nodiscard]] double network_hop(NcclAlgorithm algorithm, Protocol protocol) const {
    NcclMachine wire = m_;
    wire.transport_us = 0;
    return nccl_network_hop(algorithm, protocol, wire) +
           (protocol == Protocol::kSimple ? 2 : 1) * m_.transport_us;
  }

  void ring(Protocol protocol) {
    double latency = kBase.ring[index_of(protocol)] + ring_steps(protocol);
    if (protocol == Protocol::kSimple && share() >= kPlateauBytes) latency *= plateau();
    add(NcclAlgorithm::kRing, protocol, latency,
        nccl_ring_bandwidth(protocol, m_) * m_.ranks / steps());
  }

  [[nodiscard]] double ring_steps(Protocol protocol) const {
    if (operation_ == Operation::kBroadcast || operation_ == Operation::kReduce) {
      const Latencies& hops = m_.nodes > 1 ? kNetHop : m_.is_pci ? kPciHop : kNvlinkHop;
      // All channels are the same ring where there are no NICs to divide among them.
      const bool is_same = m_.nodes == 1 || m_.nodes == m_.ranks;
      if (is_same) return hops.ring[index_of(protocol)];
      const Row& row = protocol == Protocol::kSimple ? hops.tree : hops.ring;
      return steps() * row[index_of(protocol)];
    }
    const double both = m_.nodes > 1 ? 2.0 * (m_.nodes - 1) : 0;
    const double crossing = operation_ == Operation::kAllReduce ? both : both / 2;
    double inside = nccl_local_hop(NcclAlgorithm::kRing, protocol, m_);
    if (m_.nodes > 1) {
      const double posting = m_.is_amd ? kNetOverheadAmd : kNetOverhead;
      inside = std::max(inside, protocol == Protocol::kSimple ? 3 * posting : posting);
    }
    return (steps() - crossing) * inside + crossing * network_hop(NcclAlgorithm::kRing, protocol);
  }

  [[nodiscard]] double plateau() const {
    const double between = m_.generation == GpuGeneration::kVolta ? kPlateauVolta : kPlateau;
    if (m_.nodes > 1) return operation_ == Operation::kAllReduce ? between : 1;
    const bool is_blackwell = m_.generation == GpuGeneration::kBlackwell && !m_.is_pci;
    if (!is_blackwell || (operation_ != Operation::kAllReduce && !is_half(operation_))) return 1;
    // It builds up over the steps, and fades by a tenth from 256 to 512 KiB.
    constexpr double kFades = .1;
    constexpr double kFrom = 256 * 1024;
    const double grown = 1 - std::pow(kFades / (kPlateau - 1), std::max(0.0, steps() - 1));
    const double faded = kFades * std::clamp((share() - kFrom) / kFrom, 0.0, 1.0);
    return 1 + grown * (kPlateau - 1 - faded);
  }

  void tree(Protocol protocol) {
    const std::size_t i = index_of(protocol);
    const NcclGraph& graph = m_.tree;
    const bool is_blackwell = m_.generation == GpuGeneration::kBlackwell;
    const double speed = is_blackwell   ? std::min(graph.intra, graph.inter)
                         : m_.nodes > 2 ? graph.inter
                                        : graph.intra;
    double bus = std::min(graph.channels * speed * 0.92,
                          graph.channels * kTreeSimpleCap[generation_][column_]);
    if (protocol == Protocol::kLl) bus = std::min(bus / 3.8, ll_cap(m_));
    if (protocol == Protocol::kLl128) {
      bus = std::min(bus * (m_.nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                     graph.channels * kTreeLl128Cap[generation_][column_]);
    }
    if (m_.has_simple_trees) bus *= kSimpleTree;
    const double latency =
        kBase.tree[i] +
        2 * ((m_.ranks_per_node() - 1) * nccl_local_hop(NcclAlgorithm::kTree, protocol, m_) +
             log2_of(m_.nodes) * network_hop(NcclAlgorithm::kTree, protocol));
    add(NcclAlgorithm::kTree, protocol, latency, bus / 2 * tree_correction(i, kTreeCorrected));
  }

  [[nodiscard]] double tree_correction(std::size_t protocol, std::size_t powers) const {
    const auto units = static_cast<std::uint64_t>(bytes_) / 64;
    const std::size_t power = log2_of(units);
    return units > 0 && power < powers ? kTreeCorrection[protocol][power] : 1;
  }

  void nvls() {
    const double n = m_.ranks;
    const double heads = m_.nvls.channels;
    const bool is_tree = m_.nodes > 1;
    if (is_tree && operation_ != Operation::kAllReduce) return;
    if (is_half(operation_) && m_.ranks > kMaxHeads) return;  // every rank would have to be a head
    if (operation_ != Operation::kAllReduce && !is_half(operation_)) return;
    // The efficiency is that of the domain, where sums and copies overlap, and two nodes
    // exchange halves.
    double inside = m_.nvls.intra * kNvlsEfficiency[generation_] * (heads - 1) / heads;
    inside *= is_half(operation_) ? (n - 1) / n : 2;
    const double between = m_.nvls.inter * (m_.nodes == 2 ? 2 : 1);
    double head = std::min(inside, between);
    if (is_tree) head = std::min(head, kNvlsTreeCap[generation_][column_]);
    double bandwidth = head * heads * (is_half(operation_) ? 1 : n / steps());
    if (!is_tree) {
      add(NcclAlgorithm::kNvls, Protocol::kSimple, kNvlsHop, bandwidth);
      return;
    }
    if (m_.generation == GpuGeneration::kBlackwell && is_nvls_tree_corrected()) {
      bandwidth *= tree_correction(index_of(Protocol::kSimple), kTreeCorrection[0].size());
    }
    add(NcclAlgorithm::kNvlsTree, Protocol::kSimple,
        kNvlsHop + 2 * log2_of(m_.nodes) * network_hop(NcclAlgorithm::kNvlsTree, Protocol::kSimple),
        bandwidth);
  }

  /// On Arm, of trays of four whose NICs have 800 Gbps, and on two of them below 64 MiB alone.
  [[nodiscard]] bool is_nvls_tree_corrected() const {
    if (!m_.is_arm) return true;
    const bool is_small = bytes_ < 64 * (1 << 20);
    return m_.ranks_per_node() == 4 && m_.nvls.inter >= 96 && (m_.nodes > 2 || is_small);
  }

  void pat() {
    const double hop = network_hop(NcclAlgorithm::kPat, Protocol::kSimple) - m_.transport_us;
    add(NcclAlgorithm::kPat, Protocol::kSimple,
        kPatBase + log2_of(m_.nodes) * hop / 3.5 + 2.8 * m_.ranks,
        m_.tree.channels * std::min(m_.tree.intra, m_.tree.inter) * 0.75);
  }

  Operation operation_;
  double bytes_;
  NcclMachine m_;
  std::size_t column_;
  std::size_t generation_;
  std::vector<NcclEstimate> estimates_;
};

}  // namespace

std::uint32_t NcclMachine::channels() const {
  const std::uint32_t connected = std::clamp(2 * ring.channels, 1U, kMaxConnectedChannels);
  const bool is_copied = generation >= GpuGeneration::kHopper && nodes > 1 &&
                         ring.intra > kCopiedAbove && connected < kMinUncopied;
  return connected * (is_copied ? 2 : 1);
}

double nccl_ring_bandwidth(Protocol protocol, const NcclMachine& machine) {
  const double bus =
      machine.ring.channels * (machine.nodes > 1 ? machine.ring.inter : machine.ring.intra);
  const std::size_t generation = index_of(machine.generation);
  switch (protocol) {
    case Protocol::kLl:
      return std::min(ll_cap(machine), bus * 0.5);
    case Protocol::kLl128:
      return std::min(bus * 0.92,
                      machine.ring.channels * kRingLl128Cap[generation][column_of(machine.nodes)]);
    case Protocol::kSimple:
    case Protocol::kNone:
      break;
  }
  return bus;
}

double nccl_tree_block(Protocol protocol, const NcclMachine& machine, bool leaves) {
  const auto& all = protocol == Protocol::kLl128 ? kTreeLl128Cap : kTreeSimpleCap;
  const ByNodes& caps = all[index_of(machine.generation)];
  const double between = caps[column_of(machine.nodes)];
  // On two nodes of Hopper trees are faster than on one.
  const double cap = leaves ? between : std::max(caps[0], between);
  return cap * machine.tree.channels / machine.channels() / 2;
}

double nccl_local_hop(NcclAlgorithm algorithm, Protocol protocol, const NcclMachine& machine) {
  const Latencies& hops = machine.is_pci ? kPciHop : kNvlinkHop;
  const std::size_t i = index_of(protocol);
  return algorithm == NcclAlgorithm::kRing ? hops.ring[i] : hops.tree[i];
}

double nccl_network_hop(NcclAlgorithm algorithm, Protocol protocol, const NcclMachine& machine) {
  const std::size_t i = index_of(protocol);
  const bool flushes = i == 2 && machine.generation < GpuGeneration::kHopper;
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

NcclMachine nccl_machine(const NcclServers& servers) {
  NcclNode node{servers.generation, servers.gpus, servers.nvlink, 0, servers.nic};
  if (servers.nodes > 1) node.nics = servers.nics == 0 ? servers.gpus : servers.nics;
  NcclMachine machine;
  machine.generation = servers.generation;
  machine.ranks = servers.nodes * servers.gpus;
  machine.nodes = servers.nodes;
  machine.ring = nccl_ring_graph(node);
  machine.tree = nccl_tree_graph(node, machine.ring);
  machine.nvls = nccl_nvls_graph(node);
  const bool searches_simple = servers.generation >= GpuGeneration::kHopper;
  machine.has_simple_trees =
      servers.nodes > 1 && (servers.gpus == 1 || (searches_simple && node.nics >= servers.gpus));
  machine.is_amd = servers.generation == GpuGeneration::kAmpere;
  machine.is_arm =
      servers.generation == GpuGeneration::kBlackwell && (servers.gpus == 4 || servers.gpus > 8);
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
