#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::collectives {

/// Two sequences of tasks that share links: where both use the same, each of them has half of it.
class SideBySide {
 public:
  struct Task {
    double seconds{};         ///< if nobody else uses its links
    std::uint32_t links = 0;  ///< by number; 0: it uses none
    std::size_t after = 0;  ///< tasks of the other sequence that have to be over, from its first on
  };
  using Sequence = std::vector<Task>;

  /// No task waits for one that waits for it.
  SideBySide(Sequence first, Sequence second);

  /// When a task is over, in seconds since the first ones begin.
  [[nodiscard]] double end(std::size_t sequence, std::size_t task) const {
    return ends_[sequence][task];
  }

 private:
  std::array<std::vector<double>, 2> ends_;
};

}  // namespace weft::collectives
