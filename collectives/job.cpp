#include "collectives/job.hpp"

#include <variant>

namespace weft::collectives {

std::optional<Bytes> bus_bytes(const JobDescription& job) {
  __extension__ using Wide = __int128;
  const auto n = static_cast<std::int64_t>(job.ranks.size());
  if (const auto* all_reduce = std::get_if<AllReduceSpec>(&job.kind)) {
    const Wide size = static_cast<Wide>(all_reduce->size.count()) * all_reduce->iterations;
    return Bytes(static_cast<std::int64_t>(size * 2 * (n - 1) / n));
  }
  if (const auto* all_to_all = std::get_if<AllToAllSpec>(&job.kind)) {
    return all_to_all->size * all_to_all->iterations * (n - 1);
  }
  return std::nullopt;
}

}  // namespace weft::collectives
