#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "scenarios/results/value.hpp"
#include "simcore/base/digest.hpp"

namespace weft::scenarios {

struct Results;

/// What a column takes to be known.
enum class Needs : std::uint8_t {
  kNothing,
  kPackets,     ///< an engine that knows them
  kErrors,      ///< links with errors, in such an engine
  kPeriods,     ///< a run that may leave periods out
  kTrims,       ///< switches that trim packets
  kEarlyDrops,  ///< WRED that drops, or PFC watchdogs
  kRetries,     ///< links with link-level retry
};

/// A column of a result file: declared once, where its values come from. Its name says its unit,
/// and what its values are made from their kind.
template <class Row>
struct Column {
  /// `get(row)` gives a Value, or what one can be made of; it has no state.
  template <class Get>
  constexpr Column(const char* name_in, const char* meaning_in, Get /*get*/,
                   const char* key_in = nullptr, Needs needs_in = Needs::kNothing)
      : name(name_in),
        meaning(meaning_in),
        key(key_in),
        needs(needs_in),
        kind(kKindOf<Got<Get>>),
        held(kHeldOf<Got<Get>>),
        may_be_empty(kMayBeMissing<Got<Get>>),
        value([](const Row& row) { return Value(Get{}(row)); }) {}
  template <class Get>
  constexpr Column(const char* name_in, const char* meaning_in, Get get, Needs needs_in)
      : Column(name_in, meaning_in, get, nullptr, needs_in) {}

  /// This column outside the digest: its values follow from others.
  [[nodiscard]] constexpr Column derived() const {
    Column column = *this;
    column.is_digested = false;
    return column;
  }

  const char* name;
  const char* meaning;  ///< for the reference of result files
  const char* key;      ///< where it stands in summary.json, as in `path/late`; null: it does not
  Needs needs;
  Kind kind;
  Held held;
  bool may_be_empty;
  bool is_digested = true;
  Value (*value)(const Row& row);

 private:
  template <class Get>
  using Got = std::remove_cvref_t<std::invoke_result_t<Get, const Row&>>;
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
  bool is_digested = true;    ///< false: it follows from the rest, and a run may leave it out

  /// With the columns that an engine knows.
  [[nodiscard]] Table known(bool has_packets, bool has_errors, bool has_periods = false,
                            bool has_trims = false, bool has_early_drops = false,
                            bool has_retries = false) const {
    Table known = *this;
    std::erase_if(known.columns, [=](const auto& c) {
      return (c.needs != Needs::kNothing && !has_packets) ||
             (c.needs == Needs::kErrors && !has_errors) ||
             (c.needs == Needs::kPeriods && !has_periods) ||
             (c.needs == Needs::kTrims && !has_trims) ||
             (c.needs == Needs::kEarlyDrops && !has_early_drops) ||
             (c.needs == Needs::kRetries && !has_retries);
    });
    return known;
  }
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
      for (const Column<Row>& column : columns) {
        if (column.is_digested) column.value(row).add_to(digest);
      }
    });
    digest.add(false);
  }
};

/// Types of tables. Each has what a run keeps for it as members, and what it declares:
/// `static const Table<Row>& declaration()`. A list is what all of them keep.
template <class... Tables>
struct TableList : Tables... {
  /// Calls `visit(table)` with every declaration.
  template <class Visit>
  static void for_each(Visit visit) {
    (visit(Tables::declaration()), ...);
  }
};

}  // namespace weft::scenarios
