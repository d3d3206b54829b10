#include "scenarios/results/results.hpp"

#include <algorithm>

#include "simcore/base/digest.hpp"

namespace weft::scenarios {
namespace {

/// Percentiles by nearest rank.
Percentiles percentiles_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&values](std::size_t per_mille) {
    const std::size_t rank = (values.size() * per_mille + 999) / 1000;
    return values[std::max<std::size_t>(rank, 1) - 1];
  };
  return {at(500), at(990), at(999), values.back()};
}

template <class Value>
Percentiles percentiles_of_completed(const std::vector<MessageResult>& messages, Value value) {
  std::vector<double> values;
  for (const MessageResult& m : messages) {
    if (m.completed >= Picoseconds(0)) values.push_back(value(m));
  }
  return percentiles_of(std::move(values));
}

}  // namespace

std::string Results::digest() const {
  Digest sha;
  const auto add = [&sha](std::int64_t value) { sha.add(value); };
  add(static_cast<std::int64_t>(jobs.size()));
  for (const JobResult& job : jobs) {
    add(job.ranks);
    add(job.bytes.count());
    add(job.start.count());
    add(job.end.count());
    add(job.is_finished ? 1 : 0);
  }
  add(static_cast<std::int64_t>(messages.size()));
  for (const MessageResult& m : messages) {
    add(m.job);
    add(m.source_rank);
    add(m.destination_rank);
    add(m.bytes.count());
    add(m.start.count());
    add(m.delivered.count());
    add(m.completed.count());
  }
  add(static_cast<std::int64_t>(ports.size()));
  for (const PortResult& p : ports) {
    const protocols::PortCounters& c = p.counters;
    for (const std::int64_t value : {c.bytes, c.packets, c.ecn_marked, c.buffer_drops, c.ttl_drops,
                                     c.fault_drops, c.pauses_sent, c.pauses_received, c.paused_time,
                                     c.credit_stalls, c.credit_stall_time, c.peak_backlog}) {
      add(value);
    }
  }
  add(static_cast<std::int64_t>(classes.size()));
  for (const protocols::ClassCounters& c : classes) {
    for (const std::int64_t value :
         {c.bytes, c.packets, c.peak_bytes, c.buffer_drops, c.paused_time, c.pauses_received,
          c.credit_stalls, c.credit_stall_time}) {
      add(value);
    }
  }
  return sha.hex();
}

Percentiles Results::completion_seconds() const {
  return percentiles_of_completed(
      messages, [](const MessageResult& m) { return to_seconds(m.completed - m.start); });
}

Percentiles Results::slowdown() const {
  return percentiles_of_completed(messages, [](const MessageResult& m) {
    return to_seconds(m.completed - m.start) / to_seconds(m.ideal);
  });
}

std::size_t Results::completed_messages() const {
  return static_cast<std::size_t>(
      std::count_if(messages.begin(), messages.end(),
                    [](const MessageResult& m) { return m.completed >= Picoseconds(0); }));
}

}  // namespace weft::scenarios
