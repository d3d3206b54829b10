#include "collectives/proof/pieces.hpp"

#include <algorithm>

namespace weft::collectives::proof {

namespace {

void drop_repeats(std::vector<std::int64_t>& places) {
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

bool cuts(const Step& step) {
  return step.kind == Step::Kind::kSend || step.kind == Step::Kind::kCopy || step.is_in_network();
}

}  // namespace

Pieces::Pieces(const Schedule& schedule) {
  const SchedulePlan& plan = schedule.plan();
  add_promised(plan);
  for (std::uint32_t rank = 0; rank < plan.ranks(); ++rank) {
    for (std::uint32_t lane = 0; lane < schedule.lanes(); ++lane) {
      StepStream stream = schedule.steps(rank, lane);
      for (Step step; stream.next(step);) {
        if (cuts(step)) add(step.block, step.range());
      }
    }
  }
  for (auto& [block, places] : places_) drop_repeats(places);
}

void Pieces::add_promised(const SchedulePlan& plan) {
  const std::uint32_t n = plan.ranks();
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    if (!plan.is_by_blocks()) {
      add(0, part_of(plan.whole(), n, rank));
      continue;
    }
    for (std::uint32_t to = 0; to < n; ++to) {
      add(plan.block_of(rank, to), {0, plan.block_size(rank, to)});
    }
  }
}

void Pieces::add(std::uint32_t block, Range range) {
  auto& places = places_[block];
  if (places.size() > 4096) drop_repeats(places);  // most are the same ones again
  places.push_back(range.offset);
  places.push_back(range.end());
}

std::vector<std::int64_t> Pieces::of(std::uint32_t block, Range range) const {
  const auto found = places_.find(block);
  if (range.size <= 0 || found == places_.end()) return {};
  const auto first = std::ranges::lower_bound(found->second, range.offset);
  const auto end = std::ranges::lower_bound(found->second, range.end());
  return {first, end};
}

}  // namespace weft::collectives::proof
