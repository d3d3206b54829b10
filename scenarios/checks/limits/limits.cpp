#include "scenarios/checks/limits/limits.hpp"

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

/// The least of all domains that the ranks have, or of the one that the job gives.
std::uint32_t domain_size_of(const JobSpec& job) {
  const auto* collective = std::get_if<collectives::CollectiveSpec>(&job.kind);
  if (collective != nullptr && collective->domain_size > 0) return collective->domain_size;
  std::map<std::uint32_t, std::uint32_t> sizes;
  for (const std::uint32_t domain : job.layout.domain) ++sizes[domain];
  std::uint32_t min = sizes.empty() ? 1 : sizes.begin()->second;
  for (const auto& [domain, size] : sizes) min = std::min(min, size);
  return min;
}

/// Whether it is left to NCCL or to a cost model how the collective is done.
bool is_left_open(const collectives::CollectiveSpec& spec) {
  return spec.execution.preset == collectives::Execution::Preset::kNccl ||
         spec.algorithm == collectives::Algorithm::kNccl ||
         spec.algorithm == collectives::Algorithm::kBest ||
         spec.algorithm == collectives::Algorithm::kAuto;
}

/// What a job makes. What is left open is settled first, where it can be: what it would take at
/// most is far more than what it takes.
collectives::SendBound bound_of(const JobSpec& job, std::span<const BitsPerSecond> access_rates) {
  collectives::BoundSetting setting{.ranks = static_cast<std::uint32_t>(job.ranks.size()),
                                    .fastest_access = {},
                                    .domain_size = domain_size_of(job)};
  for (const HostId host : job.ranks) {
    setting.fastest_access = std::max(setting.fastest_access, access_rates[host.value()]);
  }
  const auto* collective = std::get_if<collectives::CollectiveSpec>(&job.kind);
  if (collective != nullptr && is_left_open(*collective) &&
      collective->operation !=
          collectives::Operation::kAllToAllV) {  // its traffic is yet to be drawn
    collectives::CollectiveSpec settled = *collective;
    if (collectives::resolve_algorithm(settled, setting.ranks, layout_of(job))) {
      return collectives::send_bound(settled, setting);
    }
  }
  return collectives::send_bound(job.kind, setting);
}

/// Of a job's busiest connection: messages shorter than a packet are a packet each.
double busiest_packets(const collectives::SendBound& bound, Bytes payload) {
  return bound.connection_bytes / static_cast<double>(payload.count()) + bound.connection_messages;
}

/// Blocks of several ranks that may share a connection, at most: an all-to-all of two levels brings
/// those for all domains, and then those of all GPUs of one, over the same.
double blocks_together(const JobSpec& job) {
  const auto ranks = static_cast<double>(job.ranks.size());
  const auto* spec = std::get_if<collectives::CollectiveSpec>(&job.kind);
  // A step has calls of all kinds.
  if (spec == nullptr) return collectives::has_iterations(job.kind) ? ranks : 1;
  const bool has_blocks = spec->operation == collectives::Operation::kAllToAll ||
                          spec->operation == collectives::Operation::kAllToAllV;
  const bool may_forward =
      is_left_open(*spec) || spec->algorithm == collectives::Algorithm::kHierarchical;
  return has_blocks && may_forward ? ranks : 1;
}

Bytes payload_of(const Scenario& scenario, const JobSpec& job) {
  return protocols::traits_of(scenario.transport_of(job.transport)).format.payload;
}

}  // namespace

Errors check_limits(const Scenario& scenario, std::span<const BitsPerSecond> access_rates) {
  Errors errors;
  double messages = 0;
  double at_once = 0;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const JobSpec& job = scenario.jobs[j];
    const collectives::SendBound load = bound_of(job, access_rates);
    const double packets = busiest_packets(load, payload_of(scenario, job));
    const std::string key = fmt::format("jobs[{}]", collectives::number_of(job, j));
    if (packets > kMaxPackets) {
      errors.push_back({fmt::format("would send up to {:.3g} packets on one connection; at most "
                                    "{:.3g} can be counted",
                                    packets, kMaxPackets),
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
  return std::ranges::all_of(scenario.jobs, [&](const JobSpec& job) {
    const Bytes payload = payload_of(scenario, job);
    Bytes min = payload;
    for (const protocols::ScaleUpConfig& domain : scenario.scale_up) {
      min = std::min(min, domain.format.payload);
    }
    double growth = static_cast<double>(payload.count()) / static_cast<double>(min.count());
    if (scenario.pxn.enabled) {  // every chunk may end with a packet that is not full
      growth *= 1 + static_cast<double>(payload.count()) /
                        static_cast<double>(scenario.pxn.chunk.count());
    }
    growth *= blocks_together(job);
    return busiest_packets(bound_of(job, access_rates), payload) * growth <= kMaxPackets;
  });
}

}  // namespace weft::scenarios
