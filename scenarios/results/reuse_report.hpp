#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::scenarios {

/// How much of a run was simulated once and taken again. Says nothing about its results, which are
/// the same without.
struct ReuseReport {
  bool is_asked = false;              ///< by the scenario
  std::uint32_t components = 0;       ///< groups of GPUs whose calls were taken over
  std::uint32_t gpus = 0;             ///< in them
  std::uint64_t calls = 0;            ///< ranks' calls
  std::uint64_t phases = 0;           ///< from quiet to quiet
  std::uint64_t simulated = 0;        ///< phases
  std::uint64_t simulated_hops = 0;   ///< packet-hops, those outside of phases included
  std::vector<std::string> refusals;  ///< sentences: what was not reused, and why

  [[nodiscard]] double hit_rate() const {
    if (phases == 0) return 0;
    return 1 - static_cast<double>(simulated) / static_cast<double>(phases);
  }
};

}  // namespace weft::scenarios
