#include "scenarios/output/trace_writer.hpp"

#include <algorithm>
#include <tuple>

#include "scenarios/text/csv.hpp"
#include "simcore/base/hash.hpp"

namespace weft::scenarios {
namespace {

using protocols::TraceRecord;

std::string time_field(OptionalTime time) { return csv::seconds_if_any(time); }

namespace congestion = protocols::congestion;

std::string sample_field(std::size_t column, std::int64_t value) {
  if (value == congestion::kNoSample) return {};
  switch (congestion::kAllColumns.columns[column].form) {
    case congestion::Column::Form::kFraction:
      return fmt::format("{:.9f}", static_cast<double>(value) / 4294967296.0);
    case congestion::Column::Form::kSeconds:
      return csv::seconds(Picoseconds(value));
    case congestion::Column::Form::kInteger:
      break;
  }
  return std::to_string(value);
}

std::string rate_header(const TraceNames& names) {
  std::string header = std::string("time_s,") + kFlowColumns;
  for (std::size_t i = 0; i < kRateColumns; ++i) {
    header += std::string(",") + congestion::kAllColumns.columns[i].name;
  }
  header += ",goodput_bps";
  for (const std::size_t i : names.control_columns) {
    header += std::string(",") + congestion::kAllColumns.columns[i].name;
  }
  return header;
}

}  // namespace

RateTrace::RateTrace(const std::filesystem::path& file, const TraceNames& names)
    : names_(names), stream_(file, rate_header(names)) {}

void RateTrace::add(const TraceRecord& record) {
  if (record.time != time_) write_samples();
  time_ = record.time;
  Sample& sample = samples_[record.subject];
  if (record.kind == TraceRecord::Kind::kControl) {
    sample.values[record.detail] = record.value;
  } else {
    sample.progress = record.value;
  }
}

void RateTrace::finish() {
  write_samples();
  stream_.flush();
}

void RateTrace::write_samples() {
  for (const auto& [flow, sample] : samples_) write(flow, sample);
  samples_.clear();
}

void RateTrace::write(std::uint32_t number, const Sample& sample) {
  Flow& flow = flows_[number];
  if (flow.name.columns.empty()) flow.name = names_.flow(number);
  std::string goodput;
  if (sample.progress >= 0) {
    if (time_ > flow.time) {
      const auto bits =
          static_cast<double>((sample.progress - flow.progress) * flow.name.payload.count() * 8);
      goodput = fmt::format("{:.0f}", bits / to_seconds(time_ - flow.time));
    }
    flow.time = time_;
    flow.progress = sample.progress;
  }
  std::string row = time_field(time_) + ',' + flow.name.columns;
  for (std::size_t i = 0; i < kRateColumns; ++i) row += ',' + sample_field(i, sample.values[i]);
  row += ',' + goodput;
  for (const std::size_t i : names_.control_columns) row += ',' + sample_field(i, sample.values[i]);
  stream_.add("{}\n", row);
}

PacketTrace::PacketTrace(const std::filesystem::path& file, const TraceNames& names)
    : names_(names),
      stream_(file, std::string(kFlowColumns) +
                        ",sequence,port,class,enqueue_s,start_s,arrival_s,marked" +
                        (names.has_trims ? ",trimmed" : "")) {}

std::size_t PacketTrace::KeyHash::operator()(const Key& key) const {
  return mix64((std::uint64_t{key.flow} << 32U) | key.sequence, key.port);
}

template <class Predicate>
PacketTrace::Hop& PacketTrace::find(const TraceRecord& record, Predicate is_wanted) {
  std::vector<Hop>& hops =
      hops_[{static_cast<std::uint32_t>(record.value), record.detail, record.subject}];
  const auto hop = std::ranges::find_if(hops, is_wanted);
  if (hop != hops.end()) return *hop;
  hops.push_back({.traffic_class = record.traffic_class});
  return hops.back();
}

void PacketTrace::add(const TraceRecord& record) {
  switch (record.kind) {
    case TraceRecord::Kind::kPacketEnqueued:
      // A mark of the same moment may have come first.
      find(record, [](const Hop& h) { return !h.enqueued && !h.started; }).enqueued = record.time;
      return;
    case TraceRecord::Kind::kPacketStarted:
      find(record, [](const Hop& h) { return !h.started; }).started = record.time;
      return;
    case TraceRecord::Kind::kPacketMarked:
      return mark(record);
    case TraceRecord::Kind::kPacketTrimmed:
      return trim(record);
    default:
      return arrive(record);
  }
}

void PacketTrace::mark(const TraceRecord& record) {
  std::vector<Hop>& hops =
      hops_[{static_cast<std::uint32_t>(record.value), record.detail, record.subject}];
  // At the moment in which it is enqueued or starts, whichever record comes first.
  const auto is_now = [&record](const Hop& h) {
    return h.enqueued == record.time || h.started == record.time;
  };
  const auto now = std::ranges::find_if(hops, is_now);
  if (now != hops.end()) {
    now->is_marked = true;
  } else {
    find(record, [](const Hop& h) { return !h.started; }).is_marked = true;
  }
}

/// It goes no farther with its payload.
void PacketTrace::trim(const TraceRecord& record) {
  Hop& hop = find(record, [](const Hop& h) { return !h.started; });
  hop.is_trimmed = true;
  const Key key{static_cast<std::uint32_t>(record.value), record.detail, record.subject};
  write(key, hop);
  std::vector<Hop>& hops = hops_[key];
  std::erase_if(hops, [](const Hop& h) { return h.is_trimmed; });
  if (hops.empty()) hops_.erase(key);
}

void PacketTrace::arrive(const TraceRecord& record) {
  const Key key{static_cast<std::uint32_t>(record.value), record.detail,
                names_.peers[record.subject].value()};
  std::vector<Hop>& hops = hops_[key];
  // Links keep their order. Where the start was not seen, the arrival stands alone.
  auto hop = std::ranges::find_if(hops, [](const Hop& h) { return h.started.has_value(); });
  if (hop == hops.end()) {
    hop = hops.insert(hops.begin(), Hop{.traffic_class = record.traffic_class});
  }
  hop->arrived = record.time;
  write(key, *hop);
  hops.erase(hop);
  if (hops.empty()) hops_.erase(key);
}

void PacketTrace::finish() {
  struct Row {
    Key key;
    Hop hop;
  };
  std::vector<Row> rows;
  for (const auto& [key, hops] : hops_) {
    for (const Hop& hop : hops) rows.push_back({key, hop});
  }
  std::ranges::sort(rows, {}, [](const Row& r) { return std::tuple(r.hop.begin(), r.key); });
  for (const Row& row : rows) write(row.key, row.hop);
  hops_.clear();
  stream_.flush();
}

void PacketTrace::write(const Key& key, const Hop& hop) {
  const char* const trimmed = !names_.has_trims ? "" : hop.is_trimmed ? ",1" : ",0";
  stream_.add("{},{},{},{},{},{},{},{}{}\n", columns_of(key.flow), key.sequence,
              names_.ports[key.port], names_.classes[hop.traffic_class], time_field(hop.enqueued),
              time_field(hop.started), time_field(hop.arrived), hop.is_marked ? 1 : 0, trimmed);
}

const std::string& PacketTrace::columns_of(std::uint32_t flow) {
  std::string& columns = columns_[flow];
  if (columns.empty()) columns = names_.flow(flow).columns;
  return columns;
}

}  // namespace weft::scenarios
