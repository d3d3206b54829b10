#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/blame/counterfactual/candidates.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// How a sentence says where time went: the cause as it is called there, what it says, and what to
/// try. `{who}` and `{where}` stand for culprits and ports.
struct CauseWords {
  const char* cause;
  const char* said;
  const char* advice;
};

/// Queueing behind other packets of the job itself, which no other job is to blame for.
inline constexpr const char* kOwnPackets = "own packets";

/// Null: a cause that is not known.
[[nodiscard]] const CauseWords* words_of(std::string_view cause);

/// How far somebody can change what time goes to.
enum class Lever {
  kDegradation,  ///< something is worse than it should be
  kSetting,      ///< settings and placement decide it
  kPlan,         ///< bytes, computing and distances of the job itself
};

/// As JSON has it: `degradation`, `setting` or `plan`.
[[nodiscard]] const char* lever_name(Lever lever);

/// What to try against one thing that a job's time goes to.
struct Advice {
  Lever lever = Lever::kPlan;
  std::string against;  ///< the cause, or what is slow
  std::string text;
  std::string without;        ///< as `--without` takes it; empty: nothing
  Picoseconds time;           ///< of the job
  bool is_of_excess = false;  ///< against what an empty network does not have
  std::string place{};        ///< that is set otherwise than the others, and behind it
};

/// Against a cause that took `time` of a job. `degradations`: those that it may come from.
[[nodiscard]] Advice advice_of(const std::string& cause, Picoseconds time,
                               const std::vector<Degradation>& degradations);
/// Against a slow link, by what it says of itself.
[[nodiscard]] Advice advice_of_slow_link(std::string text, Picoseconds time);

/// Against a place that is set otherwise than the others, from which a cause comes.
[[nodiscard]] Advice advice_of_place(const std::string& cause, const std::string& place,
                                     const std::string& path, const std::string& what,
                                     Picoseconds time);

/// Against a tier of links that sets the zero-load time of a job, which is `time`.
[[nodiscard]] Advice advice_of_tier(const std::string& set_by, Picoseconds time);

/// Against what sets the zero-load time of a job of that time.
[[nodiscard]] Advice advice_of_limit(const std::string& set_by, Picoseconds time);

/// Sorts by what can be changed, then by time, and leaves out what is nothing or too little of the
/// `whole` to bother.
void rank(std::vector<Advice>& advice, Picoseconds whole);

}  // namespace weft::scenarios
