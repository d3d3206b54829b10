#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "simcore/base/random.hpp"

namespace weft::collectives {

/// Choices of experts that are drawn one by one, in about a second.
inline constexpr std::uint64_t kMaxChoices = std::uint64_t{1} << 26U;

/// How many tokens of a rank that follow one another choose alike: 1, unless all ranks together
/// would make more than kMostChoices choices.
[[nodiscard]] std::uint32_t tokens_alike(const Routing& routing, std::uint32_t ranks);

/// The rows of an all-to-all-v: bytes by source, then destination, as a mixture of experts makes
/// them. Every rank has tokens, and every token goes to `top_k` different experts, drawn by
/// popularity: the i-th most popular expert has weight i^-skew (Zipf), and which ones are popular
/// is drawn by the seed. Experts live `experts_per_rank` on a rank, in order; a token that needs
/// two of one rank is sent twice. What stays on the rank is in the matrix, and does not travel.
///
/// Where `tokens_alike` is above 1, what is expected of every pair of ranks stays the same, and the
/// spread is that of as many times fewer tokens.
///
/// `part` tells apart the communicators of a job: their tokens are others, the popular experts the
/// same.
[[nodiscard]] std::vector<std::int64_t> routed_matrix(const Routing& routing, std::uint32_t ranks,
                                                      std::uint64_t seed, std::uint32_t job,
                                                      std::uint32_t part = 0);

/// The same of blocks that are given, which add up where two are for one pair.
[[nodiscard]] std::vector<std::int64_t> matrix_of(std::span<const Block> blocks,
                                                  std::uint32_t ranks);

/// Gives an all-to-all-v its matrix, from blocks or routing.
void fill_matrix(CollectiveSpec& spec, std::uint32_t ranks, std::uint64_t seed, std::uint32_t job,
                 std::uint32_t part = 0);

}  // namespace weft::collectives
