// Published times of one server, all of them: 2,040 medians of nccl-tests. The constants of
// collectives/nccl/nccl_blocks.cpp were chosen with these rows in sight, so from 1 MiB on this is
// how well they fit, and no validation.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tools/diagnose/model/simulator.hpp"

namespace weft::diagnose {
namespace {

using collectives::Operation;

struct Row {
  std::string system;
  std::string operation;
  std::string type;
  std::uint32_t ranks;
  std::int64_t bytes;
  double time_us;
  double min_us;
  double max_us;

  /// Of the measured time, how far a simulated one may be off.
  [[nodiscard]] double tolerance() const {
    return bytes < (1 << 20) ? 0.30 : bytes < (64 << 20) ? 0.25 : 0.15;
  }
  [[nodiscard]] bool is_spread() const { return max_us / min_us - 1 > tolerance(); }
};

std::vector<Row> open_rows() {
  std::ifstream file(std::string(WEFT_SOURCE_DIR) +
                     "/tests/operators/reference/nccl-one-server-open.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::array<std::string, 11> c;
    for (std::string& cell : c) std::getline(cells, cell, ',');
    rows.push_back({c[0], c[2], c[3], static_cast<std::uint32_t>(std::stoul(c[4])),
                    std::stoll(c[5]), std::stod(c[6]), std::stod(c[9]), std::stod(c[10])});
  }
  return rows;
}

std::optional<Simulator> server_of(const std::string& system) {
  static const std::map<std::string, std::string> parts{{"A100-SXM4", "hgx-a100"},
                                                        {"H100-SXM", "hgx-h100"},
                                                        {"H200-SXM", "hgx-h200"},
                                                        {"B200-SXM", "hgx-b200"},
                                                        {"GB200", "gb200-nvl72"}};
  auto made =
      Simulator::of_text("name: one\nracks: {count: 1, servers: 1, server: " + parts.at(system) +
                             "}\nfabric: {topology: leaf-spine, spines: 1}\n"
                             "jobs: [{name: ar, type: all-reduce, size: 1MiB}]\n",
                         "one.yaml", {}, Twin::kHealthy);
  if (!made.ok()) return {};
  return std::move(made).value();
}

Call call_of(const Row& row) {
  static const std::map<std::string, Operation> names{{"all_reduce", Operation::kAllReduce},
                                                      {"all_gather", Operation::kAllGather},
                                                      {"reduce_scatter", Operation::kReduceScatter},
                                                      {"alltoall", Operation::kAllToAll}};
  Call call{.operation = names.at(row.operation), .size = Bytes(row.bytes)};
  for (std::uint32_t r = 0; r < row.ranks; ++r) call.hosts.push_back(r);
  const bool reduces = row.operation == "all_reduce" || row.operation == "reduce_scatter";
  if (reduces) call.keys.push_back("data_type: " + row.type);
  return call;
}

// Nine of ten rows of each system: below 1 MiB within 30 %, below 64 MiB within 25 %, above within
// 15 %. Rows whose own runs differ by more count, and are marked.
TEST(OpenRows, NineOfTenOfEachSystemAreMet) {
  std::map<std::string, Simulator> servers;
  std::map<std::string, std::pair<int, int>> met;
  for (const Row& row : open_rows()) {
    if (!servers.contains(row.system)) {
      auto made = server_of(row.system);
      ASSERT_TRUE(made.has_value()) << row.system;
      servers.emplace(row.system, *std::move(made));
    }
    const auto run = servers.at(row.system).run(call_of(row));
    ASSERT_TRUE(run.ok()) << run.errors().front().to_string();
    const double off = run.value().time_us / row.time_us - 1;
    const bool is_met = std::abs(off) <= row.tolerance();
    auto& [good, all] = met[row.system];
    good += is_met ? 1 : 0;
    ++all;
    std::puts(fmt::format("{} {} {} {} {:>9} measured {:8.1f} us simulated {:8.1f} {:+5.0f} %{}{}",
                          row.system, row.operation, row.type, row.ranks, row.bytes, row.time_us,
                          run.value().time_us, 100 * off, is_met ? "" : " misses",
                          row.is_spread() ? " (its own runs spread)" : "")
                  .c_str());
  }
  ASSERT_EQ(met.size(), 5U);
  for (const auto& [system, counts] : met) {
    std::puts(fmt::format("{}: {} of {}", system, counts.first, counts.second).c_str());
    EXPECT_GE(counts.first, 0.9 * counts.second) << system;
  }
}

}  // namespace
}  // namespace weft::diagnose
