#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"

/// Which GPUs of a scale-up domain nobody uses the links of but communicators among themselves:
/// what happens there between quiet and quiet follows from when the calls begin.
namespace weft::collectives {

/// GPUs of one domain, and the communicators that are all among them. Communicators that have a
/// GPU in common are in one GPU set.
struct GpuSet {
  std::uint32_t job = 0;
  std::int32_t domain = 0;
  std::uint32_t kind = 0;                    ///< those of a kind behave alike
  std::vector<std::uint32_t> ranks;          ///< of the job, ascending; ranks here are numbered so
  std::vector<std::uint32_t> communicators;  ///< of the job's program, ascending
};

/// All of a run.
struct GpuSets {
  static constexpr std::uint32_t kNone = ~0U;

  std::vector<GpuSet> all;
  /// The first GPU set of each kind.
  std::vector<std::uint32_t> of_kind;
  /// By process, its GPU set and its rank in it; kNone: it has none.
  std::vector<std::uint32_t> of_process;
  std::vector<std::uint32_t> rank_of_process;
  /// Why GPUs that make calls among themselves are in none, a sentence each, and how many.
  struct Refusal {
    std::string reason;
    std::uint32_t gpus = 0;
  };
  std::vector<Refusal> refusals;

  void refuse(const std::string& reason, std::size_t gpus);
};

/// Without those that there is a reason against; empty: there is none.
void exclude(GpuSets& gpu_sets, const std::function<std::string(const GpuSet&)>& reason_against);

/// `alike(a, b)`: whether two domains are built alike.
[[nodiscard]] GpuSets find_gpu_sets(const Workload& workload, const Fabric& fabric,
                                    const std::function<bool(std::int32_t, std::int32_t)>& alike);

}  // namespace weft::collectives
