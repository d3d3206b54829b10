#pragma once

#include <span>
#include <string_view>

namespace weft::scenarios::language {

/// One file of topologies/catalogue, as it was when the program was built.
struct CatalogueText {
  std::string_view collection;  ///< the file's name without `.yaml`
  std::string_view yaml;
};

/// Defined in a file that the build generates.
[[nodiscard]] std::span<const CatalogueText> catalogue_texts();

}  // namespace weft::scenarios::language
