// How many packets ports marked in each period: marks.csv.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/result_writer.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/temporary_folder.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using scenarios::RunFiles;

/// marks.csv of an incast whose queues mark early.
std::string marks_of(const TemporaryFolder& folder, const std::string& name,
                     std::vector<std::string> overrides, scenarios::Results* results = nullptr) {
  overrides.insert(overrides.end(), {"fabric.ecn={kmin: 10KB, kmax: 40KB, pmax: 0.2}",
                                     "observe.marks={ports: all, period: 7us}"});
  const auto loaded =
      scenarios::load_scenario(std::string(WEFT_SOURCE_DIR) + "/scenarios/incast.yaml", overrides);
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  const fs::path out = folder.path() / name;
  auto files = RunFiles::create(experiment.value(), out, {});
  scenarios::Results own = simulate(experiment.value(), {}, files.value().get());
  EXPECT_TRUE(write_results(own, "resolved", out, {.files = files.value().get()}).ok());
  if (results != nullptr) *results = std::move(own);
  return folder.read(name + "/marks.csv");
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

/// Packets of marks.csv by port; periods are those of the sampling, and follow each other.
std::map<std::string, std::int64_t> marks_by_port(const std::string& csv) {
  std::map<std::string, std::int64_t> sums;
  std::map<std::string, double> ends;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = cells_of(line);
    const double start = std::stod(cells[2]);
    const double end = std::stod(cells[3]);
    EXPECT_NEAR(std::remainder(start, 7e-6), 0, 1e-12) << line;
    EXPECT_TRUE(start < end && end - start < 7e-6 + 1e-12) << line;
    EXPECT_GE(start, ends[cells[0]] - 1e-12) << line;
    ends[cells[0]] = end;
    sums[cells[0]] += std::stoll(cells[4]);
  }
  return sums;
}

// What periods have is what ports.csv has in all; counting them changes nothing.
TEST(MarksOverTime, OfAllPeriodsAreThoseOfTheRun) {
  const TemporaryFolder folder("marks");
  scenarios::Results results;
  const auto sums = marks_by_port(marks_of(folder, "out", {}, &results));
  std::map<std::string, std::int64_t> whole;
  for (const scenarios::PortResult& port : results.ports) {
    if (port.counters.ecn_marked > 0) whole[port.name] = port.counters.ecn_marked;
  }
  EXPECT_GE(whole.size(), 1U);
  EXPECT_EQ(sums, whole);
}

// The measurement begins within a period: traces have what came before, and no mark twice.
TEST(MarksOverTime, ContinueWhereTheMeasurementBegins) {
  const TemporaryFolder folder("marks");
  scenarios::Results results;
  const std::string whole = marks_of(folder, "whole", {});
  const std::string warmed = marks_of(folder, "warmed", {"run.warmup=100us"}, &results);
  EXPECT_EQ(warmed, whole);
  std::int64_t all = 0;
  for (const auto& [port, count] : marks_by_port(whole)) all += count;
  EXPECT_GT(results.totals.ecn_marked, 0);
  EXPECT_LT(results.totals.ecn_marked, all);
}

}  // namespace
}  // namespace weft::testing
