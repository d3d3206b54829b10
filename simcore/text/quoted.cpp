#include "simcore/text/quoted.hpp"

#include <cstddef>

#include "simcore/base/escape.hpp"

namespace weft {
namespace {

constexpr std::size_t kMaxQuoted = 60;

}  // namespace

std::string backquoted(std::string_view text) {
  if (text.size() <= kMaxQuoted) return "`" + escaped(text) + "`";
  // Not in the middle of a UTF-8 sequence.
  std::size_t end = kMaxQuoted;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return "`" + escaped(text.substr(0, end)) + "...`";
}

}  // namespace weft
