#pragma once

#include <cstdint>
#include <string_view>

#include "simcore/base/result.hpp"

namespace weft {

/// Who sees the symbols of a module and of the libraries that it brings.
enum class ModuleScope : std::uint8_t {
  kOwn,     ///< the module alone
  kGlobal,  ///< whatever is loaded after it: libraries with plug-ins that look for their symbols
};

/// What the module `file` exports as `symbol`; the module is opened if it is not open yet.
///
/// A module is code that few runs need and that needs large libraries. It lies beside the program,
/// found from wherever the program is called, by whatever link, and stays open until the end.
[[nodiscard]] Result<void*> module_symbol(std::string_view file, const char* symbol,
                                          ModuleScope scope = ModuleScope::kOwn);

}  // namespace weft
