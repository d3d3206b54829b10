#include "scenarios/limits/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "collectives/costs/choose.hpp"
#include "collectives/jobs/job.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

/// Upper bounds, as doubles: they only have to be right to a few percent.
struct Load {
  double messages = 0;  ///< of the whole job
  double at_once = 0;   ///< of these: of an iteration, or all that are listed
  double packets = 0;   ///< of its busiest connection
};

struct Estimate {
  double ranks;
  double payload;
  double fastest;  ///< access rate of any rank, bits per second
  std::uint32_t domain_size = 1;

  [[nodiscard]] double packets(Bytes size) const {
    return std::ceil(static_cast<double>(size.count()) / payload);
  }

  Load operator()(const collectives::IncastSpec& s) const {
    const double senders = ranks - 1;
    return {senders * s.rounds, senders * s.rounds, s.rounds * packets(s.size)};
  }
  Load operator()(const collectives::PermutationSpec& s) const {
    return {ranks, ranks, packets(s.size)};
  }
  Load operator()(const collectives::CollectiveSpec& s) const {
    const auto bound =
        collectives::most_messages(s, static_cast<std::uint32_t>(ranks), domain_size);
    // Messages shorter than a packet are a packet each.
    const double per_connection =
        bound.messages / std::max(1.0, ranks * std::max(1U, s.execution.channels));
    return {bound.messages, bound.messages / std::max(1U, s.iterations),
            bound.bytes / payload + per_connection};
  }
  Load operator()(const collectives::MessagesSpec& s) const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> pairs;
    double most = 0;
    for (const auto& m : s.list) most = std::max(most, pairs[{m.from, m.to}] += packets(m.size));
    const auto messages = static_cast<double>(s.list.size());
    return {messages, messages, most};
  }
  Load operator()(const collectives::OpenLoopSpec& s) const {
    const double each =
        s.load * fastest / 8 / static_cast<double>(s.size.count()) * to_seconds(s.stop);
    // All messages of a source might draw the same destination.
    return {ranks * each, 0, each * packets(s.size)};
  }
};

/// The least of all domains that the ranks have, or of the one that the job gives.
std::uint32_t domain_size_of(const JobSpec& job) {
  const auto* collective = std::get_if<collectives::CollectiveSpec>(&job.kind);
  if (collective != nullptr && collective->domain_size > 0) return collective->domain_size;
  std::map<std::uint32_t, std::uint32_t> sizes;
  for (const std::uint32_t domain : job.layout.domain) ++sizes[domain];
  std::uint32_t least = sizes.empty() ? 1 : sizes.begin()->second;
  for (const auto& [domain, size] : sizes) least = std::min(least, size);
  return least;
}

/// What a job makes. What is left to NCCL is settled first, where it can be: what it would take at
/// most is far more than what it takes.
Load load_of(const JobSpec& job, const Estimate& estimate) {
  const auto* collective = std::get_if<collectives::CollectiveSpec>(&job.kind);
  if (collective != nullptr &&
      collective->execution.preset == collectives::Execution::Preset::kNccl &&
      collective->operation !=
          collectives::Operation::kAllToAllV) {  // its traffic is yet to be drawn
    collectives::CollectiveSpec settled = *collective;
    const auto ranks = static_cast<std::uint32_t>(job.ranks.size());
    if (collectives::settle(settled, ranks, layout_of(job))) return estimate(settled);
  }
  return std::visit(estimate, job.kind);
}

Bytes payload_of(const Scenario& scenario) {
  return std::visit([](const auto& t) { return t.format.payload; }, scenario.transport);
}

Estimate estimate_of(const JobSpec& job, const Scenario& scenario,
                     std::span<const BitsPerSecond> access_rates) {
  Estimate estimate{static_cast<double>(job.ranks.size()),
                    static_cast<double>(payload_of(scenario).count()), 0};
  for (const HostId host : job.ranks) {
    estimate.fastest =
        std::max(estimate.fastest, static_cast<double>(access_rates[host.value()].count()));
  }
  estimate.domain_size = domain_size_of(job);
  return estimate;
}

}  // namespace

Errors check_limits(const Scenario& scenario, std::span<const BitsPerSecond> access_rates) {
  Errors errors;
  double messages = 0;
  double at_once = 0;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const JobSpec& job = scenario.jobs[j];
    const Load load = load_of(job, estimate_of(job, scenario, access_rates));
    const std::string key = fmt::format("jobs[{}]", j);
    if (load.packets > kMaxPackets) {
      errors.push_back({fmt::format("would send up to {:.3g} packets on one connection; at most "
                                    "{:.3g} can be counted",
                                    load.packets, kMaxPackets),
                        {.key = key}});
    }
    if (at_once <= kMaxMessagesAtOnce && at_once + load.at_once > kMaxMessagesAtOnce) {
      errors.push_back({fmt::format("makes about {:.3g} messages at once, as those of an iteration "
                                    "are; a run can follow at most {:.3g}",
                                    at_once + load.at_once, kMaxMessagesAtOnce),
                        {.key = key}});
    } else if (messages <= kMaxMessages && messages + load.messages > kMaxMessages) {
      errors.push_back({fmt::format("makes about {:.3g} messages in all; a run has at most {:.3g}",
                                    messages + load.messages, kMaxMessages),
                        {.key = key}});
    }
    messages += load.messages;
    at_once += load.at_once;
  }
  return errors;
}

bool are_packets_few(const Scenario& scenario, std::span<const BitsPerSecond> access_rates) {
  const Bytes payload = payload_of(scenario);
  Bytes least = payload;
  for (const protocols::ScaleUpConfig& domain : scenario.scale_up) {
    least = std::min(least, domain.transport().format.payload);
  }
  double growth = static_cast<double>(payload.count()) / static_cast<double>(least.count());
  if (scenario.pxn.enabled) {  // every chunk may end with a packet that is not full
    growth *=
        1 + static_cast<double>(payload.count()) / static_cast<double>(scenario.pxn.chunk.count());
  }
  return std::ranges::all_of(scenario.jobs, [&](const JobSpec& job) {
    return load_of(job, estimate_of(job, scenario, access_rates)).packets * growth <= kMaxPackets;
  });
}

}  // namespace weft::scenarios
