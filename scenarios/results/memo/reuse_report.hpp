#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocols/steady_state/skip_counts.hpp"
#include "scenarios/spec/scenario.hpp"

namespace weft::scenarios {

/// How much of a run was simulated once and taken again. Says nothing about its results, which are
/// the same without.
struct ReuseReport {
  Reuse mode = Reuse::kOff;    ///< as the scenario says
  std::uint32_t gpu_sets = 0;  ///< groups of GPUs whose calls were memoised
  std::uint32_t gpus = 0;      ///< in them
  std::uint64_t calls = 0;     ///< ranks' calls
  std::uint64_t epochs = 0;    ///< from quiet to quiet
  /// Epochs; of an audit those that began as none had before.
  std::uint64_t simulated = 0;
  std::uint64_t ended_otherwise = 0;  ///< of an audit: than the first that began alike
  std::uint32_t rails = 0;            ///< switches between servers whose calls were memoised
  std::uint32_t rail_gpus = 0;        ///< that send through them
  std::uint64_t rail_calls = 0;       ///< of these ranks
  std::uint64_t rail_epochs = 0;
  std::uint64_t rail_simulated = 0;  ///< epochs
  /// Packet-hops.
  struct Hops {
    std::uint64_t simulated = 0;
    std::uint64_t all = 0;  ///< that count
  };
  Hops inside;                        ///< of epochs of GPU sets
  Hops on_rails;                      ///< of those of rails
  std::uint64_t simulated_hops = 0;   ///< packet-hops, those outside of epochs included
  protocols::SkipCounts skips;        ///< inside long messages of what was simulated
  std::vector<std::string> refusals;  ///< sentences: what was not reused, and why
};

}  // namespace weft::scenarios
