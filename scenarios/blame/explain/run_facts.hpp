#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/blame/explain/candidates.hpp"
#include "scenarios/blame/explain/changed_places.hpp"
#include "scenarios/blame/explain/slow_links.hpp"
#include "scenarios/language/load_scenario.hpp"

namespace weft::scenarios {

/// A job that took about what an empty network would.
struct JobLimit {
  std::string job;
  std::string set_by;  ///< what sets that time (`NIC ingress of h0`); empty: its own dependencies
};

/// A job that took longer than in an empty network, whose time there is set by a tier of links and
/// not by NICs: it is oversubscribed for what the job does.
struct NarrowTier {
  std::string job;
  std::string set_by;  ///< `tier 1 egress around leaf0`
  Picoseconds time;    ///< of the job in an empty network
};

/// What bears on advice besides blame: what the scenario of a run has, and what its jobs came to.
struct RunFacts {
  std::vector<SlowLink> slow_links{};
  std::vector<Degradation> degradations{};
  /// Jobs whose packets keep to a path that a hash chose, and could be sprayed instead.
  std::vector<std::string> hashed_jobs{};
  bool trims = false;  ///< switches cut packets to their headers where queues are full
  std::vector<JobLimit> limits{};
  std::vector<ChangedPlace> changed_places{};
  std::vector<NarrowTier> narrow_tiers{};
};

[[nodiscard]] RunFacts facts_of(const LoadedScenario& scenario);
/// Adds `limits` and `narrow_tiers` from what summary.json holds; what is no summary adds nothing.
void add_limits(const nlohmann::ordered_json& summary, RunFacts& facts);
/// All that a folder of results tells.
[[nodiscard]] RunFacts facts_of_folder(const std::filesystem::path& folder);

}  // namespace weft::scenarios
