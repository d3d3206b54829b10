#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/output/result_writer.hpp"
#include "scenarios/session/session.hpp"
#include "tools/cli/expect/expectations.hpp"

namespace weft::cli {

/// A scenario that can be run, and what was said besides.
struct Loaded : scenarios::Session {
  scenarios::Invocation invocation = {};
  Expectations expectations = {};
};

/// Loads and builds, or prints what is wrong.
[[nodiscard]] std::optional<Loaded> load(const std::string& path,
                                         const std::vector<std::string>& overrides);

}  // namespace weft::cli
