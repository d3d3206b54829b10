#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "simcore/base/result.hpp"

namespace weft::sweep {

/// Texts between the ranks of an MPI job. MPI itself is in a module of its own, loaded only where a
/// launcher has started the program: starting MPI takes longer than a short simulation.
class MessageLink {
 public:
  virtual ~MessageLink() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void send(int destination, const std::string& text) = 0;
  /// A text and who sent it, if one has come.
  [[nodiscard]] virtual std::optional<std::pair<int, std::string>> receive() = 0;
  /// Ends every rank at once.
  [[noreturn]] virtual void abort() = 0;
};

/// Whether a launcher (mpirun, srun) has started this process as one of several.
[[nodiscard]] bool is_mpi_job();

/// What the build can do, for `--version`.
[[nodiscard]] const char* mpi_support();

/// Starts MPI. Only in a job, and once.
[[nodiscard]] Result<std::unique_ptr<MessageLink>> open_mpi();

/// What the module exports under `weft_open_mpi`. Null: MPI could not be started.
using OpenMpi = MessageLink* (*)();

}  // namespace weft::sweep
