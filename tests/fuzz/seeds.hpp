#pragma once

#include <string>
#include <vector>

namespace weft::testing {

/// What the fuzzer begins with: shipped scenarios, also with the overrides of the golden digests,
/// and sweeps, the tests' valid and malformed ones with their messages, the catalogue, inputs that
/// once did harm (`found/`), and random scenarios.
[[nodiscard]] std::vector<std::string> fuzz_seeds();

}  // namespace weft::testing
