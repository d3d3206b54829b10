#include "collectives/runtime/workload.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using namespace collectives;  // NOLINT: half of the names below

std::size_t connections(const JobDescription& description) {
  return build({description}).connections().size();
}

TEST(Workload, HasOnlyTheConnectionsThatProgramsUse) {
  EXPECT_EQ(connections(job(16, all_reduce(1_MiB))), 16U);
  EXPECT_EQ(connections(job(16, all_to_all(1_KiB))), 16U * 15);
  EXPECT_EQ(connections(job(16, IncastSpec{3, 1_KiB, 1, 0_ps})), 15U);
  EXPECT_EQ(connections(job(16, PermutationSpec{1_KiB, 0_ps})), 16U);
  MessagesSpec messages;
  messages.list = {{0_ps, 0, 1, 1_B}, {1_ns, 0, 1, 2_B}, {0_ps, 1, 0, 1_B}};
  EXPECT_EQ(connections(job(16, messages)), 2U);
}

TEST(Workload, ARingOf16384RanksNeedsMemoryLinearInTheRanks) {
  EXPECT_EQ(connections(job(16'384, all_reduce(1_GiB))), 16'384U);
}

// Lists of millions of connections are not copied as jobs and second legs come: copies, and memory
// that is touched for them, took half the time of a check of 19 million.
TEST(Workload, ConnectionsOfAllJobsAndSecondLegsComeIntoOneList) {
  const std::vector jobs{job(32, all_to_all(1_KiB)), job(48, all_to_all(1_KiB))};
  WorkloadOptions options;
  options.has_relays = true;
  Workload workload = build_workload(jobs, options).value();
  const std::size_t direct = 32 * 31 + 48 * 47;
  ASSERT_EQ(workload.connections().size(), direct);
  const Connection* const list = workload.connections().data();
  const std::vector<HostId> hub{HostId(0U)};
  workload.relay(
      [&hub](HostId from, HostId to) {
        const bool is_end = from == hub[0] || to == hub[0];
        return is_end ? Workload::RelayHosts{} : Workload::RelayHosts{.hosts = hub};
      },
      1_KiB);
  ASSERT_EQ(workload.connections().size(), direct + 31 * 30 + 47 * 46);
  EXPECT_EQ(workload.connections().data(), list);
  for (std::uint32_t r = 0; r < workload.relays().size(); ++r) {
    EXPECT_EQ(workload.relay_of(workload.relays()[r].first), r);
    EXPECT_EQ(workload.relay_of(workload.relays()[r].second), r);
    EXPECT_TRUE(workload.is_second_leg(workload.relays()[r].second));
    EXPECT_FALSE(workload.is_second_leg(workload.relays()[r].first));
  }
  const Workload without = build_workload(jobs, {}).value();
  EXPECT_LE(without.connections().capacity(), direct + direct / 8);
}

TEST(Workload, FindsEveryConnectionAndNoOther) {
  const Workload workload = build({job(5, all_to_all(1_KiB)), job(7, IncastSpec{2, 1_B, 1, 0_ps})});
  std::set<std::tuple<ProcessId, ProcessId>> known;
  for (std::size_t i = 0; i < workload.connections().size(); ++i) {
    const Connection& c = workload.connections()[i];
    known.insert({c.source, c.destination});
    EXPECT_EQ(workload.find(c.source, c.destination, 0), ConnectionId(i));
    EXPECT_EQ(workload.job_of(c.source), workload.job_of(c.destination));
  }
  for (std::uint32_t a = 0; a < 12; ++a) {
    for (std::uint32_t b = 0; b < 12; ++b) {
      const bool is_known = known.contains({ProcessId(a), ProcessId(b)});
      EXPECT_EQ(!workload.find(ProcessId(a), ProcessId(b), 0).is_none(), is_known);
    }
  }
}

// What calls do besides, such as launches, copies and flushes, sends nothing.
TEST(Workload, SendsOfACollectiveAreThoseOfAllThatItDoes) {
  using Send = std::tuple<std::uint32_t, Step::Kind, std::uint32_t, std::uint32_t, std::int64_t>;
  for (const Algorithm algorithm : {Algorithm::kRing, Algorithm::kDoubleBinaryTree,
                                    Algorithm::kHalvingDoubling, Algorithm::kTwoShot}) {
    CollectiveSpec spec = all_reduce(1_MiB);
    spec.algorithm = algorithm;
    spec.iterations = 3;
    spec.execution.channels = 2;
    spec.execution.chunk = 32_KiB;
    spec.execution.launch = 5_us;
    spec.execution.copy_rate = 100_Gbps;
    spec.execution.transfer = Execution::Transfer::kSerial;
    spec.execution.channel_rate = 20_Gbps;
    const Workload workload = build({job(8, spec)});
    const JobProgram& program = *workload.jobs()[0].program;
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      std::vector<Send> counted;
      std::vector<Send> walked;
      const auto to = [](std::vector<Send>& all) {
        return [&all](const SendCount& s) {
          all.emplace_back(s.lane, s.step.kind, s.step.peer, s.step.block, s.step.bytes().count());
        };
      };
      program.for_each_send(rank, to(counted));
      program.JobProgram::for_each_send(rank, to(walked));
      EXPECT_EQ(counted, walked);
      EXPECT_FALSE(walked.empty());
    }
  }
}

TEST(Workload, FlowLabelsTellTheConnectionsOfTwoHostsApart) {
  const Workload workload =
      build({job(6, all_to_all(1_KiB)), job(6, all_reduce(1_MiB)), job(6, all_to_all(2_KiB))});
  std::set<std::tuple<HostId, HostId, std::uint32_t>> seen;
  for (const Connection& c : workload.connections()) {
    const auto& at = workload.process_hosts();
    EXPECT_TRUE(
        seen.insert({at[c.source.value()], at[c.destination.value()], c.flow_label}).second);
  }
}

TEST(Workload, RefusesAFlushWhereNothingIsAcknowledged) {
  Workload workload;
  const Errors errors =
      workload.add_job("x", 0_ps, hosts(2),
                       std::make_unique<WrittenProgram>(WrittenProgram::Steps{
                           {{Step::send(1, 1_B), Step::flush()}}, {{Step::receive(0, 1_B)}}}),
                       false);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].message.find("acknowledgements"), std::string::npos);
  EXPECT_TRUE(workload.jobs().empty());
}

TEST(Workload, NoBuiltInJobFlushesWithoutAcknowledgements) {
  OpenLoopSpec open_loop;
  open_loop.size = 1_KiB;
  open_loop.stop = 100_us;
  MessagesSpec messages;
  messages.list = {{0_ps, 0, 1, 1_B}};
  const Workload workload =
      build({job(3, IncastSpec{0, 1_B, 2, 0_ps}), job(3, PermutationSpec{1_B, 0_ps}),
             job(3, messages), job(3, open_loop), job(3, all_reduce(9_B))},
            1, false);
  for (const JobPlan& plan : workload.jobs()) {
    for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
      for (const Step& step : steps_of(*plan.program, rank)) {
        EXPECT_NE(step.kind, Step::Kind::kFlush);
      }
    }
  }
}

std::set<std::string> error_keys(const JobDescription& description) {
  const auto result = build_workload(std::vector{job(2, all_reduce(1_B)), description}, {});
  std::set<std::string> keys;
  if (result.ok()) return keys;
  for (const Error& error : result.errors()) keys.insert(error.where.key);
  return keys;
}

using Keys = std::set<std::string>;

TEST(Workload, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(error_keys(job(1, all_reduce(1_B))), Keys{"jobs[1].ranks"});
  EXPECT_EQ(error_keys(job(4, all_reduce(0_B))), Keys{"jobs[1].size"});
  EXPECT_EQ(error_keys(job(4, all_to_all(0_B))), Keys{"jobs[1].size"});
  EXPECT_EQ(error_keys(job(4, all_to_all(1_B), Picoseconds(-1))), Keys{"jobs[1].start"});
  EXPECT_EQ(error_keys(job(4, IncastSpec{4, 0_B, 0, Picoseconds(-1)})),
            (Keys{"jobs[1].receiver", "jobs[1].size", "jobs[1].rounds", "jobs[1].jitter"}));
  EXPECT_EQ(error_keys(job(4, PermutationSpec{0_B, Picoseconds(-1)})),
            (Keys{"jobs[1].size", "jobs[1].jitter"}));
  MessagesSpec messages;
  messages.list = {{0_ps, 0, 1, 1_B}, {Picoseconds(-1), 7, 7, 0_B}};
  EXPECT_EQ(error_keys(job(4, messages)), (Keys{"jobs[1].list[1].from", "jobs[1].list[1].to",
                                                "jobs[1].list[1].size", "jobs[1].list[1].start"}));
  OpenLoopSpec open_loop;
  open_loop.size = 1_B;
  open_loop.stop = 1_us;
  EXPECT_EQ(error_keys(job(4, open_loop)), Keys{"jobs[1].load"}) << "no access rates given";
  messages.list = {{0_ps, 2, 2, 1_B}};
  EXPECT_EQ(error_keys(job(4, messages)), Keys{"jobs[1].list[0].to"}) << "to itself";
  CollectiveSpec serial = collective(Operation::kAllReduce, Algorithm::kRing, 1_KiB);
  serial.execution.channels = 0;
  serial.stragglers.push_back({.ranks = {"2-5"}, .late = {}});
  EXPECT_EQ(error_keys(job(4, serial)),
            (Keys{"jobs[1].execution.channels", "jobs[1].stragglers[0].ranks"}));
  JobDescription twice = job(3, all_reduce(1_B));
  twice.ranks[2] = twice.ranks[0];
  EXPECT_EQ(error_keys(twice), Keys{"jobs[1].ranks"});
  EXPECT_EQ(error_keys(job(4, all_reduce(1_B))), Keys{});
}

using Visits = std::vector<std::tuple<ConnectionId, Bytes, double>>;

Visits transfers(const Workload& workload) {
  Visits visits;
  for_each_transfer(workload, 0, [&](ConnectionId id, Bytes size, std::int64_t count) {
    visits.emplace_back(id, size, static_cast<double>(count));
  });
  return visits;
}

/// Four ranks post 500 messages a millisecond each.
Workload open_loop_of(Picoseconds stop) {
  OpenLoopSpec spec;
  spec.size = 1_KB;  // 1 us on the link
  spec.stop = stop;
  return build({job(4, spec)});
}

TEST(LikelyTransfers, AreCountedWhereTheyAreFew) {
  for (const Workload& workload : {open_loop_of(10_ms), build({job(16, all_reduce(1_MiB))})}) {
    Visits likely;
    for_each_likely_transfer(workload, 0, [&](ConnectionId id, Bytes size, LikelyCount count) {
      likely.emplace_back(id, size, count.mean);
      EXPECT_EQ(count.mean, count.max);
    });
    EXPECT_EQ(likely, transfers(workload));
  }
}

// 1.1 million messages over 12 connections. Tolerance: five standard deviations of a Poisson count.
TEST(LikelyTransfers, AreWhatIsExpectedWhereManyAreDrawn) {
  const Workload workload = open_loop_of(550_ms);
  ASSERT_GT(workload.drawn_messages(), kMaxDrawn);
  const Visits exact = transfers(workload);
  std::size_t at = 0;
  for_each_likely_transfer(workload, 0, [&](ConnectionId id, Bytes size, LikelyCount count) {
    ASSERT_LT(at, exact.size());
    const auto& [connection, exact_size, sent] = exact[at++];
    EXPECT_EQ(id, connection);
    EXPECT_EQ(size, exact_size);
    EXPECT_NEAR(count.mean, sent, 5 * std::sqrt(count.mean));
    EXPECT_LE(sent, count.max);
  });
  EXPECT_EQ(at, exact.size());
}

}  // namespace
}  // namespace weft::testing
