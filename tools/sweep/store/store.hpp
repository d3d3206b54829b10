#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/sweep/language/sweep.hpp"
#include "tools/sweep/plan/points.hpp"
#include "tools/sweep/store/report.hpp"
#include "tools/sweep/store/sqlite.hpp"

namespace weft::sweep {

/// The database of a sweep lies in the sweep's folder under this name.
inline constexpr const char* kDatabaseName = "sweep.db";
/// `PRAGMA application_id` and `PRAGMA user_version` of sweeps.
inline constexpr std::int64_t kApplicationId = 0x77656674;  // "weft"
inline constexpr std::int64_t kSchemaVersion = 3;

/// What the database knows of a point.
struct Known {
  bool is_waiting = true;  ///< for its estimate, where points are chosen by that
  bool is_done = false;
  bool is_failed = false;
  bool is_estimated = false;       ///< and no more than that
  std::optional<double> estimate;  ///< what it is chosen by, unless it cannot be
  std::optional<bool> holds;       ///< the condition of a bisection
};

struct StoreOptions {
  bool must_be_new = false;   ///< an existing database is kept aside
  bool must_exist = false;    ///< there has to be a database to continue with
  bool retry_failed = false;  ///< what failed runs again, not only what was killed
};

/// The results of a sweep on disk. Only the coordinator has one; a lock file keeps a second one
/// out, for as long as the process lives. What `record` has returned from survives a kill at any
/// moment.
class Store {
 public:
  /// Opens the database in `folder`, or makes it with the first points of the plan waiting; `add`
  /// is for the others. An existing one must be of an equal sweep; otherwise the error shows the
  /// difference.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const std::filesystem::path& folder,
                                                           const Sweep& sweep, const Plan& plan,
                                                           const StoreOptions& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::map<std::int64_t, Known>& known() const { return known_; }
  [[nodiscard]] bool is_resumed() const { return is_resumed_; }

  /// Adds points that wait to be run, such as the next of a bisection.
  [[nodiscard]] Errors add(const std::vector<Point>& points);
  /// Writes results in one transaction. `holds` has the bisection's answer for those that have one.
  [[nodiscard]] Errors record(const std::vector<Report>& reports,
                              const std::map<std::int64_t, bool>& holds = {});

 private:
  Store(std::filesystem::path folder, const Sweep& sweep)
      : folder_(std::move(folder)), sweep_(sweep) {}

  [[nodiscard]] Errors lock();
  [[nodiscard]] Errors set_aside() const;
  [[nodiscard]] Errors begin_journal();
  [[nodiscard]] Errors create(const Plan& plan);
  [[nodiscard]] Errors resume(const StoreOptions& options);
  [[nodiscard]] Errors check_existing();
  void write_names();
  void write_session();
  void insert(const std::vector<Point>& points);
  void read_known();
  void read_estimates();
  void note(const Report& report);
  [[nodiscard]] Errors write_failure() const;

  std::filesystem::path folder_;
  const Sweep& sweep_;
  std::filesystem::path path_;
  int lock_ = -1;
  std::optional<Database> database_;
  std::map<std::int64_t, Known> known_;
  std::int64_t session_ = 0;
  bool has_journal_ = false;
  bool is_resumed_ = false;
};

/// Lines of `before` and `after` that differ, with `-` and `+`; at most `limit` of them.
[[nodiscard]] std::string difference(const std::string& before, const std::string& after,
                                     std::size_t limit);

}  // namespace weft::sweep
