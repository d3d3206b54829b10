#pragma once

#include <stdexcept>

namespace weft {

/// What a claim about the program that does not hold ends: a defect of weft, not a result. It
/// leaves the run in which it was found, on whatever thread, and that run cannot continue; others
/// in the process do. `what()` begins with `broken invariant: `.
class BrokenInvariant : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace weft
