#include "collectives/jobs/collective/collective_schema.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithms/list.hpp"
#include "collectives/jitter/jitter_schema.hpp"
#include "collectives/jobs/job_type.hpp"
#include "collectives/spec/buffer_window.hpp"
#include "simcore/fabric/gpu_rates.hpp"
#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"

/// The keys of collectives: one declaration for all operations.
namespace weft::collectives {
namespace {

constexpr std::uint64_t kMaxIterations = 1'000'000;
constexpr double kMaxTimes = 1e6;
constexpr const char* kByAlgorithm =
    "NCCL's and what it costs, where `algorithm: auto` or `nccl` runs on GPUs that NCCL's model "
    "knows; else costs nothing, as closed forms have it";
constexpr const char* kFreeIfPlain =
    "costs nothing, as closed forms have it; `preset: nccl` has its own";
constexpr const char* kEven = "all ranks are alike";

std::string size_doc(Operation operation) {
  switch (operation) {
    case Operation::kAllReduce:
    case Operation::kReduce:
    case Operation::kBroadcast:
      return "of the vector";
    case Operation::kAllToAll:
      return "from each rank to each other rank";
    case Operation::kSendReceive:
      return "from each rank to the next one";
    default:
      return "of all parts together; each rank has 1/n of it";
  }
}

using ExecutionPreset = schema::Preset<Execution, Execution::Preset>;

ExecutionPreset preset(Execution::Preset which, std::string name, std::string source) {
  return {which, std::move(name), std::move(source),
          [which](Execution& execution) { execution = execution_preset(which); }};
}

std::vector<schema::Enumerator<DataType>> data_type_choices() {
  return {{DataType::kFloat32, "float", "32 bits"},
          {DataType::kFloat16, "half", "16 bits"},
          {DataType::kBfloat16, "bfloat16", ""},
          {DataType::kFloat64, "double", "64 bits"},
          {DataType::kInt32, "int32", ""},
          {DataType::kInt64, "int64", ""},
          {DataType::kInt8, "int8", "NVSwitches do not add it up"},
          {DataType::kUint8, "uint8", "nor this"},
          {DataType::kFloat8, "float8", "e4m3 or e5m2; nor this"}};
}

}  // namespace

std::vector<schema::Enumerator<Algorithm>> algorithm_choices() {
  std::vector<schema::Enumerator<Algorithm>> choices;
  choices.reserve(Algorithms::kCount + kChoosers.size());
  Algorithms::for_each([&]<class A> { choices.push_back({A::kAlgorithm, A::kName, A::kDoc}); });
  for (const Chooser& chooser : kChoosers) {
    choices.push_back({chooser.algorithm, chooser.name, chooser.doc});
  }
  return choices;
}

std::vector<schema::Enumerator<std::optional<GpuGeneration>>> generation_choices() {
  return {{std::nullopt, "auto", "those of the ranks' servers; else H100"},
          {GpuGeneration::kVolta, "volta", "V100"},
          {GpuGeneration::kAmpere, "ampere", "A100"},
          {GpuGeneration::kHopper, "hopper", "H100, H200"},
          {GpuGeneration::kBlackwell, "blackwell", "B200, GB200"}};
}

/// What only the preset fills in is given with it alone.
void check_execution(const Execution& e, Problems& problems) {
  if (e.preset == Execution::Preset::kNccl) return;  // which fills in what is 0
  if (e.channels == 0) problems.push_back({"channels", "has a meaning with `preset: nccl`"});
  if (e.slices == 0) problems.push_back({"slices", "has a meaning with `preset: nccl`"});
  if (e.in_flight == kAsBuffer) {
    problems.push_back({"in_flight", "is `buffer`, which needs `preset: nccl`"});
  }
  for (const auto& [key, rate] :
       {std::pair("reduce_rate", e.reduce_rate), std::pair("copy_rate", e.copy_rate)}) {
    if (rate == kAsGpu) problems.push_back({key, "is `gpu`, which needs `preset: nccl`"});
  }
}

/// How much data takes which channel, and what channels do meanwhile.
void describe_channels(schema::Builder<Execution>& execution) {
  execution
      .field(
          "channels", &Execution::channels,
          "shares of the data that run side by side; 0, with `preset: nccl`: as many as NCCL has")
      .source("one ring")
      .range(0, kMaxChannels)
      .field("chunk", &Execution::chunk,
             "bytes per step and channel; 0: undivided, or with `preset: nccl` what NCCL takes")
      .source("undivided")
      .at_most(kMaxMessage)
      .field("slices", &Execution::slices,
             "messages per chunk, pipelined; 0, with `preset: nccl`: as many as NCCL has")
      .source("one message")
      .range(0, 1024)
      .choice(
          "transfer", &Execution::transfer,
          {{Execution::Transfer::kPosted, "posted",
            "a channel continues while slices are in flight"},
           {Execution::Transfer::kSerial, "serial",
            "a channel moves slice after slice, each after a step's latency"},
           {Execution::Transfer::kPaced, "paced",
            "a channel moves slice after slice at its rate, and does not wait for its peer"},
           {Execution::Transfer::kMachine, "machine",
            "with `preset: nccl`: rings are serial in LL and LL128, and on A100s; trees paced in "
            "LL128 and Simple; else posted"}},
          "what a channel does while a slice is in flight")
      .source(kFreeIfPlain)
      .field("channel_rate", &Execution::channel_rate,
             "data that a serial or paced channel moves; 0: no limit but its links, or NCCL's")
      .matters_if(
          [](const Execution& e) {
            return e.transfer != Execution::Transfer::kPosted ||
                   e.preset == Execution::Preset::kNccl;
          },
          "with `transfer: serial` or `paced`, or as `preset: nccl` has it")
      .source("what links and other channels leave")
      .field("network_channel_rate", &Execution::network_channel_rate,
             "the same of a paced channel, of what goes to another domain; 0: `channel_rate`, or "
             "NCCL's")
      .matters_if(
          [](const Execution& e) {
            return e.transfer == Execution::Transfer::kPaced ||
                   e.preset == Execution::Preset::kNccl;
          },
          "with `transfer: paced`, or as `preset: nccl` has it")
      .source("channel_rate")
      .field("in_flight", &Execution::in_flight,
             "messages per connection that are sent and not acknowledged; 0: any number; `buffer`, "
             "with `preset: nccl`: what NCCL's buffer of the protocol holds, 8 steps")
      .source("any number; with `preset: nccl` `buffer`")
      .special("buffer", schema::Scalar(std::uint64_t{kAsBuffer}))
      .range(0, 1024);
}

/// How a rank learns that data is there.
void describe_protocol(schema::Builder<Execution>& execution) {
  execution
      .choice("protocol", &Execution::protocol,
              {{Protocol::kNone, "none",
                "data alone, at no cost; `algorithm: nccl` and `preset: nccl` pick another"},
               {Protocol::kSimple, "simple", "data alone, ordered by fences: 2.8 us per step"},
               {Protocol::kLl128, "ll128", "120 bytes of data per 128: 1.3 us per step"},
               {Protocol::kLl, "ll", "4 bytes of data per 8"}},
              "how NCCL marks that data is there")
      .source(kFreeIfPlain)
      .field("step_latency", &Execution::step_latency,
             "from the arrival of a message until its receiver sees it")
      .source("the protocol's: NCCL 2.30, tuning.cc, what a ring's NVLink hop takes more than LL's")
      .field("network_step_latency", &Execution::network_step_latency,
             "the same of messages between scale-up domains")
      .source(
          "step_latency; with `preset: nccl` what the network hop of NCCL 2.30's tuning.cc "
          "takes longer than the fabric");
}

/// What calls, and the work of a rank on its data, cost.
void describe_calls(schema::Builder<Execution>& execution) {
  constexpr const char* kAsGpus =
      "at once; with `preset: nccl` as the ranks' GPUs (`gpu` of servers)";
  execution
      .choice("calls", &Execution::calls,
              {{std::nullopt, "auto", "back to back in `weft bench-collective`, else single"},
               {Execution::Calls::kSingle, "single",
                "each waits for its launch by the host, as after a barrier"},
               {Execution::Calls::kBackToBack, "back-to-back",
                "hosts queue them: a call takes what its launch or its kernel does, whichever is "
                "more"}},
              "how the calls of iterations follow each other")
      .matters_if(
          [](const Execution& e) {
            return e.preset != Execution::Preset::kPlain || e.launch.value_or(0_us) > 0_us;
          },
          "with a `launch`, or as `preset: nccl` has one")
      .source("single calls; nccl-tests, which `bench-collective` stands for, queues its own")
      .field("launch", &Execution::launch,
             "what hosts take per call, to which `preset: nccl` adds what its kernels do; calls "
             "back to back are at least this far apart")
      .source("nothing; with `preset: nccl` as the ranks' GPUs, and nothing back to back")
      .field("reduce_rate", &Execution::reduce_rate,
             "bytes that a rank adds; 0: at once; `gpu`, with `preset: nccl`: as its GPU")
      .source(kAsGpus)
      .special("gpu", schema::Scalar(kAsGpu.count()))
      .field("copy_rate", &Execution::copy_rate,
             "bytes that a rank puts in place; 0: at once; `gpu`, with `preset: nccl`: as its GPU")
      .source(kAsGpus)
      .special("gpu", schema::Scalar(kAsGpu.count()));
}

namespace {

schema::Object<Execution> describe_execution() {
  auto execution = schema::describe<Execution>("execution", "how a library carries the steps out");
  execution
      .presets(
          "preset", &Execution::preset,
          {preset(Execution::Preset::kAuto, "auto",
                  "`nccl` with its algorithm, chunks by cost with `algorithm: auto` elsewhere, "
                  "unless other keys are given; else `plain`"),
           preset(Execution::Preset::kPlain, "plain", "whole chunks, and nothing that costs time"),
           preset(Execution::Preset::kNccl, "nccl", "NCCL 2.30 on GPUs of `generation`")},
          "all of them at once; other keys override it")
      .source(
          "`plain` costs nothing, as closed forms have it; `auto` is `nccl` where its algorithm "
          "runs");
  describe_channels(execution);
  describe_protocol(execution);
  describe_calls(execution);
  execution.shorthand("preset").check(check_execution);
  return execution;
}

schema::Object<Straggler> straggler_schema() {
  using S = Straggler;
  return schema::describe<S>("straggler", "ranks that are slower than the others")
      .words("ranks", &S::ranks, "numbers and ranges `0-3` of ranks of the job")
      .required()
      .field("late", &S::late, "every iteration begins later by this")
      .source("in time")
      .at_most(Picoseconds(1'000'000'000'000'000))
      .field("compute", &S::compute_factor, "multiplier of computing time")
      .source(kEven)
      .within({.low = 0, .high = kMaxTimes, .includes_low = false})
      .field("reduce", &S::reduce_factor, "multiplier of the time of reductions and copies")
      .source(kEven)
      .within({.low = 0, .high = kMaxTimes, .includes_low = false})
      .compact();
}

schema::Object<Routing> draws_schema() {
  return schema::describe<Routing>("routing",
                                   "tokens that go to experts, as in a mixture of experts")
      .field("tokens", &Routing::tokens, "per rank")
      .required()
      .range(1, 1'000'000)
      .field("token_size", &Routing::token_size, "of one token")
      .required()
      .at_least(1_B)
      .at_most(Bytes(1'000'000'000))
      .field("experts_per_rank", &Routing::experts_per_rank, "experts that a rank holds")
      .source("one each")
      .range(1, 1024)
      .field("top_k", &Routing::top_k, "different experts per token")
      .source("two, as in GShard and Mixtral")
      .range(1, 64)
      .field("skew", &Routing::skew, "the i-th most popular expert has weight i^-skew; 0: uniform")
      .source("a balanced router")
      .within({.low = 0, .high = 10});
}

schema::Object<Block> block_schema() {
  return schema::describe<Block>("block", "what one rank has for another")
      .field("from", &Block::from, "rank that sends")
      .required()
      .field("to", &Block::to, "rank that receives")
      .required()
      .field("size", &Block::size, "payload")
      .required()
      .at_most(kMaxMessage);
}

void add_data(schema::Builder<CollectiveSpec>& keys, Operation operation) {
  if (operation == Operation::kBarrier) return;
  if (operation != Operation::kAllToAllV) {
    keys.field("size", &CollectiveSpec::size, size_doc(operation))
        .required()
        .at_least(1_B)
        .at_most(kMaxMessage);
    return;
  }
  keys.objects("blocks", &CollectiveSpec::blocks, block_schema(), "the blocks that are not empty")
      .source("those of the routing")
      .compact()
      .object("routing", &CollectiveSpec::routing, draws_schema(),
              "blocks as tokens that are routed to experts make them")
      .source("the blocks as given")
      .check([](const CollectiveSpec& c, Problems& problems) {
        if (c.routing && !c.blocks.empty()) {
          problems.push_back({"routing", "given together with blocks; one of them is needed"});
        } else if (!c.routing && c.blocks.empty()) {
          problems.push_back(
              {"blocks", "is missing or empty; data comes from blocks or a routing"});
        }
      });
}

void add_algorithm(schema::Builder<CollectiveSpec>& keys) {
  keys.choice("algorithm", &CollectiveSpec::algorithm, algorithm_choices(),
              "how; not every algorithm does every operation")
      .source("what runs on such GPUs, and a pipelined one elsewhere");
}

void add_data_type(schema::Builder<CollectiveSpec>& keys, Operation operation) {
  if (!reduces(operation)) return;
  keys.choice(
          "data_type", &CollectiveSpec::data_type, data_type_choices(),
          "of the elements: which algorithms can reduce them; sizes are in bytes whatever it is")
      .source("as nccl-tests")
      .only_if(
          [](const CollectiveSpec& c) {
            return c.algorithm == Algorithm::kNccl || c.algorithm == Algorithm::kAuto ||
                   c.algorithm == Algorithm::kBest || c.algorithm == Algorithm::kNvls ||
                   c.algorithm == Algorithm::kNvlsTree;
          },
          "with an algorithm that chooses, or NVLS");
}

void add_root(schema::Builder<CollectiveSpec>& keys, Operation operation) {
  if (operation == Operation::kBroadcast || operation == Operation::kReduce ||
      operation == Operation::kGather || operation == Operation::kScatter) {
    keys.field("root", &CollectiveSpec::root, "rank that has or gets it all")
        .source("the first rank");
  }
}

void add_execution(schema::Builder<CollectiveSpec>& keys) {
  keys.object("execution", &CollectiveSpec::execution, execution_schema(),
              "how a library carries the steps out")
      .source(kByAlgorithm)
      .choice("generation", &CollectiveSpec::generation, generation_choices(),
              "GPUs whose constants `algorithm: nccl` and `preset: nccl` go by")
      .source("the catalogue's scale-up parts")
      .only_if(
          [](const CollectiveSpec& c) {
            return c.algorithm == Algorithm::kNccl || c.algorithm == Algorithm::kAuto ||
                   c.execution.preset == Execution::Preset::kNccl;
          },
          "with `algorithm: nccl` or `auto`, or `execution: nccl`");
}

}  // namespace

std::string operation_doc(Operation operation) {
  switch (operation) {
    case Operation::kAllReduce:
      return "every rank ends with the sum of all vectors";
    case Operation::kAllGather:
      return "every rank ends with the parts of all";
    case Operation::kReduceScatter:
      return "every rank ends with its part of the sum of all vectors";
    case Operation::kAllToAll:
      return "every rank sends to every other";
    case Operation::kAllToAllV:
      return "every rank sends to every other, each time another size";
    case Operation::kBroadcast:
      return "every rank ends with the root's vector";
    case Operation::kReduce:
      return "the root ends with the sum of all vectors";
    case Operation::kGather:
      return "the root ends with the parts of all";
    case Operation::kScatter:
      return "every rank ends with its part of the root's vector";
    case Operation::kSendReceive:
      return "every rank sends to the next one and receives from the one before";
    case Operation::kBarrier:
      break;
  }
  return "no rank leaves before all have come";
}

schema::Object<CollectiveSpec> call_schema(Operation operation) {
  schema::Builder<CollectiveSpec> keys(name_of(operation), operation_doc(operation));
  add_data(keys, operation);
  add_algorithm(keys);
  add_data_type(keys, operation);
  add_root(keys, operation);
  add_execution(keys);
  return keys;
}

schema::Object<Execution> execution_schema() {
  // All collectives have it, and so have training and graphs: it is described once, and shared.
  static const schema::Object<Execution> execution = describe_execution();
  return execution;
}

schema::Object<CollectiveSpec> collective_schema(Operation operation) {
  schema::Builder<CollectiveSpec> keys(name_of(operation), operation_doc(operation));
  add_data(keys, operation);
  add_algorithm(keys);
  add_data_type(keys, operation);
  keys.field("iterations", &CollectiveSpec::iterations, "one after the other")
      .source("one run of the operation")
      .range(1, kMaxIterations);
  add_root(keys, operation);
  keys.field("compute", &CollectiveSpec::compute, "every rank computes before every iteration")
      .source("communication alone")
      .at_most(Picoseconds(1'000'000'000'000'000));
  add_execution(keys);
  keys.field(
          "domain_size", &CollectiveSpec::domain_size,
          "consecutive ranks that algorithms treat as a scale-up domain; 0: as the fabric has them")
      .source("as the fabric has them")
      .range(0, kMaxHosts)
      .object("jitter", &CollectiveSpec::jitter, jitter_schema(), "random delays of ranks")
      .source(kEven)
      .objects("stragglers", &CollectiveSpec::stragglers, straggler_schema(), "slow ranks")
      .source(kEven)
      .objects("noise", &CollectiveSpec::noise, noise_schema(), "ranks that compute slower")
      .source(kEven)
      .compact();
  return keys;
}

}  // namespace weft::collectives
