#include "tools/sweep/language/sweep_manual.hpp"

#include "tools/sweep/language/sweep_document.hpp"

namespace weft::sweep {

const scenarios::language::KeyManual& sweep_manual() {
  static const auto schema = sweep_schema();
  static SweepDocument standard;
  static const scenarios::language::KeyManual manual(schema.any(), &standard, "sweep", "sweep");
  return manual;
}

}  // namespace weft::sweep
