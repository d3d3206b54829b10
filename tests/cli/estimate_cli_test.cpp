// `weft estimate` as a user meets it. By hand, of 8 ranks in one HGX H100 that are tensor-parallel:
// 2 micro-batches, 4 layers of 4 all-reduces of 2 b s h = 4 MiB each, and 2 more at the ends of the
// model, make 36 all-reduces. Links carry 450 GB/s less headers and take a few microseconds per
// step; the bytes alone set a lower limit. `run` must agree within 5 % where nothing overlaps or
// collides.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kEstimated = R"(name: small
seed: 1
racks: {count: 4, servers: 1, server: hgx-h100}
links:
  access: {length: 5m, cable: copper}
  uplink: {length: 30m, cable: fibre}
fabric:
  topology: rail-optimised
  group: 4
  spines: 2
  links_per_pair: 4
  switch: quantum-2
  load_balancing: spray
transport: {type: roce, receiver: any-order, congestion_control: none}
jobs:
  - name: train
    type: training
    ranks: [0, 1, 2, 3, 4, 5, 6, 7]
    model: {layers: 4, hidden: 2048, heads: 16, vocabulary: 8192, sequence: 1024}
    parallelism: {tensor: 8}
    batch: {micro: 1, global: 2}
    overlap: {gradients: false, pipeline: false, prefetch: false}
)";

struct Estimated {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class EstimateCli : public ::testing::Test {
 protected:
  EstimateCli()
      : folder_(fs::temp_directory_path() / ("weft-estimate-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "small.yaml") << kEstimated;
  }
  ~EstimateCli() override { fs::remove_all(folder_); }

  std::string read(const fs::path& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
  Estimated weft(const std::string& arguments) const {
    const std::string command = "cd '" + folder_.string() + "' && '" + WEFT_PROGRAM + "' " +
                                arguments + " >out.txt 2>err.txt";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), read("out.txt"), read("err.txt")};
  }
  nlohmann::json estimate(const std::string& arguments) const {
    const Estimated ended = weft("estimate small.yaml --json " + arguments);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.exit_code == 0 ? nlohmann::json::parse(ended.out) : nlohmann::json();
  }
  /// The run's time over the estimate's.
  double run_over_estimate(const std::string& plan) const {
    const double seconds = estimate("--quick " + plan)["jobs"][0]["step_seconds"];
    const Estimated ended = weft("run small.yaml --json --out results " + plan);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    if (ended.exit_code != 0) return 0;
    const double run = nlohmann::json::parse(ended.out)["jobs"][0]["jct_seconds"];
    return run / seconds;
  }

  fs::path folder_;
};

TEST_F(EstimateCli, GivesTheSameNumbersInJson) {
  const nlohmann::json whole = estimate("");
  const nlohmann::json job = whole["jobs"][0];
  EXPECT_EQ(job["type"], "training");
  double exposed = 0;
  for (const auto& term : job["terms"]) exposed += term["exposed"].get<double>();
  EXPECT_NEAR(job["step_seconds"].get<double>(), exposed, 1e-12);
  EXPECT_EQ(job["communication_class"], "high");
  EXPECT_EQ(job["fits_memory"], true);
  EXPECT_EQ(job["memory_bytes"]["available"], 80'000'000'000);
  EXPECT_NEAR(job["tokens_per_second"].get<double>() * exposed, 2048, 1e-6);
  EXPECT_GT(whole["run"]["packet_hops"], 0);
  EXPECT_FALSE(estimate("--quick").contains("run"));
}

// Two GPUs of a DGX-2 share a NIC. An estimate of a group of its ranks ended with a broken
// invariant.
TEST_F(EstimateCli, TakesGpusThatShareNics) {
  const nlohmann::json whole = estimate(
      "--quick --set racks.server=dgx-2 --set racks.count=2 "
      "--set jobs[0].ranks=32 --set jobs[0].parallelism.data=4 "
      "--set jobs[0].batch.global=4 "
      "--set jobs[0].communication.algorithm=ring");
  EXPECT_GT(whole["jobs"][0]["step_seconds"].get<double>(), 0);
}

// Task by task a ring's messages follow one another, so that it takes at least their bytes on the
// links and what is computed, and no longer than the run; the run's own figure is the same.
TEST_F(EstimateCli, TakesEveryTaskAndMessageInItsOrder) {
  const std::string ring = "--set jobs[0].communication.algorithm=ring ";
  const nlohmann::json job = estimate("--quick --ideal " + ring)["jobs"][0];
  EXPECT_EQ(job["ideal_set_by"], "dependencies");
  const double seconds = job["ideal_seconds"];
  const double bytes = 36 * 2 * 7.0 / 8 * 4194304;
  EXPECT_GT(seconds, bytes / 450e9 + job["terms"]["compute"]["seconds"].get<double>());
  const Estimated run = weft("run small.yaml --json --out results " + ring);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json of_run = nlohmann::json::parse(run.out)["jobs"][0];
  EXPECT_EQ(of_run["ideal_seconds"], seconds);
  EXPECT_LE(seconds, of_run["jct_seconds"].get<double>());
  EXPECT_THAT(weft("estimate small.yaml --quick --ideal").out, HasSubstr("task by task"));
}

// 36 all-reduces of 4 MiB, of which each of 8 ranks sends 2 * 7/8.
TEST_F(EstimateCli, CountsBytesAndBoundsTimeByThem) {
  const nlohmann::json job = estimate("--quick")["jobs"][0];
  const double each = 2 * 7.0 / 8 * 4194304;
  EXPECT_EQ(job["sent_bytes"]["tensor"]["inside_domains"], 36 * 8 * each);
  EXPECT_EQ(job["sent_bytes"]["tensor"]["between_servers"], 0);
  const double seconds = job["terms"]["tensor"]["seconds"];
  EXPECT_GT(seconds, 36 * each / 450e9);
  EXPECT_LT(seconds, 36 * (each / 450e9 * 1.3 + 14 * 2e-6));
}

TEST_F(EstimateCli, TellsLinksApart) {
  const std::string two_servers = "--quick --set jobs[0].ranks=[0-15] ";
  const nlohmann::json job =
      estimate(two_servers + "--set 'jobs[0].parallelism={tensor: 8, pipeline: 2}'")["jobs"][0];
  EXPECT_EQ(job["sent_bytes"]["tensor"]["between_servers"], 0);
  EXPECT_EQ(job["sent_bytes"]["pipeline"]["inside_domains"], 0);
  // Both ways, of 2 micro-batches, 8 ranks each.
  EXPECT_EQ(job["sent_bytes"]["pipeline"]["between_servers"], 2 * 2 * 8 * 4194304.0);
  // 16-way tensor parallelism leaves the server with 2 of 16 hops.
  const nlohmann::json wide =
      estimate(two_servers + "--set 'jobs[0].parallelism={tensor: 16}'")["jobs"][0];
  const double between = wide["sent_bytes"]["tensor"]["between_servers"];
  const double inside = wide["sent_bytes"]["tensor"]["inside_domains"];
  EXPECT_NEAR(between / (between + inside), 2.0 / 16, 1e-12);
  EXPECT_GT(wide["terms"]["tensor"]["seconds"], job["terms"]["tensor"]["seconds"]);
}

TEST_F(EstimateCli, AgreesWithRunsWhereNothingMeets) {
  constexpr double kTolerance = 0.05;
  for (const char* plan : {
           "--set jobs[0].ranks=[0-1] --set 'jobs[0].parallelism={tensor: 2}'",
           "--set jobs[0].ranks=[0-3] --set 'jobs[0].parallelism={tensor: 4}'",
           "--set 'jobs[0].parallelism={tensor: 8}'",
           "--set 'jobs[0].parallelism={tensor: 8, sequence_parallel: true}'",
           "--set jobs[0].ranks=[0,8] --set 'jobs[0].parallelism={pipeline: 2}'",
           "--set jobs[0].ranks=[0,8,16,24] --set 'jobs[0].parallelism={pipeline: 4}' --set "
           "jobs[0].batch.global=8",
           "--set jobs[0].ranks=[0,8] --set 'jobs[0].parallelism={data: 2}'",
           "--set jobs[0].ranks=[0,8,16,24] --set 'jobs[0].parallelism={data: 4, zero: 3}' --set "
           "jobs[0].batch.global=4",
           "--set jobs[0].ranks=[0-31] --set 'jobs[0].parallelism={tensor: 8, pipeline: 2, data: "
           "2}' --set jobs[0].batch.global=4",
       }) {
    EXPECT_NEAR(run_over_estimate(plan), 1, kTolerance) << plan;
  }
}

TEST_F(EstimateCli, SaysWhatDoesNotFitAndRefusesWhatCannotBe) {
  const Estimated large = weft("estimate small.yaml --quick --set jobs[0].model=llama2-70b");
  EXPECT_EQ(large.exit_code, 0) << large.err;
  EXPECT_THAT(large.out, HasSubstr("DOES NOT FIT"));
  EXPECT_THAT(large.out, HasSubstr("micro-batches"));
  const Estimated bad = weft(
      "estimate small.yaml --set jobs[0].batch.global=3 --set "
      "'jobs[0].parallelism={tensor: 4, data: 2}'");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("batch.global"));
  EXPECT_EQ(weft("estimate nowhere.yaml").exit_code, 2);
}

TEST_F(EstimateCli, SaysWhatItKnowsOfOtherJobs) {
  const Estimated other = weft("estimate '" WEFT_SOURCE_DIR "/scenarios/nccl-h100.yaml' --quick");
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("by the cost model"));
  const Estimated incast = weft("estimate '" WEFT_SOURCE_DIR "/scenarios/incast.yaml' --quick");
  EXPECT_EQ(incast.exit_code, 0) << incast.err;
  EXPECT_THAT(incast.out, HasSubstr("estimates are of training jobs"));
}

}  // namespace
}  // namespace weft::testing
