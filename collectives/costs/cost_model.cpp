#include "collectives/costs/cost_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "collectives/algorithms/cost_terms.hpp"
#include "collectives/algorithms/schedule.hpp"
#include "collectives/algorithms/schedule_plan.hpp"
#include "collectives/costs/domain_costs.hpp"

namespace weft::collectives {

namespace {

/// Of a message besides its bytes, at the port of its sender: headers, and the acknowledgement of
/// one that comes the other way. A RoCE frame's 82 + 86 bytes at 400 Gbps; measured as much in an
/// NVLink domain (one-shot all-reduce of 4 KiB in 8 channels, NVL72).
constexpr double kMessage = 3e-9;
/// How much longer exchanges of pairs take than their bytes: flows of one pair each meet on paths
/// of the fabric. Between 1 (one switch) and 2.8 (halving-doubling there, 8 uplinks by ECMP); a
/// third more already prefers algorithms that spread their bytes and are as good on one switch.
constexpr double kMeetings = 1.3;
/// Copies of a chunk that a rank of two binary trees sends in the time of one: it is a leaf of one
/// and inside the other. Without a window a quarter more: leaves post their whole half first, and
/// inner ranks' chunks wait behind it (tests/collectives/collective_time_test.cpp).
constexpr double kTreeCopies = 4;
constexpr double kFlood = 1.25;
constexpr double kMostInFlight = 8;

class Model {
 public:
  explicit Model(const CostTerms& terms) : t_(terms) {}

  [[nodiscard]] double operator()(Algorithm algorithm) const {
    const double launch = to_seconds(t_.spec.execution.launch.value_or(Picoseconds(0)));
    switch (algorithm) {
      case Algorithm::kRing:
        return launch + ring();
      case Algorithm::kBinomialTree:
        return launch + binomial_tree();
      case Algorithm::kDoubleBinaryTree:
        return launch + double_binary_tree();
      case Algorithm::kHalvingDoubling:
        return launch + halving_doubling();
      case Algorithm::kRecursiveDoubling:
        return launch + recursive_doubling();
      case Algorithm::kPairwise:
        return launch + pairwise();
      case Algorithm::kOneShot:
        return launch + one_shot();
      case Algorithm::kTwoShot:
        return launch + 2 * direct_exchange(t_.size / t_.n, t_.pieces(t_.size, t_.chunk * t_.n)) +
               (t_.n - 1) * t_.size / t_.n * (t_.reduce + t_.copy);
      case Algorithm::kHierarchical:
        return launch + hierarchical();
      case Algorithm::kNvls:
        return launch + in_network_cost(t_);
      case Algorithm::kNvlsTree:
        return launch + nvls_tree_cost(t_);
      case Algorithm::kDissemination:
        return launch + rounds(t_.n) * t_.net(1);
      case Algorithm::kNccl:
      case Algorithm::kBest:
        break;
    }
    return launch;
  }

 private:
  [[nodiscard]] static double rounds(double n) { return std::ceil(std::log2(n)); }
  [[nodiscard]] bool is_vector_of_all() const {
    return t_.spec.operation == Operation::kAllReduce || t_.spec.operation == Operation::kBarrier;
  }
  /// A hop between neighbours in rank order at some distance.
  [[nodiscard]] const Hop& at_distance(double distance) const {
    return distance < t_.domain_size ? t_.local : t_.net;
  }
  /// Every byte that goes around the ring passes the slowest kind of link. A domain's NICs share
  /// what rings of different channels bring.
  [[nodiscard]] double ring_per_byte() const {
    if (t_.domains == 1) return t_.local.per_byte;
    const double nics = std::min<double>(t_.channels, t_.domain_size);
    return std::max(t_.local.per_byte, t_.net.per_byte / nics);
  }
  /// Of messages that go from rank to rank, `message` bytes long.
  [[nodiscard]] double chain_latency(double hops, double message) const {
    const double crossings = t_.domains == 1 ? 0 : hops * t_.domains / t_.n;
    return (hops - crossings) * t_.local.first_packet(message) + crossings * t_.net.latency;
  }

  [[nodiscard]] double ring() const {
    const double steps = t_.n - 1;
    switch (t_.spec.operation) {
      case Operation::kAllReduce:
        return t_.pieces(t_.size, t_.chunk * t_.n) *
                   chain_latency(2 * steps, t_.size / t_.n / t_.channels) +
               steps / t_.n * t_.size * (2 * ring_per_byte() + t_.reduce + t_.copy);
      case Operation::kBroadcast:
      case Operation::kReduce: {
        // A chain: the last chunk leaves after all others, and passes every hop.
        const double count = t_.pieces(t_.size, t_.chunk) * t_.spec.execution.slices;
        const double piece = t_.size / count;
        const double handling = t_.spec.operation == Operation::kReduce ? t_.reduce : t_.copy;
        return chain_latency(steps, piece) +
               (steps + count - 1) * piece * (ring_per_byte() + handling);
      }
      default: {
        const double handling = t_.spec.operation == Operation::kAllGather ? t_.copy : t_.reduce;
        return t_.pieces(t_.size / t_.n, t_.chunk) *
                   chain_latency(steps, t_.size / t_.n / t_.channels) +
               steps / t_.n * t_.size * (ring_per_byte() + handling);
      }
    }
  }

  [[nodiscard]] double binomial_tree() const {
    const double count = t_.pieces(t_.size, t_.chunk);
    const double piece = t_.size / count;
    double once = 0;
    for (double distance = 1; distance < t_.n; distance *= 2) once += at_distance(distance)(piece);
    const double again = (count - 1) * rounds(t_.n) * piece * t_.net.per_byte;
    switch (t_.spec.operation) {
      case Operation::kAllReduce:
      case Operation::kBarrier:
        return 2 * once + again + rounds(t_.n) * t_.size * (t_.reduce + t_.copy);
      case Operation::kReduce:
        return once + again + rounds(t_.n) * t_.size * t_.reduce;
      case Operation::kGather:
      case Operation::kScatter: {
        double time = 0;
        for (double distance = 1; distance < t_.n; distance *= 2) {
          time += at_distance(distance)(t_.size * std::min(distance, t_.n - distance) / t_.n);
        }
        return time;
      }
      default:
        return once + again + rounds(t_.n) * t_.size * t_.copy;
    }
  }

  /// Trees of the halves. A chunk takes a level after its last sibling came; behind the first
  /// chunk, others follow at the pace of the busiest rank, which sends four of them per pair of
  /// trees.
  [[nodiscard]] double double_binary_tree() const {
    const double count = t_.pieces(t_.size / 2, t_.chunk);
    const double piece = t_.size / 2 / count;
    const bool has_chains = t_.plan.map.is_even() && t_.domains > 1 && t_.domain_size > 1;
    const double nodes = has_chains ? t_.domains : t_.n;
    const Hop& tree = has_chains ? t_.net : at_distance(t_.n / 2);
    double once = 2 * rounds(nodes) * tree(2 * piece);
    if (has_chains) once += 2 * (t_.domain_size - 1) * t_.local(piece);
    const double window = t_.spec.execution.in_flight;
    const double copies =
        window > 0 && window <= kMostInFlight ? kTreeCopies : kTreeCopies * kFlood;
    return once + (count - 1) * copies * piece * tree.per_byte + t_.size * (t_.reduce + t_.copy);
  }

  /// So many bytes in one message per channel.
  [[nodiscard]] double exchange(const Hop& hop, double bytes) const {
    return hop.first_packet(bytes / t_.channels) + bytes * hop.per_byte;
  }

  /// What ranks that pair up add because their number is no power of two.
  [[nodiscard]] double folding() const {
    return std::has_single_bit(static_cast<std::uint32_t>(t_.n)) ? 0 : t_.local(t_.size);
  }

  [[nodiscard]] double recursive_doubling() const {
    double time = 0;
    if (t_.spec.operation == Operation::kAllGather) {
      double held = t_.size / t_.n;
      for (double distance = 1; distance * 2 <= t_.n; distance *= 2, held *= 2) {
        time += at_distance(distance)(held * kMeetings);
      }
      return time + (folding() > 0 ? folding() + t_.local(t_.size / t_.n) : 0) + t_.size * t_.copy;
    }
    for (double distance = 1; distance * 2 <= t_.n; distance *= 2) {
      time += exchange(at_distance(distance), t_.size * kMeetings) + t_.size * t_.reduce;
    }
    return time + 2 * folding() + (folding() > 0 ? t_.size * (t_.reduce + t_.copy) : 0);
  }

  [[nodiscard]] double halving_doubling() const {
    const double core = std::bit_floor(static_cast<std::uint32_t>(t_.n));
    double time = 0;
    const double count = t_.pieces(t_.size, t_.chunk);
    for (double distance = core / 2; distance >= 1; distance /= 2) {
      const double part = t_.size * distance / core;
      const Hop& hop = at_distance(distance);
      time += count * hop.latency + part * (kMeetings * hop.per_byte + t_.reduce);
    }
    if (t_.spec.operation == Operation::kReduceScatter) {
      return time + (folding() > 0 ? folding() + t_.local(t_.size / t_.n) : 0);
    }
    for (double distance = core / 2; distance >= 1; distance /= 2) {
      const double part = t_.size * distance / core;
      const Hop& hop = at_distance(distance);
      time += count * hop.latency + part * (kMeetings * hop.per_byte + t_.copy);
    }
    return time + 2 * folding();
  }

  /// A message of `each` bytes to every other rank, all at once, in so many pieces per channel.
  [[nodiscard]] double direct_exchange(double each, double count = 1) const {
    const double outside = t_.n - t_.domain_size;
    const double inside = t_.domain_size - 1;
    const double messages = kMessage * t_.channels * count * t_.spec.execution.slices;
    if (t_.domains == 1) {
      const double factor = t_.domain_size > 1 ? kNoCollisions : t_.collisions;
      return t_.local.first_packet(each / t_.channels) +
             (t_.n - 1) * each * factor * t_.local.per_byte + (t_.n - 1) * messages;
    }
    const double net = t_.farthest + outside * (each * t_.collisions * t_.net.per_byte + messages);
    if (t_.domain_size == 1) return net;
    return std::max(net, t_.local.first_packet(each / t_.channels) +
                             inside * (each * t_.local.per_byte + messages));
  }

  [[nodiscard]] double one_shot() const {
    switch (t_.spec.operation) {
      case Operation::kAllReduce:
        return direct_exchange(t_.size) + (t_.n - 1) * t_.size * t_.reduce;
      case Operation::kBroadcast:
      case Operation::kReduce:
        return direct_exchange(t_.size) + (t_.spec.operation == Operation::kReduce
                                               ? (t_.n - 1) * t_.size * t_.reduce
                                               : t_.size * t_.copy);
      case Operation::kAllToAll:
        return direct_exchange(t_.size) + (t_.n - 1) * t_.size * t_.copy;
      case Operation::kAllToAllV:
        return t_.net.latency + busiest_rank() * (t_.net.per_byte + t_.copy);
      case Operation::kSendReceive:
        return t_.net(t_.size) + t_.size * t_.copy;
      case Operation::kReduceScatter:
        return direct_exchange(t_.size / t_.n) + (t_.n - 1) / t_.n * t_.size * t_.reduce;
      default:
        return direct_exchange(t_.size / t_.n) + (t_.n - 1) / t_.n * t_.size * t_.copy;
    }
  }

  /// Bytes that some rank sends to, or gets from, others.
  [[nodiscard]] double busiest_rank() const {
    const auto n = static_cast<std::size_t>(t_.n);
    std::vector<double> out(n);
    std::vector<double> in(n);
    for (std::size_t i = 0; i < n * n && i < t_.plan.matrix.size(); ++i) {
      if (i / n == i % n) continue;
      out[i / n] += static_cast<double>(t_.plan.matrix[i]);
      in[i % n] += static_cast<double>(t_.plan.matrix[i]);
    }
    return std::max(*std::ranges::max_element(out), *std::ranges::max_element(in));
  }

  [[nodiscard]] double hierarchical() const {
    if (!t_.plan.is_by_blocks()) return hierarchical_cost(t_);
    // In one domain there is no second level.
    return t_.domains == 1 ? one_shot() : two_level_all_to_all_cost(t_);
  }

  [[nodiscard]] double pairwise() const {
    if (t_.spec.operation == Operation::kAllToAll) {
      double time = 0;
      for (double distance = 1; distance < t_.n; ++distance) {
        // Some rank's partner is outside its domain unless there is one domain, as `t_.net` is
        // then.
        time += t_.net(t_.size * t_.pair_collisions);
      }
      return time + (t_.n - 1) * t_.size * t_.copy;
    }
    // Step by step, everybody waits for the largest block of its diagonal.
    const auto n = static_cast<std::size_t>(t_.n);
    double time = 0;
    for (std::size_t distance = 1; distance < n; ++distance) {
      double largest = 0;
      for (std::size_t r = 0; r < n; ++r) {
        largest =
            std::max(largest, static_cast<double>(t_.plan.matrix[r * n + (r + distance) % n]));
      }
      time += t_.net(largest * t_.pair_collisions) + largest * t_.copy;
    }
    return time;
  }

  const CostTerms& t_;
};

}  // namespace

std::optional<double> estimate(const CollectiveSpec& spec, Algorithm algorithm, std::uint32_t ranks,
                               const RankLayout& layout) {
  const SchedulePlan plan = plan_of(spec, ranks, layout);
  if (!refusal(plan, algorithm, layout.has_in_network_reduction).empty()) return {};
  const bool has_net = plan.map.domains() == 1 || layout.network_rate > BitsPerSecond(0);
  const bool has_local = plan.map.domain_size() == 1 || layout.domain_rate > BitsPerSecond(0);
  if (!has_net || !has_local) return {};
  return Model(CostTerms(spec, ranks, layout))(algorithm);
}

std::vector<Estimate> estimates(const CollectiveSpec& spec, std::uint32_t ranks,
                                const RankLayout& layout) {
  std::vector<Estimate> all;
  for (const Algorithm algorithm : algorithms_for(spec.operation)) {
    if (const auto seconds = estimate(spec, algorithm, ranks, layout)) {
      all.push_back({algorithm, *seconds});
    }
  }
  std::ranges::stable_sort(all, {}, &Estimate::seconds);
  return all;
}

}  // namespace weft::collectives
