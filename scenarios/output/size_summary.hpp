#pragma once

#include <string>

namespace weft::scenarios {

struct Results;

/// Slowdowns of messages by their sizes, of jobs that have classes of them.
[[nodiscard]] std::string size_summary_text(const Results& results);

}  // namespace weft::scenarios
