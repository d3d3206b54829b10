#include "scenarios/csv.hpp"

#include <fmt/format.h>

namespace weft::scenarios::csv {

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
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
