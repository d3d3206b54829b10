#pragma once

#include <string_view>

namespace weft::import {

/// Names as people count them: `gpu2` before `gpu10`, and `GPU3` between them. A strict weak order
/// in which only equal texts are equal; texts that differ in case alone are side by side.
struct NaturalOrder {
  // NOLINTNEXTLINE(readability-identifier-naming): the name that std::set looks for
  using is_transparent = void;
  [[nodiscard]] bool operator()(std::string_view a, std::string_view b) const;
};

/// Names of devices count without case, as those of DNS do (RFC 4343): `GPU04` is `gpu04`.
struct CaselessOrder {
  // NOLINTNEXTLINE(readability-identifier-naming): the name that std::map looks for
  using is_transparent = void;
  [[nodiscard]] bool operator()(std::string_view a, std::string_view b) const;
};

/// Whether they differ in case at most.
[[nodiscard]] bool is_same_name(std::string_view a, std::string_view b);

}  // namespace weft::import
