#include "tools/report/trace/path_hops.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

namespace weft::report {
namespace {

/// A process of a rank: `gpt rank 3 (gpu3)`.
struct RankName {
  std::string_view job;
  std::string_view host;
};

std::optional<RankName> rank_of(std::string_view process) {
  const std::size_t open = process.rfind(" (");
  if (open == std::string_view::npos || process.back() != ')') return std::nullopt;
  const std::size_t rank = process.rfind(" rank ", open);
  if (rank == std::string_view::npos) return std::nullopt;
  return RankName{process.substr(0, rank), process.substr(open + 2, process.size() - open - 3)};
}

/// `leaf0[3]` is a port of `leaf0`.
std::string_view node_of(std::string_view end) { return end.substr(0, end.rfind('[')); }

}  // namespace

void PathHops::add_process(std::string_view name) {
  if (const auto rank = rank_of(name)) {
    hosts_.emplace(std::string(rank->host), static_cast<std::uint32_t>(hosts_.size()));
  }
}

const std::uint32_t* PathHops::host(std::string_view end) const {
  const auto found = hosts_.find(node_of(end));
  return found == hosts_.end() ? nullptr : &found->second;
}

void PathHops::add_piece(const TraceThread& track, const TraceSliceRead& piece) {
  Pending& pending = pending_[track];
  const std::size_t arrow = piece.port.find("->");
  const bool has_port = arrow != std::string_view::npos;
  const std::uint32_t* from = has_port ? host(piece.port.substr(0, arrow)) : nullptr;
  const std::uint32_t* to = has_port ? host(piece.port.substr(arrow + 2)) : nullptr;
  // What has come is over with the first piece that is not on its last link.
  const bool is_on_last_link = to != nullptr && pending.has_come && *to == pending.hop.to &&
                               (from == nullptr || *from == pending.hop.from);
  if (pending.has_come && !is_on_last_link) finish(pending);
  if (from != nullptr && (!pending.has_begun || *from != pending.hop.from)) {
    pending = {.hop = {.track = track, .from = *from, .begin = piece.begin}, .has_begun = true};
  }
  if (to == nullptr || !pending.has_begun) return;
  pending.hop.to = *to;
  pending.hop.end = piece.end;
  pending.has_come = true;
}

void PathHops::finish(Pending& pending) {
  ++seen_;
  kept_.push(pending.hop);
  if (kept_.size() > max_) kept_.pop();
  pending = {};
}

Json PathHops::json(const std::map<TraceThread, std::size_t>& numbers,
                    const std::map<std::int64_t, std::string>& processes) {
  for (auto& [track, pending] : pending_) {
    if (pending.has_come) finish(pending);
  }
  std::vector<Hop> hops;
  for (; !kept_.empty(); kept_.pop()) hops.push_back(kept_.top());
  std::ranges::sort(hops, {}, [](const Hop& h) { return std::tuple(h.begin, h.track, h.end); });
  // The first rank of a job on a host stands for it.
  std::map<std::pair<std::string, std::uint32_t>, std::string> ranks;
  for (const auto& [number, name] : processes) {
    const auto rank = rank_of(name);
    if (rank) ranks.emplace(std::pair(std::string(rank->job), *host(rank->host)), name);
  }
  std::map<std::string, std::size_t> places;
  Json names = Json::array();
  const auto place_of = [&](const std::string& name) {
    const auto [at, is_new] = places.emplace(name, places.size());
    if (is_new) names.push_back(name);
    return at->second;
  };
  Json flat = Json::array();
  std::int64_t before = 0;
  constexpr std::string_view kJob = "job ";
  for (const Hop& hop : hops) {
    const auto track = numbers.find(hop.track);
    const auto job = processes.find(hop.track.first);
    if (track == numbers.end() || job == processes.end() || !job->second.starts_with(kJob))
      continue;
    const std::string name = job->second.substr(kJob.size());
    const auto from = ranks.find({name, hop.from});
    const auto to = ranks.find({name, hop.to});
    if (from == ranks.end() || to == ranks.end() || from == to) continue;
    const auto begin = static_cast<std::int64_t>(std::llround(hop.begin * 1000));
    flat.push_back(track->second);
    flat.push_back(place_of(from->second));
    flat.push_back(place_of(to->second));
    flat.push_back(begin - before);
    flat.push_back(static_cast<std::int64_t>(std::llround(hop.length() * 1000)));
    before = begin;
  }
  return {{"seen", seen_}, {"ranks", std::move(names)}, {"flat", std::move(flat)}};
}

}  // namespace weft::report
