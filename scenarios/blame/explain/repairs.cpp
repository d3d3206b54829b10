#include "scenarios/blame/explain/repairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "scenarios/text/counted.hpp"

namespace weft::scenarios {

namespace {

/// How a failure is mended, where nothing is named and where something is.
struct Mending {
  const char* without;
  const char* unnamed;
  const char* verb;
  const char* of_one;      ///< what one thing does
  const char* of_several;  ///< what several do
};

constexpr Mending kMendings[] = {
    {"link-failures", "mend the links that fail", "mend ", ", which fails", ", which fail"},
    {"nic-pauses", "replace the NIC that holds its switch paused", "replace ",
     ", which holds its switch paused", ", which hold their switches paused"},
    {"bit-errors", "mend the links that corrupt frames", "replace ", ", which corrupts frames",
     ", which corrupt frames"}};

/// `a`, `a and b`, `a, b and 3 more`.
std::string joined_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMax = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, names.size()); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  if (names.size() > kMax) text += fmt::format(" and {} more", names.size() - kMax);
  return text;
}

}  // namespace

std::string mending_text(const std::string& without, const RunFacts& facts) {
  const auto how = std::ranges::find(kMendings, without, &Mending::without);
  if (how == std::end(kMendings)) return {};
  const auto known = std::ranges::find(facts.degradations, without, &Degradation::what);
  if (known == facts.degradations.end() || known->names.empty()) {
    return how->unnamed;
  }
  const bool is_one = known->names.size() == 1;
  return how->verb + joined_names(known->names) + (is_one ? how->of_one : how->of_several);
}

std::vector<Repair> repairs_of(const RunFacts& facts) {
  std::vector<Repair> repairs;
  const auto add = [&](const char* without, std::int64_t count, std::string_view one,
                       std::string_view several, const char* how) {
    const auto known = std::ranges::find(facts.degradations, without, &Degradation::what);
    if (count == 0 || known == facts.degradations.end()) return;
    repairs.push_back({without, mending_text(without, facts), counted(count, one, several) + how});
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
