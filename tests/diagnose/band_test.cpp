#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tools/diagnose/model/band.hpp"
#include "tools/diagnose/model/simulator.hpp"

namespace weft::diagnose {
namespace {

using collectives::Operation;

struct Reference {
  Operation operation;
  std::int64_t bytes;
  double time_us;
};

/// Of one kind of server: eight GPUs, half.
std::vector<Reference> references(const std::string& system) {
  const std::map<std::string, Operation> names{{"all_reduce", Operation::kAllReduce},
                                               {"all_gather", Operation::kAllGather},
                                               {"reduce_scatter", Operation::kReduceScatter},
                                               {"alltoall", Operation::kAllToAll}};
  std::ifstream file(std::string(WEFT_SOURCE_DIR) +
                     "/tests/operators/reference/nccl-one-server-open.csv");
  std::vector<Reference> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::array<std::string, 7> c;
    for (std::string& cell : c) std::getline(cells, cell, ',');
    if (c[0].rfind(system, 0) != 0 || c[3] != "half" || c[4] != "8") continue;
    rows.push_back({names.at(c[2]), std::stoll(c[5]), std::stod(c[6])});
  }
  return rows;
}

std::string server_of(const std::string& part) {
  return "name: one\nracks: {count: 1, servers: 1, server: " + part +
         "}\nfabric: {topology: leaf-spine, spines: 1}\n"
         "jobs: [{name: ar, type: all-reduce, size: 1MiB}]\n";
}

TEST(Band, HoldsNineOfTenTimesOfTheOpenMeasurements) {
  std::map<std::pair<Operation, int>, std::vector<double>> errors;
  for (const auto& [system, part] : std::map<std::string, std::string>{
           {"A100", "hgx-a100"}, {"H100", "hgx-h100"}, {"B200", "hgx-b200"}}) {
    auto simulator = Simulator::of_text(server_of(part), "one.yaml", {}, Twin::kHealthy);
    ASSERT_TRUE(simulator.ok());
    for (const Reference& row : references(system)) {
      const Call call{
          .operation = row.operation, .size = Bytes(row.bytes), .hosts = {0, 1, 2, 3, 4, 5, 6, 7}};
      const auto run = simulator.value().run(call);
      ASSERT_TRUE(run.ok()) << run.errors().front().to_string();
      const int row_class = row.bytes <= kSmallBytes ? 0 : row.bytes <= kMiddleBytes ? 1 : 2;
      errors[{row.operation, row_class}].push_back(
          std::abs(std::log(run.value().time_us / row.time_us)));
    }
  }
  ASSERT_EQ(errors.size(), 12U);
  constexpr std::array<std::int64_t, 3> kSizes{1024, 2 << 20U, 256 << 20U};
  for (auto& [of, all] : errors) {
    std::ranges::sort(all);
    const double highest = std::expm1(all[all.size() * 9 / 10]);
    const double band = band_of(of.first, kSizes[static_cast<std::size_t>(of.second)], {});
    RecordProperty(name_of(of.first) + std::to_string(of.second), std::to_string(highest));
    EXPECT_LE(highest, band) << name_of(of.first) << " class " << of.second;
    EXPECT_LE(band, std::max(0.10, highest + 0.05)) << name_of(of.first) << " class " << of.second;
  }
}

TEST(Band, IsWiderWhereNobodyKnowsWhichFlowsMeet) {
  EXPECT_GT(band_of(Operation::kAllReduce, 256 << 20U, {.hashes_flows = true}),
            band_of(Operation::kAllReduce, 256 << 20U, {}));
}

}  // namespace
}  // namespace weft::diagnose
