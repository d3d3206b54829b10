#include "scenarios/blame/explain/repairs.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "scenarios/blame/explain/mending.hpp"
#include "scenarios/text/counted.hpp"

namespace weft::scenarios {

std::vector<Repair> repairs_of(const RunFacts& facts) {
  std::vector<Repair> repairs;
  const auto add = [&](const char* without, std::int64_t count, std::string_view one,
                       std::string_view several, const char* how) {
    const auto known = std::ranges::find(facts.degradations, without, &Degradation::what);
    if (count == 0 || known == facts.degradations.end()) return;
    repairs.push_back({without, mending_text(*known), counted(count, one, several) + how});
  };
  const Losses& lost = facts.losses;
  add("link-failures", lost.by_failed_links, "packet was", "packets were", " dropped there");
  add("nic-pauses", lost.by_watchdogs, "packet was", "packets were", " dropped by PFC watchdogs");
  if (lost.by_errors > 0) {
    add("bit-errors", lost.by_errors, "packet was", "packets were", " lost there");
  } else {
    add("bit-errors", lost.frames_replayed, "frame was", "frames were", " sent again by links");
  }
  for (const LateRanks& late : facts.late_ranks) {
    repairs.push_back({"stragglers",
                       "replace " + late.text + ", or leave out of the job what is late",
                       "in the zero-load time of " + late.job});
  }
  return repairs;
}

}  // namespace weft::scenarios
