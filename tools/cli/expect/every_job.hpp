#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "tools/sweep/language/expression.hpp"

namespace weft::cli {

/// `jobs.*.jct < 1ms` of every job: the expression with each name that `*` stands for, the same one
/// at all its places. Itself, where it has no `*` between dots; that of a product has blanks around
/// it. A problem: no number matches, and where it stands.
[[nodiscard]] std::variant<std::vector<std::string>, sweep::ExpressionProblem> of_every_name(
    const std::string& expression, const std::vector<std::string>& names, std::size_t runs);

}  // namespace weft::cli
