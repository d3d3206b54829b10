#include "scenarios/text/csv.hpp"

#include <fmt/format.h>

#include "simcore/base/escape.hpp"

namespace weft::scenarios::csv {

std::string field(const std::string& text) {
  std::string shown = escaped(text);
  if (shown.find_first_of(",\"") == std::string::npos) return shown;
  std::string quoted = "\"";
  for (const char c : shown) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string seconds(Picoseconds t) {
  return fmt::format("{}.{:012}", t.count() / kPicosecondsPerSecond,
                     t.count() % kPicosecondsPerSecond);
}

std::string seconds_if_any(Picoseconds t) {
  return t < Picoseconds(0) ? std::string() : seconds(t);
}

}  // namespace weft::scenarios::csv
