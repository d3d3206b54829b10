#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/sweep/run/process_pool.hpp"

namespace weft::sweep {

struct RunArguments {
  std::filesystem::path file;
  std::vector<std::string> overrides;
  std::filesystem::path out;  ///< empty: a folder in results/
  std::string name;           ///< of that; empty: the sweep's, and what was changed
  std::size_t processes = 0;  ///< 0: one per core
  Limits limits;
  bool is_dry_run = false;
  bool must_be_new = false;
  bool must_exist = false;
  bool retry_failed = false;
  bool is_quiet = false;
  bool is_live = false;  ///< shows points and the best of them while it runs
  std::function<bool()> is_interrupted = [] { return false; };
};

/// `weft sweep`: under mpirun as one rank of many, otherwise alone. Returns the exit code.
[[nodiscard]] int run_sweep(const RunArguments& arguments);

}  // namespace weft::sweep
