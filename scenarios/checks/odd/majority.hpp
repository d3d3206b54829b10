#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

/// Who differs from those that should agree with it.
namespace weft::scenarios {

/// The value that more than half of all have; null: there is none.
template <class T>
[[nodiscard]] const T* majority(const std::map<T, std::size_t>& counts) {
  std::size_t all = 0;
  for (const auto& [value, count] : counts) all += count;
  for (const auto& [value, count] : counts) {
    if (2 * count > all) return &value;
  }
  return nullptr;
}

/// What a port says of one thing that is compared.
struct Vote {
  std::size_t device = 0;  ///< the switch that it belongs to
  std::string value;
};

/// A vote that differs, by its place among all.
struct OddVote {
  std::size_t vote = 0;
  std::size_t peer = 0;       ///< one with the value that is usual
  std::size_t of_device = 0;  ///< votes of the same switch
  bool is_undecided = false;  ///< no value is usual: `peer` is the first with another one
};

/// The value that more than half of the switches have at most of their ports is usual, where two
/// or more have it; else that of more than half of all ports, where they are of two switches or
/// more. Without such a value, each switch is compared with itself, and then the switches with each
/// other.
[[nodiscard]] std::vector<OddVote> odd_votes(std::span<const Vote> votes);

}  // namespace weft::scenarios
