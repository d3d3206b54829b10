#include "simcore/base/result.hpp"

namespace weft {

std::string Error::to_string() const {
  std::string text;
  if (!where.file.empty()) {
    text += where.file + ":";
    if (where.line > 0) {
      text += std::to_string(where.line) + ":";
      if (where.column > 0) text += std::to_string(where.column) + ":";
    }
    text += " ";
  }
  if (!where.key.empty()) text += where.key + ": ";
  return text + message;
}

}  // namespace weft
