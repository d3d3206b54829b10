#pragma once

#include <string_view>

namespace weft::import {

/// Names as people count them: `gpu2` before `gpu10`. A strict weak order in which only equal texts
/// are equal.
struct NaturalOrder {
  // NOLINTNEXTLINE(readability-identifier-naming): the name that std::set looks for
  using is_transparent = void;
  [[nodiscard]] bool operator()(std::string_view a, std::string_view b) const;
};

}  // namespace weft::import
