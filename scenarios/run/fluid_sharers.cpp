#include "scenarios/run/fluid_sharers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace weft::scenarios {

FluidSharers::FluidSharers(const Experiment& e, std::span<const FluidMessage> messages,
                           RouteOf route_of, std::vector<BitsPerSecond> capacities)
    : e_(e),
      messages_(messages),
      route_of_(std::move(route_of)),
      capacities_(std::move(capacities)),
      on_link_(capacities_.size()) {
  for (const protocols::TransportConfig& transport : e.scenario.transports()) {
    splits_.push_back(protocols::traits_of(transport).splits_messages);
  }
  // They are in the order of posting.
  std::map<std::pair<ConnectionId, std::uint32_t>, std::vector<std::uint32_t>> routes;
  for (std::uint32_t i = 0; i < messages.size(); ++i) {
    const FluidMessage& m = messages[i];
    if (!m.delivered) continue;
    const auto [route, is_new] = routes.try_emplace({m.connection, m.queue_pair});
    if (is_new) route->second = route_of_(m.connection, m.queue_pair);
    for (const std::uint32_t link : route->second) on_link_[link].push_back(i);
  }
}

std::vector<double> FluidSharers::others(std::uint32_t link, const PathMessage& of) const {
  std::vector<double> bytes(e_.workload.jobs().size());
  for (const std::uint32_t i : on_link_[link]) {
    const FluidMessage& m = messages_[i];
    if (m.posted >= of.message.delivered) break;
    const Connection& c = e_.workload.connections()[m.connection.value()];
    const bool is_of_it = splits_[c.transport] || m.queue_pair == of.message.queue_pair.value();
    const bool is_itself =
        m.connection == of.connection && is_of_it && m.posted == of.message.posted;
    const Picoseconds together =
        std::min(*m.delivered, of.message.delivered) - std::max(m.posted, of.message.posted);
    if (is_itself || together <= Picoseconds(0)) continue;
    bytes[e_.workload.job_of(c.source)] += static_cast<double>(m.bytes.count()) *
                                           to_seconds(together) /
                                           to_seconds(*m.delivered - m.posted);
  }
  return bytes;
}

void FluidSharers::split(const PathMessage& of, const Charge& queueing,
                         std::vector<Charge>& parts) const {
  double longest = -1;
  std::uint32_t binding = 0;
  std::vector<double> shares;
  for (const std::uint32_t link : route_of_(of.connection, of.message.queue_pair.value())) {
    std::vector<double> bytes = others(link, of);
    const double all =
        std::accumulate(bytes.begin(), bytes.end(), static_cast<double>(of.message.bytes.count()));
    const double time = all / static_cast<double>(capacities_[link].count());
    if (time <= longest) continue;
    longest = time;
    binding = link;
    shares = std::move(bytes);
  }
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (longest < 0 || is_window(binding) || all <= 0) {
    Charge whole = queueing;
    if (longest >= 0 && is_window(binding)) {
      whole.cause = Cause::kWindow;
      whole.culprit = Culprit::connection(of.connection);
    }
    parts.push_back(whole);
    return;
  }
  double before = 0;
  Picoseconds begin = queueing.begin;
  const double length = static_cast<double>((queueing.end - queueing.begin).count());
  for (std::uint32_t job = 0; job < shares.size(); ++job) {
    if (shares[job] <= 0) continue;
    before += shares[job];
    const bool is_last = std::none_of(shares.begin() + job + 1, shares.end(),
                                      [](double share) { return share > 0; });
    const Picoseconds end =
        is_last ? queueing.end : queueing.begin + Picoseconds(std::llround(length * before / all));
    if (end > begin) {
      parts.push_back({begin, end, Cause::kQueueing, Culprit::of_job(job), PortId(binding)});
    }
    begin = end;
  }
}

}  // namespace weft::scenarios
