#include "tests/fuzz/input.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace weft::testing {
namespace {

constexpr std::array<std::string_view, 7> kCatalogueKinds{
    "servers", "switches", "nics", "cables", "gpus", "scale-up", "host-links"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace

FuzzInput FuzzInput::parse(std::string_view text) {
  FuzzInput input;
  std::string sets;
  /// The text that a line begins, or null if it is none of these.
  const auto section_of = [&](std::string_view line) -> std::string* {
    if (!line.starts_with('%')) return nullptr;
    line.remove_prefix(1);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line == "sweep") return &input.sweep;
    if (line == "set") return &sets;
    if (line == "messages") return &input.messages;
    if (std::ranges::find(kCatalogueKinds, line) == kCatalogueKinds.end()) return nullptr;
    return &input.catalogue.emplace_back(line, "").second;
  };
  std::string* section = &input.scenario;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(length);
    if (std::string* next = section_of(line)) {
      section = next;
    } else {
      section->append(line);
    }
  }
  input.overrides = lines_of(sets);
  return input;
}

FuzzInput::Kind FuzzInput::kind() const {
  if (!sweep.empty()) return Kind::kSweep;
  if (!catalogue.empty()) return Kind::kCatalogue;
  return messages.empty() ? Kind::kScenario : Kind::kMessages;
}

}  // namespace weft::testing
