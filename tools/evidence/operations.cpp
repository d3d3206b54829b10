#include "tools/evidence/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace weft::evidence {
namespace {

using enum BusFactor;

constexpr std::array<OperationFacts, 9> kOperations{
    {{"all-reduce", "all_reduce_perf", "AllReduce", kTwice, true, false},
     {"all-gather", "all_gather_perf", "AllGather", kPart, false, false},
     {"reduce-scatter", "reduce_scatter_perf", "ReduceScatter", kPart, true, false},
     {"all-to-all", "alltoall_perf", "AlltoAll", kPart, false, false},
     {"broadcast", "broadcast_perf", "Broadcast", kOne, false, true},
     {"send-recv", "sendrecv_perf", "SendRecv", kOne, false, false},
     {"gather", "gather_perf", "Gather", kPart, false, true},
     {"scatter", "scatter_perf", "Scatter", kPart, false, true},
     {"reduce", "reduce_perf", "Reduce", kOne, true, true}}};

/// Of NVIDIA/nccl-tests, src/common.cu (test_typenames), of all tags, and of RCCL's.
constexpr std::array<TypeFacts, 16> kTypes{{{"int8", 1},
                                            {"uint8", 1},
                                            {"int32", 4},
                                            {"uint32", 4},
                                            {"int64", 8},
                                            {"uint64", 8},
                                            {"half", 2},
                                            {"float", 4},
                                            {"double", 8},
                                            {"bfloat16", 2},
                                            {"f8e4m3", 1},
                                            {"f8e5m2", 1},
                                            {"fp8_e4m3", 1},
                                            {"fp8_e5m2", 1},
                                            {"char", 1},
                                            {"int", 4}}};

using Alias = std::pair<std::string_view, std::string_view>;

/// c10d's names of collectives, of flight recorder and profiler, without underscores.
constexpr std::array<Alias, 22> kTorchOperations{
    {{"allreduce", "all-reduce"},
     {"allreducecoalesced", "all-reduce"},
     {"allgather", "all-gather"},
     {"allgatherbase", "all-gather"},
     {"allgatherinto", "all-gather"},
     {"allgatherintotensor", "all-gather"},
     {"allgatherintotensorcoalesced", "all-gather"},
     {"allgathercoalesced", "all-gather"},
     {"reducescatter", "reduce-scatter"},
     {"reducescatterbase", "reduce-scatter"},
     {"reducescattertensor", "reduce-scatter"},
     {"reducescattertensorcoalesced", "reduce-scatter"},
     {"alltoall", "all-to-all"},
     {"alltoallbase", "all-to-all"},
     {"alltoallv", "all-to-all"},
     {"broadcast", "broadcast"},
     {"broadcastoop", "broadcast"},
     {"reduce", "reduce"},
     {"gather", "gather"},
     {"scatter", "scatter"},
     {"send", "send-recv"},
     {"recv", "send-recv"}}};

constexpr std::array<Alias, 13> kTorchTypes{{{"Float", "float"},
                                             {"Half", "half"},
                                             {"BFloat16", "bfloat16"},
                                             {"Double", "double"},
                                             {"Char", "int8"},
                                             {"Byte", "uint8"},
                                             {"Bool", "uint8"},
                                             {"Int", "int32"},
                                             {"Long", "int64"},
                                             {"Float8_e4m3fn", "f8e4m3"},
                                             {"Float8_e4m3fnuz", "f8e4m3"},
                                             {"Float8_e5m2", "f8e5m2"},
                                             {"Float8_e5m2fnuz", "f8e5m2"}}};

template <class Facts, std::size_t kCount>
const Facts* find_in(const std::array<Facts, kCount>& all, std::string_view Facts::*member,
                     std::string_view name) {
  const auto found = std::ranges::find(all, name, member);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

double OperationFacts::bus_factor(double ranks) const {
  if (factor == kOne) return 1;
  return (factor == kTwice ? 2 : 1) * (ranks - 1) / ranks;
}

std::span<const OperationFacts> operations() { return kOperations; }

const OperationFacts* find_operation(std::string_view name) {
  return find_in(kOperations, &OperationFacts::name, name);
}

const OperationFacts* find_nccl_operation(std::string_view name) {
  if (name == "Send" || name == "Recv") return find_operation("send-recv");
  if (name == "AllToAll") return find_operation("all-to-all");
  return find_in(kOperations, &OperationFacts::nccl, name);
}

const OperationFacts* find_torch_operation(std::string_view name) {
  std::string bare;
  for (const char c : name) {
    if (c != '_') bare += c;
  }
  const Alias* alias = find_in(kTorchOperations, &Alias::first, bare);
  return alias == nullptr ? nullptr : find_operation(alias->second);
}

const TypeFacts* find_type(std::string_view name) {
  return find_in(kTypes, &TypeFacts::name, name);
}

const TypeFacts* find_nccl_type(std::uint64_t number) {
  constexpr std::array<std::string_view, 12> kNames{"int8",   "uint8",    "int32",  "uint32",
                                                    "int64",  "uint64",   "half",   "float",
                                                    "double", "bfloat16", "f8e4m3", "f8e5m2"};
  return number < kNames.size() ? find_type(kNames[number]) : nullptr;
}

const TypeFacts* find_torch_type(std::string_view name) {
  if (name.starts_with("c10::")) name.remove_prefix(5);
  const Alias* alias = find_in(kTorchTypes, &Alias::first, name);
  return alias == nullptr ? nullptr : find_type(alias->second);
}

std::string nccl_version_text(std::uint64_t number) {
  if (number == 0) return {};
  // 2.9 and later have two digits of the minor version, NCCL's nccl.h.
  const std::uint64_t major = number >= 10000 ? number / 10000 : number / 1000;
  const std::uint64_t rest = number >= 10000 ? number % 10000 : number % 1000;
  return fmt::format("{}.{}.{}", major, rest / 100, rest % 100);
}

}  // namespace weft::evidence
