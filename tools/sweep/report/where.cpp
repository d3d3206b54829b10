#include "tools/sweep/report/where.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "simcore/text/nearest.hpp"
#include "tools/sweep/language/expression.hpp"
#include "tools/sweep/language/metrics.hpp"

namespace weft::sweep {
namespace {

/// What a name of the condition is at a point: an axis or a result.
Operand operand_of(const Table& table, const Table::Row& row, const std::string& name) {
  if (const auto parameter = table.parameter(name)) {
    const Value& value = row.values[*parameter];
    if (value.number) return *value.number;
    return value.text;
  }
  const auto objective = table.objective(name);
  if (!objective.ok()) return std::nullopt;
  if (const auto metric = row.metric(objective.value().metric)) return *metric;
  return std::nullopt;
}

Errors unknown_names(const Table& table, const Expression& condition) {
  std::vector<std::string> known;
  for (const Parameter& p : table.parameters) known.push_back(p.name);
  for (const Objective& o : table.objectives) known.push_back(o.name);
  Errors errors;
  for (const std::string& name : condition.names()) {
    if (table.parameter(name) || table.objective(name).ok()) continue;
    errors.push_back(Error{"--where: `" + name + "` is neither an axis nor a result; there are " +
                               listing(known) + did_you_mean(name, known) +
                               "; texts stand between single quotes",
                           {}});
  }
  return errors;
}

}  // namespace

Result<Table> points_where(Table table, const std::string& condition) {
  const auto parsed = Expression::parse(condition);
  if (const auto* problem = std::get_if<std::string>(&parsed)) {
    return Error{"--where: " + *problem, {}};
  }
  const auto& expression = std::get<Expression>(parsed);
  if (Errors errors = unknown_names(table, expression); !errors.empty()) return errors;
  const std::string problem = expression.unit_problem([&table](const std::string& name) {
    if (const auto parameter = table.parameter(name)) return table.parameters[*parameter].unit;
    const auto objective = table.objective(name);
    return objective.ok() ? metric_unit(objective.value().metric) : std::string();
  });
  if (!problem.empty()) {
    return Error{"--where: `" + condition + "` " + problem + ", which are of different kinds", {}};
  }
  std::erase_if(table.rows, [&](const Table::Row& row) {
    return !expression.holds([&](const std::string& name) { return operand_of(table, row, name); });
  });
  if (table.rows.empty()) return Error{"--where: no point has " + condition, {}};
  table.where = condition;
  return table;
}

}  // namespace weft::sweep
