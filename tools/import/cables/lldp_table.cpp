#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/cables/lldp.hpp"
#include "tools/import/cables/lldp_neighbours.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

constexpr std::size_t kLldpColumns = 5;

bool is_lldp_head(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line.substr(0, 4096));
  return words.size() == kLldpColumns && words[0] == "LocalPort" && words[1] == "RemoteDevice";
}

class LldpTableReader {
 public:
  explicit LldpTableReader(Reading& reading) : reading_(reading), neighbours_(reading) {}

  std::string read() {
    const auto& lines = reading_.file.lines();
    const auto head = std::ranges::find_if(lines, is_lldp_head);
    std::size_t line = static_cast<std::size_t>(head - lines.begin()) + 1;
    if (head == lines.end() || line >= lines.size() || !read_widths(lines[line])) {
      reading_.error({}, "no line of dashes under the column names");
      return "";
    }
    for (++line; line < lines.size() && !lines[line].starts_with("-----") &&
                 !lines[line].starts_with("Total");
         ++line) {
      if (!trimmed(lines[line]).empty()) read_row(line, lines[line]);
    }
    check_total(line);
    return neighbours_.finish();
  }

 private:
  bool read_widths(std::string_view dashes) {
    std::size_t at = 0;
    for (const std::string_view word : words_of(dashes)) {
      if (word.find_first_not_of('-') != std::string_view::npos) return false;
      at = dashes.find(word, at);
      starts_.push_back(at);
      at += word.size();
    }
    return starts_.size() == kLldpColumns;
  }

  void read_row(std::size_t line, std::string_view text) {
    ++rows_;
    std::array<std::string_view, kLldpColumns> cells;
    for (std::size_t i = 0; i < kLldpColumns; ++i) {
      const std::size_t begin = std::min(starts_[i], text.size());
      const std::size_t end =
          i + 1 < kLldpColumns ? std::min(starts_[i + 1], text.size()) : text.size();
      if (begin > 0 && begin < text.size() && text[begin - 1] != ' ') {
        reading_.error(
            reading_.file.line(line + 1),
            "cells do not stand under their heads: were blanks lost when it was pasted?");
        return;
      }
      cells[i] = trimmed(text.substr(begin, end - begin));
    }
    LldpNeighbour neighbour;
    neighbour.local_port = cells[0];
    neighbour.device = cells[1];
    neighbour.is_nameless = is_mac(cells[1]);
    neighbour.port_id = cells[2];
    neighbour.description = cells[4];
    const std::string_view codes = cells[3];
    if (codes.find_first_not_of("RBOTCWPS") != std::string_view::npos) {
      reading_.error(reading_.file.line(line + 1),
                     fmt::format("capability {}: letters of R, B and O expected, one behind the "
                                 "other",
                                 backquoted(codes)));
    }
    neighbour.is_bridge = codes.find('B') != std::string_view::npos;
    neighbour.is_router = codes.find('R') != std::string_view::npos;
    neighbour.is_station = codes == "O" || codes == "S";
    neighbour.where = reading_.file.line(line + 1);
    neighbours_.add(neighbour);
  }

  void check_total(std::size_t line) {
    const auto& lines = reading_.file.lines();
    for (; line < lines.size(); ++line) {
      const std::vector<std::string_view> words = words_of(lines[line]);
      if (words.empty() || words.front() != "Total") continue;
      if (parse_unsigned(words.back()) == rows_) return;
      reading_.error(reading_.file.line(line + 1),
                     fmt::format("the total is {}, and {} are here: lines are missing",
                                 backquoted(words.back()), counted(rows_, "row")));
      return;
    }
    reading_.error(reading_.file.line(lines.size()),
                   "the line `Total entries displayed` is missing: copy all of the output");
  }

  Reading& reading_;
  LldpNeighbours neighbours_;
  std::vector<std::size_t> starts_;
  std::size_t rows_ = 0;
};

}  // namespace

std::optional<std::string_view> recognise_lldp_table(const InputFile& file) {
  constexpr std::size_t kLooksAt = 50;
  const auto& lines = file.lines();
  const auto end = lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), kLooksAt));
  if (std::find_if(lines.begin(), end, is_lldp_head) == end) return std::nullopt;
  return "its columns `LocalPort` and `RemoteDevice`";
}

void read_lldp_table(const InputFile& file, Description& description) {
  Reading reading(file, description);
  const std::string contents = LldpTableReader(reading).read();
  reading.finish("SONiC show lldp table", contents);
}

}  // namespace weft::import
