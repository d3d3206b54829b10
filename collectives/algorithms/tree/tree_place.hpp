#pragma once

#include <cstdint>
#include <vector>

namespace weft::collectives {

/// A rank's place in a tree. Children in the order in which the parent sends to them; it takes what
/// they send in the opposite order.
struct TreePlace {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t parent = kNone;  ///< kNone: the root
  std::vector<std::uint32_t> children;
};

/// The place of number `i` of `n` in the binomial tree with root 0, children with larger subtrees
/// first.
[[nodiscard]] TreePlace binomial_place(std::uint32_t i, std::uint32_t n);
/// The place of number `i` of `n` in the in-order binary tree: odd numbers are leaves; 0 is the
/// root and has one child.
[[nodiscard]] TreePlace binary_place(std::uint32_t i, std::uint32_t n);
/// The place of number `i` of `n` in one of two binary trees. The second is the first mirrored, or
/// shifted by one if `n` is odd: no number has children in both, or one if `n` is odd.
[[nodiscard]] TreePlace double_binary_place(std::uint32_t i, std::uint32_t n, bool is_second);

}  // namespace weft::collectives
