#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace weft::validate {

/// tools/validate/suite.json
extern const std::string_view kSuiteText;
/// Shipped scenarios that it names, by file name.
[[nodiscard]] const std::vector<std::pair<std::string_view, std::string_view>>& shipped_scenarios();

}  // namespace weft::validate
