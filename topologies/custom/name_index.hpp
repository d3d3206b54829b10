#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::topologies {

/// Names of nodes with their places in a list, and help for misspelt ones.
class NameIndex {
 public:
  /// Returns false if the name is taken.
  bool add(const std::string& name, std::uint32_t place);
  /// The place of a name, or null.
  [[nodiscard]] const std::uint32_t* find(const std::string& name) const;
  /// "there is no node `x`; did you mean `y`?"
  [[nodiscard]] std::string unknown(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::uint32_t> places_;
  std::vector<std::string> names_;
};

}  // namespace weft::topologies
