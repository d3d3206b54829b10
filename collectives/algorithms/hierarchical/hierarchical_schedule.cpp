#include "collectives/algorithms/hierarchical/hierarchical_schedule.hpp"

namespace weft::collectives {

HierarchicalSchedule::Stage HierarchicalSchedule::stage_of(std::uint32_t lane) const {
  const std::uint32_t i = lane % lanes_per_channel();
  return static_cast<Stage>(plan().operation == Operation::kAllGather ? i + 1 : i);
}

HierarchicalSchedule::Ring HierarchicalSchedule::inside(std::uint32_t rank) const {
  const RankMap& map = plan().map;
  const std::uint32_t n = map.domain_size();
  const std::uint32_t at = map.position_of(rank);
  const std::uint32_t domain = map.domain_of(rank);
  return {n, at, map.rank_at(domain, (at + 1) % n), map.rank_at(domain, (at + n - 1) % n)};
}

HierarchicalSchedule::Ring HierarchicalSchedule::along_rail(std::uint32_t rank) const {
  const RankMap& map = plan().map;
  const std::uint32_t n = map.domains();
  const std::uint32_t at = map.domain_of(rank);
  const std::uint32_t rail = map.position_of(rank);
  return {n, at, map.rank_at((at + 1) % n, rail), map.rank_at((at + n - 1) % n, rail)};
}

std::vector<std::uint32_t> HierarchicalSchedule::send_peers(std::uint32_t rank,
                                                            std::uint32_t lane) const {
  const Ring ring = stage_of(lane) == Stage::kAlongRail ? along_rail(rank) : inside(rank);
  if (ring.size == 1) return {};
  return {ring.after};
}

StepStream HierarchicalSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  switch (stage_of(lane)) {
    case Stage::kScatterInside:
      return plan().operation == Operation::kAllReduce ? scatter_inside(rank, lane)
                                                       : scatter_for_domains(rank, lane);
    case Stage::kAlongRail:
      if (plan().operation == Operation::kAllReduce) return reduce_along_rail(rank, lane);
      return plan().operation == Operation::kAllGather ? gather_along_rail(rank, lane)
                                                       : scatter_along_rail(rank, lane);
    case Stage::kGatherInside:
      break;
  }
  return plan().operation == Operation::kAllReduce ? gather_inside(rank, lane)
                                                   : gather_from_domains(rank, lane);
}

std::int64_t HierarchicalSchedule::pieces(std::uint32_t channel) const {
  return piece_count(part_of(plan().whole(), plan().channels, channel).size,
                     plan().chunk * plan().map.domain_size());
}

Range HierarchicalSchedule::piece(std::uint32_t channel, std::int64_t i) const {
  return piece_of(part_of(plan().whole(), plan().channels, channel),
                  plan().chunk * plan().map.domain_size(), i);
}

StepStream HierarchicalSchedule::scatter_inside(std::uint32_t rank, std::uint32_t lane) const {
  const Ring ring = inside(rank);
  const std::uint32_t n = ring.size;
  for (std::int64_t p = 0; p < pieces(channel_of(lane)); ++p) {
    const Range whole = piece(channel_of(lane), p);
    for (std::uint32_t s = 0; s < n; ++s) {
      const Range range = part_of(whole, n, (ring.position + 2 * n - 1 - s) % n);
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (slice.empty()) continue;
        if (s > 0) co_yield Step::receive_and_reduce(ring.before, 0, slice);
        if (s + 1 < n) co_yield Step::send(ring.after, 0, slice);
      }
    }
    co_yield Step::notify(lane + 1);
  }
}

StepStream HierarchicalSchedule::reduce_along_rail(std::uint32_t rank, std::uint32_t lane) const {
  const Ring ring = along_rail(rank);
  const std::uint32_t n = ring.size;
  for (std::int64_t p = 0; p < pieces(channel_of(lane)); ++p) {
    co_yield Step::await();
    const Range whole =
        part_of(piece(channel_of(lane), p), plan().map.domain_size(), plan().map.position_of(rank));
    for (std::uint32_t s = 0; s < 2 * n - 1 && n > 1; ++s) {
      const Range range = part_of(whole, n, (ring.position + 2 * n - s) % n);
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (slice.empty()) continue;
        if (s > 0) {
          Step step = Step::receive(ring.before, 0, slice);
          step.reduces = s < n;
          co_yield step;
        }
        if (s < 2 * n - 2) co_yield Step::send(ring.after, 0, slice);
      }
    }
    co_yield Step::notify(lane + 1);
  }
}

StepStream HierarchicalSchedule::gather_inside(std::uint32_t rank, std::uint32_t lane) const {
  const Ring ring = inside(rank);
  const std::uint32_t n = ring.size;
  for (std::int64_t p = 0; p < pieces(channel_of(lane)); ++p) {
    co_yield Step::await();
    const Range whole = piece(channel_of(lane), p);
    for (std::uint32_t s = 0; s < n; ++s) {
      const Range range = part_of(whole, n, (ring.position + n - s) % n);
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (slice.empty()) continue;
        if (s > 0) co_yield Step::receive(ring.before, 0, slice);
        if (s + 1 < n) co_yield Step::send(ring.after, 0, slice);
      }
    }
  }
}

std::int64_t HierarchicalSchedule::loops(std::uint32_t channel) const {
  return piece_count(plan().share(0, channel).size, plan().chunk);
}

Range HierarchicalSchedule::owned(std::uint32_t domain, std::uint32_t position,
                                  std::uint32_t channel, std::int64_t i) const {
  return piece_of(plan().share(plan().map.rank_at(domain, position), channel), plan().chunk, i);
}

StepStream HierarchicalSchedule::scatter_for_domains(std::uint32_t rank, std::uint32_t lane) const {
  const Ring ring = inside(rank);
  const std::uint32_t n = ring.size;
  const std::uint32_t domains = plan().map.domains();
  const std::uint32_t own = plan().map.domain_of(rank);
  for (std::int64_t loop = 0; loop < loops(channel_of(lane)) * domains; ++loop) {
    const auto turn = static_cast<std::uint32_t>(loop % domains);
    const std::uint32_t domain = (own + 2 * domains - 1 - turn) % domains;
    for (std::uint32_t s = 0; s < n; ++s) {
      const Range range =
          owned(domain, (ring.position + 2 * n - 1 - s) % n, channel_of(lane), loop / domains);
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (slice.empty()) continue;
        if (s > 0) co_yield Step::receive_and_reduce(ring.before, 0, slice);
        if (s + 1 < n) co_yield Step::send(ring.after, 0, slice);
      }
    }
    co_yield Step::notify(lane + 1);
  }
}

StepStream HierarchicalSchedule::scatter_along_rail(std::uint32_t rank, std::uint32_t lane) const {
  const Ring ring = along_rail(rank);
  const std::uint32_t n = ring.size;
  const std::uint32_t rail = plan().map.position_of(rank);
  for (std::int64_t loop = 0; loop < loops(channel_of(lane)); ++loop) {
    for (std::uint32_t s = 0; s < n; ++s) {
      co_yield Step::await();
      const Range range = owned((ring.position + 2 * n - 1 - s) % n, rail, channel_of(lane), loop);
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (slice.empty()) continue;
        if (s > 0) co_yield Step::receive_and_reduce(ring.before, 0, slice);
        if (s + 1 < n) co_yield Step::send(ring.after, 0, slice);
      }
    }
  }
}

StepStream HierarchicalSchedule::gather_along_rail(std::uint32_t rank, std::uint32_t lane) const {
  const Ring ring = along_rail(rank);
  const std::uint32_t n = ring.size;
  const std::uint32_t rail = plan().map.position_of(rank);
  for (std::int64_t loop = 0; loop < loops(channel_of(lane)); ++loop) {
    for (std::uint32_t s = 0; s < n; ++s) {
      const Range range = owned((ring.position + n - s) % n, rail, channel_of(lane), loop);
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (slice.empty()) continue;
        if (s > 0) co_yield Step::receive(ring.before, 0, slice);
        if (s + 1 < n) co_yield Step::send(ring.after, 0, slice);
      }
      co_yield Step::notify(lane + 1);
    }
  }
}

StepStream HierarchicalSchedule::gather_from_domains(std::uint32_t rank, std::uint32_t lane) const {
  const Ring ring = inside(rank);
  const std::uint32_t n = ring.size;
  const std::uint32_t domains = plan().map.domains();
  const std::uint32_t own = plan().map.domain_of(rank);
  for (std::int64_t loop = 0; loop < loops(channel_of(lane)) * domains; ++loop) {
    co_yield Step::await();
    const auto turn = static_cast<std::uint32_t>(loop % domains);
    const std::uint32_t domain = (own + domains - turn) % domains;
    for (std::uint32_t s = 0; s < n; ++s) {
      const Range range =
          owned(domain, (ring.position + n - s) % n, channel_of(lane), loop / domains);
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (slice.empty()) continue;
        if (s > 0) co_yield Step::receive(ring.before, 0, slice);
        if (s + 1 < n) co_yield Step::send(ring.after, 0, slice);
      }
    }
  }
}

}  // namespace weft::collectives
