#include "simcore/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace weft {

void fail_check(const char* sentence, const char* condition, const char* file, int line) {
  std::fprintf(stderr, "weft: broken invariant: %s (%s:%d: %s)\n", sentence, file, line, condition);
  std::abort();
}

}  // namespace weft
