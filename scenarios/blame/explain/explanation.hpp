#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/blame/explain/advice.hpp"
#include "scenarios/blame/explain/run_facts.hpp"

namespace weft::scenarios {

/// The cause as sentences have it: a job's own packets are apart from those of others.
[[nodiscard]] std::string said_cause(const BlameEntry& entry);

/// What a colleague would say of a run: for each job where its time goes, the worst first, who is
/// behind it and what to try, what can be changed first. At most `lines` of them for all jobs
/// together, and three for each. Of slow links: how much of the time passes there, or waits for
/// them.
[[nodiscard]] std::string explanation_text(const std::vector<BlameEntry>& blame,
                                           std::size_t lines = 10, const RunFacts& facts = {});

/// What is to be mended besides, as far as no advice of a job names it; empty: nothing.
[[nodiscard]] std::string repairs_text(const std::vector<BlameEntry>& blame, const RunFacts& facts);

/// What one cause and culprit took of a job in one run and in another; nothing where a run has no
/// such job. Those of a job add up to its times.
struct BlameDifference {
  std::string job;
  std::string cause;
  std::string culprit_kind;
  std::string culprit;
  Picoseconds first;
  Picoseconds second;

  [[nodiscard]] Picoseconds difference() const { return second - first; }
};

/// By job, the largest difference first.
[[nodiscard]] std::vector<BlameDifference> blame_differences(const std::vector<BlameEntry>& first,
                                                             const std::vector<BlameEntry>& second);

/// For each job how much longer the second run took, by cause and culprit. What is not among the
/// first `lines` of all jobs together stands in a line of its own, so that all lines add up.
[[nodiscard]] std::string difference_text(const std::vector<BlameDifference>& differences,
                                          std::size_t lines = 10);

/// Both as numbers: times in seconds, exact to the picosecond as text.
[[nodiscard]] nlohmann::ordered_json explanation_json(const std::vector<BlameEntry>& blame,
                                                      const RunFacts& facts = {});
[[nodiscard]] nlohmann::ordered_json difference_json(
    const std::vector<BlameDifference>& differences);

}  // namespace weft::scenarios
