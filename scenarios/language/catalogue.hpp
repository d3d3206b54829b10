#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenarios/language/node.hpp"

namespace weft::scenarios::language {

/// A part as the catalogue has it: values by key, and where each comes from.
struct Part {
  std::string about;
  Node values;  ///< a map without `about` and `sources`
  std::map<std::string, std::string> sources;
};

/// The parts that scenarios may name.
class Catalogue {
 public:
  /// The one that is compiled in.
  [[nodiscard]] static Catalogue embedded();

  /// Null where there is none.
  [[nodiscard]] const Part* find(const std::string& collection, const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names(const std::string& collection) const;
  [[nodiscard]] std::vector<std::string> collections() const;

 private:
  std::map<std::string, std::map<std::string, Part>> parts_;
};

}  // namespace weft::scenarios::language
