#include "scenarios/session/explained.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/blame/explain/explanation.hpp"
#include "scenarios/blame/explain/run_facts.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

/// The rows of a table of blame, as they are read of blame.csv.
Result<std::vector<BlameEntry>> entries_of(const RunRecord& record) {
  const ColumnTable* const blame = record.table("blame");
  if (blame == nullptr) {
    return Error{.message = "nobody asked this run for blame: set `observe.blame` to true"};
  }
  const auto column = [blame](std::string_view name) -> const ColumnData& {
    return *std::ranges::find(blame->columns, name, &ColumnData::csv_name);
  };
  const auto text = [&column](std::string_view name, std::size_t row) {
    const ColumnData& c = column(name);
    return c.codes[row] < 0 ? std::string() : c.words[static_cast<std::size_t>(c.codes[row])];
  };
  std::vector<BlameEntry> entries;
  for (std::size_t row = 0; row < blame->rows; ++row) {
    entries.push_back({.job = text("job", row),
                       .iteration = static_cast<std::uint32_t>(column("iteration").integers[row]),
                       .cause = text("cause", row),
                       .culprit_kind = text("culprit_kind", row),
                       .culprit = text("culprit", row),
                       .port = text("port", row),
                       .time = Picoseconds(column("time_s").integers[row])});
  }
  return entries;
}

std::string text_of(const std::vector<BlameEntry>& entries, const RunFacts& facts,
                    const std::vector<std::string>& warnings, std::size_t lines) {
  std::string text = explanation_text(entries, lines, facts) + repairs_text(entries, facts);
  for (const std::string& warning : warnings) text += "The run warned: " + escaped(warning) + "\n";
  return text;
}

}  // namespace

Result<std::string> explained(const RunRecord& record, std::size_t lines) {
  const auto entries = entries_of(record);
  if (!entries) return entries.errors();
  const auto scenario = load_scenario_text(record.resolved_yaml, "resolved.yaml");
  RunFacts facts = scenario ? facts_of(scenario.value()) : RunFacts();
  add_outcome(nlohmann::ordered_json::parse(record.summary_json, nullptr, false), facts);
  return text_of(entries.value(), facts, record.warnings, lines);
}

Result<std::string> explained_difference(const RunRecord& first, const RunRecord& second,
                                         std::size_t lines) {
  const auto before = entries_of(first);
  if (!before) return before.errors();
  const auto after = entries_of(second);
  if (!after) return after.errors();
  return difference_text(blame_differences(before.value(), after.value()), lines);
}

Result<std::string> explained_folder(const std::filesystem::path& folder, std::size_t lines) {
  const auto entries = read_blame(folder);
  if (!entries) return entries.errors();
  return text_of(entries.value(), facts_of_folder(folder), read_warnings(folder), lines);
}

}  // namespace weft::scenarios
