#include "collectives/traffic/expert_routing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "simcore/fabric/limits.hpp"

namespace weft::collectives {

namespace {

/// Cumulative weights in whole units, so that the last bits of std::pow do not matter.
std::vector<std::uint64_t> cumulative_popularity(std::uint32_t experts, double skew,
                                                 const RandomStream& random) {
  std::vector<std::uint32_t> order(experts);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = experts; i-- > 1;) {
    std::swap(order[i], order[random.below(i, std::uint64_t{i} + 1)]);
  }
  constexpr double kUnits = 1 << 24;
  std::vector<std::uint64_t> weights(experts);
  for (std::uint32_t i = 0; i < experts; ++i) {
    const double weight = std::round(kUnits * std::pow(i + 1.0, -skew));
    weights[order[i]] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(weight));
  }
  std::partial_sum(weights.begin(), weights.end(), weights.begin());
  return weights;
}

/// Draws different experts for one token after the other, by popularity.
class ExpertDraw {
 public:
  /// `cumulative`: of the experts' weights, in their order.
  explicit ExpertDraw(const std::vector<std::uint64_t>& cumulative)
      : cumulative_(cumulative),
        shift_(static_cast<unsigned>(
            std::bit_width(cumulative.back() / (kSlotsPerExpert * cumulative.size())))) {
    std::uint32_t expert = 0;
    for (std::uint64_t slot = 0; slot <= (cumulative.back() - 1) >> shift_; ++slot) {
      while (cumulative_[expert] <= slot << shift_) ++expert;
      first_of_slot_.push_back(expert);
    }
  }

  /// `count` experts, at most as many as there are. `draws`: random numbers used so far.
  const std::vector<std::uint32_t>& take(std::uint32_t count, const RandomStream& random,
                                         std::uint64_t& draws) {
    chosen_.clear();
    std::uint64_t left = cumulative_.back();  // the weight of those that are not chosen
    while (chosen_.size() < count) {
      const bool is_rare = left < cumulative_.back() / kMaxDrawsInVain;
      const std::uint32_t expert = is_rare ? draw_among_others(random.below(draws++, left))
                                           : expert_at(random.below(draws++, cumulative_.back()));
      if (std::ranges::find(chosen_, expert) != chosen_.end()) continue;
      chosen_.push_back(expert);
      left -= weight(expert);
    }
    return chosen_;
  }

 private:
  /// Drawing again until an expert is new is what is quick, while that many draws do on average. A
  /// strong skew leaves the others next to no weight: then they are drawn among themselves, which
  /// is the same distribution.
  static constexpr std::uint64_t kMaxDrawsInVain = 16;

  [[nodiscard]] std::uint64_t begin_of(std::uint32_t expert) const {
    return expert == 0 ? 0 : cumulative_[expert - 1];
  }
  [[nodiscard]] std::uint64_t weight(std::uint32_t expert) const {
    return cumulative_[expert] - begin_of(expert);
  }
  [[nodiscard]] std::uint32_t expert_at(std::uint64_t at) const {
    std::uint32_t expert = first_of_slot_[at >> shift_];
    while (cumulative_[expert] <= at) ++expert;
    return expert;
  }
  /// `at` counts the weight of those that are not chosen.
  [[nodiscard]] std::uint32_t draw_among_others(std::uint64_t at) {
    sorted_ = chosen_;
    std::ranges::sort(sorted_);
    for (const std::uint32_t expert : sorted_) {
      if (at >= begin_of(expert)) at += weight(expert);
    }
    return expert_at(at);
  }

  /// Slots of equal weight begin at an expert that is known, and few begin within one.
  static constexpr std::uint64_t kSlotsPerExpert = 4;

  const std::vector<std::uint64_t>& cumulative_;
  unsigned shift_;  ///< a slot's weight is 2^shift
  std::vector<std::uint32_t> first_of_slot_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> sorted_;
};

}  // namespace

std::uint32_t tokens_alike(const Routing& routing, std::uint32_t ranks) {
  const std::uint64_t choices = std::uint64_t{routing.tokens} * routing.top_k * ranks;
  const std::uint64_t group = (choices + kMaxChoices - 1) / kMaxChoices;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(group, routing.tokens));
}

std::vector<std::int64_t> routed_matrix(const Routing& routing, std::uint32_t ranks,
                                        std::uint64_t seed, std::uint32_t job, std::uint32_t part) {
  const std::uint32_t experts = ranks * routing.experts_per_rank;
  constexpr unsigned kRankBits = 18;
  static_assert(kMaxHosts <= 1U << kRankBits);
  const std::uint64_t entity = std::uint64_t{job} << 32U;
  const std::vector<std::uint64_t> popularity = cumulative_popularity(
      experts, routing.skew, RandomStream(seed, Purpose::kRouting, entity | 0xffffffffU));
  std::vector<std::int64_t> matrix(std::size_t{ranks} * ranks);
  ExpertDraw draw(popularity);
  const std::uint32_t count = std::min(routing.top_k, experts);
  const std::uint32_t group = tokens_alike(routing, ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const RandomStream random(seed, Purpose::kRouting,
                              entity | (std::uint64_t{part} << kRankBits & 0xffffffffU) | rank);
    std::uint64_t draws = 0;
    for (std::uint32_t token = 0; token < routing.tokens; token += group) {
      const Bytes size = routing.token_size * std::min(group, routing.tokens - token);
      for (const std::uint32_t expert : draw.take(count, random, draws)) {
        matrix[std::size_t{rank} * ranks + expert / routing.experts_per_rank] += size.count();
      }
    }
  }
  return matrix;
}

std::vector<std::int64_t> matrix_of(std::span<const Block> blocks, std::uint32_t ranks) {
  std::vector<std::int64_t> matrix(std::size_t{ranks} * ranks);
  for (const Block& block : blocks) {
    matrix[std::size_t{block.from} * ranks + block.to] += block.size.count();
  }
  return matrix;
}

void fill_matrix(CollectiveSpec& spec, std::uint32_t ranks, std::uint64_t seed, std::uint32_t job,
                 std::uint32_t part) {
  if (spec.operation != Operation::kAllToAllV) return;
  spec.matrix = spec.routing ? routed_matrix(*spec.routing, ranks, seed, job, part)
                             : matrix_of(spec.blocks, ranks);
}

}  // namespace weft::collectives
