#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/jitter/rank_jitter.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

/// Ranks that compute slower than the nominal, as a scenario states it.
struct JitterSpec {
  std::vector<std::string> ranks{};    ///< numbers and ranges; with `servers` empty too: all ranks
  std::vector<std::string> servers{};  ///< the same of scale-up domains, by their first ranks
  double factor = 1;
  std::optional<Jitter> jitter{};
  std::optional<PeriodicPause> pause{};
  std::vector<Throttle> throttles{};

  bool operator==(const JitterSpec&) const = default;
};

[[nodiscard]] schema::Object<JitterSpec> noise_schema();

/// What names a rank or a server that there is not. Where servers are is not known yet: any number
/// below that of ranks may be one.
void check_noise_specs(const std::vector<JitterSpec>& specs, std::uint32_t ranks,
                       std::vector<schema::Problem>& problems);

/// What each rank has of all of them; empty: nobody has any. `domain_of`: the number of every
/// rank's scale-up domain, in the order of their first ranks.
[[nodiscard]] std::vector<RankJitter> noise_by_rank(const std::vector<JitterSpec>& specs,
                                                    const std::vector<std::uint32_t>& domain_of);

}  // namespace weft::collectives
