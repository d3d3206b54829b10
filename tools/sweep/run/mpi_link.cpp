#include "tools/sweep/run/mpi_link.hpp"

#include <cstdlib>

#include "simcore/base/module.hpp"

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
  // Global: Open MPI loads plug-ins that look for its symbols.
  const Result<void*> symbol =
      module_symbol(WEFT_MPI_MODULE, "weft_open_mpi", ModuleScope::kGlobal);
  if (!symbol) return Error{"MPI cannot be loaded: " + symbol.errors().front().message};
  std::unique_ptr<MessageLink> link(reinterpret_cast<OpenMpi>(symbol.value())());
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
