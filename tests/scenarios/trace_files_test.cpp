// Trace files from records as the engine gives them: in the order of time, in any order at one
// time.

#include "scenarios/output/run_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/result_writer.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/temporary_folder.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using protocols::TraceRecord;
using scenarios::CsvStream;
using scenarios::PacketTrace;
using scenarios::RateTrace;
using scenarios::ResultFolder;
using scenarios::RunFiles;
using scenarios::TraceNames;
using ::testing::HasSubstr;
using Kind = TraceRecord::Kind;

/// Two hosts with a switch between them: ports 0 h0->s, 1 s->h0, 2 s->h1, 3 h1->s.
class Traces : public ::testing::Test {
 protected:
  Traces() {
    names_.ports = {"h0->s[0]", "s[0]->h0", "s[1]->h1", "h1->s[1]"};
    names_.peers = {PortId(1u), PortId(0u), PortId(3u), PortId(2u)};
    names_.classes = {"data", "control"};
    names_.flow = [](std::uint32_t flow) {
      return TraceNames::Flow{"job,0,1,h0,h1," + std::to_string(flow), 4096_B};
    };
  }
  static TraceRecord control(std::uint32_t flow, const char* column, std::int64_t value) {
    const auto number = protocols::congestion::kAllColumns.find(column);
    return {.time = 10_us,
            .value = value,
            .subject = flow,
            .detail = static_cast<std::uint32_t>(number),
            .kind = Kind::kControl};
  }
  static TraceRecord packet(Kind kind, std::int64_t time, std::uint32_t port,
                            std::uint32_t sequence) {
    return {
        .time = Picoseconds(time), .value = 5, .subject = port, .detail = sequence, .kind = kind};
  }
  /// The rows that one writer makes of some records.
  template <class Writer>
  [[nodiscard]] std::string rows(const std::vector<TraceRecord>& records) const {
    {
      Writer writer(folder_.path() / "rows.csv", names_);
      for (const TraceRecord& record : records) writer.add(record);
      writer.finish();
      EXPECT_FALSE(writer.stream().has_failed());
    }
    const std::string text = folder_.read("rows.csv");
    return text.substr(text.find('\n') + 1);
  }

  TemporaryFolder folder_{"traces"};
  TraceNames names_;
};

TEST_F(Traces, RatesJoinTheRecordsOfOneTimeAndQueuePair) {
  // 10 packets of 4096 B in 10 us are 32.768 Gbit/s; 5 more in the next 10 us are half of it.
  const std::vector<TraceRecord> records{
      {.time = 10_us, .value = 10, .subject = 7, .kind = Kind::kProgress},
      control(3, "rate_bps", 1'000),
      control(3, "target_bps", 2'000'000),
      control(7, "alpha", 1LL << 31),
      control(7, "rate_bps", 100'000'000'000),
      control(7, "target_bps", 200'000'000'000),
      {.time = 20_us, .value = 15, .subject = 7, .kind = Kind::kProgress},
  };
  EXPECT_EQ(rows<RateTrace>(records),
            "0.000010000000,job,0,1,h0,h1,3,1000,2000000,,\n"
            "0.000010000000,job,0,1,h0,h1,7,100000000000,200000000000,0.500000000,32768000000\n"
            "0.000020000000,job,0,1,h0,h1,7,,,,16384000000\n");
}

TEST_F(Traces, GoodputAtTheStartIsUnknown) {
  EXPECT_EQ(rows<RateTrace>({{.time = {}, .value = 0, .subject = 7, .kind = Kind::kProgress}}),
            "0.000000000000,job,0,1,h0,h1,7,,,,\n");
}

TEST_F(Traces, PacketsHaveARowPerHopAsTheyArrive) {
  const std::vector<TraceRecord> records{
      packet(Kind::kPacketStarted, 0, 0, 0),
      packet(Kind::kPacketStarted, 10, 0, 1),
      packet(Kind::kPacketArrived, 20, 1, 0),
      packet(Kind::kPacketEnqueued, 20, 2, 0),
      packet(Kind::kPacketStarted, 20, 2, 0),
      packet(Kind::kPacketMarked, 30, 2, 1),  // before its enqueueing of the same moment
      packet(Kind::kPacketArrived, 30, 1, 1),
      packet(Kind::kPacketEnqueued, 30, 2, 1),
      packet(Kind::kPacketStarted, 35, 2, 1),
      packet(Kind::kPacketArrived, 40, 3, 0),
      packet(Kind::kPacketArrived, 55, 3, 1),
  };
  EXPECT_EQ(rows<PacketTrace>(records),
            "job,0,1,h0,h1,5,0,h0->s[0],data,,0.000000000000,0.000000000020,0\n"
            "job,0,1,h0,h1,5,1,h0->s[0],data,,0.000000000010,0.000000000030,0\n"
            "job,0,1,h0,h1,5,0,s[1]->h1,data,0.000000000020,0.000000000020,0.000000000040,0\n"
            "job,0,1,h0,h1,5,1,s[1]->h1,data,0.000000000030,0.000000000035,0.000000000055,1\n");
}

TEST_F(Traces, AMarkMayComeAfterTheStartOfTheSameMoment) {
  const std::vector<TraceRecord> records{
      packet(Kind::kPacketEnqueued, 5, 2, 1),
      packet(Kind::kPacketStarted, 9, 2, 1),
      packet(Kind::kPacketMarked, 9, 2, 1),
      packet(Kind::kPacketArrived, 12, 3, 1),
  };
  EXPECT_EQ(rows<PacketTrace>(records),
            "job,0,1,h0,h1,5,1,s[1]->h1,data,0.000000000005,0.000000000009,0.000000000012,1\n");
}

TEST_F(Traces, HopsThatAPacketNeverFinishedComeLast) {
  const std::vector<TraceRecord> records{
      packet(Kind::kPacketEnqueued, 5, 2, 3),  // waits forever
      packet(Kind::kPacketStarted, 4, 0, 4),   // lost on the way
      packet(Kind::kPacketStarted, 7, 0, 6),  packet(Kind::kPacketArrived, 8, 1, 6),
      packet(Kind::kPacketArrived, 9, 1, 8),  // began before the observation
  };
  EXPECT_EQ(rows<PacketTrace>(records),
            "job,0,1,h0,h1,5,6,h0->s[0],data,,0.000000000007,0.000000000008,0\n"
            "job,0,1,h0,h1,5,8,h0->s[0],data,,,0.000000000009,0\n"
            "job,0,1,h0,h1,5,4,h0->s[0],data,,0.000000000004,,0\n"
            "job,0,1,h0,h1,5,3,s[1]->h1,data,0.000000000005,,,0\n");
}

TEST_F(Traces, APacketSentAgainHasRowsOfItsOwn) {
  // The second copy waits at the switch while the first is on the wire, and starts before that
  // arrives.
  const std::vector<TraceRecord> records{
      packet(Kind::kPacketEnqueued, 1, 2, 0), packet(Kind::kPacketStarted, 2, 2, 0),
      packet(Kind::kPacketEnqueued, 3, 2, 0), packet(Kind::kPacketStarted, 6, 2, 0),
      packet(Kind::kPacketArrived, 8, 3, 0),  packet(Kind::kPacketArrived, 12, 3, 0),
  };
  EXPECT_EQ(rows<PacketTrace>(records),
            "job,0,1,h0,h1,5,0,s[1]->h1,data,0.000000000001,0.000000000002,0.000000000008,0\n"
            "job,0,1,h0,h1,5,0,s[1]->h1,data,0.000000000003,0.000000000006,0.000000000012,0\n");
}

TEST_F(Traces, OnlyWhatIsObservedHasAFile) {
  protocols::ObservationConfig observation;
  observation.queue_ports = {PortId(2u)};
  observation.mark_ports = {PortId(2u)};
  observation.mark_period = 10_ps;
  observation.credits = true;
  auto folder = ResultFolder::create(folder_.path() / "out");
  ASSERT_TRUE(folder.ok());
  RunFiles files(std::move(folder).value(), observation, names_);
  const std::vector<TraceRecord> records{
      {.time = 3_ps, .value = 4178, .subject = 2, .kind = Kind::kQueue},
      {.time = 9_ps,
       .value = 4,
       .subject = 2,
       .kind = Kind::kCreditStall,
       .traffic_class = ClassId(1)},
      {.time = 9_ps, .value = 10, .subject = 7, .kind = Kind::kProgress},
      {.time = 20_ps, .value = 3, .subject = 2, .kind = Kind::kMarks},
      {.time = 24_ps, .value = 1, .subject = 2, .kind = Kind::kMarks},
  };
  files.write(records);
  files.finish_traces();
  EXPECT_TRUE(files.errors().empty());
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
  EXPECT_TRUE(files.folder().publish().empty());
  EXPECT_EQ(folder_.read("out/queues.csv"),
            "time_s,port,class,bytes\n0.000000000003,s[1]->h1,data,4178\n");
  EXPECT_EQ(folder_.read("out/credits.csv"),
            "port,class,start_s,end_s\ns[1]->h1,control,0.000000000004,0.000000000009\n");
  EXPECT_EQ(folder_.read("out/marks.csv"),
            "port,class,start_s,end_s,packets\n"
            "s[1]->h1,data,0.000000000010,0.000000000020,3\n"
            "s[1]->h1,data,0.000000000020,0.000000000024,1\n");
  EXPECT_FALSE(fs::exists(folder_.path() / "out" / "rates.csv"));
  EXPECT_FALSE(fs::exists(folder_.path() / "out" / "packets.csv"));
}

scenarios::Experiment incast() {
  const auto loaded =
      scenarios::load_scenario(std::string(WEFT_SOURCE_DIR) + "/scenarios/incast.yaml", {});
  return std::move(scenarios::build_experiment(loaded.value().scenario)).value();
}

TEST_F(Traces, ARunWritesItsTracesWithItsResults) {
  scenarios::Experiment experiment = incast();
  experiment.observation.queue_ports = {PortId(40u)};
  const fs::path out = folder_.path() / "out";
  auto files = RunFiles::create(experiment, out, {});
  ASSERT_TRUE(files.ok());
  const scenarios::Results results = simulate(experiment, {}, files.value().get());
  EXPECT_EQ(results.outcome, scenarios::Outcome::kFinished);
  EXPECT_EQ(results.digest(), simulate(experiment).digest());  // observing changes nothing
  const auto written = write_results(results, "resolved", out, {.files = files.value().get()});
  ASSERT_TRUE(written.ok());
  EXPECT_THAT(folder_.read("out/queues.csv"), HasSubstr("time_s,port,class,bytes\n"));
  EXPECT_THAT(folder_.read("out/summary.json"), HasSubstr("finished"));
  EXPECT_EQ(folder_.size(), 1u);  // nothing lies beside it
  // The next run may take its place.
  EXPECT_TRUE(scenarios::check_output_folder(out).empty());
}

// NVSwitches reduce 1/4 of 1 MiB for each of four GPUs, 64 packets of 4 KiB, and multicast each
// sum: four contributions, one sum, one result, four copies of it. It used to crash.
TEST_F(Traces, WhatSwitchesReduceAndMulticastIsTracedPacketByPacket) {
  folder_.write("nvls.yaml",
                "name: nvls\nracks: {count: 1, server: gb200-nvl72, servers: 1}\n"
                "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
                "jobs: [{name: a, type: all-reduce, algorithm: nvls, size: 1MiB, ranks: 0-3}]\n"
                "observe: {packets: [a], rates: {flows: [a], period: 1us}}\n");
  const auto loaded = scenarios::load_scenario((folder_.path() / "nvls.yaml").string(), {});
  ASSERT_TRUE(loaded.ok());
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  ASSERT_TRUE(experiment.ok());
  const fs::path out = folder_.path() / "out";
  auto files = RunFiles::create(experiment.value(), out, {});
  ASSERT_TRUE(files.ok());
  const scenarios::Results results = simulate(experiment.value(), {}, files.value().get());
  ASSERT_TRUE(write_results(results, "resolved", out, {.files = files.value().get()}).ok());
  const std::string rows = folder_.read("out/packets.csv");
  EXPECT_EQ(std::ranges::count(rows, '\n'), 1 + 4 * 64 * (4 + 1 + 1 + 4));
  EXPECT_THAT(rows, HasSubstr("\na,3,1,gpu3,gpu1,0,0,gpu3->chip")) << "a contribution";
  EXPECT_THAT(folder_.read("out/rates.csv"), HasSubstr(",a,3,1,gpu3,gpu1,0,"));
}

TEST_F(Traces, NothingIsWrittenWhereNothingIsObserved) {
  {
    const auto files = RunFiles::create(incast(), folder_.path() / "out", {});
    ASSERT_TRUE(files.ok());
    EXPECT_TRUE(fs::is_empty(files.value()->folder().partial()));
  }
  EXPECT_EQ(folder_.size(), 0u);
}

// The circle closes while nothing else happens, so samples are due before anybody looks for it.
TEST_F(Traces, ObservingDoesNotPutOffTheDiscoveryOfADeadlock) {
  const auto run = [](const std::vector<std::string>& overrides) {
    const auto loaded = scenarios::load_scenario(
        std::string(WEFT_SOURCE_DIR) + "/scenarios/pfc-deadlock.yaml", overrides);
    return std::move(scenarios::build_experiment(loaded.value().scenario)).value();
  };
  const scenarios::Experiment observed = run({"observe.queues={ports: [s0], period: 7us}"});
  auto files = RunFiles::create(observed, folder_.path() / "out", {});
  ASSERT_TRUE(files.ok());
  const scenarios::Results with = simulate(observed, {}, files.value().get());
  const scenarios::Results without = simulate(run({}));
  EXPECT_EQ(with.outcome, scenarios::Outcome::kDeadlocked);
  EXPECT_EQ(with.simulated, without.simulated);
  EXPECT_EQ(with.digest(), without.digest());
}

// Rows come during the run, by the time when messages were over; whether they are written
// changes nothing else.
TEST_F(Traces, ARunWritesItsMessages) {
  const scenarios::Experiment experiment = incast();
  const fs::path out = folder_.path() / "out";
  auto files = RunFiles::create(experiment, out, {.traces = false, .messages = true});
  ASSERT_TRUE(files.ok());
  RunFiles& f = *files.value();
  const scenarios::Results results =
      simulate(experiment, {}, &f, {}, [&f](const scenarios::MessageResult& m) { f.write(m); });
  EXPECT_EQ(results.digest(), simulate(experiment).digest());
  ASSERT_TRUE(write_results(results, "resolved", out, {.files = &f}).ok());
  const std::string rows = folder_.read("out/messages.csv");
  EXPECT_EQ(std::ranges::count(rows, '\n'), 1 + static_cast<int>(results.messages.count()));
  EXPECT_THAT(rows, HasSubstr("job,source_rank,destination_rank,"));
}

TEST_F(Traces, AFullDiskStopsTheRunAndLeavesNothing) {
  // /dev/full takes no byte, as a full disk does.
  scenarios::Experiment experiment = incast();
  experiment.observation.queue_ports = {PortId(0u)};
  {
    auto folder = ResultFolder::create(folder_.path() / "out");
    ASSERT_TRUE(folder.ok());
    fs::create_symlink("/dev/full", folder.value().partial() / "queues.csv");
    RunFiles files(std::move(folder).value(), experiment.observation, names_);
    EXPECT_TRUE(files.has_failed());
    const scenarios::Results results = simulate(experiment, {}, &files);
    EXPECT_EQ(results.outcome, scenarios::Outcome::kInterrupted);
    const auto written =
        write_results(results, "resolved", folder_.path() / "out", {.files = &files});
    ASSERT_FALSE(written.ok());
    EXPECT_THAT(written.errors().front().message, HasSubstr("disk is full"));
  }
  EXPECT_EQ(folder_.size(), 0u);
}

TEST_F(Traces, AStreamThatFailsLateTakesNoMoreRows) {
  // A limit on the size of files, as if the disk were full after 100,000 bytes.
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ::getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit limit{100'000, old_limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  CsvStream stream(folder_.path() / "long.csv", "a");
  EXPECT_FALSE(stream.has_failed());
  for (int i = 0; i < 100'000; ++i) stream.add("{}\n", i);
  stream.flush();
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_TRUE(stream.has_failed());
  stream.add("{}\n", 1);
  stream.flush();
  EXPECT_LE(fs::file_size(folder_.path() / "long.csv"), 100'000u);
  EXPECT_TRUE(CsvStream(folder_.path() / "no" / "such" / "folder.csv", "a").has_failed());
}

}  // namespace
}  // namespace weft::testing
