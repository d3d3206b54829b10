#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/collective/collective_program.hpp"
#include "collectives/proof/symbolic.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/text/json_text.hpp"
#include "tools/cli/collective/collective_options.hpp"
#include "tools/cli/collective/load_for_collective.hpp"
#include "tools/cli/commands.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

using collectives::Schedule;
using collectives::SchedulePlan;
using collectives::Step;
using nlohmann::ordered_json;

/// Symbols need memory by the square of the ranks.
constexpr std::uint32_t kMaxProved = 512;
/// About 100 bytes and a microsecond each.
constexpr std::uint64_t kMaxStepsProved = 20'000'000;

struct Named {
  std::unique_ptr<const Schedule> owned;
  std::unique_ptr<scenarios::Experiment> experiment;
  const Schedule* schedule = nullptr;
  std::string algorithm;
};

bool take_from_scenario(const ScheduleArguments& a, Named& named) {
  auto loaded = scenarios::load_scenario(a.scenario, a.overrides);
  if (!loaded) {
    print_errors(loaded.errors());
    return false;
  }
  auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment) {
    print_errors(loaded.value().located(experiment.errors()));
    return false;
  }
  const auto job = find_collective(experiment.value().scenario, a.job);
  if (!job) return false;
  named.experiment = std::make_unique<scenarios::Experiment>(std::move(experiment).value());
  const auto& program = static_cast<const collectives::CollectiveProgram&>(
      *named.experiment->workload.jobs()[*job].program);
  named.schedule = &program.schedule();
  named.algorithm = name_of(program.spec().algorithm);
  return true;
}

bool make_from_options(const ScheduleArguments& a, Named& named) {
  const auto operation = read_operation(a.operation);
  if (!operation) return false;
  const auto algorithm = a.algorithm.empty()
                             ? std::optional(collectives::algorithms_for(*operation).front())
                             : read_algorithm(a.algorithm);
  const auto size = read_bytes("--size", a.size);
  const auto chunk = read_bytes("--chunk", a.chunk);
  if (!algorithm || !size || !chunk) return false;
  const auto refuse = [](const std::string& sentence) {
    complain(sentence);
    return false;
  };
  if (*size < 1_B) return refuse("--size: must be at least 1B");
  if (a.root >= a.ranks) return refuse(fmt::format("--root: there are ranks 0 to {}", a.ranks - 1));
  if (*algorithm == collectives::Algorithm::kNccl || *algorithm == collectives::Algorithm::kBest) {
    return refuse("--algorithm: what to choose by is in a scenario; name one here");
  }
  if (*operation == collectives::Operation::kAllToAllV) {
    return refuse("--op: the sizes of an all-to-all-v are in a scenario; give one");
  }
  collectives::RankLayout layout;
  for (std::uint32_t r = 0; r < a.ranks; ++r) layout.domain.push_back(r / a.domain_size);
  SchedulePlan plan(a.ranks, layout);
  plan.operation = *operation;
  plan.size = *operation == collectives::Operation::kBarrier ? 1 : size->count();
  plan.root = a.root;
  plan.channels = a.channels;
  plan.chunk = chunk->count();
  plan.slices = a.slices;
  // A schedule can be looked at whatever runs it.
  const std::string refused = collectives::refusal(plan, *algorithm, true);
  if (!refused.empty()) {
    return refuse(fmt::format("--algorithm: `{}` {}", name_of(*algorithm), refused));
  }
  named.algorithm = name_of(*algorithm);
  named.owned = collectives::make_schedule(std::move(plan), *algorithm);
  named.schedule = named.owned.get();
  return true;
}

const char* kind_name(const Step& step) {
  switch (step.kind) {
    case Step::Kind::kSend:
      return "send";
    case Step::Kind::kReceive:
      return step.reduces ? "receive-reduce" : "receive";
    case Step::Kind::kNotify:
      return "notify";
    case Step::Kind::kAwait:
      return "await";
    case Step::Kind::kControlEvent:
      return "control-event";
    case Step::Kind::kAwaitControlEvents:
      return "await-control-events";
    case Step::Kind::kCopy:
      return "copy";
    case Step::Kind::kContribute:
      return "contribute";
    case Step::Kind::kReceiveReduced:
      return "receive-reduced";
    case Step::Kind::kMulticast:
      return "multicast";
    case Step::Kind::kReceiveMulticast:
      return "receive-multicast";
    default:
      return "step";
  }
}

bool has_data(const Step& step) {
  return step.kind != Step::Kind::kNotify && step.kind != Step::Kind::kAwait &&
         step.kind != Step::Kind::kControlEvent && step.kind != Step::Kind::kAwaitControlEvents;
}

ordered_json step_json(std::uint32_t rank, std::uint32_t lane, const Step& step) {
  ordered_json j{{"rank", rank}, {"channel", lane}, {"step", kind_name(step)}};
  if (step.kind == Step::Kind::kNotify) j["channel_notified"] = step.peer;
  if (step.kind == Step::Kind::kControlEvent) j["peer"] = step.peer;
  if (step.kind == Step::Kind::kAwaitControlEvents) j["control_events"] = step.count();
  if (has_data(step)) {
    j["peer"] = step.peer;
    j["block"] = step.block;
    j["offset"] = step.offset;
    j["bytes"] = step.amount;
  }
  return j;
}

std::vector<std::string> step_row(std::uint32_t rank, std::uint32_t lane, const Step& step) {
  std::vector<std::string> row{std::to_string(rank), std::to_string(lane), kind_name(step)};
  if (has_data(step)) {
    row.insert(row.end(), {std::to_string(step.peer), std::to_string(step.block),
                           std::to_string(step.offset), std::to_string(step.amount)});
  } else {
    const bool notifies = step.kind == Step::Kind::kNotify;
    std::string whom = notifies ? "channel " + std::to_string(step.peer) : "";
    if (step.kind == Step::Kind::kControlEvent) whom = std::to_string(step.peer);
    row.insert(row.end(), {whom, "", "", ""});
  }
  return row;
}

std::string heading(const Named& named) {
  const SchedulePlan& plan = named.schedule->plan();
  return fmt::format("{} by {}: {} ranks, {}, {} channels per rank\n", name_of(plan.operation),
                     named.algorithm, plan.ranks(),
                     scenarios::format_bytes(static_cast<double>(plan.size)),
                     named.schedule->lanes());
}

int print_steps(const Named& named, const ScheduleArguments& a) {
  const Schedule& schedule = *named.schedule;
  const auto n = static_cast<std::int64_t>(schedule.plan().ranks());
  if (a.rank >= n) {
    std::fprintf(stderr, "weft: --rank: there are ranks 0 to %lld\n",
                 static_cast<long long>(n - 1));
    return kBadInput;
  }
  const auto first = static_cast<std::uint32_t>(a.rank < 0 ? 0 : a.rank);
  const auto end = static_cast<std::uint32_t>(a.rank < 0 ? n : a.rank + 1);
  scenarios::TextTable table({"rank", "channel", "step", "peer", "block", "offset", "bytes"});
  ordered_json list = ordered_json::array();
  std::uint64_t printed = 0;
  bool is_cut = false;
  for (std::uint32_t rank = first; rank < end && !is_cut; ++rank) {
    for (std::uint32_t lane = 0; lane < schedule.lanes() && !is_cut; ++lane) {
      collectives::StepStream stream = schedule.steps(rank, lane);
      for (Step step; stream.next(step);) {
        if (a.limit > 0 && printed == a.limit) {
          is_cut = true;
          break;
        }
        ++printed;
        if (a.is_json) {
          list.push_back(step_json(rank, lane, step));
        } else {
          table.add(step_row(rank, lane, step));
        }
      }
    }
  }
  if (a.is_json) {
    const ordered_json j{{"operation", name_of(schedule.plan().operation)},
                         {"algorithm", named.algorithm},
                         {"ranks", n},
                         {"size_bytes", schedule.plan().size},
                         {"channels", schedule.lanes()},
                         {"is_cut", is_cut},
                         {"steps", list}};
    print(scenarios::json_text(j) + "\n");
    return kSuccess;
  }
  print(heading(named) + "\n" + table.to_string("  "));
  if (is_cut) print("  and more: --limit 0 prints all\n");
  return kSuccess;
}

bool has_more_steps_than(const Schedule& schedule, std::uint64_t max) {
  std::uint64_t steps = 0;
  for (std::uint32_t rank = 0; rank < schedule.plan().ranks(); ++rank) {
    for (std::uint32_t lane = 0; lane < schedule.lanes(); ++lane) {
      collectives::StepStream stream = schedule.steps(rank, lane);
      for (Step step; stream.next(step);) {
        if (++steps > max) return true;
      }
    }
  }
  return false;
}

int check(const Named& named, bool is_json) {
  const Schedule& schedule = *named.schedule;
  if (schedule.plan().ranks() > kMaxProved) {
    std::fprintf(stderr, "weft: --check: at most %u ranks can be proved\n", kMaxProved);
    return kBadInput;
  }
  if (has_more_steps_than(schedule, kMaxStepsProved)) {
    std::fprintf(stderr,
                 "weft: --check: there are more than 20 million steps; larger chunks or less data "
                 "make fewer\n");
    return kBadInput;
  }
  const collectives::Proof proof = collectives::prove(schedule);
  collectives::RankTraffic sum;
  std::int64_t max = 0;
  for (const collectives::RankTraffic& t : proof.traffic) {
    sum.messages += t.messages;
    sum.sent += t.sent;
    sum.reduced += t.reduced;
    max = std::max(max, t.sent);
  }
  if (is_json) {
    const ordered_json j{{"operation", name_of(schedule.plan().operation)},
                         {"algorithm", named.algorithm},
                         {"ranks", schedule.plan().ranks()},
                         {"size_bytes", schedule.plan().size},
                         {"holds", proof.holds()},
                         {"problems", proof.problems},
                         {"messages", sum.messages},
                         {"bytes_sent", sum.sent},
                         {"most_bytes_sent_by_a_rank", max},
                         {"bytes_reduced", sum.reduced}};
    print(scenarios::json_text(j) + "\n");
  } else {
    std::string text = heading(named);
    text += proof.holds() ? "  holds: every rank ends with the right data\n" : "  does not hold\n";
    text +=
        fmt::format("  {} messages, {} bytes sent in all, at most {} by a rank, {} bytes added\n",
                    scenarios::format_count(sum.messages), scenarios::format_count(sum.sent),
                    scenarios::format_count(max), scenarios::format_count(sum.reduced));
    print(text);
  }
  for (const std::string& problem : proof.problems) {
    complain(problem);
  }
  return proof.holds() ? kSuccess : kUnfinished;
}

}  // namespace

int print_schedule(const ScheduleArguments& a) {
  Named named;
  const bool is_made =
      a.scenario.empty() ? make_from_options(a, named) : take_from_scenario(a, named);
  if (!is_made) return kBadInput;
  return a.is_check ? check(named, a.is_json) : print_steps(named, a);
}

}  // namespace weft::cli
