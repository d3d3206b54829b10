#pragma once

#include <string>

namespace weft::cli {

/// What `--version` prints: the version, the commit that it was built from, and what it was built
/// with.
[[nodiscard]] std::string version_text();

/// `weft 0.1.0`.
[[nodiscard]] std::string version_line();

}  // namespace weft::cli
