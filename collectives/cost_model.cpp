#include "collectives/cost_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "collectives/collective_program.hpp"
#include "collectives/schedule.hpp"

namespace weft::collectives {

namespace {

/// How much longer exchanges of all with all take than their bytes, because senders meet at
/// receivers and in the fabric: between 1 (one switch) and 1.19 (two-shot all-reduce of
/// scenarios/allreduce-algorithms.yaml, JCT over ideal JCT), the middle.
constexpr double kCollisions = 1.09;
/// How much longer exchanges of pairs take than their bytes: flows of one pair each meet on paths
/// of the fabric. Between 1 (one switch) and 2.8 (halving-doubling there, 8 uplinks by ECMP); a
/// third more already prefers algorithms that spread their bytes and are as good on one switch.
constexpr double kMeetings = 1.3;
/// Copies of a chunk that a rank of two binary trees sends in the time of one, and a quarter more
/// because both trees and directions meet at its port (64 ranks, 256 MiB, chunks of 512 KiB).
constexpr double kTreeCopies = 4 * 1.26;

/// Latency and time per byte of a hop.
struct Hop {
  double latency = 0;
  double per_byte = 0;

  [[nodiscard]] double operator()(double bytes) const { return latency + bytes * per_byte; }
};

class Model {
 public:
  Model(const CollectiveSpec& spec, std::uint32_t ranks, const RankLayout& layout)
      : spec_(spec), plan_(plan_of(spec, ranks, layout)) {
    n_ = ranks;
    domains_ = plan_.map.domains();
    domain_size_ = plan_.map.is_even() ? plan_.map.domain_size() : 1;
    const Execution& execution = spec.execution;
    const ProtocolCost protocol = protocol_cost(execution.protocol);
    const double overhead = static_cast<double>(protocol.wire) / static_cast<double>(protocol.data);
    const double step = to_seconds(execution.step_latency.value_or(protocol.step_latency));
    const auto hop = [&](Picoseconds latency, BitsPerSecond rate) {
      return Hop{to_seconds(latency) + step, 8 * overhead / static_cast<double>(rate.count())};
    };
    net_ = hop(layout.network_latency, layout.network_rate);
    local_ = domain_size_ > 1 ? hop(layout.domain_latency, layout.domain_rate) : net_;
    if (domains_ == 1) net_ = local_;
    reduce_ = per_byte(execution.reduce_rate);
    copy_ = per_byte(execution.copy_rate);
    size_ = static_cast<double>(plan_.size);
    chunk_ = static_cast<double>(execution.chunk.count());
    channels_ = execution.channels;
  }

  [[nodiscard]] double operator()(Algorithm algorithm) const {
    const double launch = to_seconds(spec_.execution.launch.value_or(Picoseconds(0)));
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
        return launch + 2 * direct_exchange(size_ / n_) + (n_ - 1) * size_ / n_ * (reduce_ + copy_);
      case Algorithm::kHierarchical:
        return launch + hierarchical();
      case Algorithm::kNvls:
        return launch + 2 * local_.latency + size_ * (1 + 1.0 / n_) * local_.per_byte;
      case Algorithm::kDissemination:
        return launch + rounds(n_) * net_(1);
      case Algorithm::kNccl:
      case Algorithm::kBest:
        break;
    }
    return launch;
  }

 private:
  [[nodiscard]] static double per_byte(BitsPerSecond rate) {
    return rate == BitsPerSecond(0) ? 0 : 8.0 / static_cast<double>(rate.count());
  }
  [[nodiscard]] static double rounds(double n) { return std::ceil(std::log2(n)); }
  [[nodiscard]] bool is_vector_of_all() const {
    return spec_.operation == Operation::kAllReduce || spec_.operation == Operation::kBarrier;
  }
  /// Pieces of `unit` bytes per chunk that a channel's share makes.
  [[nodiscard]] double pieces(double share, double unit) const {
    return chunk_ == 0 ? 1 : std::max(1.0, std::ceil(share / channels_ / unit));
  }
  /// A hop between neighbours in rank order at some distance.
  [[nodiscard]] const Hop& at_distance(double distance) const {
    return distance < domain_size_ ? local_ : net_;
  }
  /// Every byte that goes around the ring passes the slowest kind of link. A domain's NICs share
  /// what rings of different channels bring.
  [[nodiscard]] double ring_per_byte() const {
    if (domains_ == 1) return local_.per_byte;
    const double nics = std::min<double>(channels_, domain_size_);
    return std::max(local_.per_byte, net_.per_byte / nics);
  }
  [[nodiscard]] double chain_latency(double hops) const {
    const double crossings = domains_ == 1 ? 0 : hops * domains_ / n_;
    return (hops - crossings) * local_.latency + crossings * net_.latency;
  }

  [[nodiscard]] double ring() const {
    const double steps = n_ - 1;
    switch (spec_.operation) {
      case Operation::kAllReduce:
        return pieces(size_, chunk_ * n_) * chain_latency(2 * steps) +
               steps / n_ * size_ * (2 * ring_per_byte() + reduce_ + copy_);
      case Operation::kBroadcast:
      case Operation::kReduce: {
        // A chain: the last chunk leaves after all others, and passes every hop.
        const double count = pieces(size_, chunk_) * spec_.execution.slices;
        const double piece = size_ / count;
        const double handling = spec_.operation == Operation::kReduce ? reduce_ : copy_;
        return chain_latency(steps) + (steps + count - 1) * piece * (ring_per_byte() + handling);
      }
      default: {
        const double handling = spec_.operation == Operation::kAllGather ? copy_ : reduce_;
        return pieces(size_ / n_, chunk_) * chain_latency(steps) +
               steps / n_ * size_ * (ring_per_byte() + handling);
      }
    }
  }

  [[nodiscard]] double binomial_tree() const {
    const double count = pieces(size_, chunk_);
    const double piece = size_ / count;
    double once = 0;
    for (double distance = 1; distance < n_; distance *= 2) once += at_distance(distance)(piece);
    const double again = (count - 1) * rounds(n_) * piece * net_.per_byte;
    switch (spec_.operation) {
      case Operation::kAllReduce:
      case Operation::kBarrier:
        return 2 * once + again + rounds(n_) * size_ * (reduce_ + copy_);
      case Operation::kReduce:
        return once + again + rounds(n_) * size_ * reduce_;
      case Operation::kGather:
      case Operation::kScatter: {
        double time = 0;
        for (double distance = 1; distance < n_; distance *= 2) {
          time += at_distance(distance)(size_ * std::min(distance, n_ - distance) / n_);
        }
        return time;
      }
      default:
        return once + again + rounds(n_) * size_ * copy_;
    }
  }

  /// Trees of the halves. A chunk takes a level after its last sibling came; behind the first
  /// chunk, others follow at the pace of the busiest rank, which sends four of them per pair of
  /// trees.
  [[nodiscard]] double double_binary_tree() const {
    const double count = pieces(size_ / 2, chunk_);
    const double piece = size_ / 2 / count;
    const bool has_chains = plan_.map.is_even() && domains_ > 1 && domain_size_ > 1;
    const double nodes = has_chains ? domains_ : n_;
    const Hop& tree = has_chains ? net_ : at_distance(n_ / 2);
    double once = 2 * rounds(nodes) * tree(2 * piece);
    if (has_chains) once += 2 * (domain_size_ - 1) * local_(piece);
    return once + (count - 1) * kTreeCopies * piece * tree.per_byte + size_ * (reduce_ + copy_);
  }

  /// What ranks that pair up add because their number is no power of two.
  [[nodiscard]] double folding() const {
    return std::has_single_bit(static_cast<std::uint32_t>(n_)) ? 0 : local_(size_);
  }

  [[nodiscard]] double recursive_doubling() const {
    double time = 0;
    if (spec_.operation == Operation::kAllGather) {
      double held = size_ / n_;
      for (double distance = 1; distance * 2 <= n_; distance *= 2, held *= 2) {
        time += at_distance(distance)(held * kMeetings);
      }
      return time + (folding() > 0 ? folding() + local_(size_ / n_) : 0) + size_ * copy_;
    }
    for (double distance = 1; distance * 2 <= n_; distance *= 2) {
      time += at_distance(distance)(size_ * kMeetings) + size_ * reduce_;
    }
    return time + 2 * folding() + (folding() > 0 ? size_ * (reduce_ + copy_) : 0);
  }

  [[nodiscard]] double halving_doubling() const {
    const double core = std::bit_floor(static_cast<std::uint32_t>(n_));
    double time = 0;
    const double count = pieces(size_, chunk_);
    for (double distance = core / 2; distance >= 1; distance /= 2) {
      const double part = size_ * distance / core;
      const Hop& hop = at_distance(distance);
      time += count * hop.latency + part * (kMeetings * hop.per_byte + reduce_);
    }
    if (spec_.operation == Operation::kReduceScatter) {
      return time + (folding() > 0 ? folding() + local_(size_ / n_) : 0);
    }
    for (double distance = core / 2; distance >= 1; distance /= 2) {
      const double part = size_ * distance / core;
      const Hop& hop = at_distance(distance);
      time += count * hop.latency + part * (kMeetings * hop.per_byte + copy_);
    }
    return time + 2 * folding();
  }

  /// A message of `each` bytes to every other rank, all at once.
  [[nodiscard]] double direct_exchange(double each) const {
    const double outside = n_ - domain_size_;
    const double inside = domain_size_ - 1;
    each *= kCollisions;
    if (domains_ == 1) return local_((n_ - 1) * each);
    return std::max(net_(outside * each), domain_size_ > 1 ? local_(inside * each) : 0.0);
  }

  [[nodiscard]] double one_shot() const {
    switch (spec_.operation) {
      case Operation::kAllReduce:
        return direct_exchange(size_) + (n_ - 1) * size_ * reduce_;
      case Operation::kBroadcast:
      case Operation::kReduce:
        return direct_exchange(size_) +
               (spec_.operation == Operation::kReduce ? (n_ - 1) * size_ * reduce_ : size_ * copy_);
      case Operation::kAllToAll:
        return direct_exchange(size_) + (n_ - 1) * size_ * copy_;
      case Operation::kAllToAllV:
        return net_.latency + busiest_rank() * (net_.per_byte + copy_);
      case Operation::kSendReceive:
        return net_(size_) + size_ * copy_;
      case Operation::kReduceScatter:
        return direct_exchange(size_ / n_) + (n_ - 1) / n_ * size_ * reduce_;
      default:
        return direct_exchange(size_ / n_) + (n_ - 1) / n_ * size_ * copy_;
    }
  }

  /// Bytes that some rank sends to, or gets from, others.
  [[nodiscard]] double busiest_rank() const {
    const auto n = static_cast<std::size_t>(n_);
    std::vector<double> out(n);
    std::vector<double> in(n);
    for (std::size_t i = 0; i < n * n && i < plan_.matrix.size(); ++i) {
      if (i / n == i % n) continue;
      out[i / n] += static_cast<double>(plan_.matrix[i]);
      in[i % n] += static_cast<double>(plan_.matrix[i]);
    }
    return std::max(*std::ranges::max_element(out), *std::ranges::max_element(in));
  }

  [[nodiscard]] double pairwise() const {
    if (spec_.operation == Operation::kAllToAll) {
      double time = 0;
      for (double distance = 1; distance < n_; ++distance) {
        // Some rank's partner is outside its domain unless there is one domain.
        time += (domains_ == 1 ? local_ : net_)(size_);
      }
      return time + (n_ - 1) * size_ * copy_;
    }
    // Step by step, everybody waits for the largest block of its diagonal.
    const auto n = static_cast<std::size_t>(n_);
    double time = 0;
    for (std::size_t distance = 1; distance < n; ++distance) {
      double largest = 0;
      for (std::size_t r = 0; r < n; ++r) {
        largest = std::max(largest, static_cast<double>(plan_.matrix[r * n + (r + distance) % n]));
      }
      time += net_(largest) + largest * copy_;
    }
    return time;
  }

  [[nodiscard]] double hierarchical() const {
    const double g = domain_size_;
    const double k = domains_;
    const bool is_all_reduce = spec_.operation == Operation::kAllReduce;
    const double count = is_all_reduce ? pieces(size_, chunk_ * g) : pieces(size_ / n_, chunk_);
    const double piece = size_ / count;
    const bool reduces = spec_.operation != Operation::kAllGather;
    const double handling = reduces ? reduce_ : copy_;
    // One ring of the domain for everything of a rail, or (gather, scatter) for every domain's
    // share.
    const double laps = is_all_reduce ? 1 : k;
    const double inside =
        laps * (g - 1) * (local_.latency + piece / laps / g * (local_.per_byte + handling));
    const double along = (is_all_reduce ? 2 : 1) * (k - 1) *
                         (net_.latency + piece / g / k * (net_.per_byte + handling));
    const double first = (is_all_reduce ? 2 : 1) * inside + along;
    // Behind the first piece the stages work side by side; those inside share the links.
    const double bytes_inside = (is_all_reduce ? 2 : 1) * (g - 1) / g * piece * local_.per_byte;
    return first + (count - 1) * std::max({bytes_inside, along, inside});
  }

  const CollectiveSpec& spec_;
  SchedulePlan plan_;
  double n_ = 0;
  double domains_ = 1;
  double domain_size_ = 1;
  double channels_ = 1;
  double chunk_ = 0;
  double size_ = 0;
  double reduce_ = 0;
  double copy_ = 0;
  Hop net_;
  Hop local_;
};

}  // namespace

std::optional<double> estimate(const CollectiveSpec& spec, Algorithm algorithm, std::uint32_t ranks,
                               const RankLayout& layout) {
  const SchedulePlan plan = plan_of(spec, ranks, layout);
  if (!refusal(plan, algorithm, layout.has_in_network_reduction).empty()) return {};
  const bool has_net = plan.map.domains() == 1 || layout.network_rate > BitsPerSecond(0);
  const bool has_local = plan.map.domain_size() == 1 || layout.domain_rate > BitsPerSecond(0);
  if (!has_net || !has_local) return {};
  return Model(spec, ranks, layout)(algorithm);
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
