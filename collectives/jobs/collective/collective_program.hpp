#pragma once

#include <memory>
#include <vector>

#include "collectives/algorithms/schedule.hpp"
#include "collectives/jobs/collective/collective_schema.hpp"
#include "collectives/jobs/job_type.hpp"
#include "collectives/spec/collective_spec.hpp"

namespace weft::collectives {

/// A schedule run a number of times, with what it costs: launches, protocol, reductions, copies,
/// and the delays of stragglers. An iteration of a rank computes, is delayed, launches, and runs
/// the schedule; the next one begins when all lanes of the rank are through.
class CollectiveProgram final : public JobProgram {
 public:
  using Spec = CollectiveSpec;
  static constexpr bool kIsOpenLoop = false;
  [[nodiscard]] static const char* type_name(const Spec& spec) { return name_of(spec.operation); }
  [[nodiscard]] static schema::Object<Spec> schema_of(const Spec& spec) {
    return collective_schema(spec.operation);
  }
  static void check(const Spec& spec, std::uint32_t ranks, Problems& problems);
  [[nodiscard]] static std::uint64_t most_connections(const Spec& spec, std::uint32_t ranks);
  [[nodiscard]] static SendBound bound(const Spec& spec, const BoundSetting& setting);

  /// The specification's algorithm must be one that does not choose, and not refused.
  CollectiveProgram(ProgramSetting setting, CollectiveSpec spec, const RankLayout& layout);

  [[nodiscard]] const Schedule& schedule() const { return *schedule_; }
  [[nodiscard]] const CollectiveSpec& spec() const { return spec_; }

  [[nodiscard]] std::uint32_t lanes() const override { return schedule_->lanes(); }
  [[nodiscard]] bool needs_acknowledgements() const override { return window() > 0; }
  [[nodiscard]] std::uint32_t iterations() const override { return spec_.iterations; }
  [[nodiscard]] Bytes wire_size(Bytes size) const override;
  [[nodiscard]] Picoseconds receive_latency(std::uint32_t from, std::uint32_t to) const override;
  [[nodiscard]] std::uint32_t window() const override { return spec_.execution.in_flight; }
  [[nodiscard]] std::vector<RankGroup> groups() const override { return schedule_->groups(); }
  [[nodiscard]] ChipWork chip_work(std::uint32_t lane) const override {
    return schedule_->chip_work(lane);
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override {
    return schedule_->send_peers(rank, lane);
  }
  [[nodiscard]] std::unique_ptr<StepSource> steps(std::uint32_t rank,
                                                  std::uint32_t lane) const override;

 private:
  class Source;
  struct Slowness {
    Picoseconds late;
    double compute = 1;
    double reduce = 1;
  };
  void slow_down(const Straggler& straggler);
  [[nodiscard]] StepStream stream(std::uint32_t rank, std::uint32_t lane) const;
  /// Inside a scale-up domain.
  [[nodiscard]] Picoseconds step_latency() const;
  /// After a message has come: adding it up, or moving it to its place.
  [[nodiscard]] Picoseconds handling_time(const Step& received, double factor) const;
  /// What a channel's part takes of a rate that the channels share evenly.
  [[nodiscard]] Picoseconds shared_time(Bytes bytes, BitsPerSecond rate) const;
  /// What a serial channel takes at least to move the data of a message.
  [[nodiscard]] Picoseconds transfer_time(const Step& sent) const;

  ProgramSetting setting_;
  CollectiveSpec spec_;
  std::unique_ptr<const Schedule> schedule_;
  std::vector<Slowness> slowness_;  ///< by rank; empty: none is a straggler
};

}  // namespace weft::collectives
