// Bus bandwidth of all-reduces against published tables of nccl-tests, printed row by row. Rates,
// efficiencies, latencies and the choice of algorithm and protocol are NCCL's own constants; what
// kernels of LL take comes from calls of 512 B (nccl_small_full_test.cpp), and one launch latency
// for all from the 32 KiB rows here. Nothing else is set by machine, and nothing by size or column.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tests/oracles/nccl_run.hpp"

namespace weft::testing {
namespace {

/// What NCCL gave on one server of eight GPUs.
struct Column {
  const char* name;
  const char* scenario;
  std::size_t job;
  double large;  ///< tolerance from 64 MiB up
  std::vector<Row> rows;
};

// ml-engineering, `network/README.md`; Azure AI benchmarking guide, ND H100 v5 and ND A100 v4.
const std::vector<Column> kColumns = {
    {"8 x H200 with NVLS (ml-engineering)",
     "nccl-h100.yaml",
     1,
     0.15,
     {{"32KiB", 1.44},
      {"256KiB", 11.7},
      {"1MiB", 39.9},
      {"4MiB", 107.2},
      {"16MiB", 219.9},
      {"64MiB", 346.5},
      {"256MiB", 436.2},
      {"1GiB", 463.6},
      {"4GiB", 473.1},
      {"8GiB", 477.5},
      {"16GiB", 482.3}}},
    {"8 x H100 with NVLS (Azure)",
     "nccl-h100.yaml",
     1,
     0.15,
     {{"32KiB", 1.71},
      {"256KiB", 10.9},
      {"1MiB", 43.7},
      {"4MiB", 128.7},
      {"16MiB", 234.5},
      {"64MiB", 361.8},
      {"256MiB", 423.4},
      {"1GiB", 466.4},
      {"4GiB", 475.5},
      {"8GiB", 478.9}}},
    {"8 x A100 (Azure)",
     "nccl-a100.yaml",
     0,
     0.15,
     {{"32KiB", 1.37},
      {"256KiB", 10.1},
      {"1MiB", 36.2},
      {"4MiB", 71.4},
      {"16MiB", 109.2},
      {"64MiB", 166.6},
      {"256MiB", 213.9},
      {"1GiB", 228.1},
      {"4GiB", 230.5},
      {"8GiB", 231.6}}},
    {"8 x A100 (ml-engineering)",
     "nccl-a100.yaml",
     0,
     0.15,
     {{"32KiB", 1.31},
      {"256KiB", 7.47},
      {"1MiB", 18.0},
      {"4MiB", 72.3},
      {"16MiB", 106.2},
      {"64MiB", 171.5},
      {"256MiB", 194.1},
      {"1GiB", 229.0},
      {"4GiB", 233.9},
      {"8GiB", 234.6},
      {"16GiB", 234.9}}},
    {"8 x B200 with NVLS (ml-engineering)",
     "nccl-b200.yaml",
     1,
     0.15,
     {{"32KiB", 1.20},
      {"256KiB", 9.5},
      {"1MiB", 36.1},
      {"4MiB", 76.5},
      {"16MiB", 255.0},
      {"64MiB", 400.6, 0.32},
      {"256MiB", 646.1},
      {"1GiB", 723.3},
      {"4GiB", 740.6},
      {"8GiB", 839.1},
      {"16GiB", 845.7}}},
};

bool is_large(const std::string& size) {
  return size.ends_with("GiB") || size == "64MiB" || size == "256MiB";
}
bool is_medium(const std::string& size) { return size == "4MiB" || size == "16MiB"; }

// From 64 MiB up within 15 %: what two sites measured on the same GPUs differs by up to 10 %. B200
// at 64 MiB within 32 %: eight rounds take 67 us longer there than in the model, 8 us each, which
// are 2 us on eight H200 and 50 us on a rack of 72 (NcclNvl72): what GPUs take to agree per round.
// 4 and 16 MiB within 30 %: there constants of latency decide. Smaller sizes are printed; hosts and
// their launches decide.
TEST(NcclColumns, AreMetByWhatNcclWouldChoose) {
  std::map<std::string, Outcome> runs;  // columns of one machine share them
  for (const Column& column : kColumns) {
    std::printf("\n%s\n%8s | %8s | %8s | %8s |\n", column.name, "size", "measured", "weft",
                "error");
    double sum = 0;
    for (const Row& row : column.rows) {
      Outcome& r = runs[std::string(column.scenario) + row.size];
      if (r.busbw == 0) {
        const std::string key = "jobs[" + std::to_string(column.job) + "].algorithm=nccl";
        r = run(column.scenario, column.job, row.size, {key});
      }
      const double error = r.busbw / row.measured - 1;
      sum += std::abs(error);
      std::printf("%8s | %8.2f | %8.2f | %+6.1f %% | %s\n", row.size, row.measured, r.busbw,
                  100 * error, r.how.c_str());
      std::fflush(stdout);
      const double max = row.max > 0           ? row.max
                         : is_large(row.size)  ? column.large
                         : is_medium(row.size) ? 0.30
                                               : 1e9;
      EXPECT_LE(std::abs(error), max) << column.name << ", " << row.size;
    }
    std::printf("mean absolute error %.1f %%\n",
                100 * sum / static_cast<double>(column.rows.size()));
  }
}

// NCCL counts on 18 links of 20.6 GB/s. 3 %: filling the pipeline, launch, sums.
TEST(NcclRing, EightH100ComeCloseToTheirLinks) {
  EXPECT_NEAR(busbw("nccl-h100.yaml", 0, "1GiB"), 370.8, 0.03 * 370.8);
}

// 231 to 235 GB/s from 4 GiB on (Azure AI benchmarking guide, ND A100 v4; ml-engineering). 4 %.
TEST(NcclRing, EightA100GiveWhatWasMeasured) {
  EXPECT_NEAR(busbw("nccl-a100.yaml", 0, "4GiB"), 233, 0.04 * 233);
}

// 8 GPUs at 8 GiB without NVLS: 682 GB/s measured, 721.8 by NCCL's constants. 6 % of the measured.
TEST(NcclRing, EightB200GiveWhatWasMeasured) {
  EXPECT_NEAR(busbw("nccl-b200.yaml", 0, "1GiB"), 682, 0.06 * 682);
}

/// At 8 GiB, by the number of GPUs.
void expect_by_gpus(const std::string& scenario, const std::map<int, double>& measured) {
  for (const auto& [gpus, expected] : measured) {
    const std::string ranks = "jobs[1].ranks=" + std::to_string(gpus);
    EXPECT_NEAR(busbw(scenario, 1, "8GiB", {ranks}), expected, 0.05 * expected) << gpus;
  }
}

// H200 at 8 GiB (ml-engineering), NCCL's efficiency 0.85. 5 %.
TEST(NcclNvls, FollowsTheNumberOfHoppers) {
  expect_by_gpus("nccl-h100.yaml", {{5, 414}, {6, 436}, {7, 460}, {8, 473}});
}

// B200 at 8 GiB (ml-engineering), NCCL's efficiency 0.74. The closed form 2 B (n-1)/(n+1) is up to
// 4 % from what was measured, and a chunk in flight per channel costs up to 3 %.
TEST(NcclNvls, FollowsTheNumberOfBlackwells) {
  const std::map<int, double> measured = {{6, 778}, {7, 811}, {8, 838}};
  for (const auto& [gpus, expected] : measured) {
    const std::string ranks = "jobs[1].ranks=" + std::to_string(gpus);
    EXPECT_NEAR(busbw("nccl-b200.yaml", 1, "8GiB", {ranks}), expected, 0.07 * expected) << gpus;
  }
}

// A rack of 72 (CoreWeave, in place). The efficiency is a parameter, 0.6, as 847 GB/s were measured
// where the closed form has 2 x 721.8 x 71/72 x 32/33 = 1380 x efficiency: so the far end is no
// test, only the way there is, to 10 %. Below 4 GiB a round is 32 heads x 16 channels x 64 KiB,
// from there on twice that, and time grows by as much for every byte: sizes above 1 GiB go by runs
// of up to 1.5 GiB with the chunk of theirs. The 16 rounds of 512 MiB were measured at 115 us each,
// the 32 of 1 GiB at 91 us: some 0.7 ms come on top of both, which the model does not have and the
// smaller size shows most. So only above is there a limit for that, 30 %.
TEST(NcclNvl72, IsPrintedBesideWhatWasMeasured) {
  const double gib = 1024.0 * 1024 * 1024;
  const double factor = 2.0 * 71 / 72;
  const auto seconds = [&](double size, double rate) { return size * factor / (rate * 1e9); };
  std::map<double, double> weft;  // GB/s by GiB
  weft[0.5] = run("nccl-nvl72.yaml", 0, "512MiB").busbw;
  weft[1] = run("nccl-nvl72.yaml", 0, "1GiB").busbw;
  for (const auto& [chunk, sizes] :
       {std::pair("64KiB", std::vector{2.0}), std::pair("128KiB", std::vector{4.0, 8.0})}) {
    const std::vector<std::string> chunks = {std::string("jobs[0].execution.chunk=") + chunk};
    const double first = seconds(gib, run("nccl-nvl72.yaml", 0, "1GiB", chunks).busbw);
    const double second = seconds(1.5 * gib, run("nccl-nvl72.yaml", 0, "1536MiB", chunks).busbw);
    const double next = (second - first) / 0.5;
    for (const double size : sizes) {
      weft[size] = size * gib * factor / (first + (size - 1) * next) / 1e9;
    }
  }
  const std::map<double, double> measured = {
      {0.5, 576.7}, {1, 724.1}, {2, 773.6}, {4, 835.3}, {8, 846.8}};
  std::printf("\nGB200 NVL72, 72 GPUs (CoreWeave), efficiency 0.6\n");
  std::printf("%8s | %8s | %8s | %8s |\n", "GiB", "measured", "weft", "error");
  for (const auto& [size, rate] : measured) {
    std::printf("%8.1f | %8.1f | %8.1f | %+6.1f %% |%s\n", size, rate, weft[size],
                100 * (weft[size] / rate - 1), size > 1 ? " extrapolated" : "");
    if (size < 1) {
      EXPECT_GT(weft[size], 0.9 * rate);
      EXPECT_LT(weft[size], 1.3 * rate);
    } else {
      EXPECT_NEAR(weft[size], rate, 0.1 * rate) << size;
    }
  }
}

// Twenty racks (CoreWeave, out of place) with NCCL 2.26.2 and NVLS switched off, where NICs behind
// the host's processor rule out LL128 as well: a tree in Simple. A chain of 72 GPUs fills at a
// chunk per 30 us and hop, and 32 blocks move 6 GB/s each behind it; time grows by as much for
// every byte, so sizes go by runs of 128 and 256 MiB. Nothing was set from these rows. 15 %: with
// 18 channels, one per NVLink, the closed form is within 5 %, and NCCL's search finds 16.
TEST(NcclTwentyRacks, IsPrintedBesideWhatWasMeasured) {
  const std::map<double, double> measured = {{0.5, 7108}, {1, 9806},  {2, 14980},
                                             {4, 24782},  {8, 45004}, {16, 84625}};
  const auto time = [](const std::string& size) {
    const auto results = scenarios::simulate(experiment_of_text(
        "name: racks\n"
        "racks: {count: 20, servers: 1, server: {part: gb200-nvl72, scale_up: {reduction_window: "
        "0, packet: 32KiB}}}\n"
        "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n"
        "fabric: {topology: rail-optimised, group: 20, spines: 20, links_per_pair: 18, switch: "
        "{part: quantum-x800, buffer: 4GB}, load_balancing: spray}\n"
        "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
        "jobs: [{name: ar, type: all-reduce, algorithm: double-binary-tree, size: " +
        size +
        ", execution: {preset: nccl, protocol: simple, calls: back-to-back}}]\n"
        "run: {partition: uplinks}\n"));
    EXPECT_EQ(results.outcome, scenarios::Outcome::kFinished);
    return to_seconds(results.jobs[0].jct) * 1e6;
  };
  const double half = time("128MiB");
  const double per_gib = (time("256MiB") - half) * 8;
  for (const auto& [gib, us] : measured) {
    const double weft = half + (gib - 0.125) * per_gib;
    std::printf("%5.1f GiB | measured %7.0f us | weft %7.0f us, %+.1f %%\n", gib, us, weft,
                100 * (weft / us - 1));
    EXPECT_NEAR(weft / us, 1, 0.2) << gib;
  }
}

// Sixteen servers of eight: between 0.85 and 1 of what NICs and NVLink allow,
// min(50 x 0.9804 (n-1)/(k-1), 370.8 ((n-1)/n) / ((g-1)/g)) = min(415.1, 420.5) GB/s for n = 128,
// k = 16, g = 8.
TEST(NcclHierarchical, SixteenServersUseTheirNics) {
  const double rate = busbw("nccl-h100-16-nodes.yaml", 0, "512MiB");
  EXPECT_GE(rate, 0.85 * 415.1);
  EXPECT_LE(rate, 415.1);
}

// A flat ring crosses from server to server as often as it has ranks there: at most the eight NICs
// of a server, 400 GB/s. At least half of it, or the rings do not use all of them.
TEST(NcclRing, SixteenServersStayBelowTheirNics) {
  const double rate = busbw("nccl-h100-16-nodes.yaml", 0, "512MiB",
                            {"jobs[0].algorithm=ring", "jobs[0].execution=nccl"});
  EXPECT_GE(rate, 200);
  EXPECT_LE(rate, 400);
}

// Bytes, which NVSwitches do not add up: medians of eight GPUs back to back (systems data of
// ai-dynamo/aiconfigurator, 095f58a, Apache-2.0). Nothing was set from them. 64 MiB on H100 are the
// farthest, as in the tables above.
TEST(NcclTables, BytesRunAsARing) {
  struct ByteRow {
    const char* scenario;
    const char* name;
    const char* size;
    double measured;
  };
  for (const ByteRow& row : {ByteRow{"nccl-h100.yaml", "8 x H100", "64MiB", 316.06},
                             ByteRow{"nccl-h100.yaml", "8 x H100", "512MiB", 352.18},
                             ByteRow{"nccl-b200.yaml", "8 x B200", "64MiB", 461.03},
                             ByteRow{"nccl-b200.yaml", "8 x B200", "512MiB", 641.08},
                             ByteRow{"nccl-a100.yaml", "8 x A100", "64MiB", 184.16},
                             ByteRow{"nccl-a100.yaml", "8 x A100", "512MiB", 215.27}}) {
    const Outcome o = run(row.scenario, 0, row.size,
                          {"jobs[0].algorithm=nccl", "jobs[0].data_type=int8",
                           "jobs[0].execution={preset: nccl, calls: back-to-back}"});
    std::printf("  %s int8 %s: measured %.1f, weft %.1f (%+.1f %%), %s\n", row.name, row.size,
                row.measured, o.busbw, 100 * (o.busbw / row.measured - 1), o.how.c_str());
    EXPECT_EQ(o.how.substr(0, 4), "ring") << row.name;
    EXPECT_NEAR(o.busbw / row.measured, 1, 0.15) << row.name << " " << row.size;
  }
}

}  // namespace
}  // namespace weft::testing
