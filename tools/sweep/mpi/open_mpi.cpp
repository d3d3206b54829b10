// The only file that sees MPI: a module of its own, loaded under a launcher.

#define OMPI_SKIP_MPICXX 1  // NOLINT(readability-identifier-naming): Open MPI's name
#include <mpi.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "tools/sweep/run/mpi_link.hpp"

namespace weft::sweep {
namespace {

constexpr int kTag = 1;

/// A failed operation ends the job, which is what MPI does without being told otherwise.
class OpenMpiLink final : public MessageLink {
 public:
  OpenMpiLink() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~OpenMpiLink() override { MPI_Finalize(); }
  OpenMpiLink(const OpenMpiLink&) = delete;
  OpenMpiLink& operator=(const OpenMpiLink&) = delete;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void send(int destination, const std::string& text) override {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, destination, kTag,
             MPI_COMM_WORLD);
  }

  [[nodiscard]] std::optional<std::pair<int, std::string>> receive() override {
    int is_there = 0;
    MPI_Status status{};
    MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &is_there, &status);
    if (is_there == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    std::string text(static_cast<std::size_t>(size), '\0');
    MPI_Recv(text.data(), size, MPI_CHAR, status.MPI_SOURCE, kTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return std::make_pair(status.MPI_SOURCE, std::move(text));
  }

  [[noreturn]] void abort() override {
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace
}  // namespace weft::sweep

extern "C" __attribute__((visibility("default"))) weft::sweep::MessageLink* weft_open_mpi() {
  if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) return nullptr;
  return new weft::sweep::OpenMpiLink;  // NOLINT: the caller owns it
}
