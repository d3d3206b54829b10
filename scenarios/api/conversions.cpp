#include "scenarios/api/conversions.hpp"

#include <string_view>

namespace weft::api {
namespace {

ErrorKind kind_of(scenarios::Failure::Kind kind) {
  switch (kind) {
    case scenarios::Failure::Kind::kScenario:
      return ErrorKind::kScenario;
    case scenarios::Failure::Kind::kRun:
      return ErrorKind::kRun;
    case scenarios::Failure::Kind::kMemory:
      return ErrorKind::kMemory;
    case scenarios::Failure::Kind::kDefect:
      break;
  }
  return ErrorKind::kDefect;
}

/// What a message proposes (simcore/text/nearest.hpp): the first name, if it names several.
std::string suggestion_of(std::string_view message) {
  constexpr std::string_view kBefore = "did you mean `";
  const std::size_t at = message.find(kBefore);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = message.substr(at + kBefore.size());
  return std::string(rest.substr(0, rest.find('`')));
}

ColumnType type_of(scenarios::Held held) {
  switch (held) {
    case scenarios::Held::kFlag:
      return ColumnType::kFlag;
    case scenarios::Held::kInteger:
      return ColumnType::kInteger;
    case scenarios::Held::kTime:
      return ColumnType::kTime;
    case scenarios::Held::kQuotient:
      return ColumnType::kNumber;
    case scenarios::Held::kText:
      break;
  }
  return ColumnType::kText;
}

}  // namespace

Errors errors_of(const weft::Errors& errors, ErrorKind kind) {
  Errors all;
  for (const weft::Error& error : errors) {
    all.push_back({.kind = kind,
                   .message = error.message,
                   .file = error.where.file,
                   .line = error.where.line,
                   .column = error.where.column,
                   .key = error.where.key,
                   .suggestion = suggestion_of(error.message)});
  }
  return all;
}

Errors errors_of(const scenarios::Failure& failure) {
  return errors_of(failure.errors, kind_of(failure.kind));
}

Table table_of(const scenarios::ColumnTable& table) {
  Table all{.name = table.name, .file = table.file, .holds = table.holds, .rows = table.rows};
  for (const scenarios::ColumnData& c : table.columns) {
    all.columns.push_back({.name = c.name,
                           .csv_name = c.csv_name,
                           .unit = c.unit,
                           .meaning = c.meaning,
                           .type = type_of(c.held),
                           .may_be_missing = c.may_be_missing,
                           .flags = c.flags,
                           .integers = c.integers,
                           .numbers = c.quotients,
                           .codes = c.codes,
                           .words = c.words,
                           .missing = c.missing});
  }
  return all;
}

Results::State::State(scenarios::RunRecord from) : record(std::move(from)) {
  for (const scenarios::ColumnTable& table : record.tables) tables.push_back(table_of(table));
}

Results Access::results_of(scenarios::RunRecord record) {
  return Results(std::make_shared<const Results::State>(std::move(record)));
}

}  // namespace weft::api
