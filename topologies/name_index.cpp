#include "topologies/name_index.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace weft::topologies {
namespace {

/// Insertions, deletions and replacements that turn `a` into `b` (Levenshtein's distance).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

bool NameIndex::add(const std::string& name, std::uint32_t place) {
  if (!places_.emplace(name, place).second) return false;
  names_.push_back(name);
  return true;
}

const std::uint32_t* NameIndex::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &found->second;
}

std::string NameIndex::unknown(const std::string& name) const {
  std::string text = "there is no node `" + name + "`";
  std::size_t best = std::numeric_limits<std::size_t>::max();
  const std::string* nearest = nullptr;
  for (const std::string& candidate : names_) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    nearest = &candidate;
  }
  if (nearest != nullptr) text += "; did you mean `" + *nearest + "`?";
  return text;
}

}  // namespace weft::topologies
