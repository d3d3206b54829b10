#include "scenarios/blame/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

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
};

struct JobSum {
  std::string job;
  std::uint32_t iterations = 1;
  Picoseconds time;
  std::vector<CauseSum> causes;  ///< the worst first
  std::map<const SlowLink*, Picoseconds> slow_links;
};

/// By job, in the order of the file.
std::vector<JobSum> sum_up(const std::vector<BlameEntry>& blame,
                           const std::vector<SlowLink>& slow_links) {
  std::vector<JobSum> jobs;
  for (const BlameEntry& entry : blame) {
    auto job = std::ranges::find(jobs, entry.job, &JobSum::job);
    if (job == jobs.end()) job = jobs.insert(jobs.end(), JobSum{entry.job, 1, {}, {}, {}});
    auto cause = std::ranges::find(job->causes, entry.cause, &CauseSum::cause);
    if (cause == job->causes.end()) {
      cause = job->causes.insert(job->causes.end(), CauseSum{entry.cause, {}, {}, {}, {}});
    }
    job->iterations = std::max(job->iterations, entry.iteration + 1);
    job->time += entry.time;
    cause->time += entry.time;
    cause->culprits[entry.culprit] += entry.time;
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

struct Sentence {
  const char* cause;
  /// `{who}` and `{where}` are filled in.
  const char* said;
  const char* advice;
};

constexpr Sentence kSentences[] = {
    {"compute", "computing, as planned, by {who}", "a faster GPU, or a plan with more ranks"},
    {"straggler", "waits for {who}, which takes longer than planned",
     "replace it, or leave it out of the job"},
    {"bubble", "the pipeline's bubble: {who} compute what the others wait for",
     "more micro-batches, or virtual stages"},
    {"schedule", "the job waits for a time of its own: start times, arrivals", ""},
    {"launch and protocol",
     "launches, copies, additions, protocol latency and answers, most of {who}",
     "fewer and larger messages, another protocol or algorithm"},
    {"propagation", "latency of links and switches{where}", "fewer steps, or shorter paths"},
    {"serialisation", "its own bytes on the wire{where}", "fewer bytes, or faster links there"},
    {"queueing", "behind packets of {who}{where}",
     "other paths or placement; a class of its own where it is another job"},
    {"pause", "ports that were paused{where}; the storm comes from {who}",
     "marks or thresholds that act before pauses; what overloads the root"},
    {"credits", "want of credits{where}", "larger buffers, or what fills them further on"},
    {"congestion control", "held back by congestion control while the port was free, most {who}",
     "thresholds and steps of the congestion control that suit the rate of the link"},
    {"window", "a window that is full, most {who}", "a window of a bandwidth-delay product"},
    {"retransmission", "data that was lost and is sent again, most {who}",
     "a lossless class, or room in the buffer"},
    {"time-out", "time-outs of the sender, most {who}",
     "a shorter time-out, and what loses the packets"},
    {"link failure", "a link that is down{where}", ""},
};

std::string filled(std::string text, const std::string& word, const std::string& value) {
  if (const std::size_t at = text.find(word); at != std::string::npos) {
    text.replace(at, word.size(), value);
  }
  return text;
}

std::string sentence_of(const CauseSum& sum) {
  const auto* sentence = std::ranges::find(kSentences, sum.cause, &Sentence::cause);
  if (sentence == std::end(kSentences)) return escaped(sum.cause);
  std::string text = filled(sentence->said, "{where}", place_text(sum));
  text = filled(text, "{who}", names_text(ranking_of(sum.culprits)));
  return sum.cause + ": " + text;
}

/// The slow links of a job, that which costs most first.
std::vector<std::pair<const SlowLink*, Picoseconds>> slow_links_of(const JobSum& job) {
  std::vector<std::pair<const SlowLink*, Picoseconds>> links(job.slow_links.begin(),
                                                             job.slow_links.end());
  std::ranges::sort(links, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return links;
}

/// What to try against the worst cause: mostly it is one of its own, but not where that cause is
/// how a slow link shows.
std::string advice_for(const JobSum& job) {
  if (job.causes.empty()) return {};
  const CauseSum& worst = job.causes.front();
  if (2 * worst.at_slow_links >= worst.time && worst.time > Picoseconds(0)) {
    return "the slow link; `weft run --without slow-links` shows what it costs";
  }
  return std::string(advice_against(worst.cause));
}

std::string slow_links_text(const JobSum& job) {
  constexpr std::size_t kMax = 2;
  const auto links = slow_links_of(job);
  if (links.empty()) return {};
  Picoseconds time;
  std::string names;
  for (std::size_t i = 0; i < links.size(); ++i) {
    time += links[i].second;
    if (i < kMax) names += (i == 0 ? "" : ", ") + links[i].first->text();
  }
  if (links.size() > kMax) names += fmt::format(" and {} more", links.size() - kMax);
  return fmt::format("  Slow link{} {}: {} of the time passes there or waits for {}.\n",
                     links.size() == 1 ? "" : "s", names, share_text(time, job.time),
                     links.size() == 1 ? "it" : "them");
}

std::size_t lines_of_job(std::size_t lines, std::size_t jobs) {
  constexpr std::size_t kMin = 3;
  return std::max(kMin, lines / std::max<std::size_t>(jobs, 1));
}

/// With its sign.
std::string change_text(Picoseconds change) {
  const bool is_less = change < Picoseconds(0);
  return (is_less ? "-" : "+") + format_time(is_less ? Picoseconds(0) - change : change);
}

}  // namespace

std::string_view advice_against(std::string_view cause) {
  const auto* sentence = std::ranges::find(kSentences, cause, &Sentence::cause);
  return sentence == std::end(kSentences) ? "" : sentence->advice;
}

std::string explanation_text(const std::vector<BlameEntry>& blame, std::size_t lines,
                             const std::vector<SlowLink>& slow_links) {
  const std::vector<JobSum> jobs = sum_up(blame, slow_links);
  std::string text;
  for (const JobSum& job : jobs) {
    text += fmt::format("{}: {}", escaped(job.job), format_time(job.time));
    if (job.iterations > 1) {
      text += fmt::format(" in {} iterations, {} each", job.iterations,
                          format_time(job.time / job.iterations));
    }
    text += ". Along its critical path:\n";
    const std::size_t shown = std::min(job.causes.size(), lines_of_job(lines, jobs.size()));
    for (std::size_t i = 0; i < shown; ++i) {
      const CauseSum& sum = job.causes[i];
      text += fmt::format("  {:>7}  {:>9}  {}\n", share_text(sum.time, job.time),
                          format_time(sum.time), sentence_of(sum));
    }
    text += slow_links_text(job);
    const std::string advice = advice_for(job);
    if (!advice.empty()) text += fmt::format("  Against the first: {}.\n", advice);
  }
  return text;
}

std::vector<BlameDifference> blame_differences(const std::vector<BlameEntry>& first,
                                               const std::vector<BlameEntry>& second) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, std::pair<Picoseconds, Picoseconds>> times;
  for (const BlameEntry& e : first) {
    times[{e.job, e.cause, e.culprit_kind, e.culprit}].first += e.time;
  }
  for (const BlameEntry& e : second) {
    times[{e.job, e.cause, e.culprit_kind, e.culprit}].second += e.time;
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
      text += fmt::format("  {:>10}  {}: {}{}\n", change_text(d.difference()), d.cause,
                          names_itself ? "" : d.culprit_kind + " ", escaped(d.culprit));
      shown += d.difference();
    }
    const Picoseconds rest = second - first - shown;
    const bool has_more = count < parts.size() && parts[count]->difference() != Picoseconds(0);
    if (has_more) text += fmt::format("  {:>10}  the rest\n", change_text(rest));
  }
  return text;
}

nlohmann::ordered_json explanation_json(const std::vector<BlameEntry>& blame,
                                        const std::vector<SlowLink>& slow_links) {
  auto jobs = nlohmann::ordered_json::array();
  for (const JobSum& job : sum_up(blame, slow_links)) {
    auto causes = nlohmann::ordered_json::array();
    for (const CauseSum& sum : job.causes) {
      const Ranking culprits = ranking_of(sum.culprits);
      causes.push_back({{"cause", sum.cause},
                        {"seconds", csv::seconds(sum.time)},
                        {"share", to_seconds(sum.time) / std::max(to_seconds(job.time), 1e-12)},
                        {"culprit", culprits.front().first},
                        {"culprit_seconds", csv::seconds(culprits.front().second)}});
    }
    auto links = nlohmann::ordered_json::array();
    for (const auto& [link, time] : slow_links_of(job)) {
      links.push_back({{"port", link->port},
                       {"rate_bps", link->rate.count()},
                       {"usual_rate_bps", link->usual_rate.count()},
                       {"seconds", csv::seconds(time)}});
    }
    jobs.push_back({{"job", job.job},
                    {"iterations", job.iterations},
                    {"seconds", csv::seconds(job.time)},
                    {"causes", causes},
                    {"slow_links", links}});
  }
  return {{"jobs", jobs}};
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
