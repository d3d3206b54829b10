#include "collectives/jobs/job.hpp"

#include <variant>

namespace weft::collectives {

RankLayout layout_of(const JobDescription& job) {
  RankLayout layout = job.layout;
  const auto* spec = std::get_if<CollectiveSpec>(&job.kind);
  if (spec == nullptr || spec->domain_size == 0) return layout;
  layout.domain.clear();
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
    const std::uint32_t first = rank - rank % spec->domain_size;
    layout.domain.push_back(rank / spec->domain_size);
    // Scale-up switches reach the GPUs of the fabric's domain only.
    if (layout.has_in_network_reduction && job.layout.domain[rank] != job.layout.domain[first]) {
      layout.has_in_network_reduction = false;
    }
  }
  // Without links of their own, ranks of a domain meet on the network's.
  if (layout.domain_rate == BitsPerSecond(0)) {
    layout.domain_rate = layout.planes.flow_rate(layout.network_rate);
    layout.domain_latency = layout.network_latency;
  }
  return layout;
}

}  // namespace weft::collectives
