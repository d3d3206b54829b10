#include "tools/diagnose/model/written.hpp"

#include <algorithm>

namespace weft::diagnose {
namespace {

constexpr std::string_view kBalancing = "load_balancing:";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

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
    if (!value.starts_with(kBalancing)) continue;
    written.assumes_load_balancing |= comment.starts_with("assumed");
  }
  for (const std::string& change : overrides) {
    if (change.starts_with("fabric.load_balancing") || change.starts_with("fabric=")) {
      written.assumes_load_balancing = false;
    }
  }
  return written;
}

}  // namespace weft::diagnose
