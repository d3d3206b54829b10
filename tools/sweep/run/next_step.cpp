#include "tools/sweep/run/next_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "simcore/base/escape.hpp"
#include "tools/io/result_name.hpp"

namespace weft::sweep {
namespace {

std::string quoted_command(const std::vector<std::string>& words) {
  return "`" + escaped(shell_text(words)) + "`";
}

/// A parameter that is different at every point, such as a name; empty: there is none.
std::string name_of_points(const Table& table) {
  for (std::size_t i = 0; i < table.parameters.size(); ++i) {
    std::set<std::string> texts;
    for (const Table::Row& row : table.rows) texts.insert(row.values[i].text);
    if (!table.parameters[i].is_seed && texts.size() == table.rows.size()) {
      return table.parameters[i].name;
    }
  }
  return {};
}

/// An axis of several numbers, against which a result can be drawn; empty: there is none. Where
/// points have names of their own and share most numbers, these are none.
std::string drawable_axis(const Table& table) {
  for (std::size_t i = 0; i < table.parameters.size(); ++i) {
    if (table.parameters[i].is_seed) continue;
    std::set<double> numbers;
    const bool has_numbers = std::ranges::all_of(table.rows, [&](const Table::Row& row) {
      if (row.values[i].number) numbers.insert(*row.values[i].number);
      return row.values[i].number.has_value();
    });
    if (!has_numbers || numbers.size() < 2) continue;
    const std::string name = name_of_points(table);
    const bool tells_apart = 2 * numbers.size() > table.rows.size();
    return tells_apart || name.empty() ? table.parameters[i].name : name;
  }
  return {};
}

}  // namespace

std::string next_step(const Table& table, const std::filesystem::path& folder) {
  const auto measured = std::ranges::find_if(table.objectives, [&](const Objective& objective) {
    return std::ranges::any_of(table.rows, [&](const Table::Row& row) {
      return row.is_success() && row.metric(objective.metric);
    });
  });
  if (measured == table.objectives.end()) {
    return fmt::format("  next: {} prints the points with all results\n",
                       quoted_command({"weft", "export", folder.string()}));
  }
  std::string text = fmt::format("  next: {} ranks the points",
                                 quoted_command({"weft", "summarize", folder.string()}));
  if (const std::string axis = drawable_axis(table); !axis.empty()) {
    text += fmt::format(", {} draws them", quoted_command({"weft", "plot", folder.string(), "--x",
                                                           axis, "--y", measured->name}));
  }
  return text + "\n";
}

}  // namespace weft::sweep
