#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/memo/gpu_sets.hpp"
#include "collectives/runtime/call_oracle.hpp"
#include "collectives/runtime/workload.hpp"
#include "scenarios/zero_load/call_alone.hpp"
#include "simcore/messages/zero_load_network.hpp"

namespace weft::scenarios {

/// Calls of communicators inside domains on a network without contention, where calls have nothing
/// to do with each other: ranks that begin one alike end it alike, so that it is run once. Of
/// communicators that only make calls which no rank ends before all have begun them.
class ZeroLoadCalls final : public collectives::CallOracle {
 public:
  /// All arguments must outlive it. `delay_of`: of messages of the workload; GPU sets of a kind
  /// have the same.
  ZeroLoadCalls(const collectives::Workload& workload, const collectives::GpuSets& gpu_sets,
                ZeroLoadNetwork::DelayOf delay_of, Picoseconds control_latency);

  [[nodiscard]] bool takes(ProcessId process, std::uint32_t stream) const override {
    return place_of(process, stream) != nullptr;
  }
  std::span<const End> begin(ProcessId process, std::uint32_t stream, std::uint32_t call,
                             Picoseconds now) override;

 private:
  struct Caller {
    std::uint32_t job = 0;
    std::uint32_t kind = 0;
    std::vector<ProcessId> members;
    CallAlone::Times begins;  ///< of the call that not all have begun yet, by member
    std::uint32_t begun = 0;  ///< this many have
  };
  /// A process in a stream.
  struct Place {
    std::uint32_t stream = 0;
    std::uint32_t caller = 0;
    std::uint32_t member = 0;
  };
  void add(const collectives::GpuSet& gpu_set, std::uint32_t communicator, std::uint32_t kind);
  [[nodiscard]] const Place* place_of(ProcessId process, std::uint32_t stream) const;

  const collectives::Workload& workload_;
  const ZeroLoadNetwork::DelayOf delay_of_;
  const Picoseconds control_latency_;
  /// By job and call of its program: the number among those of its communicator.
  std::vector<std::vector<std::uint32_t>> number_of_call_;
  std::vector<std::unique_ptr<CallAlone>> kinds_;  ///< of communicators that behave alike
  std::vector<Caller> callers_;
  std::vector<std::vector<Place>> places_;  ///< by process
  std::vector<End> ends_;
};

}  // namespace weft::scenarios
