#include "collectives/memo/epoch_program.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft::collectives {

class EpochProgram::Source final : public StepSource {
 public:
  explicit Source(StepStream stream) : stream_(std::move(stream)) {}
  bool next(Step& step) override { return stream_.next(step); }

 private:
  StepStream stream_;
};

EpochProgram::EpochProgram(const TaskProgram& whole, std::vector<std::uint32_t> ranks,
                           const std::vector<std::uint32_t>& communicators)
    : whole_(whole),
      ranks_(std::move(ranks)),
      is_used_(whole.task_set().communicators().size()),
      next_calls_(ranks_.size() * whole.streams()) {
  for (const std::uint32_t c : communicators) is_used_[c] = true;
}

bool EpochProgram::is_used(LanePlace place) const {
  const std::uint32_t stream = whole_.stream_of(place.lane);
  return lanes_of(place.rank, stream) > 0;
}

std::uint32_t EpochProgram::lanes_of(std::uint32_t rank, std::uint32_t stream) const {
  if (stream == 0) return 0;
  const auto member = whole_.lane_plan().member(ranks_[rank], stream);
  if (!member || !is_used_[member->communicator]) return 0;
  return whole_.lanes_of(ranks_[rank], stream);
}

std::uint32_t EpochProgram::rank_here(std::uint32_t rank_of_whole) const {
  const auto found = std::ranges::lower_bound(ranks_, rank_of_whole);
  WEFT_CHECK(found != ranks_.end() && *found == rank_of_whole, "peers are ranks of the epoch");
  return static_cast<std::uint32_t>(std::distance(ranks_.begin(), found));
}

std::vector<ReductionGroup> EpochProgram::groups() const {
  std::vector<ReductionGroup> all;
  for (ReductionGroup& group : whole_.groups()) {
    const auto member =
        whole_.lane_plan().member(group.ranks.front(), whole_.stream_of(group.first_lane));
    if (!member || !is_used_[member->communicator]) continue;
    for (std::uint32_t& rank : group.ranks) rank = rank_here(rank);
    all.push_back(std::move(group));
  }
  return all;
}

InNetworkWork EpochProgram::in_network_work(LanePlace place) const {
  return is_used(place) ? whole_.in_network_work(of_whole(place)) : InNetworkWork{};
}

std::vector<std::uint32_t> EpochProgram::send_peers(LanePlace place) const {
  if (!is_used(place)) return {};
  std::vector<std::uint32_t> peers = whole_.send_peers(of_whole(place));
  for (std::uint32_t& peer : peers) peer = rank_here(peer);
  return peers;
}

std::unique_ptr<StepSource> EpochProgram::steps(LanePlace place) const {
  return std::make_unique<Source>(stream(place));
}

StepStream EpochProgram::stream(LanePlace place) const {
  const std::uint32_t stream = whole_.stream_of(place.lane);
  const std::uint32_t first = whole_.lane_plan().first_lane(stream);
  const std::uint32_t lanes = lanes_of(place.rank, stream);
  if (place.lane >= first + lanes) co_return;
  const LanePlan::Member member = whole_.lane_plan().member(ranks_[place.rank], stream).value();
  for (std::int64_t count = 0;; ++count) {
    co_yield Step::start(stream, count);
    const std::uint32_t call = next_calls_[std::size_t{place.rank} * whole_.streams() + stream];
    StepStream steps = whole_.call_steps(call, member, place.lane - first);
    for (Step step; steps.next(step);) {
      const bool has_peer = step.kind == Step::Kind::kSend || step.kind == Step::Kind::kReceive ||
                            step.kind == Step::Kind::kControlEvent ||
                            step.kind == Step::Kind::kContribute ||
                            step.kind == Step::Kind::kReceiveMulticast;
      if (has_peer) step.peer = rank_here(step.peer);
      co_yield step;
    }
    co_yield Step::finish(stream, count);
  }
}

}  // namespace weft::collectives
