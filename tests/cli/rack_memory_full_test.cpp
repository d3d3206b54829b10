// What a run over many racks keeps in memory: 1,440 GPUs of twenty GB200 NVL72 racks all-reduce 64
// MiB by NVLSTree in 24 channels. Each contributes to 32 sums per channel and gets 32 multicasts:
// 1.15 million connections, 1.11 million copies.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/measured_run.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTwentyRacks = R"(
name: twenty-racks
racks: {count: 20, servers: 1, server: gb200-nvl72}
links: {access: {length: 5m}, uplink: {length: 30m}}
fabric:
  {topology: rail-optimised, group: 2, spines: 16, links_per_pair: 2, switch: quantum-2,
   load_balancing: spray}
transport: {type: roce, receiver: any-order, congestion_control: none}
jobs: [{name: all-reduce, type: all-reduce, algorithm: nvls-tree, size: 64MiB,
        execution: {channels: 24}}]
)";

TEST(RackMemory, Of1440GpusIsBelow440Megabytes) {
  if (kIsSanitized) GTEST_SKIP() << "measures the sanitizer";
  const fs::path folder =
      fs::temp_directory_path() / ("weft rack memory " + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "racks.yaml") << kTwentyRacks;
  const MeasuredRun taken = run_measured(WEFT_PROGRAM,
                                         {"run", (folder / "racks.yaml").string(), "--quiet",
                                          "--threads", "1", "--out", (folder / "results").string()},
                                         folder / "output.txt");
  fs::remove_all(folder);
  EXPECT_EQ(taken.exit_code, 0) << taken.text;
  // 571 MB while sending ends of sums took as much as others, and 1,731 in 16 channels while every
  // GPU was a head, every copy lay in the queues by itself, and messages that ended were handed
  // over at once; 437 as this was written.
  EXPECT_LT(taken.peak_kilobytes, 440'000);
}

}  // namespace
}  // namespace weft::testing
