#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "simcore/text/quoted.hpp"
#include "tools/evidence/counters/counter_forms.hpp"
#include "tools/evidence/counters/owner.hpp"

/// Tables of SONiC's `show` commands (sonic-utilities, Command-Reference).
namespace weft::evidence {
namespace {

/// Columns are at least two blanks apart; a cell such as `2000.00 MB/s` holds one.
std::vector<std::string_view> table_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t at = line.find_first_not_of(' '); at < line.size();) {
    const std::size_t end = std::min(line.find("  ", at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(' ', end);
  }
  return cells;
}

constexpr std::array kInterfaceColumns = std::to_array<std::string_view>(
    {"RX_OK", "RX_ERR", "RX_DRP", "RX_OVR", "TX_OK", "TX_ERR", "TX_DRP", "TX_OVR"});

struct Table {
  std::string suffix;  ///< of counters' names: ` Rx`, ` headroom watermark`
  std::vector<std::string> columns;
};

/// The table that a header begins; nothing: it is no header. `title` is the line before it.
std::optional<Table> table_of(const std::vector<std::string_view>& cells, std::string_view title) {
  if (cells.size() < 2) return std::nullopt;
  const auto named = [&](std::string_view column, std::string suffix) -> std::optional<Table> {
    if (!cells[1].starts_with(column)) return std::nullopt;
    return Table{std::move(suffix), {cells.begin(), cells.end()}};
  };
  if (cells[0] == "Port Rx") return named("PFC0", " Rx");
  if (cells[0] == "Port Tx") return named("PFC0", " Tx");
  if (cells[0] == "IFACE" && cells[1] == "STATE") return Table{"", {cells.begin(), cells.end()}};
  if (cells[0] != "Port" && cells[0] != "Interface") return std::nullopt;
  if (title.starts_with("Ingress headroom per PG")) return named("PG0", " headroom watermark");
  if (title.starts_with("Ingress shared pool")) return named("PG0", " shared watermark");
  if (title.starts_with("Egress shared pool")) return named("UC0", " watermark");
  return std::nullopt;
}

std::optional<std::string_view> recognise_sonic_counters(const InputFile& file) {
  std::string_view title;
  for (const std::string_view line : file.lines()) {
    if (table_of(table_cells(line), title)) return "a table of `show ... counters` or `watermark`";
    if (!line.empty()) title = line;
  }
  return std::nullopt;
}

class SonicCounterReader {
 public:
  explicit SonicCounterReader(const InputFile& file) : file_(file) {
    owner_ = owner_of_name(file.name(), false);
  }

  void read(Measurements& measurements) {
    std::string_view title;
    for (line_ = 1; line_ <= file_.lines().size(); ++line_) {
      const std::string_view line = file_.lines()[line_ - 1];
      if (line.empty()) continue;
      if (const auto owner = owner_of_line(line)) {
        owner_ = *owner;
        end_table();
        continue;
      }
      const auto cells = table_cells(line);
      if (auto table = table_of(cells, title)) {
        end_table();
        table_ = std::move(table);
        seen_.clear();
        rows_ = 0;
      } else if (table_ && line.find_first_not_of("- ") != std::string_view::npos) {
        read_row(line, cells);
      }
      title = line;
    }
    end_table();
    if (std::ranges::any_of(counters_, [](const Counter& c) { return c.device.empty(); })) {
      import::add_warning(remarks_, {.file = file_.name()},
                          "does not say which switch this is: write `# name` above it, or keep the "
                          "prompt before the command");
    }
    add_counters(file_, "SONiC counters", std::move(counters_), std::move(remarks_), measurements);
  }

 private:
  void error(std::string text) {
    if (remarks_.size() < kMaxErrors)
      import::add_error(remarks_, file_.line(line_), std::move(text));
  }

  void end_table() {
    if (table_ && rows_ == 0) error("the table above has no row: it was cut; copy it again");
    table_.reset();
  }

  void read_row(std::string_view line, const std::vector<std::string_view>& cells) {
    // The title of the next table.
    if (line.ends_with(':')) return end_table();
    if (cells.size() != table_->columns.size()) {
      return error(
          fmt::format("a row of {} cells under a header of {}: cut, or pasted from a narrow "
                      "window?",
                      cells.size(), table_->columns.size()));
    }
    ++rows_;
    if (!seen_.emplace(cells[0]).second) {
      return error(fmt::format("{} stands twice in the table", backquoted(cells[0])));
    }
    const bool is_interfaces = table_->columns[0] == "IFACE";
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const std::string& column = table_->columns[i];
      if (is_interfaces &&
          std::ranges::find(kInterfaceColumns, column) == kInterfaceColumns.end()) {
        continue;
      }
      if (cells[i] == "N/A") continue;
      const auto value = counter_value(cells[i]);
      if (!value) {
        error(fmt::format("{} of {}: {} found, expected a whole number", column,
                          backquoted(cells[0]), backquoted(cells[i])));
        continue;
      }
      counters_.push_back({owner_.device, std::string(cells[0]), column + table_->suffix, *value,
                           file_.line(line_)});
    }
  }

  const InputFile& file_;
  CounterOwner owner_;
  std::optional<Table> table_;
  std::set<std::string> seen_;
  std::size_t rows_ = 0;
  std::size_t line_ = 0;
  std::vector<Counter> counters_;
  Remarks remarks_;
};

void read_sonic_counters(const InputFile& file, Measurements& measurements) {
  SonicCounterReader(file).read(measurements);
}

}  // namespace

Form sonic_counters_form() {
  return {.name = "sonic-counters",
          .about = "counters and watermarks of a SONiC switch",
          .command =
              "`show pfc counters`, `show queue watermark unicast`, `show priority-group "
              "watermark headroom`, `show interfaces counters`",
          .recognise = recognise_sonic_counters,
          .read = read_sonic_counters};
}

}  // namespace weft::evidence
