#include "tools/import/cables/generic_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/cables/cable_words.hpp"
#include "tools/import/parse/cable_list.hpp"
#include "tools/import/parse/csv_table.hpp"
#include "tools/import/parse/quantities.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

/// Fewer Mb/s than any port of such a fabric has: a number may be Gb/s then.
constexpr std::uint64_t kMinMbps = 10'000;
constexpr std::uint64_t kMaxGbps = 1'600;

std::string column_of(std::string_view title) { return std::string(cable_title(title).column); }

class GenericCsvReader {
 public:
  explicit GenericCsvReader(Reading& reading)
      : reading_(reading),
        table_(reading, {kGenericCsvNeeded.begin(), kGenericCsvNeeded.end()},
               {kGenericCsvKnown.begin(), kGenericCsvKnown.end()}, column_of),
        cables_(reading, "row"),
        cells_(reading) {}

  std::string read() {
    if (table_.read_head()) {
      rate_unit_ = cable_title(table_.title("rate")).unit;
      length_unit_ = cable_title(table_.title("length")).unit;
      is_loose_ = cable_title(table_.title("medium")).is_loose;
      while (table_.next()) read_row();
      cells_.say();
      if (cables_.size() == 0 && !reading_.has_errors()) reading_.error({}, "holds no cable");
    }
    return counted(cables_.size(), "cable");
  }

 private:
  void read_row() {
    Cable cable;
    cable.where = table_.where();
    bool is_named = true;
    const auto name = [&](std::string_view column, std::string& into) {
      const auto found =
          reading_.name(table_.cell(column), fmt::format("{} of row {}", column, table_.row()),
                        table_.where(column));
      is_named = is_named && found.has_value();
      into = found.value_or("");
    };
    name("from", cable.a.device);
    name("from_port", cable.a.port);
    name("to", cable.b.device);
    name("to_port", cable.b.port);
    if (const std::string_view text = table_.cell("rate"); !text.empty()) {
      cable.rate = stated("rate", rate(text));
    }
    if (const std::string_view text = table_.cell("length"); !text.empty()) {
      cable.length = stated("length", length(text));
    }
    if (const std::string_view text = table_.cell("medium"); !text.empty())
      read_medium(text, cable);
    if (is_named) cables_.add(std::move(cable));
  }

  template <class T>
  std::optional<Stated<T>> stated(std::string_view column, const OrProblem<T>& value) {
    if (const T* const good = std::get_if<T>(&value)) return Stated<T>{*good, table_.where(column)};
    cells_.add(Severity::kError, column, table_.where(column), std::get<std::string>(value));
    return std::nullopt;
  }

  OrProblem<BitsPerSecond> rate(std::string_view text) {
    const std::optional<std::uint64_t> count = parse_unsigned(text);
    if (!count) return parse_port_rate(text);
    if (!rate_unit_.empty()) return parse_port_rate(fmt::format("{}{}", text, rate_unit_));
    if (*count >= kMinMbps) {
      OrProblem<BitsPerSecond> megabits = port_rate_of_mbps(text);
      if (const auto* const good = std::get_if<BitsPerSecond>(&megabits)) {
        cells_.add(
            Severity::kWarning, "rate", table_.where("rate"),
            fmt::format("{} has no unit: taken in Mb/s, {}", backquoted(text), rate_text(*good)));
        return megabits;
      }
    }
    OrProblem<BitsPerSecond> problem = parse_port_rate(text);
    auto* const why = std::get_if<std::string>(&problem);
    if (why != nullptr && *count <= kMaxGbps) {
      *why += " A title such as `rate (Gb/s)` says it of all";
    }
    return problem;
  }

  OrProblem<Millimetres> length(std::string_view text) {
    // With another separator a comma may stand for the point: `2,5`, but not `2,500`.
    std::string number(text);
    const std::size_t comma = number.find(',');
    if (table_.separator() != ',' && comma != std::string::npos) {
      const std::size_t end =
          std::min(number.find_first_not_of("0123456789", comma + 1), number.size());
      if (end - comma == 2 || end - comma == 3) number[comma] = '.';
    }
    if (number.find_first_not_of("0123456789.") != std::string::npos) {
      return parse_cable_length(number);
    }
    if (!length_unit_.empty()) return parse_cable_length(number, length_unit_);
    cells_.add(
        Severity::kWarning, "length", table_.where("length"),
        "lengths without a unit: taken in metres; a title such as `length (ft)` says another "
        "one");
    return parse_cable_length(number, "m");
  }

  void read_medium(std::string_view text, Cable& cable) {
    static const std::vector<std::string> known{"copper", "fibre", "DAC", "AOC"};
    if (const std::optional<std::string> medium = medium_of(text)) {
      cable.medium = Stated<std::string>{*medium, table_.where("medium")};
      return;
    }
    // A column such as `Type` may be of something else.
    cells_.add(
        is_loose_ ? Severity::kWarning : Severity::kError, "medium", table_.where("medium"),
        fmt::format("{}: copper or fibre expected, or a kind of them such as DAC, AOC, SMF, "
                    "OM4 or DR4{}{}",
                    backquoted(text), did_you_mean(text, known), is_loose_ ? "; ignored" : ""));
  }

  Reading& reading_;
  CsvTable table_;
  CableList cables_;
  CellRemarks cells_;
  std::string rate_unit_;
  std::string length_unit_;
  bool is_loose_ = false;
};

}  // namespace

std::optional<std::string_view> recognise_generic_csv(const InputFile& file) {
  bool has_from = false;
  bool has_to = false;
  bool has_port = false;
  for (const std::string& cell : first_cells(file)) {
    const std::string column = column_of(cell);
    has_from = has_from || column == "from";
    has_to = has_to || column == "to";
    has_port = has_port || column == "from_port" || column == "to_port";
  }
  if (!has_from || !has_to || !has_port) return std::nullopt;
  return "its columns `from`, `from_port`, `to` and `to_port`";
}

void read_generic_csv(const InputFile& file, Description& description) {
  Reading reading(file, description);
  const std::string contents = GenericCsvReader(reading).read();
  reading.finish("cables CSV", contents);
}

}  // namespace weft::import
