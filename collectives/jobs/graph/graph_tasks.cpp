#include "collectives/jobs/graph/graph_tasks.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

namespace weft::collectives {

GraphTasks::GraphTasks(GraphLayout layout, const GraphSpec& spec, std::uint32_t ranks)
    : layout_(std::move(layout)),
      calls_(layout_.communicator_calls()),
      iterations_(spec.iterations),
      noise_(spec.noise) {
  std::vector<PlacesOfRank> all(ranks);
  for (std::uint32_t n = 0; n < layout_.nodes().size(); ++n) {
    const GraphLayout::Node& node = layout_.nodes()[n];
    const auto* compute = std::get_if<ComputeNode>(&spec.nodes[n].work);
    times_.push_back(compute == nullptr ? Picoseconds(0) : compute->time);
    names_.push_back(spec.nodes[n].name);
    for (const std::uint32_t rank : node.ranks) all[rank].push_back({n, {}});
    for (const std::uint32_t call : node.calls) {
      const std::uint32_t c = layout_.calls()[call].communicator;
      for (const std::uint32_t rank : layout_.communicators()[c].ranks) {
        all[rank].push_back({n, {.stream = StreamOf::communicator(c), .call = call}});
      }
    }
  }
  for (const PlacesOfRank& of_rank : all) place(of_rank);
}

void GraphTasks::place(const PlacesOfRank& of_rank) {
  auto next = of_rank.begin();
  std::map<StreamOf, std::uint32_t> issued;  // tasks, before this section
  for (const GraphSection& section : layout_.sections()) {
    std::map<StreamOf, std::uint32_t> within;  // tasks of one repetition
    for (std::uint32_t n = section.first; n < section.end; ++n) {
      for (; next != of_rank.end() && next->first == n; ++next) {
        Place& placed = places_.emplace_back(next->second);
        placed.first = issued[placed.stream] + within[placed.stream]++;
      }
      first_place_.push_back(places_.size());
    }
    const std::size_t first = first_place_[first_place_.size() - 1 - (section.end - section.first)];
    for (std::size_t i = first; i < places_.size(); ++i) {
      places_[i].step = within[places_[i].stream];
    }
    for (const auto& [stream, count] : within) issued[stream] += count * section.times;
  }
}

void GraphTasks::collect(std::uint32_t rank, StreamOf stream, std::uint32_t node,
                         std::uint32_t repetition, std::vector<Dependency>& after) const {
  after.clear();
  const std::uint32_t own_section = layout_.nodes()[node].section;
  for (const std::uint32_t other : layout_.nodes()[node].after) {
    std::uint32_t times = repetition;  // of the other one's section that are through, but for one
    if (layout_.nodes()[other].section != own_section) {
      times = layout_.sections()[layout_.nodes()[other].section].times - 1;
    } else if (other >= node) {
      if (repetition == 0) continue;
      --times;
    }
    for (const Place& p : places(rank, other)) {
      if (p.stream == stream) continue;  // which is in order anyway
      after.push_back({p.stream, std::int64_t{p.first} + std::int64_t{p.step} * times + 1});
    }
  }
}

TaskStream GraphTasks::tasks(std::uint32_t rank, StreamOf stream,
                             std::uint32_t /*iteration*/) const {
  std::vector<Dependency> after;
  for (const GraphSection& section : layout_.sections()) {
    std::vector<std::pair<std::uint32_t, const Place*>> own;
    for (std::uint32_t n = section.first; n < section.end; ++n) {
      for (const Place& p : places(rank, n)) {
        if (p.stream == stream) own.emplace_back(n, &p);
      }
    }
    if (own.empty()) continue;
    for (std::uint32_t repetition = 0; repetition < section.times; ++repetition) {
      for (const auto& entry : own) {
        collect(rank, stream, entry.first, repetition, after);
        co_yield Task{times_[entry.first], entry.second->call, after, entry.first + 1};
      }
    }
  }
}

}  // namespace weft::collectives
