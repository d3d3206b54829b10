#include "collectives/cost_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "collectives/collective_program.hpp"
#include "collectives/schedule.hpp"

namespace weft::collectives {

namespace {

/// How much longer exchanges of all with all take than their bytes where flows collide on paths:
/// 1.34 (two-shot all-reduce of 8 MiB, 16 servers on four spines by ECMP), 1.19 (64 servers on
/// eight, 64 MiB). Elsewhere senders meet at receivers only.
constexpr double kCollisions = 1.3;
constexpr double kNoCollisions = 1.02;
/// The same of exchanges in pairs, step by step: every step waits for the path with the most flows,
/// 2.1 in the mean of four flows on four paths.
constexpr double kPairCollisions = 2;
/// A packet crosses a scale-up domain by one of a GPU's links, twice, to the chip and from it; and
/// a third time's worth goes by where it meets others on that one while the rest are idle
/// (measured). NVLink 4 and 5 have 18; packets are of 4 KiB unless a scenario says otherwise.
constexpr double kCrossings = 3;
constexpr double kDomainLinks = 18;
constexpr double kDomainPacket = 4096;
/// Of a message besides its bytes, at the port of its sender: headers, and the acknowledgement of
/// one that comes the other way. A RoCE frame's 82 + 86 bytes at 400 Gbps; measured as much in an
/// NVLink domain (one-shot all-reduce of 4 KiB in 8 channels, NVL72).
constexpr double kMessage = 3e-9;
/// The same of one that chips add up and of one that they repeat (NVL72, 4 KiB in 8 channels).
constexpr double kInNetworkMessage = 3.75e-9;
/// In-network reductions and multicasts run at this part of the rate of plain messages while all
/// ranks do the same (16 MiB: 1.2 on 8 GPUs, 1.4 on 72). With a few pieces per channel, both go on
/// at once.
constexpr double kInNetworkSlowness = 1.3;
constexpr double kPiecesThatOverlap = 4;
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

/// Latency and time per byte of a hop.
struct Hop {
  double latency = 0;
  double per_byte = 0;
  double per_byte_of_packet = 0;  ///< of a packet, besides

  /// Until the last byte of a message is there, if all its bytes follow each other.
  [[nodiscard]] double operator()(double bytes) const {
    return first_packet(bytes) + bytes * per_byte;
  }
  /// The latency, and what the first packet of a message takes.
  [[nodiscard]] double first_packet(double message) const {
    return latency + std::min(message, kDomainPacket) * per_byte_of_packet;
  }
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
      return Hop{to_seconds(latency) + step, 8 * overhead / static_cast<double>(rate.count()), 0};
    };
    net_ = hop(layout.network_latency, layout.network_rate);
    local_ = domain_size_ > 1 ? hop(layout.domain_latency, layout.domain_rate) : net_;
    if (domain_size_ > 1 && layout.domain_rate > layout.network_rate) {
      local_.per_byte_of_packet = kCrossings * kDomainLinks * local_.per_byte;
    }
    far_ = std::max(net_.latency, to_seconds(layout.farthest_latency) + step);
    if (layout.has_collisions && domains_ > 1) pair_collisions_ = kPairCollisions;
    collisions_ = layout.has_collisions ? kCollisions : kNoCollisions;
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
        return launch + 2 * direct_exchange(size_ / n_, pieces(size_, chunk_ * n_)) +
               (n_ - 1) * size_ / n_ * (reduce_ + copy_);
      case Algorithm::kHierarchical:
        return launch + (plan_.is_by_blocks() ? two_level_all_to_all() : hierarchical());
      case Algorithm::kNvls:
        return launch + in_network();
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
  /// Of messages that go from rank to rank, `message` bytes long.
  [[nodiscard]] double chain_latency(double hops, double message) const {
    const double crossings = domains_ == 1 ? 0 : hops * domains_ / n_;
    return (hops - crossings) * local_.first_packet(message) + crossings * net_.latency;
  }

  [[nodiscard]] double ring() const {
    const double steps = n_ - 1;
    switch (spec_.operation) {
      case Operation::kAllReduce:
        return pieces(size_, chunk_ * n_) * chain_latency(2 * steps, size_ / n_ / channels_) +
               steps / n_ * size_ * (2 * ring_per_byte() + reduce_ + copy_);
      case Operation::kBroadcast:
      case Operation::kReduce: {
        // A chain: the last chunk leaves after all others, and passes every hop.
        const double count = pieces(size_, chunk_) * spec_.execution.slices;
        const double piece = size_ / count;
        const double handling = spec_.operation == Operation::kReduce ? reduce_ : copy_;
        return chain_latency(steps, piece) +
               (steps + count - 1) * piece * (ring_per_byte() + handling);
      }
      default: {
        const double handling = spec_.operation == Operation::kAllGather ? copy_ : reduce_;
        return pieces(size_ / n_, chunk_) * chain_latency(steps, size_ / n_ / channels_) +
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
    const double window = spec_.execution.in_flight;
    const double copies =
        window > 0 && window <= kMostInFlight ? kTreeCopies : kTreeCopies * kFlood;
    return once + (count - 1) * copies * piece * tree.per_byte + size_ * (reduce_ + copy_);
  }

  /// So many bytes in one message per channel.
  [[nodiscard]] double exchange(const Hop& hop, double bytes) const {
    return hop.first_packet(bytes / channels_) + bytes * hop.per_byte;
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
      time += exchange(at_distance(distance), size_ * kMeetings) + size_ * reduce_;
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

  /// A message of `each` bytes to every other rank, all at once, in so many pieces per channel.
  [[nodiscard]] double direct_exchange(double each, double count = 1) const {
    const double outside = n_ - domain_size_;
    const double inside = domain_size_ - 1;
    const double messages = kMessage * channels_ * count * spec_.execution.slices;
    if (domains_ == 1) {
      const double factor = domain_size_ > 1 ? kNoCollisions : collisions_;
      return local_.first_packet(each / channels_) + (n_ - 1) * each * factor * local_.per_byte +
             (n_ - 1) * messages;
    }
    const double net = far_ + outside * (each * collisions_ * net_.per_byte + messages);
    if (domain_size_ == 1) return net;
    return std::max(
        net, local_.first_packet(each / channels_) + inside * (each * local_.per_byte + messages));
  }

  /// Up to the chips for the sums, and down from them for the copies.
  [[nodiscard]] double in_network() const {
    const bool is_all_reduce = spec_.operation == Operation::kAllReduce;
    const double count = is_all_reduce ? pieces(size_, chunk_ * n_) : pieces(size_ / n_, chunk_);
    const double phases = is_all_reduce ? 2 : 1;
    const double messages =
        phases * n_ * channels_ * count * spec_.execution.slices * kInNetworkMessage;
    const double alone = std::min(1.0, kPiecesThatOverlap / count);
    const double bytes = 1 + 1.0 / n_ + (phases - 1) * alone;
    return phases * local_.first_packet(size_ / n_ / channels_) + messages +
           size_ * bytes * kInNetworkSlowness * local_.per_byte;
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
        // Some rank's partner is outside its domain unless there is one domain, as `net_` is then.
        time += net_(size_ * pair_collisions_);
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
      time += net_(largest * pair_collisions_) + largest * copy_;
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
    const double inside = laps * (g - 1) *
                          (local_.first_packet(piece / laps / g / channels_) +
                           piece / laps / g * (local_.per_byte + handling));
    const double along = (is_all_reduce ? 2 : 1) * (k - 1) *
                         (net_.latency + piece / g / k * (net_.per_byte + handling));
    // Of an all-gather or reduce-scatter, the ring of a domain works on one domain's share while
    // the rail brings the next.
    const double first =
        is_all_reduce ? 2 * inside + along : std::max(inside, along + inside / laps);
    // Behind the first piece the stages work side by side; those inside share the links.
    const double bytes_inside = (is_all_reduce ? 2 : 1) * (g - 1) / g * piece * local_.per_byte;
    return first + (count - 1) * std::max({bytes_inside, along, inside});
  }

  /// Both levels work side by side; before the rail has anything to pass on, a round inside.
  [[nodiscard]] double two_level_all_to_all() const {
    if (domains_ == 1) return one_shot();  // there is no second level
    const auto n = static_cast<std::size_t>(n_);
    std::vector<double> inside(2 * n);
    std::vector<double> along(2 * n);
    std::vector<double> handled(n);
    const RankMap& map = plan_.map;
    for (std::uint32_t from = 0; from < n; ++from) {
      for (std::uint32_t to = 0; to < n; ++to) {
        if (from == to) continue;
        const auto bytes = static_cast<double>(plan_.block_size(from, to));
        const std::uint32_t relay = map.rank_at(map.domain_of(from), map.position_of(to));
        if (relay != from) {
          inside[from] += bytes;
          inside[n + relay] += bytes;
          handled[relay] += bytes;
        }
        if (relay == to) continue;
        along[relay] += bytes;
        along[n + to] += bytes;
        handled[to] += bytes;
      }
    }
    const double most_inside = *std::ranges::max_element(inside);
    const double most_along = *std::ranges::max_element(along);
    const double copying = *std::ranges::max_element(handled) * copy_;
    return net_.latency + local_(most_inside / domains_) +
           std::max(most_along * net_.per_byte, most_inside * local_.per_byte) + copying;
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
  double far_ = 0;  ///< latency to the farthest rank
  double collisions_ = kNoCollisions;
  double pair_collisions_ = 1;
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
