#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/runtime/executor.hpp"
#include "collectives/runtime/workload.hpp"
#include "collectives/steps/step_list.hpp"
#include "simcore/messages/zero_load_network.hpp"

/// Jobs on the ideal network, with the delays that closed forms are written in.
namespace weft::testing {

inline constexpr Picoseconds kAlpha = 3_us;      ///< of every message
inline constexpr Picoseconds kBack = 1_us;       ///< of every acknowledgement
inline constexpr Picoseconds kControl = 700_ns;  ///< of every control event
inline constexpr BitsPerSecond kRate = 8_Gbps;   ///< 1 ns per byte

/// The time of a message: latency plus serialisation.
inline Picoseconds message_time(Bytes size) { return kAlpha + transmission_time(size, kRate); }

inline std::vector<HostId> hosts(std::int64_t n) {
  std::vector<HostId> hosts;
  for (std::int64_t i = 0; i < n; ++i) hosts.emplace_back(static_cast<std::size_t>(i));
  return hosts;
}

inline collectives::JobDescription job(std::int64_t ranks, collectives::JobKind kind,
                                       Picoseconds start = {}) {
  return {"job", start, hosts(ranks), std::move(kind), {}, {}};
}

inline collectives::CollectiveSpec collective(collectives::Operation operation,
                                              collectives::Algorithm algorithm, Bytes size,
                                              std::uint32_t iterations = 1) {
  collectives::CollectiveSpec spec;
  spec.operation = operation;
  spec.algorithm = algorithm;
  spec.size = size;
  spec.iterations = iterations;
  return spec;
}

inline collectives::CollectiveSpec all_reduce(Bytes size, std::uint32_t iterations = 1) {
  return collective(collectives::Operation::kAllReduce, collectives::Algorithm::kRing, size,
                    iterations);
}

inline collectives::CollectiveSpec all_to_all(Bytes size, std::uint32_t iterations = 1) {
  return collective(collectives::Operation::kAllToAll, collectives::Algorithm::kPairwise, size,
                    iterations);
}

/// All hosts have links of `kRate`.
inline collectives::Workload build(const std::vector<collectives::JobDescription>& jobs,
                                   std::uint64_t seed = 1, bool has_acknowledgements = true) {
  const std::vector<BitsPerSecond> rates(4096, kRate);
  std::vector<collectives::JobDescription> all = jobs;
  for (collectives::JobDescription& job : all) job.has_acknowledgements = has_acknowledgements;
  return collectives::build_workload(all, {seed, rates}).value();
}

/// One run of a workload; `until` cuts it short.
class ZeroLoadRun {
 public:
  explicit ZeroLoadRun(collectives::Workload workload, bool has_acknowledgements = true,
                       std::optional<Picoseconds> until = {})
      : workload_(std::move(workload)), executor_(workload_) {
    const auto delay = [&](ConnectionId, Bytes size) {
      ++posted_;
      const Picoseconds delivered = message_time(size);
      ZeroLoadNetwork::Delay result{delivered, std::nullopt};
      if (has_acknowledgements) result.acknowledged = delivered + kBack;
      return result;
    };
    ZeroLoadNetwork network(workload_.process_hosts().size(), workload_.connections(), delay,
                            kControl);
    last_event_ = network.run(executor_, until);
  }
  ZeroLoadRun(const ZeroLoadRun&) = delete;
  ZeroLoadRun& operator=(const ZeroLoadRun&) = delete;

  [[nodiscard]] const collectives::Workload& workload() const { return workload_; }
  [[nodiscard]] const collectives::Executor& executor() const { return executor_; }
  [[nodiscard]] collectives::JobOutcome outcome(std::uint32_t number = 0) const {
    return executor_.outcome(number);
  }
  [[nodiscard]] std::int64_t posted() const { return posted_; }
  [[nodiscard]] Picoseconds last_event() const { return last_event_; }

 private:
  collectives::Workload workload_;
  collectives::Executor executor_;
  std::int64_t posted_ = 0;
  Picoseconds last_event_;
};

/// All steps of one lane.
inline std::vector<collectives::Step> steps_of(const collectives::JobProgram& program,
                                               std::uint32_t rank, std::uint32_t lane = 0) {
  std::vector<collectives::Step> steps;
  const auto source = program.steps({rank, lane});
  for (collectives::Step step; source->next(step);) steps.push_back(step);
  return steps;
}

/// A program written down step by step: [rank][lane].
class WrittenProgram final : public collectives::JobProgram {
 public:
  using Steps = std::vector<std::vector<std::vector<collectives::Step>>>;
  explicit WrittenProgram(Steps steps) : steps_(std::move(steps)) {}

  [[nodiscard]] std::uint32_t lanes() const override {
    return static_cast<std::uint32_t>(steps_[0].size());
  }
  [[nodiscard]] bool needs_acknowledgements() const override {
    for (const auto& rank : steps_) {
      for (const auto& lane : rank) {
        for (const auto& step : lane) {
          if (step.kind == collectives::Step::Kind::kFlush) return true;
        }
      }
    }
    return false;
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(collectives::LanePlace place) const override {
    std::vector<std::uint32_t> peers;
    for (std::uint32_t peer = 0; peer < steps_.size(); ++peer) {
      for (const auto& step : steps_[place.rank][place.lane]) {
        if (step.kind != collectives::Step::Kind::kSend || step.peer != peer) continue;
        peers.push_back(peer);
        break;
      }
    }
    return peers;
  }
  [[nodiscard]] std::unique_ptr<collectives::StepSource> steps(
      collectives::LanePlace place) const override {
    return std::make_unique<collectives::StepList>(steps_[place.rank][place.lane]);
  }

 private:
  Steps steps_;
};

inline collectives::Workload written(WrittenProgram::Steps steps, Picoseconds start = {}) {
  collectives::Workload workload;
  const auto ranks = hosts(static_cast<std::int64_t>(steps.size()));
  const Errors errors = workload.add_job("written", start, ranks,
                                         std::make_unique<WrittenProgram>(std::move(steps)), true);
  EXPECT_TRUE(errors.empty());
  return workload;
}

}  // namespace weft::testing
