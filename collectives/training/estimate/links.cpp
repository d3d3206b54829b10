#include "collectives/training/estimate/links.hpp"

namespace weft::collectives {
namespace {

const GroupLink& link_for(const GroupLinks& links, GroupKind kind) {
  switch (kind) {
    case GroupKind::kTensor:
    case GroupKind::kExpertTensor:
      return links.tensor;
    case GroupKind::kContext:
      return links.context;
    case GroupKind::kExpert:
    case GroupKind::kExpertRail:
    case GroupKind::kExpertDomain:
      return links.expert;
    case GroupKind::kPipeline:
    case GroupKind::kEmbedding:
    case GroupKind::kMirror:
      return links.pipeline;
    default:
      break;
  }
  return links.data;
}

}  // namespace

double GroupLink::send(double bytes) const {
  const auto bits_per_second = static_cast<double>(rate.count());
  const double transfer = rate.count() == 0 ? 0 : bytes * 8 / bits_per_second;
  return to_seconds(latency) + transfer;
}

double RingTimes::collective(GroupKind kind, Operation operation, double bytes) const {
  const double ranks = grid_.size_of(kind);
  if (ranks < 2) return 0;
  if (operation == Operation::kSendReceive) return send(kind, bytes);
  const double pass = (ranks - 1) * link_for(links_, kind).send(bytes / ranks);
  return operation == Operation::kAllReduce ? 2 * pass : pass;
}

double RingTimes::send(GroupKind kind, double bytes) const {
  return link_for(links_, kind).send(bytes);
}

}  // namespace weft::collectives
