#include "collectives/training/volumes/volume_term.hpp"

namespace weft::collectives {

Bytes sent_by_rank(Operation operation, Bytes size, std::uint32_t ranks) {
  if (ranks < 2) return {};
  const Bytes pass = size - size / ranks;  // all but what the rank itself keeps
  switch (operation) {
    case Operation::kAllReduce:
      return pass * 2;
    case Operation::kSendReceive:
      return size;
    default:
      return pass;
  }
}

VolumeTerm volume_term(VolumeKind kind, const RankGrid& grid, GroupKind group, Operation operation,
                       Bytes size, std::uint64_t count) {
  return {kind, group, operation, size, sent_by_rank(operation, size, grid.size_of(group)), count};
}

Bytes sent_for(const std::vector<VolumeTerm>& terms, VolumeKind kind) {
  Bytes sum;
  for (const VolumeTerm& term : terms) {
    if (term.kind == kind) sum += term.sent();
  }
  return sum;
}

}  // namespace weft::collectives
