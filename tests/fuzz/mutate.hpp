#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::testing {

/// Another input like `text`: one change or a few by the grammar of YAML and the words of the
/// schema, such as another value for a key, a line of `other`, a key where it does not belong, a
/// number beyond reason, a byte that is no text. The same for the same seed.
[[nodiscard]] std::string mutated(std::string_view text, std::string_view other,
                                  std::uint64_t seed);

}  // namespace weft::testing
