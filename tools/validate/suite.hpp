#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/api/weft.hpp"
#include "simcore/base/result.hpp"

/// The validation suite that comes with weft: scenarios, and what others say of them.
namespace weft::validate {

/// A number that a run must meet.
struct Row {
  /// Which value of a column.
  enum class Of : std::uint8_t { kMax, kMin, kMean, kRow };

  std::string name;
  std::vector<std::string> changes;  ///< of the scenario, as in `--set`
  std::string table;
  std::string column;
  Of of = Of::kMax;
  std::string job;             ///< whose row, with kRow
  double expected = 0;         ///< in the column's unit
  double tolerance = 0;        ///< relative; 0: exactly
  std::string why;             ///< the tolerance is what it is
  std::string misses;          ///< why it is known to miss; empty: it must not
  bool is_calibrated = false;  ///< a parameter was set from it: it shows that the sum is right
  bool is_full = false;        ///< only where all are asked for
};

struct Case {
  enum class Kind : std::uint8_t { kClosedForm, kSimulator, kMeasurement };

  std::string name;
  Kind kind = Kind::kClosedForm;
  std::string source;  ///< of what is expected
  std::string file;    ///< a shipped scenario; empty: `document`
  api::Document document;
  std::vector<std::string> changes;
  std::vector<Row> rows;
};

/// `closed form`, `simulator`, `measurement`
[[nodiscard]] const char* kind_name(Case::Kind kind);

/// The suite that is compiled in. Errors: a defect of it.
[[nodiscard]] weft::Result<std::vector<Case>> shipped_suite();
/// One from a JSON text.
[[nodiscard]] weft::Result<std::vector<Case>> read_suite(const std::string& json);

/// The scenario of a case, with these changes besides its own.
[[nodiscard]] api::Result<api::Scenario> scenario_of(const Case& one,
                                                     const std::vector<std::string>& changes);

}  // namespace weft::validate
