#pragma once

#include <cstdint>
#include <string>
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
/// A module is code that few runs need and that needs large libraries. It lies beside the code that
/// asks (`found_beside`), and stays open until the end.
[[nodiscard]] Result<void*> module_symbol(std::string_view file, const char* symbol,
                                          ModuleScope scope = ModuleScope::kOwn);

/// The path of a file that comes with weft: in the folder of the program or the library that this
/// code is in, or, where they are installed, in `weft` below the folder of libraries. Found from
/// wherever the program is called, by whatever link; by its own place where a program of somebody
/// else, such as Python, has loaded the library. If there is none, the first place looked at.
[[nodiscard]] Result<std::string> found_beside(std::string_view file);

}  // namespace weft
