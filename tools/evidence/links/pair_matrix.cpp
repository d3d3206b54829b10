#include "tools/evidence/links/pair_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simcore/base/escape.hpp"
#include "simcore/text/csv_row.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/evidence/links/rate_unit.hpp"
#include "tools/evidence/operations.hpp"
#include "tools/evidence/text.hpp"

namespace weft::evidence {
namespace {

constexpr std::size_t kMaxMatrixProblems = 20;
constexpr std::size_t kMaxNames = 16384;  ///< of a square

bool is_source(std::string_view name) {
  return name == "src" || name == "source" || name == "from_host" || name == "client";
}
bool is_square_corner(std::string_view name) {
  for (const char separator : {'\\', '/', '|'}) {
    const std::size_t at = name.find(separator);
    if (at != name.npos && is_source(name.substr(0, at))) return true;
  }
  return false;
}

/// As nccl-tests, weft, NCCL or PyTorch call it, or the program; null: none of them.
const OperationFacts* operation_called(std::string_view name) {
  for (auto* find : {find_torch_operation, find_operation, find_nccl_operation}) {
    if (const OperationFacts* facts = find(name)) return facts;
  }
  const auto program = std::ranges::find(operations(), name, &OperationFacts::program);
  return program == operations().end() ? nullptr : &*program;
}

/// `1073741824 bytes`, `64 MiB`, `64MiB`, or what stands behind `-b`, `-e` or `-s` of a command.
std::optional<std::int64_t> bytes_said(const std::vector<std::string_view>& words, std::size_t at) {
  std::string_view number = words[at];
  const std::size_t end = std::min(number.find_first_not_of("0123456789"), number.size());
  std::string_view unit = number.substr(end);
  number = number.substr(0, end);
  const bool is_argument =
      at > 0 && (words[at - 1] == "-b" || words[at - 1] == "-e" || words[at - 1] == "-s");
  if (unit.empty() && !is_argument) unit = at + 1 < words.size() ? words[at + 1] : "";
  std::int64_t factor = 0;
  if (unit == "bytes" || unit == "B" || (unit.empty() && is_argument)) factor = 1;
  if (unit == "KiB" || (is_argument && unit == "K")) factor = std::int64_t{1} << 10U;
  if (unit == "MiB" || (is_argument && unit == "M")) factor = std::int64_t{1} << 20U;
  if (unit == "GiB" || (is_argument && unit == "G")) factor = std::int64_t{1} << 30U;
  const auto value = number_in<std::int64_t>(number);
  constexpr std::int64_t kHighest = std::int64_t{1} << 50U;
  if (factor == 0 || !value || *value < 1 || *value > kHighest / factor) return {};
  return *value * factor;
}

/// What comments say of all values.
struct MatrixComment {
  std::string operation{};
  std::int64_t bytes = 0;  ///< 0: not said
  std::optional<std::string> nic{};
  std::optional<std::uint32_t> rail{};
};

class MatrixReader {
 public:
  explicit MatrixReader(const InputFile& file) : file_(file) {}

  Measurements read() {
    for (const std::string_view line : file_.lines()) {
      ++line_;
      if (line.empty()) continue;
      if (line.starts_with('#')) {
        read_comment(line);
      } else {
        read_cells(line);
      }
    }
    if (problems_ > kMaxMatrixProblems) {
      add_error(m_.remarks, {.file = file_.name()},
                fmt::format("{} more lines cannot be used", problems_ - kMaxMatrixProblems));
    }
    if (!has_errors(m_.remarks)) conclude();
    return std::move(m_);
  }

 private:
  void problem(std::string text) {
    if (++problems_ <= kMaxMatrixProblems) {
      add_error(m_.remarks, file_.line(line_), std::move(text));
    }
  }

  /// `# ib_write_bw, rail 5 (mlx5_5 to mlx5_5), Gb/s, row is the client`
  void read_comment(std::string_view line) {
    std::string plain(line.substr(1));
    for (char& c : plain) {
      if (c == ',' || c == '(' || c == ')' || c == ';') c = ' ';
    }
    const std::vector<std::string_view> words = split_words(plain);
    for (const std::string_view word : words) {
      const auto unit = rate_unit(word);
      if (unit && unit_ && *unit != *unit_) return problem("names two units of rates");
      if (unit) unit_ = unit;
      if (word.starts_with("ib_") && word.ends_with("_bw")) {
        comment_.operation = safe_name(lower(word.substr(3, word.size() - 6))) + "-bw";
      }
      if (const OperationFacts* facts = operation_called(word); facts != nullptr) {
        comment_.operation = facts->name;
      }
      if (word.starts_with("mlx5_") && !comment_.nic) comment_.nic = safe_name(word);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto bytes = bytes_said(words, i);
      if (!bytes) continue;
      if (comment_.bytes > 0 && comment_.bytes != *bytes) return problem("names two sizes");
      comment_.bytes = *bytes;
    }
    if (const auto rail = number_in<std::uint32_t>(word_behind(words, "rail"))) {
      comment_.rail = rail;
    }
  }

  void read_cells(std::string_view line) {
    CsvRow row;
    if (!row.read(line)) return problem(row.problem());
    std::vector<std::string> cells;
    for (const CsvRow::Cell& cell : row.cells()) cells.emplace_back(cell.text);
    if (columns_.empty()) return read_header_cells(std::move(cells));
    if (is_square_) {
      read_square_row(cells);
    } else {
      read_pair(cells);
    }
  }

  void read_header_cells(std::vector<std::string> cells) {
    columns_ = std::move(cells);
    is_square_ = is_square_corner(lower(columns_.front()));
    if (is_square_) {
      if (columns_.size() > kMaxNames) return problem("has more than 16384 columns");
      std::set<std::string> names;
      for (std::size_t i = 1; i < columns_.size(); ++i) {
        if (columns_[i].empty() || !names.insert(columns_[i]).second) {
          problem(
              fmt::format("column {} has no name of its own: {}", i + 1, backquoted(columns_[i])));
        }
      }
      return;
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string name = lower(columns_[i]);
      const auto unit = rate_unit_in(columns_[i]);
      if (is_source(name)) at_["src"] = i;
      if (name == "dst" || name == "destination" || name == "server") at_["dst"] = i;
      if (name == "op" || name == "operation") at_["op"] = i;
      if (name == "bytes" || name == "size") at_["bytes"] = i;
      if (name == "rail") at_["rail"] = i;
      if (name == "nic") at_["nic"] = i;
      if (unit || name == "value" || name == "bw" || name == "busbw") {
        if (at_.contains("value")) problem("has two columns of values");
        at_["value"] = i;
        if (unit && unit_ && *unit != *unit_) problem("has another unit than its comment");
        if (unit) unit_ = unit;
      }
    }
    for (const char* name : {"src", "dst", "value"}) {
      if (at_.contains(name)) continue;
      problem(
          fmt::format("has no column {}: expected src, dst and a value with its unit, such as "
                      "`src,dst,bytes,busbw_GBs`",
                      name));
    }
  }

  void add(const std::string& from, const std::string& to, std::string_view written,
           PairSeries series) {
    const auto value = number_in<double>(written);
    if (!value || *value <= 0) {
      return problem(fmt::format("{} to {}: {} is no number above 0", safe_name(from),
                                 safe_name(to), backquoted(written)));
    }
    if (from == to) {
      return problem(fmt::format("{} to itself has a value", safe_name(from)));
    }
    if (!unit_) {
      if (!std::exchange(has_said_unit_, true)) {
        problem(
            fmt::format("the unit is unknown ({}): add a line such as `# Gb/s`, or name the "
                        "column `busbw_GBs`",
                        kRateUnits));
      }
      return;
    }
    const auto key = std::tuple(series.operation, series.bytes, series.rail.value_or(~0U),
                                series.nic.value_or(""));
    const auto [at, is_new] = index_.emplace(key, m_.pairs.size());
    if (is_new) m_.pairs.push_back(std::move(series));
    if (!pairs_.emplace(at->second, from, to).second) {
      return problem(fmt::format("{} to {} has a value already", safe_name(from), safe_name(to)));
    }
    m_.pairs[at->second].values.push_back(
        {safe_name(from), safe_name(to), *value * *unit_, file_.line(line_)});
  }

  [[nodiscard]] PairSeries empty_series() const {
    return {.operation = comment_.operation,
            .bytes = comment_.bytes,
            .nic = comment_.nic,
            .rail = comment_.rail,
            .where = file_.line(line_)};
  }

  void read_square_row(const std::vector<std::string>& cells) {
    if (cells.size() != columns_.size()) {
      return problem(fmt::format("row {} has {} cells, and the header {}", safe_name(cells.front()),
                                 cells.size() - 1, columns_.size() - 1));
    }
    const std::vector<std::string> names(columns_.begin() + 1, columns_.end());
    if (std::ranges::find(names, cells.front()) == names.end()) {
      return problem(fmt::format("row {} is no column of the header{}", backquoted(cells.front()),
                                 problems_ < kMaxSuggestions
                                     ? escaped(did_you_mean(cells.front(), names))
                                     : std::string()));
    }
    if (!rows_.insert(cells.front()).second) {
      return problem(fmt::format("row {} is there twice", safe_name(cells.front())));
    }
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const std::string small = lower(cells[i]);
      if (small.empty() || small == "n/a" || small == "-" || small == "nan") {
        if (cells.front() != columns_[i]) ++empty_;
        continue;
      }
      if (cells.front() == columns_[i] && number_in<double>(small) == 0.0) continue;
      add(cells.front(), columns_[i], cells[i], empty_series());
    }
  }

  void read_pair(const std::vector<std::string>& cells) {
    if (cells.size() != columns_.size()) {
      return problem(fmt::format("has {} cells, and the header {}", cells.size(), columns_.size()));
    }
    if (!at_.contains("src") || !at_.contains("dst") || !at_.contains("value")) return;
    PairSeries series = empty_series();
    if (at_.contains("op")) {
      const std::string& name = cells[at_["op"]];
      const OperationFacts* facts = operation_called(name);
      series.operation = facts != nullptr ? std::string(facts->name) : safe_name(name);
      if (name.starts_with("ib_") && name.ends_with("_bw")) {
        series.operation = safe_name(lower(name.substr(3, name.size() - 6))) + "-bw";
      }
    }
    if (at_.contains("bytes")) {
      // As an argument of nccl-tests: `1073741824` or `1G`; `1GB` may be 10^9.
      const auto bytes = bytes_said({"-b", cells[at_["bytes"]]}, 1);
      if (!bytes) {
        return problem(backquoted(cells[at_["bytes"]]) + " is no number of bytes");
      }
      series.bytes = *bytes;
    }
    if (at_.contains("rail")) {
      series.rail = number_in<std::uint32_t>(cells[at_["rail"]]);
      if (!series.rail) return problem(backquoted(cells[at_["rail"]]) + " is no number of a rail");
    }
    if (at_.contains("nic")) series.nic = safe_name(cells[at_["nic"]]);
    add(cells[at_["src"]], cells[at_["dst"]], cells[at_["value"]], std::move(series));
  }

  void conclude() {
    if (m_.pairs.empty()) {
      return add_error(m_.remarks, {.file = file_.name()}, "has no value");
    }
    if (is_square_ && rows_.size() + 1 < columns_.size()) {
      add_warning(m_.remarks, {.file = file_.name()},
                  fmt::format("has {} rows for {} columns: the other hosts sent nothing",
                              rows_.size(), columns_.size() - 1));
    }
    if (empty_ > 0) {
      add_warning(m_.remarks, {.file = file_.name()},
                  fmt::format("{} pairs have no value", empty_));
    }
    for (const PairSeries& series : m_.pairs) {
      if (series.operation.empty()) {
        add_warning(m_.remarks, series.where,
                    "does not say what was measured: add a line such as `# ib_write_bw` or `# "
                    "all_reduce_perf`");
      }
      std::set<std::string> hosts;
      std::set<std::pair<std::string, std::string>> pairs;
      for (const PairValue& value : series.values) {
        hosts.insert({value.from, value.to});
        pairs.emplace(value.from, value.to);
      }
      const bool has_both = std::ranges::any_of(pairs, [&](const auto& pair) {
        return pairs.contains({pair.second, pair.first});
      });
      m_.recognised.push_back(fmt::format(
          "{}: pair matrix: {}{}{}, {} pairs of {} hosts, {}", escaped(file_.name()),
          series.operation.empty() ? "bandwidth" : series.operation,
          series.nic ? " of " + *series.nic : "",
          series.rail ? fmt::format(", rail {}", *series.rail) : "", series.values.size(),
          hosts.size(), has_both ? "each direction" : "each pair once"));
    }
  }

  const InputFile& file_;
  Measurements m_;
  MatrixComment comment_;
  std::optional<double> unit_;
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t> at_;
  std::map<std::tuple<std::string, std::int64_t, std::uint32_t, std::string>, std::size_t> index_;
  std::set<std::tuple<std::size_t, std::string, std::string>> pairs_;
  std::set<std::string> rows_;
  bool is_square_ = false;
  bool has_said_unit_ = false;
  std::size_t line_ = 0;
  std::size_t problems_ = 0;
  std::size_t empty_ = 0;
};

std::optional<std::string_view> recognise_matrix(const InputFile& file) {
  for (const std::string_view line : file.lines()) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::string first =
        lower(trimmed(line.substr(0, std::min<std::size_t>(line.find(','), 64))));
    if (is_square_corner(first)) return "a square of hosts, `src\\dst`";
    if (is_source(first)) return "columns `src` and `dst`";
    return {};
  }
  return {};
}

void read_matrix(const InputFile& file, Measurements& measurements) {
  take(measurements, MatrixReader(file).read());
}

}  // namespace

Form pair_matrix_form() {
  return {.name = "pairs",
          .about = "what was measured between all pairs of servers, as CSV",
          .command =
              "a loop over pairs of hosts: `src,dst,op,bytes,busbw_GBs`, or a square with its "
              "unit in a line `# Gb/s`",
          .recognise = recognise_matrix,
          .read = read_matrix};
}

}  // namespace weft::evidence
