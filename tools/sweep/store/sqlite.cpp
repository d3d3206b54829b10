#include "tools/sweep/store/sqlite.hpp"

#include <sqlite3.h>

namespace weft::sweep {

namespace {
/// Readers hold their lock for milliseconds.
constexpr int kBusyTimeoutMilliseconds = 10'000;
/// A text of a sweep, scenarios of 4 MiB and their differences included.
constexpr int kMaxTextBytes = 64 << 20U;

/// The file may be somebody else's (https://sqlite.org/security.html, "untrusted SQLite database
/// files"): nothing that its schema says is carried out, and no text is longer than ours are.
void distrust(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMaxTextBytes);
}
}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Database::Database(const std::filesystem::path& path, Mode mode) {
  sqlite3* opened = nullptr;
  const int flags =
      mode == Mode::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) {
    note_failure(code);
    return;
  }
  sqlite3_busy_timeout(opened, kBusyTimeoutMilliseconds);
  distrust(opened);
}

void Database::note_failure(int code) {
  if (has_failed()) return;
  failure_code_ = code & 0xff;
  failure_ = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
  if (failure_.empty()) failure_ = "unknown error";
}

void Database::execute(const std::string& sql) {
  if (has_failed()) return;
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) note_failure(code);
}

std::int64_t Database::integer(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::changes() const { return sqlite3_changes64(database_.get()); }

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  if (database_.has_failed()) return;
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(database_.database_.get(), sql.data(),
                                      static_cast<int>(sql.size()), &prepared, nullptr);
  statement_.reset(prepared);
  if (code != SQLITE_OK) database_.note_failure(code);
}

Statement& Statement::bind(std::int64_t value) {
  if (statement_) sqlite3_bind_int64(statement_.get(), next_++, value);
  return *this;
}

Statement& Statement::bind(double value) {
  if (statement_) sqlite3_bind_double(statement_.get(), next_++, value);
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  if (!statement_) return *this;
  sqlite3_bind_text(statement_.get(), next_++, value.data(), static_cast<int>(value.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::bind(std::optional<double> value) {
  if (value) return bind(*value);
  if (statement_) sqlite3_bind_null(statement_.get(), next_++);
  return *this;
}

bool Statement::step() {
  if (!statement_ || database_.has_failed()) return false;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.note_failure(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  if (!statement_) return;
  sqlite3_reset(statement_.get());
  next_ = 1;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }
std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!is_open_ || database_.has_failed()) return;
  database_.execute("ROLLBACK");
}

bool Transaction::commit() {
  database_.execute("COMMIT");
  is_open_ = false;
  return !database_.has_failed();
}

}  // namespace weft::sweep
