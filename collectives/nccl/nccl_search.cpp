#include "collectives/nccl/nccl_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "collectives/algorithms/nvls/heads.hpp"

namespace weft::collectives {

namespace {

/// Half of MAXCHANNELS, as channels are doubled when they are connected.
constexpr std::uint32_t kMaxSearched = 32;
/// Links are booked in steps of 1 MB/s, so that sums of speeds do not miss them by rounding.
constexpr double kRounding = 0.0005;

/// The speeds that are tried, from the fastest: inside one server, and with a network. Those of
/// Volta are Ampere's as well.
constexpr std::array kVoltaIntra = {40., 30., 20., 18., 15., 12., 10., 9., 7., 6., 5., 4., 3.};
constexpr std::array kVoltaInter = {48., 30., 28., 24., 20., 18., 15., 12., 10., 9.,
                                    7.,  6.,  5.,  4.,  3.,  2.4, 1.2, .24, .12};
constexpr std::array kHopperIntra = {60., 50., 40., 30., 24., 20., 15., 12., 11., 6., 3.};
constexpr std::array kHopperInter = {48., 45., 42., 40., 30., 24., 22., 20., 17.5,
                                     15., 12., 6.,  3.,  2.4, 1.2, .24, .12};
constexpr std::array kBlackwellIntra = {90., 80., 70., 60., 50., 45., 40., 30., 24., 20., 19., 18.};
constexpr std::array kBlackwellInter = {96.,  48., 45.1, 42., 40., 30., 24., 22., 20.,
                                        17.5, 15., 12.,  6.,  3.,  2.4, 1.2, .24, .12};

std::span<const double> speeds_of(const NcclNode& node) {
  switch (node.generation) {
    case GpuGeneration::kVolta:
    case GpuGeneration::kAmpere:
      return node.has_network() ? std::span<const double>(kVoltaInter) : kVoltaIntra;
    case GpuGeneration::kHopper:
      return node.has_network() ? std::span<const double>(kHopperInter) : kHopperIntra;
    case GpuGeneration::kBlackwell:
      break;
  }
  return node.has_network() ? std::span<const double>(kBlackwellInter) : kBlackwellIntra;
}

/// The fastest that one link of every kind carries.
std::size_t first_speed(const NcclNode& node, std::span<const double> speeds) {
  const double max = node.has_network() ? node.nic : node.nvlink;
  std::size_t i = 0;
  while (i + 1 < speeds.size() && speeds[i] > max + kRounding) ++i;
  return i;
}

std::uint32_t whole(double share) {
  return static_cast<std::uint32_t>(std::max(0.0, std::floor(share + kRounding)));
}

/// Channels of a speed that the NICs carry, each with one of them.
std::uint32_t carried_by_nics(const NcclNode& node, double speed) {
  return node.has_network() ? node.nics * whole(node.nic / speed) : kMaxSearched;
}

/// Whether NVLink carries chains of all GPUs. The last of a chain passes nothing on: there rings go
/// to the next server, and trees end. On one server rings close.
bool carries_chains(const NcclNode& node, std::uint32_t channels, double speed, bool closes) {
  if (node.gpus == 1) return true;
  const std::uint32_t ends = closes && !node.has_network() ? 0 : channels / node.gpus;
  return (channels - ends) * speed <= node.nvlink + kRounding;
}

std::uint32_t rings_at(const NcclNode& node, double speed) {
  std::uint32_t channels = std::min(carried_by_nics(node, speed), kMaxSearched);
  while (channels > 0 && !carries_chains(node, channels, speed, true)) --channels;
  return channels;
}

/// Few fast channels become twice as many of half the speed (`ncclTopoDupChannels`).
NcclGraph doubled(NcclGraph graph, GpuGeneration generation) {
  const bool is_many = generation >= GpuGeneration::kHopper && graph.intra < 50;
  if (graph.intra < 25 || (is_many && graph.channels > 4)) return graph;
  if (graph.channels == 0) return graph;
  const std::uint32_t channels = std::min(graph.channels * 2, kMaxSearched);
  const std::uint32_t share = (channels + graph.channels - 1) / graph.channels;
  return {channels, graph.intra / share, graph.inter / share};
}

/// The smallest of the speeds that is faster, or nothing.
double next_faster(std::span<const double> speeds, double speed) {
  for (std::size_t i = speeds.size(); i-- > 0;) {
    if (speeds[i] > speed) return speeds[i];
  }
  return 0;
}

}  // namespace

NcclGraph nccl_ring_graph(const NcclNode& node) {
  const std::span<const double> speeds = speeds_of(node);
  NcclGraph best;
  for (std::size_t i = first_speed(node, speeds); i < speeds.size(); ++i) {
    // Twice the channels of half the speed would be no better.
    if (best.channels > 0 && speeds[i] / best.inter <= .49) break;
    const std::uint32_t channels = rings_at(node, speeds[i]);
    if (channels * speeds[i] <= best.channels * best.intra + kRounding) continue;
    best = {channels, speeds[i], speeds[i]};
    if (channels == kMaxSearched) break;
    if (node.gpus > 1 && channels * speeds[i] >= node.nvlink - kRounding) break;
  }
  best = doubled(best, node.generation);
  for (double faster = next_faster(speeds, best.inter);
       faster > 0 && rings_at(node, faster) >= best.channels && best.channels > 0;
       faster = next_faster(speeds, best.inter)) {
    best.intra = best.inter = faster;
  }
  return best;
}

NcclGraph nccl_tree_graph(const NcclNode& node, const NcclGraph& ring) {
  const std::span<const double> speeds = speeds_of(node);
  NcclGraph tree = {ring.channels, 0, 0};
  for (std::size_t i = first_speed(node, speeds); i < speeds.size() && tree.inter == 0; ++i) {
    if (carried_by_nics(node, speeds[i]) < tree.channels) continue;
    if (!carries_chains(node, tree.channels, speeds[i], false)) continue;
    tree.intra = tree.inter = speeds[i];
  }
  while (tree.intra > 0 && tree.intra < 2 * tree.inter) {
    const double faster = next_faster(speeds, tree.intra);
    if (faster == 0 || !carries_chains(node, tree.channels, faster, false)) break;
    tree.intra = faster;
  }
  return tree;
}

NcclGraph nccl_nvls_graph(const NcclNode& node) {
  const std::span<const double> speeds = speeds_of(node);
  std::uint32_t heads = heads_of(node.gpus);
  if (node.has_network()) heads = std::min(heads, node.nics);
  NcclGraph nvls;
  // A head takes part in the channels of all heads, and once more in its own.
  for (std::size_t i = first_speed(node, speeds); i < speeds.size() && nvls.channels == 0; ++i) {
    if ((heads + 1) * speeds[i] <= node.nvlink + kRounding) nvls = {heads, speeds[i], speeds[i]};
  }
  while (nvls.channels > 0 && nvls.inter < 2 * nvls.intra) {
    const double faster = next_faster(speeds, nvls.inter);
    if (faster == 0 || carried_by_nics(node, faster) < nvls.channels) break;
    nvls.inter = faster;
  }
  return nvls;
}

}  // namespace weft::collectives
