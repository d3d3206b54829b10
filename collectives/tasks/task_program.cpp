#include "collectives/tasks/task_program.hpp"

#include <algorithm>
#include <utility>

#include "collectives/costs/choose.hpp"
#include "collectives/jitter/jitter.hpp"
#include "collectives/traffic/expert_routing.hpp"
#include "simcore/base/check.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::collectives {

namespace {

std::vector<const CollectiveCall*> pointers_to(
    const std::vector<std::unique_ptr<const CollectiveCall>>& calls) {
  std::vector<const CollectiveCall*> pointers;
  pointers.reserve(calls.size());
  for (const auto& call : calls) pointers.push_back(call.get());
  return pointers;
}

}  // namespace

RankLayout layout_of(const Communicator& communicator, const RankLayout& layout) {
  // Without the domains of all ranks: with them, as many calls as ranks would take time by the
  // square of their number.
  RankLayout of_group{.domain = {},
                      .domain_rate = layout.domain_rate,
                      .reduction_rate = layout.reduction_rate,
                      .network_rate = layout.network_rate,
                      .nic = {},
                      .nics_per_rank = layout.nics_per_rank,
                      .nic_rate = layout.nic_rate,
                      .planes = layout.planes,
                      .domain_latency = layout.domain_latency,
                      .network_latency = layout.network_latency,
                      .transport_latency = layout.transport_latency,
                      .start_latency = layout.start_latency,
                      .farthest_latency = layout.farthest_latency,
                      .has_collisions = layout.has_collisions,
                      .has_in_network_reduction = layout.has_in_network_reduction,
                      .gpus = layout.gpus,
                      .gpu_rates = layout.gpu_rates,
                      .gpu_times = layout.gpu_times};
  if (layout.domain.empty()) return of_group;
  of_group.domain.reserve(communicator.ranks.size());
  for (const std::uint32_t rank : communicator.ranks) {
    of_group.domain.push_back(layout.domain[rank]);
    if (!layout.nic.empty()) of_group.nic.push_back(layout.nic[rank]);
  }
  return of_group;
}

namespace {

/// Equal values get equal numbers, in the order in which they come first.
std::vector<std::uint32_t> numbered(const std::vector<std::uint32_t>& values) {
  std::map<std::uint32_t, std::uint32_t> number;
  std::vector<std::uint32_t> numbers;
  numbers.reserve(values.size());
  for (const std::uint32_t value : values) {
    const auto next = static_cast<std::uint32_t>(number.size());
    numbers.push_back(number.emplace(value, next).first->second);
  }
  return numbers;
}

/// TaskProgram::layout_number of each.
std::vector<std::uint32_t> layout_numbers_of(std::span<const Communicator> communicators,
                                             const RankLayout& layout) {
  using Shape = std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;
  std::map<Shape, std::uint32_t> number;
  std::vector<std::uint32_t> numbers;
  numbers.reserve(communicators.size());
  for (const Communicator& communicator : communicators) {
    const RankLayout of_group = layout_of(communicator, layout);
    const auto next = static_cast<std::uint32_t>(number.size());
    const Shape shape(numbered(of_group.domain), numbered(of_group.nic));
    numbers.push_back(number.emplace(shape, next).first->second);
  }
  return numbers;
}

}  // namespace

class TaskProgram::Source final : public StepSource {
 public:
  Source(const TaskProgram& program, LanePlace place) : stream_(program.stream(place, omits_)) {}
  explicit Source(StepStream stream) : stream_(std::move(stream)) {}
  bool next(Step& step) override { return stream_.next(step); }
  void omit_task() override { omits_ = true; }

 private:
  bool omits_ = false;
  StepStream stream_;
};

TaskProgram::TaskProgram(std::unique_ptr<const TaskSet> task_set,
                         std::vector<std::unique_ptr<const CollectiveCall>> calls,
                         const ProgramSetting& setting, const RankLayout& layout)
    : task_set_(std::move(task_set)),
      calls_(std::move(calls)),
      calls_of_(task_set_->communicators().size()),
      layout_numbers_(layout_numbers_of(task_set_->communicators(), layout)),
      plan_(*task_set_, pointers_to(calls_), setting.ranks),
      setting_(setting),
      noise_(noise_by_rank({task_set_->noise().begin(), task_set_->noise().end()},
                           RankMap(setting.ranks, layout).domains_by_rank())) {
  for (std::uint32_t i = 0; i < task_set_->calls().size(); ++i) {
    calls_of_[task_set_->calls()[i].communicator].push_back(i);
  }
  count_shared_scripts();
}

void TaskProgram::count_shared_scripts() {
  std::map<std::uint32_t, std::uint32_t> first_of;
  for (std::uint32_t rank = 0; rank < setting_.ranks; ++rank) {
    const std::uint32_t script = task_set_->script_of(rank);
    const auto [first_rank, is_new] = first_of.emplace(script, rank);
    if (is_new || calls_of_script_.contains(script)) continue;
    std::vector<ScriptCall>& calls = calls_of_script_[script];
    for (const auto& [number, count] : counted_calls(first_rank->second)) {
      const std::uint32_t communicator = task_set_->calls()[number].communicator;
      const auto first = std::ranges::find(calls_of_[communicator], number);
      calls.push_back({plan_.number_of(StreamOf::communicator(communicator)),
                       static_cast<std::uint32_t>(first - calls_of_[communicator].begin()), count});
    }
  }
}

CallCounts TaskProgram::counted_calls(std::uint32_t rank) const {
  std::vector<std::uint32_t> communicators;
  for (std::uint32_t stream = 1; stream < streams(); ++stream) {
    const auto member = plan_.member(rank, stream);
    if (member) communicators.push_back(member->communicator);
  }
  return task_set_->call_counts(rank, communicators);
}

CallCounts TaskProgram::call_counts(std::uint32_t rank) const {
  const auto known = calls_of_script_.find(task_set_->script_of(rank));
  if (known == calls_of_script_.end()) return counted_calls(rank);
  CallCounts counts;
  for (const ScriptCall& call : known->second) {
    const LanePlan::Member member = plan_.member(rank, call.stream).value();
    counts[calls_of_[member.communicator][call.number]] = call.count;
  }
  return counts;
}

Result<std::unique_ptr<const TaskProgram>> TaskProgram::make(
    const ProgramSetting& setting, std::unique_ptr<const TaskSet> task_set,
    const RankLayout& layout) {
  std::vector<std::unique_ptr<const CollectiveCall>> calls;
  calls.reserve(task_set->calls().size());
  for (const CommunicatorCall& call : task_set->calls()) {
    const Communicator& communicator = task_set->communicators()[call.communicator];
    const RankLayout of_group = layout_of(communicator, layout);
    const auto size = static_cast<std::uint32_t>(communicator.ranks.size());
    CollectiveSpec spec = call.spec;
    fill_matrix(spec, size, setting.seed, setting.job, call.communicator);
    auto settled = resolve_algorithm(spec, size, of_group);
    if (!settled) {
      Errors errors = settled.errors();
      for (Error& error : errors) error.where.key = call.key;
      return errors;
    }
    calls.push_back(std::make_unique<const CollectiveCall>(std::move(spec), size, of_group));
  }
  std::unique_ptr<const TaskProgram> program(
      new TaskProgram(std::move(task_set), std::move(calls), setting, layout));
  if (program->lanes() > kMaxLanes) {
    return Errors{Error{
        "its communicators need " + std::to_string(program->lanes()) +
            " channels of a rank, stages of pipelines included; there are at most " +
            std::to_string(kMaxLanes) + ": take fewer channels, or fewer communicators per rank",
        {}}};
  }
  return program;
}

bool TaskProgram::needs_acknowledgements() const {
  return std::ranges::any_of(calls_, [](const auto& call) { return call->window() > 0; });
}

std::uint32_t TaskProgram::lanes_of(std::uint32_t rank, std::uint32_t stream) const {
  if (stream == 0) return 1;
  const auto member = plan_.member(rank, stream);
  return member ? plan_.lanes_of(member->communicator) : 0;
}

std::string TaskProgram::stream_name(std::uint32_t rank, std::uint32_t stream) const {
  if (stream == 0) return "compute";
  const auto member = plan_.member(rank, stream);
  return member ? task_set_->communicators()[member->communicator].name : "";
}

std::string TaskProgram::task_name(std::uint32_t stream, std::uint32_t number) const {
  if (stream == 0) {
    std::string name = task_set_->label_name(number);
    return name.empty() ? "compute" : name;
  }
  const CommunicatorCall& call = task_set_->calls()[number];
  const bool passes_on =
      task_set_->communicators()[call.communicator].kind == Communicator::Kind::kPipeline &&
      call.spec.operation == Operation::kAllToAllV;
  std::string name = passes_on ? "pass on" : name_of(call.spec.operation);
  if (call.spec.size > 0_B) {
    name += ' ' + quantity_text(call.spec.size.count(), dimension_of<Bytes>());
  }
  return name;
}

TaskProgram::Use TaskProgram::use_of(LanePlace place) const {
  const std::uint32_t stream = plan_.stream_of_lane(place.lane);
  if (stream == 0) return {};
  const auto member = plan_.member(place.rank, stream);
  if (!member) return {};
  const std::uint32_t lane = place.lane - plan_.first_lane(stream);
  const CallClass* calls = plan_.class_at(member->communicator, lane);
  if (calls == nullptr) return {};
  return {&task_set_->communicators()[member->communicator], calls,
          calls_[calls->calls.front()].get(), member->rank, lane - calls->first_lane};
}

Bytes TaskProgram::wire_size(LanePlace place, Bytes size) const {
  const Use use = use_of(place);
  return use.calls == nullptr ? size : use.example->wire_size(size);
}

Picoseconds TaskProgram::receive_latency(LanePlace place, std::uint32_t from) const {
  const Use use = use_of(place);
  const auto sender = plan_.member(from, plan_.stream_of_lane(place.lane));
  if (use.calls == nullptr || !sender) return {};
  return use.example->receive_latency(sender->rank, use.member);
}

std::uint32_t TaskProgram::window(LanePlace place) const {
  const Use use = use_of(place);
  return use.calls == nullptr ? 0 : use.example->window();
}

bool TaskProgram::notes_posts(LanePlace place) const {
  const Use use = use_of(place);
  return use.calls != nullptr && use.communicator->kind == Communicator::Kind::kPipeline;
}

Picoseconds TaskProgram::planned_time(const Computing& computing) const {
  return computing.is_slowed ? stretched(computing.nominal, task_set_->communication_slowdown())
                             : computing.nominal;
}

Picoseconds TaskProgram::computing_time(std::uint32_t rank, const Computing& computing) const {
  const Picoseconds nominal = planned_time(computing);
  if (noise_.empty()) return nominal;
  const RandomStream random = setting_.random(Purpose::kCollectiveJitter, rank);
  return time_taken(noise_[rank], computing.start, nominal,
                    draw_delay(noise_[rank].jitter, random.bits(computing.number)));
}

bool TaskProgram::slows_computing(std::uint32_t rank, std::uint32_t stream) const {
  if (task_set_->communication_slowdown() == 1) return false;
  const auto member = plan_.member(rank, stream);
  return member &&
         task_set_->communicators()[member->communicator].kind != Communicator::Kind::kPipeline;
}

std::vector<ReductionGroup> TaskProgram::groups() const {
  std::vector<ReductionGroup> all;
  for (std::uint32_t c = 0; c < task_set_->communicators().size(); ++c) {
    const Communicator& communicator = task_set_->communicators()[c];
    const std::uint32_t stream = plan_.number_of(StreamOf::communicator(c));
    for (const CallClass& calls : plan_.classes(c)) {
      const std::uint32_t first = plan_.first_lane(stream) + calls.first_lane;
      for (RankGroup& group : calls_[calls.calls.front()]->schedule().groups()) {
        for (std::uint32_t& rank : group) rank = communicator.ranks[rank];
        all.push_back({std::move(group), first, first + calls.lanes});
      }
    }
  }
  return all;
}

InNetworkWork TaskProgram::in_network_work(LanePlace place) const {
  const Use use = use_of(place);
  if (use.calls == nullptr || use.lane >= use.example->lanes()) return {};
  return use.example->schedule().in_network_work(use.lane);
}

std::vector<std::uint32_t> TaskProgram::send_peers(LanePlace place) const {
  const Use use = use_of(place);
  if (use.calls == nullptr) return {};
  std::vector<std::uint32_t> peers;
  for (const std::uint32_t call : use.calls->calls) {
    if (use.lane >= calls_[call]->lanes()) continue;
    for (const std::uint32_t peer : calls_[call]->schedule().send_peers(use.member, use.lane)) {
      peers.push_back(use.communicator->ranks[peer]);
    }
  }
  std::ranges::sort(peers);
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

std::unique_ptr<StepSource> TaskProgram::steps(LanePlace place) const {
  return std::make_unique<Source>(*this, place);
}

std::unique_ptr<StepSource> TaskProgram::delegated_steps(LanePlace place) const {
  const std::uint32_t stream = plan_.stream_of_lane(place.lane);
  const bool is_last = place.lane + 1 == plan_.first_lane(stream) + lanes_of(place.rank, stream);
  return is_last ? steps(place) : std::make_unique<Source>(idle_stream());
}

void TaskProgram::for_each_send(std::uint32_t rank,
                                const std::function<void(const SendCount&)>& visit) const {
  for (const auto& [number, count] : call_counts(rank)) {
    for_each_send_of_call(number, rank, count, visit);
  }
}

void TaskProgram::for_each_send_of_call(std::uint32_t number, std::uint32_t rank,
                                        std::int64_t times,
                                        const std::function<void(const SendCount&)>& visit) const {
  const std::uint32_t stream =
      plan_.number_of(StreamOf::communicator(task_set_->calls()[number].communicator));
  const LanePlan::Member member = plan_.member(rank, stream).value();
  const std::uint32_t first = plan_.first_lane_of_call(number);
  for (std::uint32_t lane = first; lane < first + calls_[number]->lanes(); ++lane) {
    StepStream steps = call_steps(number, member, lane);
    for (Step step; steps.next(step);) {
      if (step.sends()) visit({plan_.first_lane(stream) + lane, step, times});
    }
  }
}

StepStream TaskProgram::stream(LanePlace place, bool& omits) const {
  const std::uint32_t number = plan_.stream_of_lane(place.lane);
  if (number == 0) return compute_stream(place.rank);
  const auto member = plan_.member(place.rank, number);
  const std::uint32_t lane = place.lane - plan_.first_lane(number);
  if (!member || lane >= plan_.lanes_of(member->communicator)) return idle_stream();
  return communicator_stream(place.rank, *member, lane, omits);
}

StepStream TaskProgram::idle_stream() const {
  for (std::uint32_t i = 0; i < iterations(); ++i) {
    co_yield Step::begin(i);
    co_yield Step::end(i);
  }
}

StepStream TaskProgram::compute_stream(std::uint32_t rank) const {
  for (std::uint32_t i = 0; i < iterations(); ++i) {
    co_yield Step::begin(i);
    std::int64_t number = 0;
    TaskStream tasks = task_set_->tasks(rank, StreamOf::compute(), i);
    for (Task task; tasks.next(task); ++number) {
      for (const Dependency& d : task.after) {
        co_yield Step::after(plan_.number_of(d.stream), d.count);
      }
      co_yield Step::start(0, number);
      if (task.time > Picoseconds(0)) {
        Step compute = Step::delay(task.time, Step::Work::kCompute);
        compute.block = task.label;
        co_yield compute;
      }
      co_yield Step::finish(0, number);
    }
    co_yield Step::end(i);
  }
}

StepStream TaskProgram::communicator_stream(std::uint32_t rank, LanePlan::Member member,
                                            std::uint32_t lane, bool& omits) const {
  const StreamOf stream = StreamOf::communicator(member.communicator);
  const std::uint32_t number = plan_.number_of(stream);
  for (std::uint32_t i = 0; i < iterations(); ++i) {
    co_yield Step::begin(i);
    std::int64_t count = 0;
    TaskStream tasks = task_set_->tasks(rank, stream, i);
    for (Task task; tasks.next(task); ++count) {
      for (const Dependency& d : task.after) {
        co_yield Step::after(plan_.number_of(d.stream), d.count);
      }
      co_yield Step::start(number, count, task.call);
      if (!std::exchange(omits, false)) {
        StepStream steps = call_steps(task.call, member, lane);
        for (Step step; steps.next(step);) co_yield step;
      }
      co_yield Step::finish(number, count);
    }
    co_yield Step::end(i);
  }
}

StepStream TaskProgram::call_steps(std::uint32_t number, LanePlan::Member member,
                                   std::uint32_t lane) const {
  const CollectiveCall& call = *calls_[number];
  const std::uint32_t first = plan_.first_lane_of_call(number);
  WEFT_CHECK(task_set_->calls()[number].communicator == member.communicator,
             "a stream makes calls of its communicator");
  if (lane < first || lane >= first + call.lanes()) co_return;
  const std::vector<std::uint32_t>& ranks = task_set_->communicators()[member.communicator].ranks;
  const std::uint32_t first_lane =
      plan_.first_lane(plan_.number_of(StreamOf::communicator(member.communicator))) + first;
  StepStream steps = call.steps(member.rank, lane - first);
  for (Step step; steps.next(step);) {
    switch (step.kind) {
      case Step::Kind::kSend:
      case Step::Kind::kReceive:
      case Step::Kind::kControlEvent:
      case Step::Kind::kContribute:
      case Step::Kind::kReceiveMulticast:
        step.peer = ranks[step.peer];
        break;
      case Step::Kind::kNotify:
        step.peer += first_lane;
        break;
      default:
        break;
    }
    co_yield step;
  }
  if (setting_.has_acknowledgements && task_set_->calls()[number].is_until_acknowledged) {
    co_yield Step::flush();
  }
}

}  // namespace weft::collectives
