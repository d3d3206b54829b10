#include "scenarios/output/run_files.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/tables/messages_table.hpp"
#include "scenarios/text/csv.hpp"

namespace weft::scenarios {
namespace {

using protocols::TraceRecord;

TraceNames names_of(const Experiment& e) {
  TraceNames names;
  for (std::uint32_t p = 0; p < e.fabric.ports.size(); ++p) {
    names.ports.push_back(csv::field(e.fabric.port_name(PortId(p))));
    names.peers.push_back(e.fabric.ports[p].peer);
  }
  for (const std::string& name : class_names(e.scenario.switches)) {
    names.classes.push_back(csv::field(name));
  }
  std::set<std::size_t> columns;  // of all controls of the run, each once
  for (const protocols::TransportConfig& transport : e.scenario.transports()) {
    const protocols::TransportTraits traits = protocols::traits_of(transport);
    const auto add_columns_of = [&](std::size_t control) {
      for (std::size_t i = 0; i < protocols::congestion::ControlSpecs::kColumns[control].size();
           ++i) {
        const std::size_t number = protocols::congestion::column_number(control, i);
        if (number >= kRateColumns) columns.insert(number);
      }
    };
    add_columns_of(traits.congestion_control.index());
    if (traits.receiver_control) {
      add_columns_of(protocols::congestion::ControlConfig(*traits.receiver_control).index());
    }
  }
  names.control_columns.assign(columns.begin(), columns.end());
  names.has_trims = std::ranges::any_of(e.scenario.switches.classes,
                                        [](const auto& c) { return c.trimming.enabled; });
  return names;
}

}  // namespace

RunFiles::RunFiles(ResultFolder folder, const protocols::ObservationConfig& observation,
                   TraceNames names)
    : folder_(std::move(folder)), names_(std::move(names)), observation_(observation) {
  start_over();
}

void RunFiles::start_over() {
  const std::filesystem::path& at = folder_.partial();
  if (!observation_.queue_ports.empty())
    queues_.emplace(at / "queues.csv", "time_s,port,class,bytes");
  if (!observation_.mark_ports.empty())
    marks_.emplace(at / "marks.csv", "port,class,start_s,end_s,packets");
  if (observation_.credits) credits_.emplace(at / "credits.csv", "port,class,start_s,end_s");
  if (!observation_.rate_flows.empty()) rates_.emplace(at / "rates.csv", names_);
  if (!observation_.packet_flows.empty()) packets_.emplace(at / "packets.csv", names_);
}

Result<std::unique_ptr<RunFiles>> RunFiles::create(const Experiment& e,
                                                   const std::filesystem::path& folder,
                                                   const Kinds& kinds) {
  auto target = ResultFolder::create(folder);
  if (!target) return target.errors();
  const bool has_traces = kinds.traces && e.observation.any();
  auto files = std::make_unique<RunFiles>(
      std::move(target).value(), has_traces ? e.observation : protocols::ObservationConfig{},
      has_traces ? names_of(e) : TraceNames{});
  if (e.timeline) files->timeline_.emplace(e, files->folder_.partial());
  if (kinds.messages) {
    std::string header;
    MessagesTable::declaration().append_header(header);
    header.pop_back();  // the end of the line
    std::string name = MessagesTable::declaration().file;
    if (kinds.packed) name += kPacked;
    files->messages_.emplace(files->folder_.partial() / name, header);
    for (const JobSpec& job : e.scenario.jobs) files->jobs_.push_back(job.name);
  }
  if (files->has_failed()) return files->errors();
  return files;
}

void RunFiles::write(const MessageResult& message) {
  if (!messages_) return;
  row_.clear();
  MessagesTable::declaration().append(row_, {jobs_[message.job], message});
  messages_->add("{}", row_);
}

void RunFiles::write(std::span<const TraceRecord> records) {
  for (const TraceRecord& record : records) write(record);
}

void RunFiles::write(const TraceRecord& record) {
  if (timeline_) {
    timeline_->add(record, [this](std::uint32_t flow) {
      const TraceNames::Flow name = names_.flow(flow);
      return Timeline::Flow{name.title, name.payload};
    });
  }
  switch (record.kind) {
    case TraceRecord::Kind::kQueue:
      if (!queues_) return;
      queues_->add("{},{},{},{}\n", csv::seconds(record.time), names_.ports[record.subject],
                   names_.classes[record.traffic_class], record.value);
      return;
    case TraceRecord::Kind::kCreditStall:
      if (!credits_) return;
      credits_->add("{},{},{},{}\n", names_.ports[record.subject],
                    names_.classes[record.traffic_class], csv::seconds(Picoseconds(record.value)),
                    csv::seconds(record.time));
      return;
    case TraceRecord::Kind::kMarks: {
      if (!marks_) return;
      // Samples are taken at multiples of the period, and at the end of the run.
      const Picoseconds start =
          (record.time - Picoseconds(1)) / observation_.mark_period * observation_.mark_period;
      marks_->add("{},{},{},{},{}\n", names_.ports[record.subject],
                  names_.classes[record.traffic_class], csv::seconds(start),
                  csv::seconds(record.time), record.value);
      return;
    }
    case TraceRecord::Kind::kControl:
    case TraceRecord::Kind::kProgress:
      if (rates_) rates_->add(record);
      return;
    case TraceRecord::Kind::kPacketEnqueued:
    case TraceRecord::Kind::kPacketMarked:
    case TraceRecord::Kind::kPacketTrimmed:
    case TraceRecord::Kind::kPacketStarted:
    case TraceRecord::Kind::kPacketArrived:
      if (packets_) packets_->add(record);
      return;
    case TraceRecord::Kind::kPortBusy:
    case TraceRecord::Kind::kPacketHeld:
    case TraceRecord::Kind::kReplay:
      return;  // of messages that are checked, which no file has
  }
}

void RunFiles::finish_messages() {
  if (messages_) messages_->finish();
}

void RunFiles::finish_traces() {
  if (queues_) queues_->flush();
  if (marks_) marks_->flush();
  if (credits_) credits_->flush();
  if (rates_) rates_->finish();
  if (packets_) packets_->finish();
}

bool RunFiles::has_failed() const {
  return (queues_ && queues_->has_failed()) || (marks_ && marks_->has_failed()) ||
         (credits_ && credits_->has_failed()) || (rates_ && rates_->stream().has_failed()) ||
         (packets_ && packets_->stream().has_failed()) || (timeline_ && timeline_->has_failed()) ||
         (messages_ && messages_->has_failed());
}

Errors RunFiles::errors() const {
  if (!has_failed()) return {};
  return {folder_.error(kCannotWrite)};
}

}  // namespace weft::scenarios
