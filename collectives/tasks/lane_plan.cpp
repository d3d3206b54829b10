#include "collectives/tasks/lane_plan.hpp"

#include <algorithm>
#include <iterator>

namespace weft::collectives {

namespace {

bool uses_scale_up_switches(const CollectiveCall& call) {
  for (std::uint32_t lane = 0; lane < call.lanes(); ++lane) {
    if (call.schedule().in_network_work(lane).any()) return true;
  }
  return false;
}

/// Their messages may travel on the same connections.
bool cost_alike(const CollectiveCall& a, const CollectiveCall& b) {
  const Execution& x = a.spec().execution;
  const Execution& y = b.spec().execution;
  if (x.protocol != y.protocol || x.in_flight != y.in_flight) return false;
  if (x.step_latency != y.step_latency || x.network_step_latency != y.network_step_latency) {
    return false;
  }
  // What scale-up switches do in a lane follows from algorithm and operation.
  const bool has_same_lanes =
      a.spec().algorithm == b.spec().algorithm && a.spec().operation == b.spec().operation;
  return has_same_lanes || (!uses_scale_up_switches(a) && !uses_scale_up_switches(b));
}

}  // namespace

LanePlan::LanePlan(const TaskSet& task_set, std::span<const CollectiveCall* const> calls,
                   std::uint32_t ranks) {
  make_classes(task_set, calls);
  number_streams(task_set, ranks);
}

void LanePlan::make_classes(const TaskSet& task_set, std::span<const CollectiveCall* const> calls) {
  classes_.resize(task_set.communicators().size());
  first_lane_of_call_.resize(calls.size());
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    std::vector<CallClass>& classes = classes_[task_set.calls()[i].communicator];
    auto found = std::ranges::find_if(classes, [&](const CallClass& c) {
      return cost_alike(*calls[c.calls.front()], *calls[i]);
    });
    if (found == classes.end()) found = classes.emplace(classes.end());
    found->calls.push_back(i);
    found->lanes = std::max(found->lanes, calls[i]->lanes());
  }
  lanes_of_communicator_.reserve(classes_.size());
  for (std::vector<CallClass>& classes : classes_) {
    std::uint32_t lanes = 0;
    for (CallClass& c : classes) {
      c.first_lane = lanes;
      lanes += c.lanes;
      for (const std::uint32_t call : c.calls) first_lane_of_call_[call] = c.first_lane;
    }
    lanes_of_communicator_.push_back(lanes);
  }
}

void LanePlan::number_streams(const TaskSet& task_set, std::uint32_t ranks) {
  std::vector<std::uint32_t> width = {1};  // of the stream that computes
  members_.assign(ranks, {Member{kNone, 0}});
  std::vector<std::uint32_t> taken_below(ranks, 1);  // all streams of the rank with lower numbers
  for (std::uint32_t c = 0; c < task_set.communicators().size(); ++c) {
    const std::vector<std::uint32_t>& group = task_set.communicators()[c].ranks;
    const auto is_taken = [&](std::uint32_t stream) {
      return std::ranges::any_of(group, [&](std::uint32_t rank) {
        return stream < members_[rank].size() && members_[rank][stream].communicator != kNone;
      });
    };
    std::uint32_t stream = 1;
    for (const std::uint32_t rank : group) stream = std::max(stream, taken_below[rank]);
    while (is_taken(stream)) ++stream;
    if (stream == width.size()) width.push_back(0);
    width[stream] = std::max(width[stream], lanes_of_communicator_[c]);
    stream_of_communicator_.push_back(stream);
    for (std::uint32_t i = 0; i < group.size(); ++i) {
      std::vector<Member>& streams = members_[group[i]];
      if (streams.size() <= stream) streams.resize(stream + 1, Member{kNone, 0});
      streams[stream] = {c, i};
      if (taken_below[group[i]] == stream) ++taken_below[group[i]];
    }
  }
  first_lane_ = {0};
  for (const std::uint32_t lanes : width) first_lane_.push_back(first_lane_.back() + lanes);
}

std::uint32_t LanePlan::stream_of_lane(std::uint32_t lane) const {
  const auto after = std::ranges::upper_bound(first_lane_, lane);
  return static_cast<std::uint32_t>(std::distance(first_lane_.begin(), after)) - 1;
}

std::optional<LanePlan::Member> LanePlan::member(std::uint32_t rank, std::uint32_t stream) const {
  const std::vector<Member>& streams = members_[rank];
  if (stream >= streams.size() || streams[stream].communicator == kNone) return std::nullopt;
  return streams[stream];
}

const CallClass* LanePlan::class_at(std::uint32_t communicator, std::uint32_t lane) const {
  for (const CallClass& c : classes_[communicator]) {
    if (lane >= c.first_lane && lane < c.first_lane + c.lanes) return &c;
  }
  return nullptr;
}

}  // namespace weft::collectives
