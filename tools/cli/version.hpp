#pragma once

#include <string>
#include <string_view>

namespace weft::cli {

/// What `--version` prints: the version, the commit that it was built from, and `what` it was built
/// with or for.
[[nodiscard]] std::string version_text(std::string_view what);

/// `weft 0.1.0`.
[[nodiscard]] std::string version_line();

}  // namespace weft::cli
