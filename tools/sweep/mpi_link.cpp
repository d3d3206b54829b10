#include "tools/sweep/mpi_link.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace weft::sweep {
namespace {

constexpr const char* kHints =
    "; Open MPI wants `--allow-run-as-root` if you are root, and `--oversubscribe` for more ranks "
    "than cores";

long number_in(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
}

}  // namespace

bool is_mpi_job() {
  // mpirun of Open MPI; srun with PMI-1/2 or PMIx.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (number_in(name) > 1) return true;
  }
  return false;
}

#ifdef WEFT_MPI_MODULE

const char* mpi_support() { return "with MPI"; }

Result<std::unique_ptr<MessageLink>> open_mpi() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string module = (program.parent_path() / WEFT_MPI_MODULE).string();
  // Global: Open MPI loads plug-ins that look for its symbols. Deep: SimGrid, which the program is
  // linked with, has an MPI of its own under the same names. (The address sanitizer refuses that.)
  int flags = RTLD_NOW | RTLD_GLOBAL;
#ifndef __SANITIZE_ADDRESS__
  flags |= RTLD_DEEPBIND;
#endif
  void* handle = ::dlopen(module.c_str(), flags);
  if (handle == nullptr) return Error{std::string("MPI cannot be loaded: ") + ::dlerror()};
  void* symbol = ::dlsym(handle, "weft_open_mpi");
  if (symbol == nullptr) return Error{"`" + module + "` is not weft's MPI module"};
  std::unique_ptr<MessageLink> link(reinterpret_cast<OpenMpi>(symbol)());
  if (!link) return Error{std::string("MPI could not be started") + kHints};
  if (link->size() == 1) {
    return Error{
        "the launcher started several processes, but MPI sees one of them only; under Slurm, "
        "`srun --mpi=pmix` (or pmi2) is needed"};
  }
  return link;
}

#else

const char* mpi_support() { return "without MPI"; }

Result<std::unique_ptr<MessageLink>> open_mpi() {
  return Error{
      "this weft was built without MPI, which mpirun and srun need; install libopenmpi-dev and "
      "build again, or use -j on one machine"};
}

#endif

}  // namespace weft::sweep
