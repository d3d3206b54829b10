#include "scenarios/blame/explain/held_back.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>

#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

/// A link that carries this many times the mean of those beside it has more flows than these.
constexpr double kUneven = 1.1;
/// A port that is paused for more of the time queues because of that.
constexpr std::int64_t kTenth = 10;
/// Of what a port sends: less of it is not worth a word.
constexpr double kWorthAWord = 0.1;

}  // namespace

HeldBack held_back_of(const std::string& job, const RunFacts& facts) {
  HeldBack all;
  Picoseconds longest;
  std::map<std::string, Picoseconds> others;
  for (const Reaction& one : facts.reactions) {
    if (one.job != job) continue;
    all.known += one.held;
    const bool is_paused = one.paused > one.held / kTenth;
    if (!is_paused) all.by_others += one.part(one.others_share);
    if (one.load_ratio > kUneven && !is_paused) all.at_collisions += one.held;
    if (!one.other_job.empty()) others[one.other_job] += one.part(one.other_job_share);
    if (one.held <= longest) continue;
    longest = one.held;
    all.port = one.port;
    all.others_share = one.others_share;
    all.is_paused = is_paused;
  }
  Picoseconds other_time;
  for (const auto& [other, time] : others) {
    if (time <= other_time) continue;
    other_time = time;
    all.other_job = other;
  }
  return all;
}

std::string held_back_text(const HeldBack& held, Picoseconds time) {
  if (held.port.empty() || held.known < time - held.known) return {};
  const std::string share = format_share(held.others_share);
  const std::string where = escaped(held.port) + (held.is_paused ? ", which is paused itself" : "");
  if (held.is_by_others()) {
    return fmt::format(" for packets of {} at {} ({} of what that port sends is of other jobs)",
                       escaped(held.other_job), where, share);
  }
  if (held.others_share < kWorthAWord) return " for its own packets at " + where;
  return fmt::format(" for its own packets and those of {} ({}) at {}", escaped(held.other_job),
                     share, where);
}

}  // namespace weft::scenarios
