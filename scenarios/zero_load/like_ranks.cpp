#include "scenarios/zero_load/like_ranks.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "collectives/memo/matching_calls.hpp"
#include "scenarios/zero_load/call_alone.hpp"

namespace weft::scenarios {
namespace {

using collectives::Communicator;
using collectives::JobPlan;
using collectives::StreamOf;
using collectives::TaskProgram;

constexpr std::uint32_t kNone = ~0U;

/// Equal keys get equal numbers.
class Numbers {
 public:
  std::uint32_t of(std::vector<std::uint32_t> key) {
    const auto next = static_cast<std::uint32_t>(numbers_.size());
    return numbers_.emplace(std::move(key), next).first->second;
  }
  [[nodiscard]] std::size_t count() const { return numbers_.size(); }

 private:
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_;
};

/// Nothing happens in it that the job's programs and the times of messages do not tell.
bool may_have_like_ranks(const JobPlan& job) {
  return task_program_of(job) != nullptr && job.after.empty() && job.followers.empty();
}

class Finder {
 public:
  Finder(const collectives::Workload& workload, const TravelNumber& travel_number,
         const std::vector<std::uint32_t>& apart)
      : workload_(workload),
        travel_number_(travel_number),
        place_of_(workload.process_hosts().size()) {
    begin_classes(apart);
  }

  LikeRanks find() {
    if (count_ < found_.class_of.size()) number_shapes();
    while (count_ < found_.class_of.size()) {
      number_kinds();
      const std::size_t before = count_;
      refine();
      if (count_ == before) break;
    }
    if (count_ == found_.class_of.size()) found_.kind_of.clear();
    for (std::uint32_t p = 0; p < found_.class_of.size(); ++p) {
      if (found_.class_of[p] == found_.first_of.size()) found_.first_of.emplace_back(p);
    }
    return std::move(found_);
  }

 private:
  /// What does the same tasks, without noise; the numbers rise with first processes.
  void begin_classes(const std::vector<std::uint32_t>& apart) {
    const auto count = static_cast<std::uint32_t>(workload_.process_hosts().size());
    Numbers classes;
    for (std::uint32_t p = 0; p < count; ++p) {
      const std::uint32_t job = workload_.job_of(ProcessId(p));
      const JobPlan& plan = workload_.jobs()[job];
      const std::uint32_t rank = workload_.rank_of(ProcessId(p));
      std::vector<std::uint32_t> key{job};
      if (may_have_like_ranks(plan) && !task_program_of(plan)->has_noise(rank)) {
        key.push_back(task_program_of(plan)->task_set().script_of(rank));
        key.push_back(apart.empty() ? 0 : apart[p]);
      } else {
        key.insert(key.end(), {p, 0, 0});  // longer than those of others
      }
      found_.class_of.push_back(classes.of(std::move(key)));
    }
    count_ = classes.count();
  }

  /// What of a communicator does not depend on classes.
  void number_shapes() {
    Numbers shapes;
    shape_of_.resize(workload_.jobs().size());
    found_.kind_of.resize(workload_.jobs().size());
    for (std::uint32_t job = 0; job < workload_.jobs().size(); ++job) {
      const JobPlan& plan = workload_.jobs()[job];
      if (!may_have_like_ranks(plan)) continue;
      const auto communicators = task_program_of(plan)->task_set().communicators();
      for (std::uint32_t c = 0; c < communicators.size(); ++c) {
        shape_of_[job].push_back(shapes.of(shape_of(plan, job, c)));
      }
    }
  }

  std::vector<std::uint32_t> shape_of(const JobPlan& plan, std::uint32_t job, std::uint32_t c) {
    const TaskProgram& program = *task_program_of(plan);
    const Communicator& communicator = program.task_set().communicators()[c];
    const std::uint32_t stream = program.lane_plan().number_of(StreamOf::communicator(c));
    std::vector<std::uint32_t> shape{job, stream, static_cast<std::uint32_t>(communicator.kind),
                                     static_cast<std::uint32_t>(communicator.ranks.size()),
                                     program.layout_number(c)};
    for (const std::uint32_t call : program.calls_of(c))
      shape.push_back(number_of_call(program, call));
    const std::uint32_t first_lane = program.lane_plan().first_lane(stream);
    for (std::uint32_t i = 0; i < communicator.ranks.size(); ++i) {
      place_of_[plan.process(communicator.ranks[i]).value()] = i;
    }
    for (const std::uint32_t rank : communicator.ranks) {
      for (std::uint32_t i = 0; i < program.lane_plan().lanes_of(c); ++i) {
        add_sends(workload_.lane_index(plan.process(rank), first_lane + i), shape);
      }
    }
    return shape;
  }

  /// Of a lane of a member: to whom, and how messages travel.
  void add_sends(std::uint32_t lane_index, std::vector<std::uint32_t>& shape) {
    const auto [first, end] = workload_.sends_of(lane_index);
    shape.push_back(end - first);
    for (std::uint32_t i = first; i < end; ++i) {
      const Connection& connection = workload_.connections()[i];
      shape.push_back(place_of_[connection.destination.value()]);
      shape.push_back(travel_number_(ConnectionId(i)));
      shape.push_back(static_cast<std::uint32_t>(connection.kind));
      if (connection.kind == Connection::Kind::kUnicast) continue;
      shape.push_back(number_of_group(connection.group));
    }
  }

  /// By the places of its members, all of one communicator.
  std::uint32_t number_of_group(std::uint32_t group) {
    if (group >= group_numbers_.size()) group_numbers_.resize(workload_.groups().size(), kNone);
    if (group_numbers_[group] != kNone) return group_numbers_[group];
    std::vector<std::uint32_t> places;
    for (const ProcessId member : workload_.groups()[group].members) {
      places.push_back(place_of_[member.value()]);
    }
    return group_numbers_[group] = groups_.of(std::move(places));
  }

  std::uint32_t number_of_call(const TaskProgram& program, std::uint32_t call) {
    const collectives::CollectiveSpec& spec = program.call(call).spec();
    const bool is_until_acknowledged = program.task_set().calls()[call].is_until_acknowledged;
    const auto known = std::ranges::find_if(calls_, [&](const auto& other) {
      return other.second == is_until_acknowledged && *other.first == spec;
    });
    if (known == calls_.end()) {
      calls_.emplace_back(&spec, is_until_acknowledged);
      return static_cast<std::uint32_t>(calls_.size() - 1);
    }
    return static_cast<std::uint32_t>(known - calls_.begin());
  }

  /// Shapes with the classes of their members.
  void number_kinds() {
    Numbers kinds;
    found_.kinds.clear();
    for (std::uint32_t job = 0; job < shape_of_.size(); ++job) {
      found_.kind_of[job].clear();
      for (std::uint32_t c = 0; c < shape_of_[job].size(); ++c) {
        const JobPlan& plan = workload_.jobs()[job];
        const TaskProgram& program = *task_program_of(plan);
        std::vector<std::uint32_t> classes;
        for (const std::uint32_t rank : program.task_set().communicators()[c].ranks) {
          classes.push_back(found_.class_of[plan.process(rank).value()]);
        }
        std::vector<std::uint32_t> key = classes;
        key.push_back(shape_of_[job][c]);
        const std::uint32_t kind = kinds.of(std::move(key));
        found_.kind_of[job].push_back(kind);
        if (kind < found_.kinds.size()) continue;
        found_.kinds.push_back({job, c, std::move(classes), execution_of(program, c)});
      }
    }
  }

  [[nodiscard]] static LikeRanks::Execution execution_of(const TaskProgram& program,
                                                         std::uint32_t communicator) {
    if (program.lane_plan().lanes_of(communicator) == 0) return LikeRanks::Execution::kNone;
    const bool wait_for_all =
        std::ranges::all_of(program.calls_of(communicator), [&program](std::uint32_t call) {
          return collectives::waits_for_all(program.call(call).spec());
        });
    return wait_for_all ? LikeRanks::Execution::kOnce : LikeRanks::Execution::kLanes;
  }

  /// Processes of a class stay together whose streams are of the same kinds of communicators.
  void refine() {
    Numbers classes;
    for (std::uint32_t p = 0; p < found_.class_of.size(); ++p) {
      const ProcessId process(p);
      const std::uint32_t job = workload_.job_of(process);
      std::vector<std::uint32_t> key{found_.class_of[p]};
      if (!shape_of_[job].empty()) {
        const TaskProgram& program = *task_program_of(workload_.jobs()[job]);
        for (std::uint32_t stream = 1; stream < program.streams(); ++stream) {
          const auto member = program.lane_plan().member(workload_.rank_of(process), stream);
          const std::uint32_t kind = member ? found_.kind_of[job][member->communicator] : kNone;
          key.push_back(kind);
          const bool by_place =
              member && found_.kinds[kind].execution == LikeRanks::Execution::kLanes;
          if (by_place) key.push_back(member->rank);
        }
      }
      found_.class_of[p] = classes.of(std::move(key));
    }
    count_ = classes.count();
  }

  const collectives::Workload& workload_;
  const TravelNumber& travel_number_;
  LikeRanks found_;
  std::size_t count_ = 0;                             ///< of classes
  std::vector<std::vector<std::uint32_t>> shape_of_;  ///< by job and communicator
  std::vector<std::uint32_t> place_of_;               ///< by process: in the communicator at hand
  Numbers groups_;
  std::vector<std::uint32_t> group_numbers_;
  std::vector<std::pair<const collectives::CollectiveSpec*, bool>> calls_;  ///< all different
};

}  // namespace

bool LikeRanks::is_closed_and_small(const collectives::Workload& workload) const {
  if (kind_of.empty() || 2 * first_of.size() > class_of.size()) return false;
  if (!workload.relays().empty()) return false;
  for (std::uint32_t job = 0; job < kind_of.size(); ++job) {
    for (std::uint32_t c = 0; c < kind_of[job].size(); ++c) {
      if (kinds[kind_of[job][c]].execution != Execution::kLanes) continue;
      const JobPlan& plan = workload.jobs()[job];
      const auto runs = [&](std::uint32_t rank) { return is_first(plan.process(rank)); };
      const auto& ranks = task_program_of(plan)->task_set().communicators()[c].ranks;
      if (std::ranges::any_of(ranks, runs) && !std::ranges::all_of(ranks, runs)) return false;
    }
  }
  return true;
}

LikeRanks find_like_ranks(const collectives::Workload& workload, const TravelNumber& travel_number,
                          const std::vector<std::uint32_t>& apart) {
  return Finder(workload, travel_number, apart).find();
}

}  // namespace weft::scenarios
