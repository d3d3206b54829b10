#include "scenarios/blame/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "scenarios/blame/explain/advice.hpp"
#include "scenarios/blame/explain/held_back.hpp"
#include "scenarios/blame/explain/mending.hpp"
#include "scenarios/blame/explain/repairs.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/csv.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

/// Times by name, the largest first.
using Ranking = std::vector<std::pair<std::string, Picoseconds>>;

Ranking ranking_of(const std::map<std::string, Picoseconds>& times) {
  Ranking ranking(times.begin(), times.end());
  std::ranges::stable_sort(ranking,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  return ranking;
}

/// What one cause took of a job.
struct CauseSum {
  std::string cause;
  Picoseconds time;
  std::map<std::string, Picoseconds> culprits;
  std::map<std::string, Picoseconds> ports;
  Picoseconds at_slow_links;
  std::string worst_job;  ///< among culprits, if those are jobs
};

struct JobSum {
  std::string job;
  std::uint32_t iterations = 1;
  Picoseconds time;
  std::vector<CauseSum> causes;  ///< the worst first
  std::map<const SlowLink*, Picoseconds> slow_links;
};

constexpr const char* kControl = "congestion control";

/// By job, in the order of the file.
std::vector<JobSum> sum_up(const std::vector<BlameEntry>& blame,
                           const std::vector<SlowLink>& slow_links) {
  std::vector<JobSum> jobs;
  for (const BlameEntry& entry : blame) {
    auto job = std::ranges::find(jobs, entry.job, &JobSum::job);
    if (job == jobs.end()) job = jobs.insert(jobs.end(), JobSum{entry.job, 1, {}, {}, {}});
    const std::string said = said_cause(entry);
    auto cause = std::ranges::find(job->causes, said, &CauseSum::cause);
    if (cause == job->causes.end()) {
      cause = job->causes.insert(job->causes.end(), CauseSum{said, {}, {}, {}, {}, {}});
    }
    job->iterations = std::max(job->iterations, entry.iteration + 1);
    job->time += entry.time;
    cause->time += entry.time;
    cause->culprits[entry.culprit] += entry.time;
    if (entry.culprit_kind == "job") {
      const std::string& worst = cause->worst_job;
      const bool is_worse =
          worst.empty() || cause->culprits[entry.culprit] > cause->culprits[worst];
      if (is_worse) cause->worst_job = entry.culprit;
    }
    if (!entry.port.empty()) cause->ports[entry.port] += entry.time;
    if (const SlowLink* link = slow_link_of(slow_links, entry)) {
      cause->at_slow_links += entry.time;
      job->slow_links[link] += entry.time;
    }
  }
  for (JobSum& job : jobs) {
    std::ranges::stable_sort(job.causes,
                             [](const CauseSum& a, const CauseSum& b) { return a.time > b.time; });
  }
  return jobs;
}

/// `a`, `a and b`, `a, b and 3 more`.
std::string names_text(const Ranking& ranking, std::size_t max = 2) {
  std::string text;
  for (std::size_t i = 0; i < std::min(max, ranking.size()); ++i) {
    if (i > 0) text += i + 1 == ranking.size() ? " and " : ", ";
    text += escaped(ranking[i].first);
  }
  if (ranking.size() > max) text += fmt::format(" and {} more", ranking.size() - max);
  return text;
}

std::string share_text(Picoseconds part, Picoseconds whole) {
  if (whole <= Picoseconds(0)) return "-";
  return format_share(to_seconds(part) / to_seconds(whole));
}

/// Where most of it is, if anywhere.
std::string place_text(const CauseSum& sum) {
  if (sum.ports.empty()) return {};
  const Ranking ports = ranking_of(sum.ports);
  if (ports.size() == 1) return fmt::format(" at {}", escaped(ports[0].first));
  return fmt::format(", most at {} ({})", escaped(ports[0].first),
                     share_text(ports[0].second, sum.time));
}

std::string filled(std::string text, const std::string& word, const std::string& value) {
  if (const std::size_t at = text.find(word); at != std::string::npos) {
    text.replace(at, word.size(), value);
  }
  return text;
}

/// That which is set otherwise than the others where most of a cause may come from; null: none.
const ChangedPlace* place_behind(const CauseSum& sum, const RunFacts& facts) {
  for (const ChangedPlace& place : facts.changed_places) {
    Picoseconds time;
    for (const auto& [culprit, own] : sum.culprits) {
      if (place.is_behind(sum.cause, culprit)) time += own;
    }
    if (time > sum.time - time) return &place;
  }
  return nullptr;
}

bool is_uncontrolled_job(const std::string& job, const RunFacts& facts) {
  return std::ranges::find(facts.uncontrolled_jobs, job) != facts.uncontrolled_jobs.end();
}

std::string sentence_of(const std::string& job, const CauseSum& sum, const RunFacts& facts) {
  const CauseWords* words = words_of(sum.cause);
  if (words == nullptr) return escaped(sum.cause);
  const bool trims = facts.trims;
  std::string text = filled(words->said, "{where}", place_text(sum));
  const std::string reaction =
      sum.cause == kControl ? held_back_text(held_back_of(job, facts), sum.time) : std::string();
  if (sum.cause == kControl && is_uncontrolled_job(job, facts)) {
    text = filled(text, "held back by congestion control while the port was free",
                  "the job has none: frames of link control, such as pauses, that its NICs send");
  } else if (!reaction.empty()) {
    text = filled(text, " by congestion control while the port was free", reaction);
  }
  text = filled(text, "{lost}", trims ? "trimmed or lost" : "lost");
  text = filled(text, "{who}", names_text(ranking_of(sum.culprits)));
  if (const ChangedPlace* place = place_behind(sum, facts)) {
    text += fmt::format("; {} has settings of its own ({})", place->name, place->path);
  }
  return sum.cause + ": " + text;
}

/// What passed at the slow links of a job, by what they say, that which costs most first.
Ranking slow_links_of(const JobSum& job) {
  std::map<std::string, Picoseconds> texts;
  for (const auto& [link, time] : job.slow_links) texts[link->text()] += time;
  return ranking_of(texts);
}

std::string slow_links_text(const JobSum& job) {
  constexpr std::size_t kMax = 2;
  const Ranking links = slow_links_of(job);
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, links.size()); ++i) {
    const auto& [said, time] = links[i];
    text += fmt::format("  {}: {} of the time passes there or waits for it.\n",
                        static_cast<char>(std::toupper(said.front())) + said.substr(1),
                        share_text(time, job.time));
  }
  if (links.size() > kMax) {
    const auto more = static_cast<std::int64_t>(links.size() - kMax);
    text += fmt::format("  There {} {} on the path.\n", more == 1 ? "is" : "are",
                        counted(more, "more slow link"));
  }
  return text;
}

/// Empty: it has none.
std::string late_ranks_of(const std::string& job, const RunFacts& facts) {
  const auto late = std::ranges::find(facts.late_ranks, job, &LateRanks::job);
  return late == facts.late_ranks.end() ? std::string() : late->text;
}

std::string late_ranks_text(const std::string& job, const RunFacts& facts) {
  const std::string late = late_ranks_of(job, facts);
  if (late.empty()) return {};
  return fmt::format("  Its zero-load time has {} in it, and does not show what that costs.\n",
                     escaped(late));
}

bool leads_to_host(const std::string& port) {
  return port.find("]->") != std::string::npos && !port.ends_with(']');
}

/// What of it is on links between switches, where there may be other ways.
Picoseconds between_switches(const CauseSum& sum) {
  Picoseconds between;
  for (const auto& [port, time] : sum.ports) {
    if (joins_switches(port)) between += time;
  }
  return between;
}

/// Other paths in place of those that a hash chose. Spraying takes losses for reordering: links
/// that lose packets are mended first.
Advice advice_to_spray(const std::string& against, Picoseconds time, const RunFacts& facts) {
  const auto errors = std::ranges::find(facts.degradations, "bit-errors", &Degradation::what);
  const bool loses = facts.losses.by_errors > 0 && errors != facts.degradations.end();
  const std::string first = loses ? mending_text(*errors) + ", and then " : std::string();
  return {
      .lever = Lever::kSetting,
      .against = against,
      .text = first + "spraying, adaptive routing or more queue pairs in place of a hash of paths",
      .without = loses ? "bit-errors,collisions" : "collisions",
      .time = time};
}

/// Against a control that holds a job back: what it answers to may be flows that a hash put on the
/// same links between switches. Where the run knows the queues, those are at links that carry more
/// than the ones beside them: the last hop has no other path, and even links have no better one.
std::optional<Advice> advice_against_collisions(const JobSum& job, const CauseSum& held,
                                                const HeldBack& known, const RunFacts& facts) {
  const Picoseconds free = held.time - held.at_slow_links;
  if (known.known > Picoseconds(0)) {
    if (known.at_collisions == Picoseconds(0)) return {};
    return advice_to_spray(held.cause, std::min(known.at_collisions, free), facts);
  }
  const bool crosses = std::ranges::any_of(job.causes, [](const CauseSum& sum) {
    return std::ranges::any_of(sum.ports, [](const auto& p) { return joins_switches(p.first); });
  });
  if (!crosses) return {};
  return advice_to_spray(held.cause, free, facts);
}

/// What is left of queues and pauses is between switches rather than before hosts: flows meet there
/// that could take other ways.
bool meets_between_switches(const JobSum& job) {
  Picoseconds between;
  Picoseconds before_hosts;
  for (const CauseSum& sum : job.causes) {
    const bool is_pause = sum.cause == "pause";
    if (!is_pause && sum.cause != "queueing" && sum.cause != kOwnPackets) continue;
    for (const auto& [port, time] : is_pause ? sum.culprits : sum.ports) {
      if (joins_switches(port)) between += time;
      if (leads_to_host(port)) before_hosts += time;
    }
  }
  return between > before_hosts;
}

/// The degradation that most of what a cause took names as its origin; empty: none.
std::string named_origin(const CauseSum& sum) {
  constexpr std::pair<const char*, const char*> kNamed[] = {
      {"NIC of ", "nic-pauses"},
      {" by pause-storm of ", "nic-pauses"},
      {" by flapping of ", "link-failures"},
      {" by link-down of ", "link-failures"},
      {" by switch-down of ", "link-failures"},
      {" by bit-errors of ", "bit-errors"}};
  std::map<std::string, Picoseconds> origins;
  for (const auto& [culprit, time] : sum.culprits) {
    for (const auto& [word, origin] : kNamed) {
      if (culprit.find(word) != std::string::npos) {
        origins[origin] += time;
        break;
      }
    }
  }
  const Ranking ranking = ranking_of(origins);
  if (ranking.empty()) return {};
  const auto& [origin, time] = ranking.front();
  // Most pauses come from ports that are overloaded.
  return sum.cause == "pause" && time < sum.time - time ? std::string() : origin;
}

/// Of the degradations of the scenario those that a cause of a job may come from.
std::vector<Degradation> possible_origins(const JobSum& job, const CauseSum& sum,
                                          const std::vector<Degradation>& degradations) {
  const std::string named = named_origin(sum);
  std::vector<Degradation> origins;
  for (const Degradation& one : degradations) {
    const bool is_of_job =
        one.jobs.empty() || std::ranges::find(one.jobs, job.job) != one.jobs.end();
    if (is_of_job && one.what == named) return {one};
    // Ports that were paused say which NIC did it, where one did.
    if (is_of_job && !(sum.cause == "pause" && one.what == "nic-pauses")) origins.push_back(one);
  }
  return origins;
}

/// A job's own packets that meet between switches could take other ways, where a hash chooses them
/// others yet. What is left of them is of its plan.
std::vector<Advice> advice_against_own_packets(const CauseSum& sum, bool is_hashed,
                                               const RunFacts& facts) {
  const Picoseconds between = is_hashed ? between_switches(sum) : Picoseconds();
  // Of a port that is slow, too, the time counts once.
  const Picoseconds rest = sum.time - sum.at_slow_links;
  const Picoseconds elsewhere = std::min(between, rest);
  Advice other = advice_to_spray(sum.cause, elsewhere, facts);
  other.is_of_excess = true;
  return {std::move(other), advice_of(sum.cause, rest - elsewhere, {})};
}

/// A job that takes what an empty network would gains nothing by what such a network does not have.
void keep_what_helps(const JobSum& job, const std::vector<JobLimit>& limits,
                     std::vector<Advice>& all) {
  const auto limit = std::ranges::find(limits, job.job, &JobLimit::job);
  const bool is_degraded =
      std::ranges::any_of(all, [](const Advice& one) { return one.lever == Lever::kDegradation; });
  if (limit == limits.end() || is_degraded) return;
  std::erase_if(all, [](const Advice& one) { return one.is_of_excess; });
  if (!limit->set_by.empty()) {
    const auto plan = std::ranges::find(all, Lever::kPlan, &Advice::lever);
    all.insert(plan, advice_of_limit(escaped(limit->set_by), job.time));
  }
}

const JobClass* class_of(const std::string& job, const RunFacts& facts) {
  const auto found = std::ranges::find(facts.job_classes, job, &JobClass::job);
  return found == facts.job_classes.end() ? nullptr : &*found;
}

/// Against packets of another job: what classes can do about it that they do not yet. Empty: it is
/// not known, or nothing.
std::string classes_text(const std::string& job, const std::string& other, const RunFacts& facts) {
  const JobClass* own = class_of(job, facts);
  const JobClass* ahead = class_of(other, facts);
  if (own == nullptr || ahead == nullptr) return {};
  if (own->name != ahead->name) {
    // Only what is on the wire already is in the way of a strict class.
    if (own->is_strict) return {};
    return fmt::format("; more `weight` for class {}, or `scheduling: strict`", escaped(own->name));
  }
  if (!facts.lists_classes) {
    return fmt::format("; or a class for {} alone, of two in `fabric.classes`: there is only {}",
                       escaped(other), escaped(own->name));
  }
  return fmt::format("; or another class for {}, which is in {}, too", escaped(other),
                     escaped(own->name));
}

/// Against a control that holds a job back: other jobs that it reacts to, where they are a tenth of
/// it or more; flows that a hash put together; the control itself. `advice` is that against the
/// control, and loses what the others have.
std::vector<Advice> advice_against_control(const JobSum& job, const CauseSum& sum, bool is_hashed,
                                           Advice advice, const RunFacts& facts) {
  constexpr std::int64_t kTenth = 10;
  const HeldBack held = held_back_of(job.job, facts);
  std::vector<Advice> all;
  const Picoseconds by_others = std::min(held.by_others, advice.time);
  if (!held.other_job.empty() && by_others > sum.time / kTenth) {
    const char* where = leads_to_host(held.port) ? "other placement" : "other paths or placement";
    all.push_back({.lever = Lever::kSetting,
                   .against = sum.cause,
                   .text = where + classes_text(job.job, held.other_job, facts),
                   .without = "job:" + held.other_job,
                   .time = by_others,
                   .is_of_excess = true});
    advice.time -= by_others;
  }
  std::optional<Advice> collisions;
  if (is_hashed) collisions = advice_against_collisions(job, sum, held, facts);
  const bool is_known = held.known > Picoseconds(0);
  const bool comes_first =
      collisions &&
      (is_known ? collisions->time > advice.time - collisions->time : meets_between_switches(job));
  if (comes_first) {
    all.push_back(*collisions);
    advice.time = std::min(advice.time, collisions->time);  // or it would come first
  }
  all.push_back(std::move(advice));
  if (collisions && !comes_first) all.push_back(*collisions);
  return all;
}

/// What to try, what can be changed first. What shows at a slow link is that link's.
std::vector<Advice> advice_for(const JobSum& job, const RunFacts& facts) {
  const bool is_hashed = std::ranges::find(facts.hashed_jobs, job.job) != facts.hashed_jobs.end();
  std::vector<Advice> all;
  // All that is slow is mended at once, and taken out at once.
  if (const Ranking slow = slow_links_of(job); !slow.empty()) {
    Picoseconds time;
    for (const auto& link : slow) time += link.second;
    const std::string more =
        slow.size() > 1 ? fmt::format(" and {} more", slow.size() - 1) : std::string();
    all.push_back(advice_of_slow_link(slow.front().first + more, time));
  }
  for (const CauseSum& sum : job.causes) {
    if (sum.cause == kControl && is_uncontrolled_job(job.job, facts)) continue;
    if (sum.cause == kOwnPackets) {
      std::ranges::move(advice_against_own_packets(sum, is_hashed, facts), std::back_inserter(all));
      continue;
    }
    Advice advice = advice_of(sum.cause, sum.time - sum.at_slow_links,
                              possible_origins(job, sum, facts.degradations));
    advice.text = filled(advice.text, "{who}", names_text(ranking_of(sum.culprits)));
    advice.text = filled(advice.text, "{them}", sum.culprits.size() == 1 ? "it" : "them");
    if (sum.cause == "queueing" && !sum.worst_job.empty()) {
      advice.without = "job:" + sum.worst_job;
      advice.text += classes_text(job.job, sum.worst_job, facts);
    }
    const JobClass* own = class_of(job.job, facts);
    if (sum.cause == "retransmission" && advice.without.empty() && own && own->is_lossless) {
      advice.text = "headroom and buffers that hold what comes after a pause";
    }
    if (sum.cause == "retransmission" && advice.without.empty() && facts.trims) {
      advice.text = "longer queues before packets are trimmed, or slower senders";
    }
    if (const ChangedPlace* place = place_behind(sum, facts)) {
      all.push_back(advice_of_place(sum.cause, place->name, place->path, place->what, advice.time));
    }
    if (sum.cause == kControl) {
      std::ranges::move(advice_against_control(job, sum, is_hashed, std::move(advice), facts),
                        std::back_inserter(all));
    } else {
      all.push_back(std::move(advice));
    }
  }
  for (const NarrowTier& tier : facts.narrow_tiers) {
    if (tier.job == job.job) all.push_back(advice_of_tier(escaped(tier.set_by), tier.time));
  }
  rank(all, job.time);
  keep_what_helps(job, facts.limits, all);
  return all;
}

/// The first few, which are as many as anybody tries.
std::vector<Advice> first_advice_for(const JobSum& job, const RunFacts& facts) {
  constexpr std::size_t kMax = 3;
  std::vector<Advice> all = advice_for(job, facts);
  if (all.size() > kMax) all.erase(all.begin() + kMax, all.end());
  return all;
}

std::string costs_text(const std::string& without) {
  if (without.empty()) return {};
  return fmt::format("; `weft run --without {}` shows what it costs", escaped(without));
}

std::string advice_text(const JobSum& job, const RunFacts& facts) {
  const std::vector<Advice> all = first_advice_for(job, facts);
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Advice& a = all[i];
    const char* order = i == 0 ? "Try first" : a.lever == Lever::kPlan ? "Last" : "Then";
    text += fmt::format("  {}: {} ({}, {}){}.\n", order, a.text, a.against,
                        share_text(a.time, job.time), costs_text(a.without));
  }
  return text;
}

/// How much longer a job took than it would with links at their nominal rates, where some are
/// slower and in its zero-load time; empty: they are not.
std::string nominal_text(const std::string& job, const RunFacts& facts) {
  const auto found = std::ranges::find(facts.nominal_ideals, job, &NominalIdeal::job);
  if (found == facts.nominal_ideals.end()) return {};
  return fmt::format(", {:.1f} times its zero-load time at nominal rates ({})",
                     to_seconds(found->time) / to_seconds(found->nominal),
                     format_time(found->nominal));
}

std::size_t lines_of_job(std::size_t lines, std::size_t jobs) {
  constexpr std::size_t kMin = 3;
  return std::max(kMin, lines / std::max<std::size_t>(jobs, 1));
}

/// By port, that which costs most first.
nlohmann::ordered_json slow_links_json(const JobSum& job) {
  std::vector<std::pair<const SlowLink*, Picoseconds>> links(job.slow_links.begin(),
                                                             job.slow_links.end());
  std::ranges::sort(links, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  auto list = nlohmann::ordered_json::array();
  for (const auto& [link, time] : links) {
    list.push_back({{"port", link->port},
                    {"subject", link->subject},
                    {"says", link->text()},
                    {"rate_bps", link->rate.count()},
                    {"usual_rate_bps", link->usual_rate.count()},
                    {"seconds", csv::seconds(time)}});
  }
  return list;
}

/// With its sign.
std::string change_text(Picoseconds change) {
  const bool is_less = change < Picoseconds(0);
  return (is_less ? "-" : "+") + format_time(is_less ? Picoseconds(0) - change : change);
}

}  // namespace

std::string said_cause(const BlameEntry& entry) {
  const bool is_own =
      entry.cause == "queueing" && entry.culprit_kind == "job" && entry.culprit == entry.job;
  return is_own ? kOwnPackets : entry.cause;
}

std::string explanation_text(const std::vector<BlameEntry>& blame, std::size_t lines,
                             const RunFacts& facts) {
  const std::vector<JobSum> jobs = sum_up(blame, facts.slow_links);
  std::string text;
  for (const JobSum& job : jobs) {
    text += fmt::format("{}: {}{}", escaped(job.job), format_time(job.time),
                        nominal_text(job.job, facts));
    if (job.iterations > 1) {
      text += fmt::format(" in {} iterations, {} each, since the end of the one before",
                          job.iterations, format_time(job.time / job.iterations));
    }
    text += ". Along its critical path:\n";
    const std::size_t shown = std::min(job.causes.size(), lines_of_job(lines, jobs.size()));
    for (std::size_t i = 0; i < shown; ++i) {
      const CauseSum& sum = job.causes[i];
      text += fmt::format("  {:>7}  {:>9}  {}\n", share_text(sum.time, job.time),
                          format_time(sum.time), sentence_of(job.job, sum, facts));
    }
    text += slow_links_text(job) + late_ranks_text(job.job, facts) + advice_text(job, facts);
  }
  return text;
}

std::string repairs_text(const std::vector<BlameEntry>& blame, const RunFacts& facts) {
  std::vector<std::string> advised;
  for (const JobSum& job : sum_up(blame, facts.slow_links)) {
    for (Advice& one : first_advice_for(job, facts)) advised.push_back(std::move(one.without));
  }
  std::string text;
  for (const Repair& one : repairs_of(facts)) {
    if (std::ranges::find(advised, one.without) != advised.end()) continue;
    text += fmt::format("Besides: {} ({}){}.\n", escaped(one.advice), escaped(one.because),
                        costs_text(one.without));
  }
  return text;
}

std::vector<BlameDifference> blame_differences(const std::vector<BlameEntry>& first,
                                               const std::vector<BlameEntry>& second) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, std::pair<Picoseconds, Picoseconds>> times;
  for (const BlameEntry& e : first) {
    times[{e.job, said_cause(e), e.culprit_kind, e.culprit}].first += e.time;
  }
  for (const BlameEntry& e : second) {
    times[{e.job, said_cause(e), e.culprit_kind, e.culprit}].second += e.time;
  }
  std::vector<BlameDifference> differences;
  differences.reserve(times.size());
  for (const auto& [key, both] : times) {
    const auto& [job, cause, kind, culprit] = key;
    differences.push_back({job, cause, kind, culprit, both.first, both.second});
  }
  const auto size_of = [](const BlameDifference& d) {
    return std::max(d.difference(), Picoseconds(0) - d.difference());
  };
  std::ranges::stable_sort(differences, [&](const BlameDifference& a, const BlameDifference& b) {
    return a.job != b.job ? a.job < b.job : size_of(a) > size_of(b);
  });
  return differences;
}

std::string difference_text(const std::vector<BlameDifference>& differences, std::size_t lines) {
  std::map<std::string, std::vector<const BlameDifference*>> jobs;
  for (const BlameDifference& d : differences) jobs[d.job].push_back(&d);
  std::string text;
  for (const auto& [job, parts] : jobs) {
    Picoseconds first;
    Picoseconds second;
    for (const BlameDifference* d : parts) {
      first += d->first;
      second += d->second;
    }
    text += fmt::format("{}: {} and {}, {}\n", escaped(job), format_time(first),
                        format_time(second), change_text(second - first));
    Picoseconds shown;
    std::size_t count = 0;
    for (; count < std::min(parts.size(), lines_of_job(lines, jobs.size())); ++count) {
      const BlameDifference& d = *parts[count];
      if (d.difference() == Picoseconds(0)) break;
      const bool names_itself = d.culprit_kind != "job" && d.culprit_kind != "port";
      const std::string who = (names_itself ? "" : d.culprit_kind + " ") + escaped(d.culprit);
      text += fmt::format("  {:>10}  {}{}\n", change_text(d.difference()), d.cause,
                          d.cause == kOwnPackets ? "" : ": " + who);
      shown += d.difference();
    }
    const Picoseconds rest = second - first - shown;
    const bool has_more = count < parts.size() && parts[count]->difference() != Picoseconds(0);
    if (has_more) text += fmt::format("  {:>10}  the rest\n", change_text(rest));
  }
  return text;
}

nlohmann::ordered_json explanation_json(const std::vector<BlameEntry>& blame,
                                        const RunFacts& facts) {
  auto jobs = nlohmann::ordered_json::array();
  for (const JobSum& job : sum_up(blame, facts.slow_links)) {
    const auto share = [&job](Picoseconds time) {
      return to_seconds(time) / std::max(to_seconds(job.time), 1e-12);
    };
    auto causes = nlohmann::ordered_json::array();
    for (const CauseSum& sum : job.causes) {
      const Ranking culprits = ranking_of(sum.culprits);
      causes.push_back({{"cause", sum.cause},
                        {"seconds", csv::seconds(sum.time)},
                        {"share", share(sum.time)},
                        {"culprit", culprits.front().first},
                        {"culprit_seconds", csv::seconds(culprits.front().second)}});
    }
    auto advice = nlohmann::ordered_json::array();
    for (const Advice& a : advice_for(job, facts)) {
      advice.push_back({{"against", a.against},
                        {"kind", lever_name(a.lever)},
                        {"seconds", csv::seconds(a.time)},
                        {"share", share(a.time)},
                        {"advice", a.text}});
      if (!a.without.empty()) advice.back()["without"] = a.without;
      if (!a.place.empty()) advice.back()["place"] = a.place;
    }
    jobs.push_back({{"job", job.job},
                    {"iterations", job.iterations},
                    {"seconds", csv::seconds(job.time)},
                    {"causes", causes},
                    {"slow_links", slow_links_json(job)},
                    {"late_ranks", late_ranks_of(job.job, facts)},
                    {"advice", advice}});
  }
  auto list = nlohmann::ordered_json::array();
  for (const Degradation& one : facts.degradations) {
    list.push_back({{"without", one.what}, {"parts", one.parts}});
  }
  auto repairs = nlohmann::ordered_json::array();
  for (const Repair& one : repairs_of(facts)) {
    repairs.push_back({{"without", one.without}, {"advice", one.advice}, {"because", one.because}});
  }
  return {{"jobs", jobs}, {"repairs", repairs}, {"degradations", list}};
}

nlohmann::ordered_json difference_json(const std::vector<BlameDifference>& differences) {
  auto rows = nlohmann::ordered_json::array();
  for (const BlameDifference& d : differences) {
    const bool is_less = d.difference() < Picoseconds(0);
    const Picoseconds size = is_less ? Picoseconds(0) - d.difference() : d.difference();
    rows.push_back({{"job", d.job},
                    {"cause", d.cause},
                    {"culprit_kind", d.culprit_kind},
                    {"culprit", d.culprit},
                    {"first_seconds", csv::seconds(d.first)},
                    {"second_seconds", csv::seconds(d.second)},
                    {"difference_seconds", (is_less ? "-" : "") + csv::seconds(size)}});
  }
  return {{"differences", rows}};
}

}  // namespace weft::scenarios
