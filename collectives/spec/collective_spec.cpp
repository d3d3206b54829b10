#include "collectives/spec/collective_spec.hpp"

#include "collectives/spec/rank_layout.hpp"

#include <algorithm>

#include "collectives/spec/buffer_window.hpp"
#include "simcore/fabric/gpu_rates.hpp"

namespace weft::collectives {

namespace {

constexpr std::array<const char*, kOperationCount> kOperations = {
    "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "all-to-all-v", "broadcast",
    "reduce",     "gather",     "scatter",        "send-recv",  "barrier"};

}  // namespace

Execution execution_preset(Execution::Preset preset) {
  Execution execution;
  execution.preset = preset;
  if (preset != Execution::Preset::kNccl) return execution;
  execution.channels = 0;
  execution.chunk = 0_B;
  execution.slices = 0;
  execution.transfer = Execution::Transfer::kMachine;
  execution.in_flight = kAsBuffer;
  execution.reduce_rate = kAsGpu;
  execution.copy_rate = kAsGpu;
  return execution;
}

bool reduces(Operation operation) {
  return operation == Operation::kAllReduce || operation == Operation::kReduceScatter ||
         operation == Operation::kReduce;
}

bool works_in_network(const CollectiveSpec& spec, const RankLayout& layout) {
  const bool is_byte = spec.data_type == DataType::kInt8 || spec.data_type == DataType::kUint8 ||
                       spec.data_type == DataType::kFloat8;
  return layout.has_in_network_reduction && !(is_byte && reduces(spec.operation));
}

CollectiveSpec default_collective(Operation operation) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.algorithm = Algorithm::kAuto;
  spec.execution = execution_preset(Execution::Preset::kAuto);
  return spec;
}

const char* name_of(Operation operation) {
  return kOperations[static_cast<std::size_t>(operation)];
}

const char* name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::kNone:
      return "none";
    case Protocol::kSimple:
      return "simple";
    case Protocol::kLl128:
      return "ll128";
    case Protocol::kLl:
      break;
  }
  return "ll";
}

std::optional<Operation> operation_named(const std::string& name) {
  const auto found = std::ranges::find(kOperations, name);
  if (found == kOperations.end()) return {};
  return static_cast<Operation>(found - kOperations.begin());
}

std::vector<std::string> operation_names() { return {kOperations.begin(), kOperations.end()}; }

}  // namespace weft::collectives
