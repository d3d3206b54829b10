#include "collectives/jobs/training/training.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "collectives/jobs/collective/collective_bounds.hpp"
#include "collectives/jobs/training/training_calls.hpp"
#include "collectives/jobs/training/training_schema.hpp"
#include "collectives/jobs/training/training_tasks.hpp"
#include "collectives/tasks/task_program.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/config_json.hpp"
#include "collectives/training/model/model_schema.hpp"
#include "collectives/training/plan/expert_domains.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/token_copies.hpp"
#include "collectives/training/spec/frameworks.hpp"

namespace weft::collectives {

namespace {

/// Tasks of all ranks in all iterations: each takes a moment, in ideal times too.
constexpr double kMaxTrainingTasks = 1e10;

TrainingSpec completed_training(TrainingSpec spec) {
  spec.model = completed(spec.model);
  return spec;
}

/// What all ranks send, of which those of a pipeline stage are alike.
class TrainingBound {
 public:
  TrainingBound(const TrainingPlan& plan, std::uint32_t domain_size)
      : plan_(plan), domain_size_(domain_size) {}

  void add_stage(const CallCounts& calls) {
    for (const auto& [call, count] : calls) add(call, static_cast<double>(count));
  }
  [[nodiscard]] SendBound sum() const { return sum_; }

 private:
  void add(std::uint32_t number, double count) {
    const CommunicatorCall& call = plan_.groups.calls()[number];
    const auto members =
        static_cast<std::uint32_t>(plan_.groups.communicators()[call.communicator].ranks.size());
    const MessageBound max = max_messages(call.spec, members, domain_size_);
    const double per_rank = max.messages / members;
    sum_.messages += count * per_rank * plan_.grid.stage_ranks();
    if (seen_.insert(number).second) sum_.at_once += per_rank * plan_.grid.stage_ranks();
    SendBound& own = of_communicator_[call.communicator];
    own.connection_messages += count * per_rank / std::max(1U, call.spec.execution.channels);
    own.connection_bytes += count * max.bytes;
    sum_.connection_messages = std::max(sum_.connection_messages, own.connection_messages);
    sum_.connection_bytes = std::max(sum_.connection_bytes, own.connection_bytes);
  }

  const TrainingPlan& plan_;
  std::uint32_t domain_size_;
  std::set<std::uint32_t> seen_;
  std::map<std::uint32_t, SendBound> of_communicator_;
  SendBound sum_;
};

}  // namespace

schema::Object<TrainingSpec> Training::schema() { return training_schema(); }

namespace {

void read_model(TrainingSpec& spec, JobFiles& files) {
  if (spec.model.config.empty()) return;
  const std::optional<JobFiles::File> file = files.read("model.config", spec.model.config);
  if (!file) return;
  auto read = parse_model_config(file->text, file->path);
  if (!read.ok()) return files.fail(read.errors());
  ModelSpec model = std::move(read).value();
  const std::string source = "`" + file->path + "`, SHA-256 " + file->sha256;
  const schema::Object<ModelSpec> keys = model_schema();
  for (const schema::Field& field : keys.any().fields) {
    const std::string key = "model." + field.key;
    if (field.key == "preset" || field.key == "config") continue;
    if (files.is_given(key)) {
      field.set(&model, field.get(&spec.model));
    } else {
      files.note(key, source);
    }
  }
  spec.model = std::move(model);
}

/// Takes what a framework chooses into `to`, key by key, unless the scenario says otherwise.
void take_choices(const schema::AnyObject& keys, void* to, const void* chosen,
                  const std::string& path, const std::string& source, JobFiles& files) {
  for (const schema::Field& field : keys.fields) {
    const std::string key = path.empty() ? field.key : path + "." + field.key;
    if (field.kind == schema::Kind::kObject) {
      const void* from = field.view(chosen);
      if (from == nullptr || field.view(to) == nullptr) continue;
      take_choices(*field.object, field.open(to), from, key, source, files);
      continue;
    }
    if (!field.is_scalar()) continue;
    const std::optional<schema::Scalar> value = field.get(chosen);
    if (value == field.get(to) || files.is_given(key)) continue;
    field.set(to, value);
    files.note(key, source);
  }
}

void read_framework(TrainingSpec& spec, JobFiles& files) {
  const FrameworkChoices* framework = find_framework(spec.framework);
  if (framework == nullptr) return;
  TrainingSpec chosen = spec;
  framework->choose(chosen);
  const std::string source = "framework " + std::string(framework->name) + ": " + framework->source;
  const schema::Object<TrainingSpec> keys = training_schema();
  take_choices(keys.any(), &spec, &chosen, {}, source, files);
  const char* const modules = "recomputed_modules";
  if (files.is_given(modules) || chosen.recomputed_modules == spec.recomputed_modules) return;
  spec.recomputed_modules = chosen.recomputed_modules;
  if (spec.recomputation == Recomputation::kSelective) files.note(modules, source);
}

}  // namespace

void Training::read_files(Spec& spec, JobFiles& files) {
  read_model(spec, files);
  read_framework(spec, files);
}

void Training::check(const Spec& given, std::uint32_t ranks, Problems& problems) {
  if (!given.model.config.empty()) return;  // it could not be read
  const std::size_t before = problems.size();
  const TrainingSpec spec = completed_training(given);
  for (schema::Problem& problem : contradictions(spec.model)) {
    problems.push_back({"model." + problem.key, std::move(problem.message)});
  }
  if (problems.size() > before) return;
  check_plan(spec, ranks, problems);
  check_noise_specs(spec.noise, ranks, problems);
  if (problems.size() > before) return;
  const bool has_levels = spec.experts.exchange == ExpertSpec::Exchange::kHighThroughput;
  const double layers = 4.0 * spec.model.layers / spec.parallelism.pipeline *
                        std::max(1U, spec.overlap.tensor ? spec.overlap.tensor_chunks : 1U) *
                        spec.parallelism.context * pass_parts(spec.overlap) *
                        (has_levels ? spec.experts.chunks : 1U);
  const double tasks = layers * micro_batches_of(spec) * ranks * spec.iterations;
  if (tasks > kMaxTrainingTasks) {
    problems.push_back(
        {"iterations", "make about " + std::to_string(std::llround(tasks)) +
                           " tasks of all ranks with this batch; there are at most " +
                           std::to_string(std::llround(kMaxTrainingTasks))});
  }
}

RankDemand Training::rank_demand(const Spec& spec) {
  const std::uint64_t ranks = ranks_of(spec.parallelism);
  return {ranks, "parallelism", "is a plan for " + std::to_string(ranks) + " ranks"};
}

std::uint64_t Training::max_connections(const Spec& given, std::uint32_t ranks) {
  const TrainingSpec spec = completed_training(given);
  Problems problems;
  check(spec, ranks, problems);
  if (!problems.empty()) return 0;  // refused for them
  const TrainingPlan plan(spec);
  // Calls of a communicator may have connections of their own; few have.
  std::map<std::uint32_t, std::uint64_t> max;
  for (const CommunicatorCall& call : plan.groups.calls()) {
    const auto members = plan.groups.communicators()[call.communicator].ranks.size();
    std::uint64_t& own = max[call.communicator];
    own = std::max(own, collectives::max_connections(call.spec, members));
  }
  std::uint64_t sum = 0;
  for (const auto& [communicator, connections] : max) sum += connections;
  return sum;
}

namespace {

SendBound bound_of(const TrainingPlan& plan, std::uint32_t domain_size) {
  TrainingBound bound(plan, domain_size);
  for (std::uint32_t stage = 0; stage < plan.spec.parallelism.pipeline; ++stage) {
    RankPlace first;
    first.pipeline = stage;
    bound.add_stage(training_calls(plan, plan.grid.rank_at(first)));
  }
  return bound.sum();
}

}  // namespace

SendBound Training::bound(const Spec& given, const BoundSetting& setting) {
  const TrainingSpec spec = completed_training(given);
  Problems problems;
  check(spec, setting.ranks, problems);
  if (!problems.empty()) return {};
  SendBound sum = bound_of(TrainingPlan(spec), setting.domain_size);
  const std::uint32_t sharers = expert_tensor_of(spec.parallelism);
  const std::uint32_t in_domain =
      std::gcd(std::max(1U, setting.domain_size / sharers), spec.parallelism.expert);
  if (in_domain > 1 && spec.experts.exchange == ExpertSpec::Exchange::kHighThroughput) {
    const SendBound by_levels = bound_of(TrainingPlan(spec, in_domain), setting.domain_size);
    for (const auto member : {&SendBound::messages, &SendBound::at_once,
                              &SendBound::connection_messages, &SendBound::connection_bytes}) {
      sum.*member = std::max(sum.*member, by_levels.*member);
    }
  }
  sum.messages *= spec.iterations;
  sum.connection_messages *= spec.iterations;
  sum.connection_bytes *= spec.iterations;
  return sum;
}

Result<std::unique_ptr<const JobProgram>> Training::make(const ProgramSetting& setting,
                                                         const Spec& spec,
                                                         const RankLayout& layout) {
  const auto domain = expert_domain_of(spec, layout);
  if (const auto* reason = std::get_if<std::string>(&domain)) {
    return Error{.message = "is high-throughput; " + *reason, .where = {.key = "experts.exchange"}};
  }
  auto program = TaskProgram::make(
      setting, std::make_unique<const TrainingTasks>(spec, std::get<std::uint32_t>(domain)),
      layout);
  if (!program) return program.errors();
  return std::unique_ptr<const JobProgram>(std::move(program).value());
}

}  // namespace weft::collectives
