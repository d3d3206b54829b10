#pragma once

#include <cstdio>

#include "simcore/result.hpp"

namespace weft {

/// One line each on standard error, and how many if there are several.
inline void print_errors(const Errors& errors) {
  for (const Error& error : errors) std::fprintf(stderr, "%s\n", error.to_string().c_str());
  if (errors.size() > 1) std::fprintf(stderr, "%zu errors\n", errors.size());
}

}  // namespace weft
