#include "tools/diagnose/model/written.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace weft::diagnose {
namespace {

constexpr std::string_view kBalancing = "load_balancing:";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// `leaf01` of `{from: n01/mlx5_1, to: leaf01, rate: 400Gbps}`.
std::string value_of(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + key.size());
  return std::string(trimmed(rest.substr(0, rest.find_first_of(",}"))));
}

/// A cable of the scenario, with what its comment says of its ports and of the file.
void add_cable(std::string_view line, std::string_view comment, Written& written) {
  const std::string from = value_of(line, "{from: ");
  const std::string to = value_of(line, ", to: ");
  if (from.empty() || to.empty() || comment.empty()) return;
  const std::string_view said = trimmed(comment.substr(0, comment.find(';')));
  constexpr std::string_view kTo = " to ";
  const std::size_t between = said.find(kTo);
  if (between == std::string_view::npos) {
    written.cables[from].push_back(fmt::format("cable to {}, {}", to, said));
    written.cables[to].push_back(fmt::format("cable to {}, {}", from, said));
    return;
  }
  const std::string_view near = said.substr(0, between);
  const std::string_view far = said.substr(between + kTo.size());
  const std::size_t comma = std::min(far.find(','), far.size());
  written.cables[from].push_back(fmt::format("{} to {} {}", near, to, far));
  written.cables[to].push_back(
      fmt::format("{} to {} {}{}", far.substr(0, comma), from, near, far.substr(comma)));
}

}  // namespace

std::string Written::cable_of(std::string_view place) const {
  const auto found = cables.find(place);
  return found == cables.end() ? std::string() : fmt::format("{}", fmt::join(found->second, "; "));
}

Written written_in(std::string_view text, const std::vector<std::string>& overrides) {
  Written written;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t hash = line.find(" #");
    if (hash == std::string_view::npos) continue;
    const std::string_view value = trimmed(line.substr(0, hash));
    const std::string_view comment = trimmed(line.substr(hash + 2));
    if (value.starts_with(kBalancing)) {
      written.assumes_load_balancing |= comment.starts_with("assumed");
    } else if (value.starts_with("- {from:")) {
      add_cable(value, comment, written);
    }
  }
  for (const std::string& change : overrides) {
    if (change.starts_with("fabric.load_balancing") || change.starts_with("fabric=")) {
      written.assumes_load_balancing = false;
    }
  }
  return written;
}

}  // namespace weft::diagnose
