#include "simcore/base/module.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

namespace weft {
namespace {

namespace fs = std::filesystem;

/// The program or the library that this code is in.
Result<fs::path> own_file() {
  // The program has an empty name in the list of what is loaded; what it was called by says little.
  Dl_info info{};
  link_map* map = nullptr;
  const bool is_known = ::dladdr1(reinterpret_cast<const void*>(&own_file), &info,
                                  reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
  std::error_code error;
  if (is_known && map != nullptr && map->l_name != nullptr && map->l_name[0] != '\0') {
    const fs::path file = fs::canonical(map->l_name, error);
    if (!error) return file;
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{"the folder of the program is not known: " + error.message()};
  return program;
}

}  // namespace

Result<std::string> found_beside(std::string_view file) {
  const auto own = own_file();
  if (!own) return own.errors();
  const fs::path folder = own.value().parent_path();
  // As CMake installs: bin/ and lib/ beside each other, Debian's lib/<architecture>/, the library.
  const fs::path lib = folder.parent_path() / "lib";
  for (const fs::path& place : std::array<fs::path, 4>{folder, folder / "weft", lib / "weft",
                                                       lib / WEFT_LIBRARY_ARCHITECTURE / "weft"}) {
    std::error_code ignored;
    if (fs::exists(place / file, ignored)) return (place / file).string();
  }
  return (folder / file).string();
}

Result<void*> module_symbol(std::string_view file, const char* symbol, ModuleScope scope) {
  const auto path = found_beside(file);
  if (!path) return path.errors();
  const int flags = RTLD_NOW | (scope == ModuleScope::kGlobal ? RTLD_GLOBAL : RTLD_LOCAL);
  void* module = ::dlopen(path.value().c_str(), flags);
  if (module == nullptr) return Error{::dlerror()};
  void* found = ::dlsym(module, symbol);
  if (found == nullptr)
    return Error{path.value() + " is not the module that belongs to this program"};
  return found;
}

}  // namespace weft
