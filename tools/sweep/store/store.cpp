#include "tools/sweep/store/store.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include "tools/sweep/store/store_schema.hpp"

namespace weft::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDifference = 20;

/// Points that a new database has at once, in a tenth of a second.
constexpr std::size_t kFirstPoints = 10'000;

/// SQLite's files beside a database.
constexpr const char* kSuffixes[] = {"", "-wal", "-shm", "-journal"};

Error store_error(const fs::path& path, std::string message) {
  return {std::move(message), {path.string(), 0, 0, {}}};
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const fs::path& folder, const Sweep& sweep,
                                           const Plan& plan, const StoreOptions& options) {
  std::unique_ptr<Store> store(new Store(folder, sweep));
  store->path_ = folder / kDatabaseName;
  std::error_code error;
  const bool exists = fs::exists(store->path_, error);
  if (options.must_exist && !exists) {
    return store_error(store->path_, "does not exist; there is nothing to resume");
  }
  fs::create_directories(folder, error);
  if (error) return store_error(folder, "cannot be made: " + error.message());
  if (Errors errors = store->lock(); !errors.empty()) return errors;
  if (options.must_be_new && exists) {
    if (Errors errors = store->set_aside(); !errors.empty()) return errors;
  }
  const bool is_file = fs::is_regular_file(store->path_, error);
  if (fs::exists(store->path_, error) && !is_file) {
    return store_error(store->path_, "is not a regular file; choose another folder with --out");
  }
  store->database_.emplace(store->path_, Database::Mode::kWrite);
  const std::int64_t tables = store->database_->integer("SELECT count(*) FROM sqlite_master");
  if (store->database_->has_failed()) return store->write_failure();
  // Nothing of somebody else's database is touched.
  Errors errors = tables == 0 ? Errors{} : store->check_existing();
  if (errors.empty()) errors = store->begin_journal();
  if (errors.empty()) errors = tables == 0 ? store->create(plan) : store->resume(options);
  if (!errors.empty()) return errors;
  return store;
}

Store::~Store() {
  if (has_journal_ && !database_->has_failed()) {
    // A plain file again: it can be copied, and read from a folder that cannot be written.
    database_->execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  }
  database_.reset();
  if (lock_ >= 0) ::close(lock_);
}

Errors Store::lock() {
  const fs::path path = folder_ / "sweep.lock";
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) {
    return {store_error(folder_, std::string("cannot be written: ") + std::strerror(errno))};
  }
  // A POSIX lock: forks do not inherit it, and it ends with the process, however that ends.
  struct flock request {};
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  if (::fcntl(lock_, F_SETLK, &request) == 0) return {};
  const int reason = errno;
  if (reason != EACCES && reason != EAGAIN) {
    return {store_error(path, std::string("cannot be locked: ") + std::strerror(reason))};
  }
  ::fcntl(lock_, F_GETLK, &request);
  const std::string holder =
      request.l_type == F_UNLCK ? "" : " (process " + std::to_string(request.l_pid) + ")";
  return {store_error(path_, "is in use by another sweep" + holder +
                                 "; wait for it, or choose another folder with --out")};
}

Errors Store::set_aside() const {
  std::error_code error;
  fs::path other;
  for (int i = 1; other.empty() || fs::exists(other, error); ++i) {
    other = folder_ / ("sweep." + std::to_string(i) + ".db");
  }
  for (const char* suffix : kSuffixes) {
    const fs::path file = path_.string() + suffix;
    if (!fs::exists(file, error)) continue;
    fs::rename(file, other.string() + suffix, error);
    if (error) return {store_error(file, "cannot be set aside: " + error.message())};
  }
  return {};
}

Errors Store::begin_journal() {
  has_journal_ = true;
  // WAL: readers do not stop the writer, and a transaction is one append. NORMAL: a killed process
  // loses nothing that was committed; after a power failure the last points may have to run again.
  database_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (database_->has_failed()) return write_failure();
  return {};
}

Errors Store::write_failure() const {
  const std::string safe = "; what was recorded before is safe";
  switch (database_->failure_code()) {
    case SQLITE_FULL:
      return {store_error(path_, "cannot be written: the disk is full" + safe +
                                     "; free some space and run the same command again")};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {store_error(path_, "is damaged or no database (" + database_->failure() +
                                     "); nothing was changed. --force-new keeps it aside and "
                                     "starts again")};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {store_error(path_,
                          "is locked by another program; close it and run the same command "
                          "again" +
                              safe)};
    default:
      return {store_error(path_, "cannot be written: " + database_->failure() + safe)};
  }
}

Errors Store::create(const Plan& plan) {
  Transaction transaction(*database_);
  database_->execute(schema_sql());
  Statement put(*database_, "INSERT INTO sweep (key, value) VALUES (?, ?)");
  for (const auto& [key, value] : description_rows(sweep_)) put.bind(key).bind(value).run();
  write_names();
  write_session();
  std::vector<Point> points;
  for (std::size_t id = 0; id < std::min(plan.size(), kFirstPoints); ++id) {
    points.push_back(plan.point(id));
  }
  insert(points);
  if (!transaction.commit()) return write_failure();
  read_known();
  return {};
}

Errors Store::resume(const StoreOptions& options) {
  is_resumed_ = true;
  Transaction transaction(*database_);
  if (const std::int64_t version = database_->integer("PRAGMA user_version");
      version < kSchemaVersion) {
    database_->execute(migration_sql(version));
  }
  write_names();
  write_session();
  // What was killed from outside says nothing about the point.
  const std::string failed =
      options.retry_failed
          ? "status NOT IN ('done', 'waiting', 'estimated', 'over memory', 'refused')"
          : "status = 'killed'";
  database_->execute(
      "UPDATE point SET message = '', status = iif(EXISTS (SELECT 1 FROM metric "
      "WHERE metric.point = point.id AND "
      "name GLOB 'estimate.*'), 'estimated', 'waiting') WHERE " +
      failed);
  if (!transaction.commit()) return write_failure();
  read_known();
  if (database_->has_failed()) return write_failure();
  return {};
}

Errors Store::check_existing() {
  const std::int64_t application = database_->integer("PRAGMA application_id");
  const std::int64_t version = database_->integer("PRAGMA user_version");
  if (database_->has_failed()) return write_failure();
  if (application != kApplicationId) {
    return {
        store_error(path_, "is a database, but not of a sweep; choose another folder with --out")};
  }
  if (version < 1 || version > kSchemaVersion) {
    return {store_error(path_, "has schema version " + std::to_string(version) +
                                   "; this program writes version " +
                                   std::to_string(kSchemaVersion) +
                                   ". --force-new keeps it aside and starts again")};
  }
  if (const std::string foreign = foreign_entry(*database_, true); !foreign.empty()) {
    return {store_error(path_, "is no database that weft wrote: " + foreign +
                                   "; nothing was changed. --force-new keeps it aside and starts "
                                   "again")};
  }
  if (database_->has_failed()) return write_failure();
  Statement check(*database_, "PRAGMA quick_check(1)");
  const std::string answer = check.step() ? check.text(0) : "ok";
  if (database_->has_failed()) return write_failure();
  if (answer != "ok") {
    return {store_error(path_, "is damaged (" + answer +
                                   "); nothing was changed. --force-new keeps it aside and starts "
                                   "again")};
  }
  Statement get(*database_, "SELECT value FROM sweep WHERE key = 'definition'");
  const std::string before = get.step() ? get.text(0) : "";
  if (database_->has_failed()) return write_failure();
  const std::string after = sweep_.definition();
  if (before == after) return {};
  Errors another{store_error(path_, "holds another sweep; the difference (- there, + now):")};
  std::istringstream lines(difference(before, after, kMaxDifference));
  for (std::string line; std::getline(lines, line);) another.push_back({line, {}});
  another.push_back({"  --force-new keeps it aside and starts again, --out writes elsewhere", {}});
  return another;
}

void Store::write_names() {
  database_->execute("DELETE FROM parameter; DELETE FROM objective");
  Statement parameter(*database_,
                      "INSERT INTO parameter (position, name, path, unit, is_seed) "
                      "VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < sweep_.parameters.size(); ++i) {
    const Parameter& p = sweep_.parameters[i];
    parameter.bind(static_cast<std::int64_t>(i)).bind(p.name).bind(p.path).bind(p.unit);
    parameter.bind(std::int64_t{p.is_seed ? 1 : 0}).run();
  }
  Statement objective(*database_,
                      "INSERT INTO objective (position, name, metric, goal) VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < sweep_.objectives.size(); ++i) {
    const Objective& o = sweep_.objectives[i];
    objective.bind(static_cast<std::int64_t>(i)).bind(o.name).bind(o.metric);
    objective.bind(o.goal == Goal::kMin ? "min" : "max").run();
  }
  database_->execute(view_sql(sweep_));
}

void Store::write_session() {
  database_->execute(
      "INSERT INTO session (started, program) VALUES "
      "(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 'weft " WEFT_VERSION "')");
  session_ = database_->integer("SELECT max(id) FROM session");
}

void Store::insert(const std::vector<Point>& points) {
  Statement point(
      *database_,
      "INSERT INTO point (id, configuration, search, status) VALUES (?, ?, ?, 'waiting')");
  Statement value(*database_,
                  "INSERT INTO value (point, parameter, text, number) VALUES (?, ?, ?, ?)");
  for (const Point& p : points) {
    point.bind(p.id).bind(p.configuration).bind(p.group).run();
    for (std::size_t i = 0; i < p.values.size(); ++i) {
      value.bind(p.id).bind(static_cast<std::int64_t>(i)).bind(p.values[i].text);
      value.bind(p.values[i].number).run();
    }
  }
}

void Store::read_known() {
  known_.clear();
  Statement get(*database_, "SELECT id, status, holds FROM point");
  while (get.step()) {
    Known& known = known_[get.integer(0)];
    const std::string status = get.text(1);
    known.is_waiting = status == "waiting";
    known.is_done = status == status_name(Status::kDone);
    known.is_failed = is_failure(status);
    known.is_estimated = status == status_name(Status::kEstimated);
    if (!get.is_null(2)) known.holds = get.integer(2) != 0;
  }
  if (sweep_.choice) read_estimates();
}

void Store::read_estimates() {
  Statement get(*database_,
                "SELECT point, value FROM metric JOIN point ON point.id = metric.point "
                "WHERE name = ? AND status <> ?");
  get.bind(sweep_.choice->metric).bind(status_name(Status::kOverMemory));
  while (get.step()) known_[get.integer(0)].estimate = get.real(1);
}

Errors Store::add(const std::vector<Point>& points) {
  if (points.empty()) return {};
  Transaction transaction(*database_);
  insert(points);
  if (!transaction.commit()) return write_failure();
  for (const Point& point : points) known_[point.id] = {};
  return {};
}

Errors Store::record(const std::vector<Report>& reports,
                     const std::map<std::int64_t, bool>& holds) {
  if (reports.empty()) return {};
  Transaction transaction(*database_);
  Statement point(*database_,
                  "UPDATE point SET status = ?, outcome = ?, message = ?, results_sha256 = ?, "
                  "scenario_sha256 = ?, "
                  "wall_seconds = ?, peak_memory = ?, session = ?, holds = ? "
                  "WHERE id = ? AND status IN ('waiting', 'estimated')");
  Statement metric(*database_, "INSERT INTO metric (point, name, value) VALUES (?, ?, ?)");
  Statement warning(*database_, "INSERT INTO warning (point, position, text) VALUES (?, ?, ?)");
  for (const Report& r : reports) {
    const auto answer = holds.find(r.id);
    point.bind(status_name(r.status)).bind(r.outcome).bind(r.message).bind(r.results_sha256);
    point.bind(r.scenario_sha256);
    point.bind(r.wall_seconds).bind(r.peak_memory).bind(session_);
    point.bind(answer == holds.end() ? std::nullopt
                                     : std::optional<double>(answer->second ? 1 : 0));
    point.bind(r.id).run();
    // A point that already has a result keeps it.
    if (database_->has_failed() || database_->changes() != 1) continue;
    for (const auto& [name, value] : r.metrics) metric.bind(r.id).bind(name).bind(value).run();
    for (std::size_t i = 0; i < r.warnings.size(); ++i) {
      warning.bind(r.id).bind(static_cast<std::int64_t>(i)).bind(r.warnings[i]).run();
    }
  }
  if (!transaction.commit()) return write_failure();
  for (const Report& r : reports) {
    note(r);
    if (const auto answer = holds.find(r.id); answer != holds.end()) {
      known_[r.id].holds = answer->second;
    }
  }
  return {};
}

void Store::note(const Report& report) {
  Known& known = known_[report.id];
  known.is_waiting = false;
  known.is_done = report.status == Status::kDone;
  known.is_failed = is_failure(report.status);
  known.is_estimated = report.status == Status::kEstimated;
  if (!known.is_estimated) return;
  for (const auto& [name, value] : report.metrics) {
    if (name == sweep_.choice->metric) known.estimate = value;
  }
}

}  // namespace weft::sweep
