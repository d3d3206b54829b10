#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace weft::sweep {

class Database;

/// A prepared statement. Parameters are bound in order; a step that fails is noted in the database.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);

  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view value);
  Statement& bind(std::optional<double> value);
  /// True while there is a row.
  bool step();
  /// Runs it to the end and makes it ready for other parameters.
  void run();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int next_ = 1;
};

/// An SQLite database. The first failure sticks: what follows does nothing, so that a sequence of
/// statements needs one question at its end.
class Database {
 public:
  enum class Mode : std::uint8_t { kRead, kWrite };

  Database(const std::filesystem::path& path, Mode mode);

  void execute(const std::string& sql);
  [[nodiscard]] std::int64_t integer(const std::string& sql);
  /// Rows that the last statement changed.
  [[nodiscard]] std::int64_t changes() const;
  [[nodiscard]] bool has_failed() const { return !failure_.empty(); }
  /// What went wrong, in SQLite's words; empty if nothing did.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] int failure_code() const { return failure_code_; }

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  void note_failure(int code);

  std::unique_ptr<sqlite3, Close> database_;
  std::string failure_;
  int failure_code_ = 0;
};

/// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  /// Whether everything since the beginning is in the database now.
  [[nodiscard]] bool commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

}  // namespace weft::sweep
