#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/blame/counterfactual/candidates.hpp"
#include "scenarios/blame/counterfactual/changed_places.hpp"
#include "scenarios/blame/counterfactual/late_ranks.hpp"
#include "scenarios/blame/counterfactual/slow_links.hpp"
#include "scenarios/language/load_scenario.hpp"

namespace weft::scenarios {

/// A job that took about what an empty network would.
struct JobLimit {
  std::string job;
  std::string set_by;  ///< what sets that time (`NIC ingress of h0`); empty: its own dependencies
};

/// What a run lost, though its jobs may have lost no time by it.
struct Losses {
  std::int64_t by_failed_links = 0;  ///< packets
  std::int64_t by_watchdogs = 0;
  std::int64_t by_errors = 0;
  std::int64_t frames_replayed = 0;
};

/// The traffic class of a job in the scale-out network.
struct JobClass {
  std::string job;
  std::string name;
  bool is_strict = false;  ///< it is served before those below it
  bool is_lossless = false;
};

/// A job that took longer than in an empty network, whose time there is set by a tier of links and
/// not by NICs: it is oversubscribed for what the job does.
struct NarrowTier {
  std::string job;
  std::string set_by;  ///< `tier 1 egress around leaf0`
  Picoseconds time;    ///< of the job in an empty network
};

/// A queue that congestion control reacted to when it held a job back (reactions.csv).
struct Reaction {
  std::string job;
  std::string port;
  Picoseconds held;
  double others_share = 0;  ///< of what the port sent meanwhile, that of other jobs
  std::string other_job;    ///< that of them that sent most; empty: none
  double other_job_share = 0;
  double load_ratio = 0;  ///< bytes of the port over the mean of links beside it
  Picoseconds paused{};   ///< of the port

  /// The part of `held` that is of this share of what the port sent.
  [[nodiscard]] Picoseconds part(double share) const {
    return Picoseconds(std::llround(static_cast<double>(held.count()) * share));
  }
};

/// A job whose zero-load time has slow links in it.
struct NominalIdeal {
  std::string job;
  Picoseconds nominal;  ///< with links at their nominal rates
  Picoseconds time;     ///< that the job took
};

/// What bears on advice besides blame: what the scenario of a run has, and what its jobs came to.
struct RunFacts {
  std::vector<SlowLink> slow_links{};
  std::vector<Degradation> degradations{};
  std::vector<LateRanks> late_ranks{};
  /// Jobs whose packets keep to a path that a hash chose, and could be sprayed instead.
  std::vector<std::string> hashed_jobs{};
  /// Jobs whose transport has no congestion control: what blame has of one is link control.
  std::vector<std::string> uncontrolled_jobs{};
  std::vector<JobClass> job_classes{};
  bool lists_classes = false;  ///< `fabric.classes`: else there is one, and one for control
  bool trims = false;          ///< switches cut packets to their headers where queues are full
  std::vector<JobLimit> limits{};
  Losses losses{};
  std::vector<ChangedPlace> changed_places{};
  std::vector<NarrowTier> narrow_tiers{};
  std::vector<Reaction> reactions{};
  std::vector<NominalIdeal> nominal_ideals{};
};

[[nodiscard]] RunFacts facts_of(const LoadedScenario& scenario);
/// Adds `limits`, `narrow_tiers`, `losses`, `reactions` and `nominal_ideals` from what summary.json
/// holds; what is no summary adds nothing. Jobs with late ranks have none: these are in their
/// zero-load time.
void add_outcome(const nlohmann::ordered_json& summary, RunFacts& facts);
/// All that a folder of results tells.
[[nodiscard]] RunFacts facts_of_folder(const std::filesystem::path& folder);

}  // namespace weft::scenarios
