#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "collectives/jobs/job_order.hpp"
#include "collectives/runtime/workload.hpp"
#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/language/lowering/placement.hpp"
#include "scenarios/language/lowering/topology.hpp"
#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"

namespace weft::scenarios::language {
namespace {

constexpr std::uint64_t kMaxRanks = 16'000'000;
constexpr std::size_t kMaxNameLength = 100;

/// Lowers one job after the other.
class JobLowering {
 public:
  JobLowering(const Context& context, const HostNames& names)
      : context_(context),
        names_(names),
        queue_pairs_(protocols::traits_of(context.document.transport).queue_pairs) {}

  void lower(std::size_t index, Scenario& scenario) {
    const JobDocument& job = context_.document.jobs[index];
    path_ = element_path("jobs", index);
    check_name(context_, job.name, child_path(path_, "name"));
    const auto [first, is_new] = first_use_.emplace(job.name, index);
    if (!is_new) {
      fail("name", backquoted(job.name) + " is the name of jobs[" + std::to_string(first->second) +
                       "] already");
    }
    Placement placement = place_ranks(job.ranks, names_, scenario.seed, index);
    for (PlacementProblem& problem : placement.problems) report(std::move(problem));
    if (!placement.problems.empty()) return;
    JobSpec spec{job.name, job.start, std::move(placement.hosts), {}, {}, {}};
    spec.traffic_class =
        find_class(context_, job.traffic_class, child_path(path_, "class")).value_or(ClassId());
    choose_transport(job, spec, scenario);
    spec.kind = job.kind;
    fit(job.ranks, spec);
    check(spec);
    if (spec.ranks.size() < 2) {
      fail("ranks", "has " + std::to_string(spec.ranks.size()) + " rank; at least 2 are needed");
    }
    count(spec);
    scenario.jobs.push_back(std::move(spec));
  }

 private:
  void fail(const std::string& key, std::string message) {
    context_.fail(child_path(path_, key), std::move(message));
  }

  /// Its own transport, or that of its class, or the scenario's.
  void choose_transport(const JobDocument& job, JobSpec& spec, Scenario& scenario) {
    const std::vector<ClassDocument>& classes = context_.document.fabric.classes;
    const std::size_t place = spec.traffic_class.value();
    const auto& of_class = place < classes.size() ? classes[place].transport : std::nullopt;
    if (job.transport) {
      if (link_roles_of(context_.document) == topologies::LinkRoles::kNone) {
        fail("transport", "has a meaning only for links between servers; this fabric has none");
      }
      spec.transport =
          lower_transport(context_, *job.transport, child_path(path_, "transport"), scenario);
      if (breaks_when_reordered(*job.transport) &&
          scenario.switches.balancing(spec.traffic_class).sprays()) {
        fail("transport", kReorderedDatagrams);
      }
    } else if (of_class) {
      spec.transport = lower_transport(context_, *of_class, "", scenario);
    }
    const protocols::TransportTraits traits =
        protocols::traits_of(scenario.transport_of(spec.transport));
    spec.has_acknowledgements = traits.is_acknowledged;
    spec.queue_pairs = queue_pairs_of(job, traits);
    // Who does not know of several transports takes the scenario's number.
    if (spec.transport > 0 && spec.queue_pairs == 0) {
      spec.queue_pairs = static_cast<std::uint16_t>(traits.queue_pairs);
    }
  }

  std::uint16_t queue_pairs_of(const JobDocument& job, const protocols::TransportTraits& traits) {
    if (!job.queue_pairs) return 0;
    if (!traits.is_acknowledged) {
      fail("queue_pairs",
           "has a meaning only with reliable connections (`transport: {type: roce}`)");
    } else if (link_roles_of(context_.document) == topologies::LinkRoles::kNone) {
      fail("queue_pairs", "has a meaning only for links between servers; this fabric has none");
    }
    return static_cast<std::uint16_t>(*job.queue_pairs);
  }

  void report(PlacementProblem problem) {
    std::string path = child_path(path_, "ranks");
    if (problem.word && locate(context_.root, path + ".hosts").is_exact) {
      path += ".hosts";
      const std::string element = element_path(path, *problem.word);
      if (locate(context_.root, element).is_exact) path = element;
    }
    context_.fail(path, std::move(problem.message));
  }

  /// A kind that says how many ranks it has cuts the default set to size, and must agree with an
  /// explicit one.
  void fit(const RanksDocument& ranks, JobSpec& spec) {
    const std::optional<collectives::RankDemand> demand = collectives::rank_demand(spec.kind);
    if (!demand) return;
    const bool is_all = !ranks.random && ranks.hosts == std::vector<std::string>{"all"};
    if (demand->ranks > spec.ranks.size()) {
      fail(demand->key,
           demand->reason + "; there are " + std::to_string(spec.ranks.size()) + " hosts");
    } else if (is_all) {
      spec.ranks.resize(demand->ranks);
    } else if (demand->ranks != spec.ranks.size()) {
      fail(demand->key,
           demand->reason + "; `ranks` has " + std::to_string(spec.ranks.size()) + " hosts");
    }
  }

  void check(const JobSpec& spec) {
    collectives::Problems problems;
    collectives::check(spec.kind, static_cast<std::uint32_t>(spec.ranks.size()), problems);
    for (schema::Problem& problem : problems) fail(problem.key, std::move(problem.message));
  }

  /// Bounds what the run has to hold, before anything is built.
  void count(const JobSpec& spec) {
    const std::uint64_t n = spec.ranks.size();
    const std::uint64_t connections =
        collectives::max_connections(spec.kind, static_cast<std::uint32_t>(n));
    ranks_ += n;
    connections_ += connections * (spec.queue_pairs > 0 ? spec.queue_pairs : queue_pairs_);
    if (connections_ > collectives::kMaxConnections && !is_reported_) {
      is_reported_ = true;
      fail("ranks", "the jobs up to this one need " + std::to_string(connections_) +
                        " queue pairs; at most " + std::to_string(collectives::kMaxConnections) +
                        " are possible");
    } else if (ranks_ > kMaxRanks && !is_reported_) {
      is_reported_ = true;
      fail("ranks",
           "the jobs up to this one have more than " + std::to_string(kMaxRanks) + " ranks");
    }
  }

  const Context& context_;
  const HostNames& names_;
  std::uint32_t queue_pairs_ = 1;
  std::string path_;
  std::unordered_map<std::string, std::size_t> first_use_;
  std::uint64_t connections_ = 0;
  std::uint64_t ranks_ = 0;
  bool is_reported_ = false;
};

/// Which job waits for which, once all of them have their numbers.
void lower_order(const Context& context, Scenario& scenario) {
  const std::vector<JobDocument>& jobs = context.document.jobs;
  std::vector<std::string> names;
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (const JobDocument& job : jobs) {
    numbers.emplace(job.name, static_cast<std::uint32_t>(names.size()));
    names.push_back(job.name);
  }
  std::uint32_t unknown = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string path = child_path(element_path("jobs", i), "after");
    for (std::size_t k = 0; k < jobs[i].after.size(); ++k) {
      const std::string& name = jobs[i].after[k];
      const auto found = numbers.find(name);
      if (found == numbers.end()) {
        const std::string element = element_path(path, k);
        context.fail(locate(context.root, element).is_exact ? element : path,
                     backquoted(name) + " is no job" +
                         (++unknown > kMaxSuggestions
                              ? ""
                              : "; expected one of " + listing(names) + did_you_mean(name, names)));
      } else if (i < scenario.jobs.size()) {
        scenario.jobs[i].after.push_back(found->second);
      }
    }
  }
  // Jobs that are wrong for another reason are missing, and the others have other numbers then.
  if (!context.diagnostics.is_empty()) return;
  for (const Error& error : collectives::check_order(scenario.jobs)) {
    context.fail(error.where.key, error.message);
  }
}

/// Takes out of a list of names what is gone. True: it had names, and has none any more.
template <class IsGone>
bool is_emptied(std::vector<std::string>& names, IsGone is_gone) {
  return std::erase_if(names, is_gone) > 0 && names.empty();
}

/// Ranks of a timeline end with the largest job. True: it had ranks, and has none any more.
bool is_emptied(std::vector<std::string>& ranks, std::size_t max_before, std::size_t max_left) {
  const auto ends_between = [&](const auto& range) {
    return range && range->first <= range->second && range->second < max_before &&
           range->second >= max_left;
  };
  for (std::string& text : ranks) {
    const auto range = parse_range(text);
    const bool is_cut = ends_between(range) && range->first < max_left;
    if (is_cut) text = std::to_string(range->first) + "-" + std::to_string(max_left - 1);
  }
  return is_emptied(ranks,
                    [&](const std::string& text) { return ends_between(parse_range(text)); });
}

/// What the observation names of skipped jobs alone is gone with them: flows, and jobs and ranks of
/// the timeline. `before` has all jobs.
void omit_observations(const std::vector<JobSpec>& before,
                       const std::vector<JobDocument>& documents, ObserveSpec& observe) {
  const auto number_of = [&](std::string_view name) {
    const auto found = std::ranges::find(documents, name, &JobDocument::name);
    return static_cast<std::size_t>(found - documents.begin());
  };
  const auto is_gone = [&](const std::string& name) {
    const std::size_t job = number_of(name);
    return job < documents.size() && documents[job].is_omitted;
  };
  const auto is_flow_gone = [&](const std::string& flow) {
    return is_gone(flow.substr(0, flow.find(':')));
  };
  if (observe.rates && is_emptied(observe.rates->flows, is_flow_gone)) observe.rates.reset();
  if (observe.packets && is_emptied(observe.packets->flows, is_flow_gone)) observe.packets.reset();
  if (!observe.timeline) return;
  ObserveSpec::Timeline& timeline = *observe.timeline;
  std::size_t max_before = 0;
  std::size_t max_left = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto& chosen = timeline.jobs;
    if (!chosen.empty() && std::ranges::find(chosen, documents[i].name) == chosen.end()) continue;
    max_before = std::max(max_before, before[i].ranks.size());
    if (!documents[i].is_omitted) max_left = std::max(max_left, before[i].ranks.size());
  }
  if (is_emptied(timeline.jobs, is_gone) || is_emptied(timeline.ranks, max_before, max_left)) {
    observe.timeline.reset();
  }
}

/// Jobs that are skipped are gone, for those that wait for them, and for what is observed, too.
void omit_jobs(const Context& context, Scenario& scenario) {
  const std::vector<JobDocument>& documents = context.document.jobs;
  if (std::ranges::none_of(documents, &JobDocument::is_omitted)) return;
  omit_observations(scenario.jobs, documents, scenario.observe);
  std::vector<JobSpec> left;
  std::vector<std::optional<std::uint32_t>> place_of(documents.size());
  for (std::uint32_t i = 0; i < documents.size(); ++i) {
    if (documents[i].is_omitted) continue;
    place_of[i] = static_cast<std::uint32_t>(left.size());
    left.push_back(std::move(scenario.jobs[i]));
    left.back().number = i;
  }
  if (left.empty()) context.fail("jobs", "are all skipped; there is nothing to simulate");
  for (JobSpec& job : left) {
    std::vector<std::uint32_t> after;
    for (const std::uint32_t earlier : job.after) {
      if (place_of[earlier]) after.push_back(*place_of[earlier]);
    }
    job.after = std::move(after);
  }
  scenario.jobs = std::move(left);
}

}  // namespace

void check_name(const Context& context, const std::string& name, const std::string& path) {
  if (std::string problem = name_problem(name); !problem.empty()) {
    context.fail(path, std::move(problem));
  }
}

std::string name_problem(const std::string& name) {
  const auto is_fine = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
  };
  if (!name.empty() && name.size() <= kMaxNameLength && name.front() != '.' &&
      name.front() != '-' && std::ranges::all_of(name, is_fine)) {
    return {};
  }
  return backquoted(name) + " is not a name; expected letters, digits and . _ - (at most " +
         std::to_string(kMaxNameLength) + ", not beginning with . or -)";
}

void lower_jobs(const Context& context, Scenario& scenario) {
  check_name(context, scenario.name, "name");
  const HostNames names(context.document);
  if (names.count() == 0) {
    context.fail("fabric", "has no hosts");
    return;
  }
  if (names.count() > kMaxHosts) {
    context.fail(context.document.racks.empty() ? "fabric" : "racks",
                 "makes " + std::to_string(names.count()) + " hosts; at most " +
                     std::to_string(kMaxHosts) + " are possible");
    return;
  }
  JobLowering lowering(context, names);
  for (std::size_t i = 0; i < context.document.jobs.size(); ++i) {
    if (context.diagnostics.is_full()) return;
    lowering.lower(i, scenario);
  }
  lower_order(context, scenario);
  if (context.diagnostics.is_empty()) omit_jobs(context, scenario);
}

}  // namespace weft::scenarios::language
