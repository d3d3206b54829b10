#pragma once

#include <vector>

#include "simcore/schema/schema.hpp"

namespace weft::schema {

/// What a struct breaks of its description that was filled by a program and not by a reader: limits
/// of keys, and what holds between several. Keys are paths such as `list[2].size`. Of a list at
/// most some dozen elements are complained about.
[[nodiscard]] std::vector<Problem> problems_of(const AnyObject& object, const void* value);

template <class T>
[[nodiscard]] std::vector<Problem> problems_of(const Object<T>& object, const T& value) {
  return problems_of(object.any(), &value);
}

}  // namespace weft::schema
