#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// What a run with these overrides is called: `name`, and what was set, as in
/// `incast-32-jobs0.size=64MiB-seed=7`. A change of `name` says that by itself. What a file should
/// not be called becomes `_`; where that hides something, or the text gets long, a part of its
/// SHA-256 tells it from others.
[[nodiscard]] std::string overridden_name(const std::string& name,
                                          const std::vector<std::string>& overrides);

/// A command line as a shell takes it: words with anything special in them are quoted.
[[nodiscard]] std::string shell_text(const std::vector<std::string>& words);

}  // namespace weft
