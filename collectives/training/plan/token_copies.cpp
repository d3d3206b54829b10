#include "collectives/training/plan/token_copies.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "collectives/training/compute/work.hpp"
#include "collectives/training/plan/expert_loads.hpp"

namespace weft::collectives {
namespace {

/// Coefficients of a polynomial, of the powers that matter: z^0 .. z^k.
using Polynomial = std::vector<double>;

/// Multiplies by (1 - p) + p z, of which z counts where it is `kept`, and 1 where it is not.
void multiply(Polynomial& a, double chosen) {
  for (std::size_t i = a.size(); i-- > 0;) {
    a[i] = a[i] * (1 - chosen) + (i > 0 ? a[i - 1] * chosen : 0);
  }
}

/// An expert: how likely it is chosen in a draw of its own, and whether what it is chosen for is
/// kept.
struct Expert {
  double chosen = 0;
  double kept = 1;
};

/// The probability that k experts are chosen, g groups among them, and none of those that `counts`
/// says is kept, over the same without that.
class Choices {
 public:
  Choices(std::vector<Expert> experts, const RoutingSpec& routing, std::uint32_t top_k)
      : experts_(std::move(experts)),
        groups_(routing.groups),
        top_groups_(routing.top_groups),
        k_(top_k),
        all_(weight({})) {}

  /// That a token has an expert among `those`, and its choice is kept.
  [[nodiscard]] double hits(const std::vector<std::uint32_t>& those) const {
    std::vector<bool> counts(experts_.size());
    for (const std::uint32_t e : those) counts[e] = true;
    return std::clamp(1 - weight(counts) / all_, 0.0, 1.0);
  }

 private:
  /// Of all ways to choose; experts that `missed` names, only such that nothing of them is kept.
  [[nodiscard]] double weight(const std::vector<bool>& missed) const {
    const std::size_t in_group = experts_.size() / groups_;
    // By the number of groups chosen so far: the ways to choose experts of them.
    std::vector<Polynomial> chosen(top_groups_ + 1, Polynomial(k_ + 1));
    chosen[0][0] = 1;
    for (std::size_t g = 0; g < groups_; ++g) {
      Polynomial of_group(k_ + 1);
      of_group[0] = 1;
      for (std::size_t e = g * in_group; e < (g + 1) * in_group; ++e) add(of_group, e, missed);
      for (std::size_t n = top_groups_; n-- > 0;) add_product(chosen[n + 1], chosen[n], of_group);
    }
    return chosen[top_groups_][k_];
  }

  void add(Polynomial& of_group, std::size_t e, const std::vector<bool>& missed) const {
    const Expert& expert = experts_[e];
    if (missed.empty() || !missed[e]) {
      multiply(of_group, expert.chosen);
      return;
    }
    const double dropped = expert.chosen * (1 - expert.kept);
    for (std::size_t i = of_group.size(); i-- > 0;) {
      of_group[i] = of_group[i] * (1 - expert.chosen) + (i > 0 ? of_group[i - 1] * dropped : 0);
    }
  }

  static void add_product(Polynomial& sum, const Polynomial& a, const Polynomial& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == 0) continue;
      for (std::size_t j = 0; i + j < sum.size(); ++j) sum[i + j] += a[i] * b[j];
    }
  }

  std::vector<Expert> experts_;
  std::size_t groups_;
  std::size_t top_groups_;
  std::size_t k_;
  double all_;
};

/// Makes draws of their own such that, where k are chosen, each expert is as often as `wanted` says
/// (S. Chen, A. Dempster, J. Liu, Biometrika 81, 1994, section 2): odds are multiplied by those
/// wanted over those there are.
std::vector<double> draws_for(const std::vector<double>& wanted, std::uint32_t k) {
  std::vector<double> chosen = wanted;
  const std::size_t n = wanted.size();
  constexpr int kMaxRounds = 60;
  constexpr double kCloseEnough = 1e-10;
  for (int round = 0; round < kMaxRounds; ++round) {
    // What is chosen of the experts before each, and after it.
    std::vector<Polynomial> before(n + 1, Polynomial(k + 1));
    std::vector<Polynomial> after(n + 1, Polynomial(k + 1));
    before[0][0] = after[n][0] = 1;
    for (std::size_t i = 0; i < n; ++i) multiply(before[i + 1] = before[i], chosen[i]);
    for (std::size_t i = n; i-- > 0;) multiply(after[i] = after[i + 1], chosen[i]);
    const double all = before[n][k];
    double furthest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (wanted[i] <= 0 || wanted[i] >= 1) continue;
      double without = 0;
      for (std::size_t j = 0; j < k; ++j) without += before[i][j] * after[i + 1][k - 1 - j];
      const double is = chosen[i] * without / all;
      furthest = std::max(furthest, std::abs(is - wanted[i]));
      const double odds =
          chosen[i] / (1 - chosen[i]) * (wanted[i] / is) * ((1 - is) / (1 - wanted[i]));
      chosen[i] = odds / (1 + odds);
    }
    if (furthest < kCloseEnough) break;
  }
  return chosen;
}

std::vector<Expert> experts_of(const TrainingSpec& spec, const ExpertLoads& loads) {
  const auto tokens = static_cast<double>(expert_tokens(spec));
  std::vector<double> wanted;
  for (const double choices : loads.choices) wanted.push_back(choices / tokens);
  const bool is_even = spec.routing.skew == 0;
  const std::vector<double> draws = is_even ? wanted : draws_for(wanted, spec.model.top_k);
  std::vector<Expert> experts(draws.size());
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double kept = loads.choices[i] <= 0 ? 1 : loads.kept[i] / loads.choices[i];
    // Of few groups only some are chosen: an expert of these is, more often.
    const double in_groups =
        std::min(1.0, draws[i] * spec.routing.groups / spec.routing.top_groups);
    experts[i] = {in_groups, std::min(1.0, kept)};
  }
  return experts;
}

}  // namespace

double TokenCopies::domains() const {
  return std::accumulate(to_domain.begin(), to_domain.end(), 0.0);
}

double TokenCopies::ranks() const { return std::accumulate(to_rank.begin(), to_rank.end(), 0.0); }

std::optional<Algorithm> token_algorithm(const ExpertSpec& experts) {
  if (experts.exchange != ExpertSpec::Exchange::kLowLatency) return std::nullopt;
  return Algorithm::kOneShot;
}

std::int64_t expert_tokens(const TrainingSpec& spec) {
  const ParallelismSpec& plan = spec.parallelism;
  const std::int64_t tokens = std::int64_t{spec.batch.micro} * spec.model.sequence / plan.context;
  return plan.sequence_parallel ? tokens / plan.tensor : tokens;
}

TokenCopies token_copies(const TrainingSpec& spec, std::uint32_t expert_domain) {
  const std::uint32_t ranks = spec.parallelism.expert;
  const std::uint32_t experts = spec.model.experts;
  const ExpertLoads loads = expert_loads(spec);
  const Choices choices(experts_of(spec, loads), spec.routing, spec.model.top_k);
  // Popular experts are dealt out one by one; groups lie in order.
  std::vector<std::vector<std::uint32_t>> of_rank(ranks);
  for (std::uint32_t e = 0; e < experts; ++e) {
    of_rank[spec.routing.groups > 1 ? e / (experts / ranks) : e % ranks].push_back(e);
  }
  TokenCopies copies;
  for (std::uint32_t domain = 0; domain < ranks / expert_domain; ++domain) {
    std::vector<std::uint32_t> of_domain;
    for (std::uint32_t i = 0; i < expert_domain; ++i) {
      const std::vector<std::uint32_t>& own = of_rank[domain * expert_domain + i];
      of_domain.insert(of_domain.end(), own.begin(), own.end());
      copies.to_rank.push_back(choices.hits(own));
    }
    copies.to_domain.push_back(choices.hits(of_domain));
  }
  return copies;
}

bool TokenRoutes::is_balanced() const {
  const auto alike = [](const std::vector<std::int64_t>& counts) {
    return std::ranges::all_of(counts, [&](std::int64_t n) { return n == counts.front(); });
  };
  return alike(to_domain) && alike(to_rank);
}

std::int64_t TokenRoutes::between_domains() const {
  return std::accumulate(to_domain.begin(), to_domain.end(), std::int64_t{0});
}

std::int64_t TokenRoutes::in_domain(std::uint32_t expert_domain) const {
  const std::int64_t all = std::accumulate(to_rank.begin(), to_rank.end(), std::int64_t{0});
  return all * expert_domain / static_cast<std::int64_t>(to_rank.size());
}

TokenRoutes token_routes(const TrainingSpec& spec, std::uint32_t expert_domain) {
  const TokenCopies copies = token_copies(spec, expert_domain);
  const double tokens = static_cast<double>(expert_tokens(spec)) / pass_parts(spec.overlap);
  // Where anything may come, at least one token does.
  const auto whole = [&](double expected) {
    return expected > 0 ? std::max<std::int64_t>(1, std::llround(expected * tokens)) : 0;
  };
  TokenRoutes routes;
  const auto domains = static_cast<double>(copies.to_domain.size());
  for (const double share : copies.to_domain) routes.to_domain.push_back(whole(share));
  for (const double share : copies.to_rank) routes.to_rank.push_back(whole(share * domains));
  return routes;
}

}  // namespace weft::collectives
