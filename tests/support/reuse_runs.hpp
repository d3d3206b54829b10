#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "scenarios/build/experiment.hpp"
#include "scenarios/output/result_writer.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/temporary_folder.hpp"

/// Runs with and without reuse, by all that they write.
namespace weft::testing {

/// The folder of a run's results, traces and rows of messages included, but for what says how the
/// run was carried out: wall time, threads, and what was reused.
struct FolderOfRun {
  scenarios::Results results;
  std::map<std::string, std::string> files;  ///< by name
};

inline FolderOfRun folder_of_run(scenarios::Experiment& e, scenarios::Reuse reuse,
                                 const protocols::Parallelism& parallelism = {}) {
  e.scenario.run.reuse.mode = reuse;
  const TemporaryFolder folder("reuse");
  const std::filesystem::path out = folder.path() / "out";
  auto files = scenarios::RunFiles::create(e, out, {.traces = true, .messages = true});
  if (!files.ok()) throw std::runtime_error(files.errors().front().to_string());
  scenarios::RunFiles& to = *files.value();
  FolderOfRun run;
  run.results = scenarios::simulate(e, {}, &to, parallelism,
                                    [&](const scenarios::MessageResult& m) { to.write(m); });
  scenarios::Results written = run.results;
  written.wall_seconds = 0;
  written.threads = 1;
  written.thread_times = {};
  // The partition is chosen for the threads.
  written.logical_processes = 1;
  written.lookahead = {};
  // Credits that nobody waits for take events where states may recur, and elsewhere none.
  written.totals.events = 0;
  written.reuse = {};
  const auto at = scenarios::write_results(written, "", out, {.pauses = true, .files = &to});
  if (!at.ok()) throw std::runtime_error(at.errors().front().to_string());
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    run.files[name] = folder.read("out/" + name);
  }
  return run;
}

inline void expect_equal_folders(const FolderOfRun& a, const FolderOfRun& b) {
  EXPECT_EQ(a.results.digest(), b.results.digest());
  ASSERT_EQ(a.files.size(), b.files.size());
  for (const auto& [name, text] : a.files) {
    const auto other = b.files.find(name);
    ASSERT_NE(other, b.files.end()) << name;
    // Where they part: whole files are too long to be shown.
    const auto [x, y] = std::ranges::mismatch(text, other->second);
    const auto place = x - text.begin();
    const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, place - 200));
    EXPECT_EQ(text == other->second, true)
        << name << " differs at " << place << ":\n"
        << text.substr(from, 400) << "\n--- and\n"
        << other->second.substr(std::min(from, other->second.size()), 400);
  }
}

/// Returns the results with reuse.
inline scenarios::Results expect_equal_folders_of(const std::string& text) {
  scenarios::Experiment e = experiment_of_text(text);
  const FolderOfRun off = folder_of_run(e, scenarios::Reuse::kOff);
  const FolderOfRun on = folder_of_run(e, scenarios::Reuse::kOn);
  expect_equal_folders(off, on);
  expect_equal_folders(off, folder_of_run(e, scenarios::Reuse::kVerify));
  return on.results;
}

/// Servers of eight H100 in a rail-optimised fabric of credits, one leaf per rail, and a small
/// model on them.
inline std::string reuse_servers(int count, const std::string& jobs, const std::string& rest = "",
                                 const std::string& timeout = "200us") {
  return "name: reuse\nracks: {count: " + std::to_string(count) +
         ", servers: 1, server: hgx-h100}\n"
         "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n"
         "fabric: {topology: rail-optimised, group: " +
         std::to_string(count) +
         ", spines: 2, switch: quantum-2, load_balancing: spray}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none, "
         "retransmit_timeout: " +
         timeout + "}\n" + rest + "jobs:\n" + jobs;
}

inline std::string reuse_training(const std::string& parallelism, const std::string& more = "") {
  return "  - {name: train, type: training, model: {preset: gpt-13b, layers: 4, hidden: 1024, "
         "heads: 16, head_size: 64, ffn: 4096, vocabulary: 4096, sequence: 128}, parallelism: {" +
         parallelism + "}, batch: {micro: 1, global: 8}" + more + "}\n";
}

}  // namespace weft::testing
