#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::diagnose {

/// What `weft import` wrote behind the values of a scenario, in comments.
struct Written {
  /// No file said how switches choose among paths.
  bool assumes_load_balancing = false;
};

/// `overrides`: what they replace is assumed no more.
[[nodiscard]] Written written_in(std::string_view text, const std::vector<std::string>& overrides);

}  // namespace weft::diagnose
