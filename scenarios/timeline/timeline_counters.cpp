#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "protocols/congestion/specs.hpp"
#include "scenarios/timeline/timeline.hpp"

/// Queues, rates and pauses as counters.
namespace weft::scenarios {
namespace {

using protocols::PauseInterval;
using protocols::TraceRecord;

bool is_rate(std::uint32_t column) {
  return protocols::congestion::kAllColumns.columns[column].name == std::string_view("rate_bps");
}

}  // namespace

void Timeline::add_value(Counter& counter, const std::string& name, bool is_of_bytes,
                         Picoseconds time, std::int64_t value) {
  if (!is_shown(time) || !has_room(counters_, time, {})) return;
  if (fabric_.id == 0) {
    fabric_ = {.id = last_counter_, .process = tracks_.free_process()};
    counters_.add_process(fabric_, "fabric");
  }
  if (counter.track.id == 0) {
    counter.name = name;
    counter.track = {.id = last_counter_ += 2, .parent = fabric_.id, .process = fabric_.process};
    counters_.add_counter(counter.track, name, is_of_bytes);
  }
  counters_.add(counter.track, counter.name, time, value);
}

void Timeline::add(const TraceRecord& record,
                   const std::function<Flow(std::uint32_t flow)>& flow_of) {
  if (record.kind == TraceRecord::Kind::kQueue) {
    Counter& counter = queues_[{record.subject, record.traffic_class}];
    return add_value(counter,
                     fmt::format("queue {}, {}", e_.fabric.port_name(PortId(record.subject)),
                                 classes_[record.traffic_class]),
                     true, record.time, record.value);
  }
  const bool is_progress = record.kind == TraceRecord::Kind::kProgress;
  const bool is_control = record.kind == TraceRecord::Kind::kControl && is_rate(record.detail);
  if (!is_progress && !is_control) return;
  FlowCounters& flow = flows_[record.subject];
  if (flow.flow.name.empty()) flow.flow = flow_of(record.subject);
  if (is_control) {
    if (record.value == protocols::congestion::kNoSample) return;
    return add_value(flow.rate, "rate " + flow.flow.name + ", bit/s", false, record.time,
                     record.value);
  }
  if (record.time > flow.time) {
    const auto bits =
        static_cast<double>((record.value - flow.progress) * flow.flow.payload.count() * 8);
    add_value(flow.goodput, "goodput " + flow.flow.name + ", bit/s", false, record.time,
              std::llround(bits / to_seconds(record.time - flow.time)));
  }
  flow.time = record.time;
  flow.progress = record.value;
}

void Timeline::add(std::span<const PauseInterval> pauses) {
  for (const PauseInterval& pause : pauses) {
    if (pause.end <= plan_.from || pause.start >= plan_.until) continue;
    Counter& counter = pauses_[{pause.port.value(), pause.traffic_class}];
    const std::string name = fmt::format("paused {}, {}", e_.fabric.port_name(pause.port),
                                         classes_[pause.traffic_class]);
    add_value(counter, name, false, std::max(pause.start, plan_.from), 1);
    if (!pause.is_lasting) add_value(counter, name, false, pause.end, 0);
  }
}

}  // namespace weft::scenarios
