// Every good sample gives what tests/operators/README.md says of its cluster, every broken twin its
// message.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/evidence/reading.hpp"

namespace weft::evidence {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct GoodSample {
  const char* name;
  const char* form;
  const char* recognised;  ///< behind the name of the file
};

TEST(Samples, GoodFilesAreRecognisedByContentAndReadWithoutErrors) {
  for (const GoodSample& good : {
           GoodSample{"nccl-tests-2.17.8-allreduce-4n-healthy.txt", "nccl-tests",
                      "nccl-tests 2.17.8: all-reduce of 32 ranks on 4 hosts, 12 sizes, float"},
           GoodSample{"nccl-tests-2.17.8-allreduce-4n-slow.txt", "nccl-tests",
                      "nccl-tests 2.17.8: all-reduce of 32 ranks on 4 hosts, 12 sizes, float"},
           GoodSample{"nccl-tests-2.9.0-allgather-1n.txt", "nccl-tests",
                      "nccl-tests: all-gather of 8 ranks on 1 host, 4 sizes, float"},
           GoodSample{"nccl-tests-2.11.0-allreduce-4n-slow.txt", "nccl-tests",
                      "nccl-tests: all-reduce of 32 ranks on 4 hosts, 7 sizes, float"},
           GoodSample{"nccl-tests-2.11.0-broadcast-1n.txt", "nccl-tests",
                      "nccl-tests: broadcast of 8 ranks on 1 host, 4 sizes, float"},
           GoodSample{"nccl-tests-2.13.3-alltoall-4n-slow.txt", "nccl-tests",
                      "nccl-tests: all-to-all of 32 ranks on 4 hosts, 6 sizes, float"},
           GoodSample{"nccl-tests-2.16.4-allreduce-1n.txt", "nccl-tests",
                      "nccl-tests: all-reduce of 8 ranks on 1 host, 4 sizes, half"},
           GoodSample{"nccl-tests-2.16.4-allreduce-o-all-1n.txt", "nccl-tests",
                      "nccl-tests: all-reduce of 8 ranks on 1 host, 2 sizes, half, prod"},
           GoodSample{"nccl-tests-2.17.8-reducescatter-4n-slow-interleaved.txt", "nccl-tests",
                      "nccl-tests 2.17.8: reduce-scatter of 32 ranks on 4 hosts, 4 sizes, float"},
           GoodSample{"nccl-tests-2.17.8-sendrecv-2ranks-srun-l.txt", "nccl-tests",
                      "nccl-tests 2.17.8: send-recv of 2 ranks on 1 host, 3 sizes, float"},
           GoodSample{"nccl-tests-2.18.5-allreduce-4n-slow.json", "nccl-tests",
                      "nccl-tests: all-reduce of 32 ranks on 4 hosts, 7 sizes, float"},
           GoodSample{"nccl-info-2.14.3.txt", "nccl-log",
                      "NCCL 2.14.3 log: communicator of 32 ranks, 16 channels, 8 NICs"},
           GoodSample{"nccl-info-2.27.5.txt", "nccl-log",
                      "NCCL 2.27.5 log: communicator of 32 ranks on 4 nodes, 16 channels, 8 NICs, "
                      "5 choices"},
           GoodSample{"inspector-gpu01-rank0.log", "inspector",
                      "NCCL Inspector: 5 calls of rank 0 of 32 on gpu01"},
           GoodSample{"flight-recorder-rank21.json", "flight-recorder",
                      "flight recorder with NCCL 2.27.5: 4 calls of rank 21, 1 group"},
           GoodSample{"kineto-rank5.json", "kineto",
                      "Kineto trace: 4 calls of rank 5 in 2 groups, NVIDIA H100 80GB HBM3"},
           GoodSample{"ib_write_bw-gpu01-gpu02-mlx5_5.txt", "perftest",
                      "perftest: write-bw of mlx5_5 from gpu01 to gpu02, 1 size, 392.1 Gb/s"},
           GoodSample{"ib_write_bw-gpu01-gpu02-mlx5_5-all-sizes.txt", "perftest",
                      "perftest: write-bw of mlx5_5 from gpu01 to gpu02, 23 sizes, 392.1 Gb/s"},
           GoodSample{"ib_write_bw-gpu01-gpu03-mlx5_5.txt", "perftest",
                      "perftest: write-bw of mlx5_5 from gpu01 to gpu03, 1 size, 203.4 Gb/s"},
           // MB/sec, and MiB/s is meant.
           GoodSample{"ib_write_bw-gpu01-gpu03-mlx5_5-mbytes.txt", "perftest",
                      "perftest: write-bw of mlx5_5 from gpu01 to gpu03, 1 size, 203.4 Gb/s"},
           GoodSample{"ib_write_bw-out.json", "perftest",
                      "perftest: write-bw of mlx5_5, 1 size, 203.4 Gb/s"},
           GoodSample{"pairs-allreduce.csv", "pairs",
                      "pair matrix: all-reduce, 6 pairs of 4 hosts, each pair once"},
           GoodSample{
               "pairs-rail5-write-bw.csv", "pairs",
               "pair matrix: write-bw of mlx5_5, rail 5, 12 pairs of 4 hosts, each direction"},
           GoodSample{"nvbandwidth-gpu01.txt", "nvbandwidth",
                      "nvbandwidth: device_to_device_memcpy_write_ce, 56 pairs"},
       }) {
    const std::string name = std::string("logs/") + good.name;
    const auto file = InputFile::read(sample(name));
    ASSERT_TRUE(file.ok()) << name;
    const Form* form = recognise(file.value());
    ASSERT_NE(form, nullptr) << name;
    EXPECT_EQ(form->name, good.form) << name;
    const Measurements m = read_sample(name);
    EXPECT_FALSE(has_errors(m.remarks)) << said(m);
    std::string all;
    for (const std::string& text : m.recognised) all += text + "\n";
    EXPECT_THAT(all, HasSubstr(std::string(good.name) + ": " + good.recognised));
  }
}

struct BrokenTwin {
  const char* name;
  const char* severity;
  const char* place;  ///< behind the name
  std::vector<const char*> words;
};

TEST(Samples, BrokenTwinsAreRefusedOrWarnedOfWithPlaceAndReason) {
  for (const BrokenTwin& twin : {
           BrokenTwin{"nccl-tests-truncated.txt", "warning", ":51", {"last row is incomplete"}},
           BrokenTwin{"nccl-tests-truncated.txt", "warning", ":43", {"the run did not end"}},
           BrokenTwin{
               "nccl-tests-table-only.txt", "error", ":1", {"which layout, and which operation?"}},
           BrokenTwin{"nccl-tests-no-mpi.txt", "error", ":9", {"rank 0", "built without MPI"}},
           BrokenTwin{"nccl-tests-failed.txt",
                      "error",
                      ":43",
                      {"the run failed", "gpu01: Test NCCL failure common.cu:961"}},
           BrokenTwin{"nccl-tests-2017-milliseconds.txt", "error", ":2", {"2017", "times in ms"}},
           BrokenTwin{"nccl-tests-cputime.txt", "warning", ":41", {"CPU", "not comparable"}},
           BrokenTwin{
               "nccl-tests-wrapped.txt", "error", ":43", {"12 rows of 7 fields", "narrow window?"}},
           BrokenTwin{"nccl-tests-size-zero.txt", "warning", ":43", {"size 0 is left out"}},
           BrokenTwin{"nccl-info-torn-line.txt", "warning", ":31", {"second one is used"}},
           BrokenTwin{"nccl-info-version-only.txt",
                      "error",
                      "",
                      {"nothing to import", "INIT", "GRAPH", "COLL", "TUNING", "NET"}},
           BrokenTwin{"nccl-info-ranks-missing.txt", "error", "", {"nothing to import", "INIT"}},
           BrokenTwin{"inspector-truncated.log", "warning", ":5", {"last line is incomplete"}},
           BrokenTwin{"inspector-unknown-version.log", "warning", ":1", {"`v9.0`", "v4.0"}},
           BrokenTwin{"inspector-zero-time.log", "warning", ":1", {"time 0", "left out"}},
           BrokenTwin{"flight-recorder-pickle.bin", "", "", {"pickle", "never opened", "JSON"}},
           BrokenTwin{"flight-recorder-no-groups.json",
                      "warning",
                      ": pg_config",
                      {"group sizes are unknown"}},
           BrokenTwin{"flight-recorder-no-timing.json",
                      "warning",
                      "",
                      {"no durations", "replayed, not compared"}},
           BrokenTwin{"kineto-rank0.json.gz", "", "", {"gzip"}},
           BrokenTwin{"kineto-truncated.json", "error", ":1:2113", {"no whole JSON"}},
           BrokenTwin{"kineto-no-nccl-args.json",
                      "error",
                      ": traceEvents",
                      {"4 kernels of NCCL have no arguments", "PyTorch 2.3"}},
           BrokenTwin{"ib_write_bw-no-header.txt",
                      "error",
                      ":1",
                      {"unit is unknown", "Gb/s, MiB/s, GB/s"}},
           BrokenTwin{"ib_write_bw-bidirectional.txt",
                      "warning",
                      ":39",
                      {"sum of both directions", "203 Gb/s each way"}},
           BrokenTwin{"pairs-no-unit.csv", "error", ":2", {"unit is unknown"}},
           BrokenTwin{
               "pairs-not-square.csv", "error", ":4", {"row gpu02 has 4 cells, and the header 3"}},
           BrokenTwin{"tuner-header-and-typo.csv", "finding", ":1", {"header", "becomes a rule"}},
           BrokenTwin{"tuner-header-and-typo.csv",
                      "finding",
                      ":2",
                      {"`nvlstree`", "becomes ring", "did you mean `nvls_tree`?"}},
           BrokenTwin{"tuner-header-and-typo.csv",
                      "finding",
                      ":3",
                      {"`all_gather`", "becomes allreduce", "did you mean `allgather`?"}},
           BrokenTwin{"tuner-header-and-typo.csv", "finding", ":3", {"channels `-1`"}},
           BrokenTwin{"tuner-header-and-typo.csv",
                      "finding",
                      ":3",
                      {"allreduce of 4294967296 bytes and more matches no rule"}},
       }) {
    const Measurements m = read_sample(std::string("broken/") + twin.name);
    std::string line = std::string(twin.name) + twin.place + ": ";
    if (*twin.severity != 0) line += std::string(twin.severity) + ": ";
    bool is_said = false;
    std::size_t errors = 0;
    for (const Remark& remark : m.remarks) {
      const std::string text = remark.to_string();
      bool has_all = text.find(line) != std::string::npos || *twin.severity == 0;
      for (const char* word : twin.words) has_all = has_all && text.find(word) != std::string::npos;
      is_said = is_said || has_all;
      if (remark.severity == import::Severity::kError) ++errors;
    }
    EXPECT_TRUE(is_said) << line << twin.words.front() << "\n" << said(m);
    EXPECT_TRUE(errors == 0 || is_empty(m)) << twin.name;
    const bool is_error = std::string(twin.severity) == "error" || *twin.severity == 0;
    EXPECT_EQ(is_error, errors > 0) << said(m);
  }
}

// Carriage returns change nothing.
TEST(Samples, TwinsThatAreRightGiveWhatTheOriginalGives) {
  const Measurements a = read_sample("logs/nccl-tests-2.17.8-allreduce-4n-slow.txt");
  const Measurements b = read_sample("broken/nccl-tests-crlf.txt");
  EXPECT_EQ(said(b), "");
  ASSERT_EQ(a.series.size(), b.series.size());
  for (std::size_t i = 0; i < a.series.size(); ++i) {
    ASSERT_EQ(a.series[i].times.size(), b.series[i].times.size());
    for (std::size_t k = 0; k < a.series[i].times.size(); ++k) {
      EXPECT_EQ(a.series[i].times[k].time_us, b.series[i].times[k].time_us);
    }
  }
}

TEST(Samples, TwoRunsInOneFileAreTwoSeriesEach) {
  const Measurements m = read_sample("broken/nccl-tests-two-runs.txt");
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.series.size(), 4U);
  EXPECT_EQ(m.series[0].operation, "all-reduce");
  EXPECT_EQ(m.series[0].times.size(), 12U);
  EXPECT_EQ(m.series[2].operation, "reduce-scatter");
  EXPECT_EQ(m.series[2].times.size(), 4U);
}

// Data came out wrong: times of a broken run are compared with nothing.
TEST(Samples, WrongValuesAreAFindingWithoutTimes) {
  const Measurements m = read_sample("logs/nccl-tests-2.17.8-allreduce-wrong-values.txt");
  EXPECT_THAT(said(m), AllOf(HasSubstr(":44: finding: data came out wrong (1 row"),
                             Not(HasSubstr("error"))));
  EXPECT_TRUE(m.series.empty());
}

TEST(Samples, TheExportedTunerFileHasNoFinding) {
  const Measurements m = read_sample("out/nccl-tuner.csv");
  EXPECT_EQ(said(m), "");
  EXPECT_THAT(m.recognised, ::testing::ElementsAre(HasSubstr("rules of an NCCL tuner: 8")));
}

// What describes a cluster is no log, and the reverse.
TEST(Samples, FilesOfOtherKindsAreInNoForm) {
  for (const char* name :
       {"fabric/cables-generic.csv", "fabric/netbox-cables.csv", "fabric/lldpctl-gpu01.json",
        "fabric/config_db-leaf01.json", "server/nccl-topo-gpu01.xml", "server/topo-m-gpu01.txt",
        "fabric/topology.conf", "fabric/dsx-air.json", "fabric/iblinkinfo.txt",
        "fabric/qos-eos.txt", "out/fct.txt", "out/qos-suggestion.csv", "README.md"}) {
    const auto file = InputFile::read(sample(name));
    ASSERT_TRUE(file.ok()) << name;
    EXPECT_EQ(recognise(file.value()), nullptr) << name;
    EXPECT_THAT(said(read_sample(name)), HasSubstr("is in no form of log")) << name;
  }
}

}  // namespace
}  // namespace weft::evidence
