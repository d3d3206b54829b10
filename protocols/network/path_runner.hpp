#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// A part of a window: some logical processes, run by one thread.
struct WindowShare {
  std::span<LogicalProcess> lps;  ///< all of the network
  Worker& worker;
  std::size_t first;
  std::size_t last;  ///< the one after the last
  std::size_t rest;  ///< how many the thread runs from here on before others may, >= last - first
  bool runs_backwards;
  Picoseconds start;
  Picoseconds end;
};

/// A packet path as the loop over windows sees it, which calls it once per window and thread:
/// below, nothing is virtual.
class PathRunner {
 public:
  PathRunner() = default;
  PathRunner(const PathRunner&) = delete;
  PathRunner& operator=(const PathRunner&) = delete;
  virtual ~PathRunner() = default;

  virtual void start_process(const Here& here, ProcessId process) = 0;
  /// Files the beginnings and ends of the faults of `port`, and the changes of its node's routes.
  virtual void schedule_faults(LogicalProcess& lp, const PortState& port) = 0;
  virtual void run_window(const WindowShare& share) = 0;
};

/// Each path is compiled by itself, in `network/paths/`. A program that is linked with
/// `network/paths/general/` has the general one for all of them.
template <class Path>
[[nodiscard]] std::unique_ptr<PathRunner> make_path(NetworkState& state);

/// The cheapest path that has what the run needs and what else is asked for.
[[nodiscard]] std::unique_ptr<PathRunner> choose_path(NetworkState& state, Features extra);

}  // namespace weft::protocols
