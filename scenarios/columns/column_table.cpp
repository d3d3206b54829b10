#include "scenarios/columns/column_table.hpp"

#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

namespace weft::scenarios {

bool ColumnData::is_missing(std::size_t row) const {
  if (held == Held::kQuotient) return std::isnan(quotients[row]);
  if (held == Held::kText) return codes[row] < 0;
  return !missing.empty() && missing[row] != 0;
}

Value ColumnData::value(std::size_t row) const {
  if (is_missing(row)) return {};
  switch (held) {
    case Held::kFlag:
      return flags[row] != 0;
    case Held::kInteger:
      return integers[row];
    case Held::kTime:
      return Picoseconds(integers[row]);
    case Held::kQuotient:
      return Quotient{quotients[row], spelling};
    case Held::kText:
      return words[static_cast<std::size_t>(codes[row])];
  }
  return {};
}

void ColumnTable::append_header(std::string& text) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) text += ',';
    text += columns[i].csv_name;
  }
  text += '\n';
}

void ColumnTable::append_row(std::string& text, std::size_t row) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) text += ',';
    columns[i].value(row).append_to(text);
  }
  text += '\n';
}

std::size_t ColumnWriter::size() const {
  switch (column_.held) {
    case Held::kFlag:
      return column_.flags.size();
    case Held::kQuotient:
      return column_.quotients.size();
    case Held::kText:
      return column_.codes.size();
    default:
      return column_.integers.size();
  }
}

void ColumnWriter::add(const Value& value) {
  value.visit([this](const auto& held) {
    using T = std::remove_cvref_t<decltype(held)>;
    if constexpr (std::is_same_v<T, std::monostate>) {
      add_missing();
    } else if constexpr (std::is_same_v<T, bool>) {
      column_.flags.push_back(held ? 1 : 0);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      column_.integers.push_back(held);
    } else if constexpr (std::is_same_v<T, Picoseconds>) {
      column_.integers.push_back(held.count());
    } else if constexpr (std::is_same_v<T, Quotient>) {
      column_.spelling = held.spelling;
      column_.quotients.push_back(held.value);
    } else {
      add_word(held);
    }
  });
  if (!column_.missing.empty()) column_.missing.resize(size());
}

void ColumnWriter::add_missing() {
  switch (column_.held) {
    case Held::kQuotient:
      column_.quotients.push_back(std::numeric_limits<double>::quiet_NaN());
      return;
    case Held::kText:
      column_.codes.push_back(-1);
      return;
    case Held::kFlag:
      column_.flags.push_back(0);
      break;
    default:
      column_.integers.push_back(0);
  }
  column_.missing.resize(size());
  column_.missing.back() = 1;
}

void ColumnWriter::add_word(const std::string& word) {
  // Rows that follow each other are of the same job, mostly; names are few, or each is new.
  std::vector<std::int32_t>& codes = column_.codes;
  std::vector<std::string>& words = column_.words;
  if (!codes.empty() && codes.back() >= 0 &&
      words[static_cast<std::size_t>(codes.back())] == word) {
    codes.push_back(codes.back());
    return;
  }
  const auto [at, is_new] = codes_.try_emplace(word, static_cast<std::int32_t>(words.size()));
  if (is_new) words.push_back(word);
  codes.push_back(at->second);
}

}  // namespace weft::scenarios
