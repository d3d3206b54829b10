#pragma once

#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/language/yaml/node.hpp"

namespace weft::scenarios {

/// A key of a scenario, and what it says.
struct SaidKey {
  std::string path;
  const language::Node* node;

  /// The value, or the `type` of a map; empty: neither.
  [[nodiscard]] std::string word() const;
};

/// The keys of a scenario with all defaults written out: what fabric, classes, tiers, racks and
/// jobs say each for themselves is there only where they say it.
class SaidKeys {
 public:
  explicit SaidKeys(const LoadedScenario& scenario);

  /// Those that match one of the patterns: a path in which `*` is any key, and `[]` every element
  /// of a list, or the only one that stands there by itself. Jobs that are skipped say nothing.
  [[nodiscard]] std::vector<SaidKey> find(std::initializer_list<std::string_view> patterns) const;
  [[nodiscard]] bool has(const std::string& path) const { return at(path) != nullptr; }
  /// Whether nobody gave the key: its value is what a scenario has without.
  [[nodiscard]] bool is_default(const SaidKey& key) const {
    return default_lines_.contains(key.node->mark.line);
  }
  /// The word of the key at a path; empty: there is none.
  [[nodiscard]] std::string word(const std::string& path) const;

 private:
  [[nodiscard]] const language::Node* at(const std::string& path) const;

  language::Node root_;
  std::set<int> default_lines_;  ///< of the text
};

/// A tree as YAML in one line, as `--set` takes it; of a map without the keys that are left out.
[[nodiscard]] std::string one_line(const language::Node& node,
                                   std::span<const std::string_view> left_out = {});

}  // namespace weft::scenarios
