#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// Where tokens go if a copy of each goes to a scale-up domain once, and inside the domain once to
/// every rank that has experts of the token (DeepEP's normal kernels, csrc/kernels/internode.cu;
/// NCCL EP, high throughput). What is counted is expected, of the tokens of one rank.
///
/// Of E experts a token chooses k different ones, all sets of k equally likely: a domain with n of
/// them is not among those chosen with probability C(E - n, k) / C(E, k). Where the experts lie in
/// G groups of which a token chooses g first, all sets of g equally likely, that is averaged over
/// these (DeepSeek-AI, arXiv 2412.19437, section 2.1.2). Where some experts are more popular, sets
/// have the probability of k draws given that all differ, such that each expert is chosen as often
/// as expert_loads has it: with odds w_i, 1 - e_k(w without the domain's) / e_k(w), e_k the k-th
/// elementary symmetric polynomial. A choice that an expert has no capacity for is dropped,
/// whichever it is.
struct TokenCopies {
  std::vector<double> to_domain;  ///< by domain of the group, its own among them
  std::vector<double> to_rank;    ///< by place in the group

  [[nodiscard]] double domains() const;  ///< distinct ones, for all tokens together
  [[nodiscard]] double ranks() const;
};

/// Of a plan as expert_loads has it, whose routing was checked; `expert_domain`: as RankGrid has
/// it.
[[nodiscard]] TokenCopies token_copies(const TrainingSpec& spec, std::uint32_t expert_domain);

/// By what algorithm tokens go to experts, where that is not the one of other collectives: a
/// low-latency exchange sends all copies at once.
[[nodiscard]] std::optional<Algorithm> token_algorithm(const ExpertSpec& experts);

/// Tokens of a micro-batch that a rank brings to its experts.
[[nodiscard]] std::int64_t expert_tokens(const TrainingSpec& spec);

/// Whole copies of the tokens of a part of a micro-batch (pass_parts), from each rank.
struct TokenRoutes {
  std::vector<std::int64_t> to_domain;  ///< to the rank with the same place in a domain
  /// From one rank of a domain to another, by that one's place in the group: its own tokens, and
  /// those that came for the domain from the other domains.
  std::vector<std::int64_t> to_rank;

  [[nodiscard]] bool is_balanced() const;
  /// Sums over the group, as all-to-alls of the mean domain and its ranks have them.
  [[nodiscard]] std::int64_t between_domains() const;
  [[nodiscard]] std::int64_t in_domain(std::uint32_t expert_domain) const;
};
[[nodiscard]] TokenRoutes token_routes(const TrainingSpec& spec, std::uint32_t expert_domain);

}  // namespace weft::collectives
