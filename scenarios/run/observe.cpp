#include "scenarios/run/observe.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "scenarios/output/run_files.hpp"
#include "scenarios/text/csv.hpp"
#include "scenarios/zero_load/connection_transports.hpp"

namespace weft::scenarios {

void observe(const Experiment& e, RunFiles& files, protocols::PacketNetwork::Options& options) {
  options.observation = e.observation;
  options.trace_sink = [&files](std::span<const protocols::TraceRecord> records) {
    files.write(records);
  };
}

void name_flows(const Experiment& e, const protocols::PacketNetwork& network, RunFiles& files) {
  const auto transports =
      std::make_shared<ConnectionTransports>(e.scenario, e.fabric, e.routes, e.workload);
  files.set_flow_names([&e, &network, transports](std::uint32_t flow) {
    const protocols::FlowName of = network.name_of(flow);
    const Connection& c = e.workload.connections()[of.connection.value()];
    const auto name = [&e](ProcessId p) {
      return csv::field(e.fabric.host(e.workload.process_hosts()[p.value()]).name);
    };
    return TraceNames::Flow{
        .columns = fmt::format("{},{},{},{},{},{}",
                               csv::field(e.workload.jobs()[e.workload.job_of(c.source)].name),
                               e.workload.rank_of(c.source), e.workload.rank_of(c.destination),
                               name(c.source), name(c.destination), of.queue_pair),
        .payload = transports->of(of.connection).framing.payload,
        .title = fmt::format(
            "{} {} -> {}, queue pair {}", e.workload.jobs()[e.workload.job_of(c.source)].name,
            e.workload.rank_of(c.source), e.workload.rank_of(c.destination), of.queue_pair)};
  });
}

void end_timeline(Timeline& timeline, Results& results) {
  timeline.finish();
  if (std::string sentence = timeline.omitted(); !sentence.empty()) {
    results.warnings.push_back(std::move(sentence));
  }
}

}  // namespace weft::scenarios
