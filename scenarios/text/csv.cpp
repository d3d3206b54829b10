#include "scenarios/text/csv.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "simcore/base/escape.hpp"

namespace weft::scenarios::csv {
namespace {

/// What a spreadsheet that opens the file would compute instead of showing it (OWASP, "CSV
/// Injection"). A number with its sign is one, and stays.
bool begins_a_formula(const std::string& text) {
  if (text.empty() || std::string_view("=+-@").find(text.front()) == std::string_view::npos) {
    return false;
  }
  double number = 0;
  const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  return error != std::errc() || stop != end;
}

}  // namespace

std::string field(const std::string& text) {
  std::string shown = escaped(text);
  if (begins_a_formula(shown)) shown.insert(shown.begin(), '\'');
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

std::string seconds_if_any(OptionalTime t) { return t ? seconds(*t) : std::string(); }

}  // namespace weft::scenarios::csv
