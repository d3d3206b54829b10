#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "simcore/base/digest.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct Results;

/// A number that follows from others, and how a CSV file spells it.
struct Quotient {
  enum class Spelling : std::uint8_t {
    kRatio,  ///< six decimals
    kRate,   ///< six digits
    kMean,   ///< one decimal
  };
  double value = 0;
  Spelling spelling = Spelling::kRatio;
};

/// What stands in a cell of a result table.
class Value {
 public:
  Value() = default;  ///< there is none
  Value(bool value) : held_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T value) : held_(static_cast<std::int64_t>(value)) {}
  Value(Picoseconds value) : held_(value) {}
  Value(Bytes value) : held_(value.count()) {}
  Value(BitsPerSecond value) : held_(value.count()) {}
  Value(std::string value) : held_(std::move(value)) {}
  Value(const char* value) : held_(std::string(value)) {}
  Value(Quotient value) : held_(value) {}
  template <class T>
  Value(const std::optional<T>& value) {
    if (value) *this = Value(*value);
  }

  /// As a field of a CSV file: times in seconds, exact to the picosecond.
  void append_to(std::string& text) const;
  /// Adds what it is and its value. Not those of quotients: their last digits are the compiler's,
  /// and what they are made of is in the table or in another one.
  void add_to(Digest& digest) const;
  /// Times in seconds; null where there is none.
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, Picoseconds, std::string, Quotient> held_;
};

/// The unit that a name says in its last word, as `time_s`, `fct_seconds` or `queue_bytes` do:
/// `s`, `bytes`, `bytes/s`, `bit/s`, or nothing for a name, a count or a ratio.
[[nodiscard]] const char* unit_of(std::string_view name);

/// A column of a result file: declared once, where its values come from. Its name says its unit.
template <class Row>
struct Column {
  /// `get(row)` gives a Value, or what one can be made of; it has no state.
  template <class Get>
  Column(const char* name_in, const char* meaning_in, Get /*get*/, const char* key_in = nullptr)
      : name(name_in),
        meaning(meaning_in),
        key(key_in),
        value([](const Row& row) { return Value(Get{}(row)); }) {}

  const char* name;
  const char* meaning;  ///< for the reference of result files
  const char* key;      ///< where it stands in summary.json, as in `path/late`; null: it does not
  Value (*value)(const Row& row);
};

/// A result file with a header and a line per row.
template <class Row>
struct Table {
  using Visit = std::function<void(const Row&)>;

  const char* file;
  const char* holds;  ///< what a row is, as in "a job"
  std::vector<Column<Row>> columns;
  /// Visits the rows; null: they are streamed, and nobody has all of them.
  void (*each)(const Results& results, const Visit& visit);
  /// Whether these results have such rows.
  bool (*is_filled)(const Results& results) = [](const Results&) { return true; };
  bool is_asked_for = false;  ///< written only if `observe` says so

  void append_header(std::string& text) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      text += columns[i].name;
    }
    text += '\n';
  }
  void append(std::string& text, const Row& row) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      columns[i].value(row).append_to(text);
    }
    text += '\n';
  }
  void add_to(Digest& digest, const Results& results) const {
    digest.add_text(file);
    each(results, [&](const Row& row) {
      digest.add(true);  // one more
      for (const Column<Row>& column : columns) column.value(row).add_to(digest);
    });
    digest.add(false);
  }
};

/// A row as summary.json has it: the columns that have a key there.
template <class Row>
[[nodiscard]] nlohmann::ordered_json summary_json(const Table<Row>& table, const Row& row) {
  nlohmann::ordered_json json;
  for (const Column<Row>& column : table.columns) {
    if (column.key == nullptr) continue;
    json[nlohmann::ordered_json::json_pointer("/" + std::string(column.key))] =
        column.value(row).json();
  }
  return json;
}

/// What a table says about itself.
struct TableReference {
  struct Field {
    std::string name;
    std::string unit;
    std::string meaning;
  };
  std::string file;
  std::string holds;
  std::vector<Field> fields;

  template <class Row>
  explicit TableReference(const Table<Row>& table) : file(table.file), holds(table.holds) {
    for (const Column<Row>& c : table.columns) {
      fields.push_back({c.name, unit_of(c.name), c.meaning});
    }
  }
};

}  // namespace weft::scenarios
