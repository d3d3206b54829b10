#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/language/yaml/node.hpp"
#include "simcore/base/result.hpp"
#include "tools/sweep/language/expression.hpp"
#include "tools/sweep/language/number.hpp"

/// A sweep: one scenario, what varies in it, and what is asked of the results.
namespace weft::sweep {

namespace language = scenarios::language;

/// One thing that varies: a path of the scenario.
struct Parameter {
  std::string path;
  std::string name;  ///< short and unique: what plots and constraints call it
  std::string unit;  ///< of its numbers: `s`, `B`, `bit/s`, `m` or nothing
  bool is_seed = false;
};

/// A value of a parameter.
struct Value {
  std::string text;              ///< YAML, as `--set path=text` takes it
  std::optional<double> number;  ///< in SI units, if it is one
  language::Mark mark{};

  [[nodiscard]] static Value of(std::string text, language::Mark mark = {});
};

/// What a random sample is drawn from instead of a list.
struct Range {
  Number from;
  Number to;
  bool is_log = false;
  bool is_integer = false;

  /// The value at `fraction` (0 to 1) of the way.
  [[nodiscard]] std::string at(double fraction) const;
};

/// Parameters that advance together: one for a plain axis, several for a zip or explicit points.
struct Axis {
  std::vector<std::size_t> parameters;   ///< indices into Sweep::parameters
  std::vector<std::vector<Value>> rows;  ///< one value per parameter
  std::optional<Range> range;            ///< of a single parameter
};

enum class Goal : std::uint8_t { kMin, kMax };

struct Objective {
  std::string name;
  std::string metric;
  Goal goal = Goal::kMin;
};

/// All points are estimated, and the best of those that can be run are simulated.
struct Choice {
  std::string metric;  ///< an estimate
  Goal goal = Goal::kMin;
  std::uint32_t best = 0;            ///< configurations
  std::vector<std::string> slice{};  ///< `path=value` of what is simulated only
};

/// Every combination of the axes.
struct Grid {};
/// Combinations drawn at random.
struct Sampling {
  std::uint32_t samples = 0;
  std::uint64_t seed = 1;
};
/// The smallest value of a parameter for which a condition holds, for each combination of the axes.
struct Bisection {
  std::size_t parameter = 0;  ///< index into Sweep::parameters
  Number low;
  Number high;
  double tolerance = 0;  ///< in SI units
  bool is_integer = false;
  Expression condition;
  bool counts_cut_off = false;  ///< percentiles of runs that were cut off decide, too
};

struct Constraint {
  Expression expression;
  language::Mark mark;
};

/// One run to do.
struct Point {
  std::int64_t id = 0;             ///< in the order of the axes; independent of how it is run
  std::int64_t configuration = 0;  ///< the same for points that differ in the seed only
  std::int64_t group = 0;          ///< of a bisection: the same for points that belong together
  std::vector<Value> values;       ///< one per parameter
};

struct Sweep {
  std::string name;
  std::string file;  ///< where it was read
  scenarios::ScenarioTemplate base;
  std::string base_text;                     ///< canonical YAML of the base scenario
  std::vector<std::string> overrides;        ///< `--set` of the scenario, applied before the axes
  std::vector<std::string> own_overrides{};  ///< `--set` of the sweep file
  std::map<std::string, std::string> base_values{};  ///< of the base scenario, by path
  std::vector<Parameter> parameters{};               ///< seeds last
  std::vector<Axis> axes{};
  std::vector<std::uint64_t> seeds{};  ///< empty: that of the scenario
  std::vector<Constraint> constraints{};
  std::vector<Objective> objectives{};
  std::optional<Choice> choice{};
  bool is_isolated = false;  ///< each job of a point runs alone, too
  std::variant<Grid, Sampling, Bisection> strategy{};
  std::vector<std::string> metrics{};  ///< names that runs will give

  /// What makes it this sweep and not another, line by line: results are kept only under an equal
  /// definition.
  [[nodiscard]] std::string definition() const;
  /// Where something of the sweep file stands.
  [[nodiscard]] SourceLocation location(const language::Mark& mark, std::string key) const;
  /// Gives errors of `--set path=value` that a point made the place of that value in the file.
  [[nodiscard]] Errors located(Errors errors, const Point& point) const;
};

/// `path=value` of everything that the sweep sets for this point.
[[nodiscard]] std::vector<std::string> overrides_of(const Sweep& sweep, const Point& point);
/// The same with what it sets only for those that are simulated.
[[nodiscard]] std::vector<std::string> simulated_overrides_of(const Sweep& sweep,
                                                              const Point& point);

/// `kmin=100KB kmax=400KB`.
[[nodiscard]] std::string description(const std::vector<Parameter>& parameters,
                                      const std::vector<Value>& values);

}  // namespace weft::sweep
