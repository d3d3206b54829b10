#include "simcore/base/check.hpp"

#include <string>

namespace weft {

void fail_check(const char* sentence, const char* condition, const char* file, int line) {
  throw BrokenInvariant(std::string("broken invariant: ") + sentence + " (" + file + ":" +
                        std::to_string(line) + ": " + condition + ")");
}

}  // namespace weft
