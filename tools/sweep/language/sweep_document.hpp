#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "simcore/schema/schema.hpp"

/// A sweep in the shape in which it is written; `load_sweep` makes the Sweep of it.
namespace weft::sweep {

/// The values of one path: a list, or a range with a number of steps.
struct LineDocument {
  enum class Scale : std::uint8_t { kLinear, kLog };

  std::string path;
  std::string name;
  std::vector<std::string> values;
  std::string from;
  std::string to;
  std::optional<std::uint32_t> steps;
  Scale scale = Scale::kLinear;
};

struct AxisDocument {
  LineDocument line;
  std::vector<LineDocument> zip;
};

struct ObjectiveDocument {
  enum class Goal : std::uint8_t { kMin, kMax };

  std::string metric;
  std::string name;
  Goal goal = Goal::kMin;
};

/// Which points are simulated, of all that are estimated.
struct ChoiceDocument {
  std::uint32_t best = 0;
  std::string by;
  ObjectiveDocument::Goal goal = ObjectiveDocument::Goal::kMin;
  std::vector<std::string> slice;
};

struct GridDocument {};

struct SamplingDocument {
  std::uint32_t samples = 1;
  std::uint64_t seed = 1;
};

struct BisectionDocument {
  std::string path;
  std::string name;
  std::string low;
  std::string high;
  std::string tolerance;
  std::string condition;
  bool cut_off = false;
};

struct SweepDocument {
  std::string name;
  std::string scenario;
  std::vector<AxisDocument> axes;
  std::vector<std::string> seeds;
  std::vector<std::string> constraints;
  std::vector<ObjectiveDocument> objectives;
  std::optional<ChoiceDocument> choose;
  bool isolated = false;
  std::variant<GridDocument, SamplingDocument, BisectionDocument> strategy;
};

/// The keys of a sweep file. `scenario` may also be a map (a scenario), the items of `values` may
/// be maps or lists, and there is `points`: see `load_sweep`.
[[nodiscard]] schema::Object<SweepDocument> sweep_schema();

}  // namespace weft::sweep
