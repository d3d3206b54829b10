#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/results/coverage.hpp"
#include "tools/sweep/language/metrics.hpp"
#include "tools/sweep/language/sweep.hpp"

/// What travels between the coordinator and the processes that run points.
namespace weft::sweep {

/// A point to run, or to estimate.
struct Task {
  std::int64_t id = 0;
  std::vector<std::string> overrides;
  std::string sweep_sha256;  ///< of the definition; a worker's own reading must give the same
  bool is_estimate = false;

  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static std::optional<Task> from_json(std::string_view text);
};

/// How a point ended. What is not kDone has a message and no results; the last three are what an
/// estimate comes to, and no failures.
enum class Status : std::uint8_t {
  kDone,         ///< there are results; whether the jobs finished is their `outcome`
  kError,        ///< the scenario could not be built
  kCrash,        ///< the process ended by a signal or without results
  kKilled,       ///< the process was killed from outside: no property of the point
  kTimeLimit,    ///< stopped by --time-limit
  kMemoryLimit,  ///< stopped by --memory-limit
  kEstimated,    ///< and can be run
  kOverMemory,   ///< estimated, and needs more memory than its GPUs have
  kRefused,      ///< there can be no such scenario
};
[[nodiscard]] const char* status_name(Status status);
[[nodiscard]] bool is_failure(Status status);
/// Whether a point with this status in the database has failed.
[[nodiscard]] bool is_failure(std::string_view status);

struct Report {
  std::int64_t id = 0;
  Status status = Status::kDone;
  std::string message;
  std::string outcome;  ///< `finished`, `horizon`, `stuck` ...
  std::string results_sha256;
  std::string scenario_sha256;
  double wall_seconds = 0;
  double cpu_seconds = 0;        ///< of the process; not recorded
  std::int64_t peak_memory = 0;  ///< bytes resident
  Metrics metrics;
  std::vector<std::string> warnings;  ///< what a run would print below its tables

  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static std::optional<Report> from_json(std::string_view text);
};

/// What a percentile of the run is of, if the run was cut off.
[[nodiscard]] std::optional<scenarios::Coverage> cut_off_of(const Report& report,
                                                            std::string_view metric);

/// Whether the condition of a bisection holds. What it compares with a percentile of a run that was
/// cut off does not, unless the bisection counts those: what takes longest is not in it, so that a
/// run would pass because it was too slow.
[[nodiscard]] bool condition_holds(const Bisection& bisection, const Report& report);

/// Runs or estimates a point in this process, if it is one of this sweep.
class PointRunner {
 public:
  explicit PointRunner(const Sweep& sweep);
  [[nodiscard]] Report operator()(const Task& task) const;
  [[nodiscard]] Task task_of(const Point& point) const;
  [[nodiscard]] Task estimate_task_of(const Point& point) const;

 private:
  [[nodiscard]] Report estimated(const Task& task) const;
  [[nodiscard]] Report simulated(const Task& task) const;

  const Sweep& sweep_;
  std::string sweep_sha256_;
};

}  // namespace weft::sweep
