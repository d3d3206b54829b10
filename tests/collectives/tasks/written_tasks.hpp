#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "collectives/tasks/task_program.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {

/// Parts written down task by task.
class WrittenTasks final : public collectives::TaskSet {
 public:
  struct Written {
    Picoseconds time;
    std::uint32_t call = 0;
    std::vector<collectives::Dependency> after;
  };

  std::vector<collectives::Communicator> groups;
  std::vector<collectives::CommunicatorCall> made_calls;
  std::uint32_t repetitions = 1;
  std::map<std::pair<std::uint32_t, collectives::StreamOf>, std::vector<Written>> written;

  std::uint32_t add_communicator(std::string name, std::vector<std::uint32_t> ranks) {
    groups.push_back({std::move(name), collectives::Communicator::Kind::kOther, std::move(ranks)});
    return static_cast<std::uint32_t>(groups.size() - 1);
  }
  std::uint32_t add_call(std::uint32_t communicator, collectives::CollectiveSpec spec) {
    made_calls.push_back({communicator, std::move(spec), "call"});
    return static_cast<std::uint32_t>(made_calls.size() - 1);
  }
  void compute(std::uint32_t rank, Picoseconds time,
               std::vector<collectives::Dependency> after = {}) {
    written[{rank, collectives::StreamOf::compute()}].push_back({time, 0, std::move(after)});
  }
  /// All members make the call after the same tasks.
  void call(std::uint32_t number, const std::vector<collectives::Dependency>& after = {}) {
    const std::uint32_t communicator = made_calls[number].communicator;
    for (const std::uint32_t rank : groups[communicator].ranks) {
      written[{rank, collectives::StreamOf::communicator(communicator)}].push_back(
          {{}, number, after});
    }
  }

  [[nodiscard]] std::span<const collectives::Communicator> communicators() const override {
    return groups;
  }
  [[nodiscard]] std::span<const collectives::CommunicatorCall> calls() const override {
    return made_calls;
  }
  [[nodiscard]] std::uint32_t iterations() const override { return repetitions; }
  [[nodiscard]] collectives::TaskStream tasks(std::uint32_t rank, collectives::StreamOf stream,
                                              std::uint32_t) const override {
    const auto found = written.find({rank, stream});
    if (found == written.end()) co_return;
    for (const Written& w : found->second) {
      co_yield collectives::Task{w.time, w.call, w.after};
    }
  }
};

[[nodiscard]] inline collectives::Dependency after_compute(std::int64_t count) {
  return {collectives::StreamOf::compute(), count};
}
[[nodiscard]] inline collectives::Dependency after_calls(std::uint32_t communicator,
                                                         std::int64_t count) {
  return {collectives::StreamOf::communicator(communicator), count};
}

[[nodiscard]] inline collectives::Workload workload_of(std::unique_ptr<const WrittenTasks> parts,
                                                       std::uint32_t ranks,
                                                       const collectives::RankLayout& layout = {}) {
  collectives::ProgramSetting setting;
  setting.ranks = ranks;
  auto program = collectives::TaskProgram::make(setting, std::move(parts), layout).value();
  collectives::Workload workload;
  EXPECT_TRUE(workload.add_job("job", {}, hosts(ranks), std::move(program), true).empty());
  return workload;
}

}  // namespace weft::testing
