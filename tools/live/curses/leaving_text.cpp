#include "tools/live/curses/leaving_text.hpp"

// Last, and in this file alone: they define `tone`, `columns` and a hundred more.
#include <curses.h>
#include <term.h>

namespace weft::live {
namespace {

/// What tputs gives, as it cannot be told where to put it.
std::string* captured = nullptr;

int capture(int c) {
  captured->push_back(static_cast<char>(c));
  return c;
}

}  // namespace

std::string leaving_text() {
  std::string text;
  for (const char* capability : {"sgr0", "op", "rmcup", "rmkx", "cnorm"}) {
    const char* value = ::tigetstr(capability);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): what terminfo returns for no string
    if (value == nullptr || value == reinterpret_cast<const char*>(-1)) continue;
    captured = &text;
    ::tputs(value, 1, capture);
  }
  return text;
}

}  // namespace weft::live
