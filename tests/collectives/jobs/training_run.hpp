#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/jobs/training/training.hpp"
#include "collectives/runtime/executor.hpp"
#include "collectives/runtime/workload.hpp"
#include "collectives/tasks/task_program.hpp"
#include "simcore/messages/zero_load_network.hpp"

namespace weft::testing {

/// A transformer whose sizes divide by everything that plans here divide by: 2 to 8, 3 and 24.
[[nodiscard]] inline collectives::TrainingSpec small_training() {
  collectives::TrainingSpec spec;
  spec.model.layers = 16;
  spec.model.hidden = 3072;
  spec.model.heads = 24;
  spec.model.vocabulary = 6144;
  spec.model.sequence = 768;
  // Pair by pair, so that a rank sends one message at a time; other collectives are rings.
  spec.communication.algorithm = collectives::Algorithm::kPairwise;
  // Times of a layer, so that nothing but layers takes time.
  spec.compute.layer = collectives::MeasuredLayer{4_us, 8_us, 4_us};
  spec.compute.embedding = spec.compute.output = collectives::MeasuredLayer{};
  spec.compute.optimizer = 0_us;
  spec.batch.global = 1;
  return spec;
}

/// One run of a training job alone on the ideal network.
class TrainingRun {
 public:
  /// A message of n bytes takes `latency` and the time of n bytes at `rate`; 0: none. Inside a
  /// scale-up domain of `layout` it has the rate of that.
  explicit TrainingRun(const collectives::TrainingSpec& spec, std::uint32_t ranks,
                       Picoseconds latency = {}, BitsPerSecond rate = {},
                       const collectives::RankLayout& layout = {}) {
    collectives::Problems problems;
    collectives::Training::check(spec, ranks, problems);
    for (const schema::Problem& problem : problems) ADD_FAILURE() << problem.key << problem.message;
    if (!problems.empty()) return;
    collectives::ProgramSetting setting;
    setting.ranks = ranks;
    auto program = collectives::Training::make(setting, spec, layout).value();
    std::vector<HostId> hosts;
    for (std::uint32_t i = 0; i < ranks; ++i) hosts.emplace_back(std::size_t{i});
    EXPECT_TRUE(workload_.add_job("job", {}, hosts, std::move(program), true).empty());
    executor_ = std::make_unique<collectives::Executor>(workload_);
    const auto delay = [&](ConnectionId connection, Bytes size) {
      sent_[connection.value()] += size;
      const Connection& link = workload_.connections()[connection.value()];
      const bool is_inside = !layout.domain.empty() && layout.domain[link.source.value()] ==
                                                           layout.domain[link.destination.value()];
      const BitsPerSecond own = is_inside ? layout.domain_rate : rate;
      const Picoseconds time =
          latency + (own == BitsPerSecond(0) ? Picoseconds(0) : transmission_time(size, own));
      return ZeroLoadNetwork::Delay{time, time};
    };
    ZeroLoadNetwork network(hosts.size(), workload_.connections(), delay, 1_us);
    network.run(*executor_);
  }

  [[nodiscard]] bool is_finished() const {
    return executor_ != nullptr && executor_->all_finished();
  }
  [[nodiscard]] Picoseconds end() const { return executor_->outcome(0).end; }
  [[nodiscard]] const collectives::TaskProgram& program() const {
    return static_cast<const collectives::TaskProgram&>(*workload_.jobs()[0].program);
  }
  [[nodiscard]] const collectives::Executor& executor() const { return *executor_; }
  /// What a rank sent to ranks of its scale-up domain, or to others.
  [[nodiscard]] Bytes sent(std::uint32_t rank, const collectives::RankLayout& layout,
                           bool is_inside) const {
    Bytes sum;
    for (const auto& [number, bytes] : sent_) {
      const Connection& link = workload_.connections()[number];
      if (link.source != ProcessId(rank)) continue;
      const bool stays = layout.domain[rank] == layout.domain[link.destination.value()];
      if (stays == is_inside) sum += bytes;
    }
    return sum;
  }
  /// What a rank sent in communicators of this name; links between stages are `forward` and
  /// `backward`.
  [[nodiscard]] Bytes sent(std::uint32_t rank, const std::string& name) const {
    Bytes sum;
    for (const auto& [number, bytes] : sent_) {
      const ConnectionId connection(number);
      if (workload_.connections()[number].source != ProcessId(rank)) continue;
      const std::uint32_t stream = program().stream_of(workload_.lane_of(connection));
      std::string of_stream = program().stream_name(rank, stream);
      if (const auto end = of_stream.find(" from"); end != std::string::npos) {
        of_stream.resize(end);
      }
      if (of_stream == name) sum += bytes;
    }
    return sum;
  }

 private:
  collectives::Workload workload_;
  std::unique_ptr<collectives::Executor> executor_;
  std::map<std::uint32_t, Bytes> sent_;  ///< by connection
};

}  // namespace weft::testing
