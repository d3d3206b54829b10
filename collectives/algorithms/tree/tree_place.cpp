#include "collectives/algorithms/tree/tree_place.hpp"

#include <algorithm>
#include <bit>

namespace weft::collectives {

TreePlace binomial_place(std::uint32_t i, std::uint32_t n) {
  TreePlace place;
  std::uint32_t below = std::bit_ceil(n);
  if (i > 0) {
    place.parent = i & (i - 1);
    below = i & (~i + 1);
  }
  for (std::uint32_t bit = below >> 1U; bit > 0; bit >>= 1U) {
    if (i + bit < n) place.children.push_back(i + bit);
  }
  return place;
}

TreePlace binary_place(std::uint32_t i, std::uint32_t n) {
  TreePlace place;
  if (i == 0) {
    if (n > 1) place.children.push_back(std::bit_floor(n - 1));
    return place;
  }
  const std::uint32_t bit = i & (~i + 1);  // the height of the node
  const std::uint32_t above = (i ^ bit) | (bit << 1U);
  place.parent = above < n ? above : i ^ bit;
  if (bit == 1) return place;
  place.children.push_back(i - bit / 2);
  // To the right there may be less than a full subtree.
  std::uint32_t step = bit / 2;
  while (step > 0 && i + step >= n) step /= 2;
  if (step > 0) place.children.push_back(i + step);
  return place;
}

TreePlace double_binary_place(std::uint32_t i, std::uint32_t n, bool is_second) {
  if (!is_second) return binary_place(i, n);
  const bool is_mirrored = n % 2 == 0;
  TreePlace place = binary_place(is_mirrored ? n - 1 - i : (i + n - 1) % n, n);
  const auto back = [&](std::uint32_t& number) {
    number = is_mirrored ? n - 1 - number : (number + 1) % n;
  };
  if (place.parent != TreePlace::kNone) back(place.parent);
  std::ranges::for_each(place.children, back);
  return place;
}

}  // namespace weft::collectives
