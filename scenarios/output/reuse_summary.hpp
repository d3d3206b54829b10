#pragma once

#include <string>

namespace weft::scenarios {

struct Results;

/// How much was simulated once and taken again, and what approximate periods skipped; empty:
/// nobody asked for that.
[[nodiscard]] std::string reuse_summary_text(const Results& results);

}  // namespace weft::scenarios
