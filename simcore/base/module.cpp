#include "simcore/base/module.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace weft {

Result<void*> module_symbol(std::string_view file, const char* symbol, ModuleScope scope) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Error{"the folder of the program is not known: " + error.message()};
  const std::string path = (program.parent_path() / file).string();
  const int flags = RTLD_NOW | (scope == ModuleScope::kGlobal ? RTLD_GLOBAL : RTLD_LOCAL);
  void* module = ::dlopen(path.c_str(), flags);
  if (module == nullptr) return Error{::dlerror()};
  void* found = ::dlsym(module, symbol);
  if (found == nullptr) return Error{path + " is not the module that belongs to this program"};
  return found;
}

}  // namespace weft
