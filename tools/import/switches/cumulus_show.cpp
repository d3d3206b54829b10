#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/switches/pasted.hpp"
#include "tools/import/switches/pasted_formats.hpp"
#include "tools/import/switches/units.hpp"

/// The table of `nv show qos congestion-control PROFILE traffic-class` of NVIDIA Cumulus Linux.
namespace weft::import {
namespace {

constexpr std::array kColumns = std::to_array<std::string_view>(
    {"traffic-class", "ECN", "RED", "Min Th", "Max Th", "Probability"});

constexpr std::uint64_t kMaxSize = 1'000'000;  // of any unit
constexpr std::uint64_t kNoSize = kMaxSize + 1;

/// The cells of a line: columns are at least two blanks apart.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t at = line.find_first_not_of(' '); at < line.size();) {
    const std::size_t end = std::min(line.find("  ", at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(' ', end);
  }
  return cells;
}

bool is_header(const std::vector<std::string_view>& cells) {
  return std::ranges::equal(cells, kColumns);
}

std::optional<std::string_view> recognise_show(const InputFile& file) {
  const bool found = std::ranges::any_of(
      file.lines(), [](std::string_view line) { return is_header(cells_of(line)); });
  return found ? std::optional<std::string_view>("traffic-class, ECN, RED, Min Th, Max Th")
               : std::nullopt;
}

class ShowReader {
 public:
  ShowReader(const InputFile& file, Remarks& remarks) : lines_(file, remarks), file_(file) {}

  SwitchSettings read() {
    bool is_inside = false;
    while (lines_.next()) {
      const auto cells = cells_of(lines_.text());
      if (is_header(cells)) {
        is_inside = true;
      } else if (is_inside && lines_.text().find_first_not_of("- ") != std::string_view::npos) {
        read_row(cells);
      }
    }
    if (qos_.by_queue.empty()) lines_.error("the table has no row: it was cut; copy it again");
    lines_.warn_if_cut();
    SwitchSettings settings;
    settings.name = lines_.host();
    settings.where = {.file = file_.name()};
    qos_.where = settings.where;
    settings.classes = classes_of(qos_);
    return settings;
  }

 private:
  void read_row(const std::vector<std::string_view>& cells) {
    if (lines_.starts("nv") || lines_.text().find("$") != std::string_view::npos) return;
    if (cells.size() != kColumns.size()) {
      lines_.error(
          fmt::format("a row of {} cells under a header of {}: pasted from a narrow window?",
                      cells.size(), kColumns.size()));
      return;
    }
    const auto queue = parse_unsigned(cells[0]);
    const auto percent = parse_unsigned(cells[5]);
    if (!queue || *queue > 7) return expected("a traffic class of 0 to 7", cells[0]);
    if (!percent || *percent > 100) return expected("a percentage", cells[5]);
    for (const std::size_t i : {1U, 2U}) {
      if (cells[i] != "enable" && cells[i] != "disable")
        return expected("enable or disable", cells[i]);
    }
    const auto min = size(cells[3]);
    const auto max = size(cells[4]);
    if (!min || !max) return;
    if (*min > *max) {
      lines_.error(fmt::format("Min Th {} > Max Th {}", cells[3], cells[4]));
    }
    const auto number = static_cast<std::uint32_t>(*queue);
    if (qos_.by_queue.contains(number)) {
      lines_.error(fmt::format("traffic class {} stands twice", number));
    }
    PastedQueue& made = qos_.by_queue[number];
    if (cells[1] == "disable" && cells[2] == "disable") return;
    made.ecn = EcnSettings{.kmin = {*min, lines_.where()},
                           .kmax = {*max, lines_.where()},
                           .pmax = {static_cast<double>(*percent) / 100, lines_.where()},
                           .drops = cells[1] == "disable"};
  }

  void expected(std::string_view what, std::string_view found) {
    lines_.error(fmt::format("{} found, expected {}", backquoted(found), what));
  }

  /// `146.48 KB`: of 1024 bytes, rounded to two decimals.
  std::optional<Bytes> size(std::string_view cell) {
    const auto words = words_of(cell);
    const std::string_view unit = words.size() == 2 ? words[1] : "";
    const double factor = unit == "B"    ? 1.0
                          : unit == "KB" ? 1024.0
                          : unit == "MB" ? 1024.0 * 1024
                          : unit == "GB" ? 1024.0 * 1024 * 1024
                                         : 0.0;
    auto parts = split(words.empty() ? std::string_view() : words[0], '.');
    if (parts.size() == 1) parts.emplace_back("0");
    const std::uint64_t whole = parse_unsigned(parts[0]).value_or(kNoSize);
    const std::uint64_t part = parse_unsigned(parts[1]).value_or(kNoSize);
    if (factor == 0.0 || whole > kMaxSize || part > kMaxSize || parts.size() != 2 ||
        parts[1].size() > 2) {
      expected("a size such as 146.48 KB", cell);
      return std::nullopt;
    }
    const double tens = std::pow(10.0, static_cast<double>(parts[1].size()));
    if (factor > 1) {
      lines_.warn_once("rounded",
                       "the sizes are rounded to two decimals of KB or MB, which are of "
                       "1024: up to 0.5 % off; `nv config show -o commands` has the bytes");
    }
    const double bytes = (static_cast<double>(whole) + static_cast<double>(part) / tens) * factor;
    return Bytes(std::llround(bytes));
  }

  PastedLines lines_;
  const InputFile& file_;
  PastedQos qos_;
};

void read_show(const InputFile& file, Description& description) {
  Remarks remarks;
  SwitchSettings settings = ShowReader(file, remarks).read();
  add_pasted(file, "NVIDIA Cumulus congestion control", std::move(settings), remarks, description);
}

}  // namespace

Format cumulus_show_format() {
  return {.name = "cumulus-show",
          .about = "congestion control as NVIDIA Cumulus Linux prints it",
          .command = "`nv show qos congestion-control default-global traffic-class`",
          .recognise = recognise_show,
          .read = read_show};
}

}  // namespace weft::import
