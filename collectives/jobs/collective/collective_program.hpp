#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/jobs/collective/collective_schema.hpp"
#include "collectives/jobs/job_type.hpp"
#include "collectives/spec/collective_spec.hpp"
#include "collectives/tasks/collective_call.hpp"

namespace weft::collectives {

/// A call made a number of times, and the delays of stragglers. An iteration of a rank computes, is
/// delayed, and makes the call; the next one begins when all lanes of the rank are through.
class CollectiveProgram final : public JobProgram,
                                public ComputingTimes,
                                public TransferCosts,
                                public InNetworkUse {
 public:
  using Spec = CollectiveSpec;
  static constexpr bool kIsOpenLoop = false;
  static constexpr bool kHasIterations = true;
  [[nodiscard]] static const char* type_name(const Spec& spec) { return name_of(spec.operation); }
  [[nodiscard]] static schema::Object<Spec> schema_of(const Spec& spec) {
    return collective_schema(spec.operation);
  }
  static void check(const Spec& spec, std::uint32_t ranks, Problems& problems);
  [[nodiscard]] static std::uint64_t max_connections(const Spec& spec, std::uint32_t ranks);
  [[nodiscard]] static SendBound bound(const Spec& spec, const BoundSetting& setting);

  /// The specification's algorithm must be one that does not choose, and not refused.
  CollectiveProgram(ProgramSetting setting, CollectiveSpec spec, const RankLayout& layout);

  [[nodiscard]] const Schedule& schedule() const { return call_.schedule(); }
  [[nodiscard]] const CollectiveSpec& spec() const { return call_.spec(); }

  [[nodiscard]] std::uint32_t lanes() const override { return call_.lanes(); }
  [[nodiscard]] bool needs_acknowledgements() const override { return call_.window() > 0; }
  [[nodiscard]] std::uint32_t iterations() const override { return spec().iterations; }
  [[nodiscard]] bool is_explained() const override { return true; }
  [[nodiscard]] const ComputingTimes& computing() const override { return *this; }
  [[nodiscard]] const TransferCosts& transfers() const override { return *this; }
  [[nodiscard]] const InNetworkUse& in_network() const override { return *this; }
  [[nodiscard]] Bytes wire_size(LanePlace /*place*/, Bytes size) const override {
    return call_.wire_size(size);
  }
  [[nodiscard]] Picoseconds receive_latency(LanePlace place, std::uint32_t from) const override {
    return call_.receive_latency(from, place.rank);
  }
  [[nodiscard]] std::uint32_t window(LanePlace /*place*/) const override { return call_.window(); }
  [[nodiscard]] Picoseconds computing_time(std::uint32_t rank,
                                           const Computing& computing) const override;
  [[nodiscard]] std::vector<ReductionGroup> groups() const override;
  [[nodiscard]] InNetworkWork in_network_work(LanePlace place) const override {
    return schedule().in_network_work(place.lane);
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(LanePlace place) const override {
    return schedule().send_peers(place.rank, place.lane);
  }
  [[nodiscard]] std::unique_ptr<StepSource> steps(LanePlace place) const override;
  void for_each_send(std::uint32_t rank,
                     const std::function<void(const SendCount&)>& visit) const override;

 private:
  class Source;
  struct Slowness {
    Picoseconds late;
    double compute = 1;
    double reduce = 1;
  };
  void slow_down(const Straggler& straggler);
  [[nodiscard]] Slowness slowness_of(std::uint32_t rank) const {
    return slowness_.empty() ? Slowness() : slowness_[rank];
  }
  /// What a rank computes, and is delayed by, before an iteration; its first lane waits for all.
  [[nodiscard]] std::optional<Step> delay_before(LanePlace place, std::uint32_t iteration) const;
  /// Until the host has launched the next call, where calls are back to back.
  [[nodiscard]] std::optional<Step> wait_after(LanePlace place, std::uint32_t iteration) const;
  [[nodiscard]] StepStream call_steps(LanePlace place) const;

  ProgramSetting setting_;
  CollectiveCall call_;
  std::vector<Slowness> slowness_;  ///< by rank; empty: none is a straggler
  std::vector<RankJitter> noise_;   ///< by rank; empty: none has any
};

}  // namespace weft::collectives
