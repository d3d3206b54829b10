#include "tools/sweep/report/point_warnings.hpp"

#include <fmt/format.h>

#include <map>

namespace weft::sweep {

PointWarnings warnings_of(const Table& table) {
  PointWarnings result;
  std::map<std::string, std::size_t> index;
  for (const Table::Row& row : table.rows) {
    if (!row.warnings.empty()) ++result.points;
    for (const std::string& text : row.warnings) {
      const auto [known, is_new] = index.emplace(text, result.sentences.size());
      if (is_new) result.sentences.push_back({text, 0, &row});
      ++result.sentences[known->second].points;
    }
  }
  return result;
}

std::vector<std::string> warning_lines(const Table& table, const PointWarnings& warnings,
                                       std::size_t limit) {
  std::vector<std::string> lines;
  for (const PointWarnings::Sentence& sentence : warnings.sentences) {
    if (lines.size() == limit) {
      lines.push_back(fmt::format("and {} more; `weft export` has all warnings",
                                  warnings.sentences.size() - limit));
      break;
    }
    const std::string others =
        sentence.points > 1 ? fmt::format(" and {} more points", sentence.points - 1) : "";
    lines.push_back(fmt::format("point {} ({}){}: {}", sentence.first->id,
                                description(table.parameters, sentence.first->values), others,
                                sentence.text));
  }
  return lines;
}

}  // namespace weft::sweep
