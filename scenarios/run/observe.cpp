#include "scenarios/run/observe.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>

#include "scenarios/text/csv.hpp"

namespace weft::scenarios {

void observe(const Experiment& e, TraceFiles& traces, protocols::PacketNetwork::Options& options) {
  options.observation = e.observation;
  options.trace_sink = [&traces](std::span<const protocols::TraceRecord> records) {
    traces.write(records);
  };
}

void name_flows(const Experiment& e, const protocols::PacketNetwork& network, TraceFiles& traces) {
  traces.set_flow_names([&e, &network](std::uint32_t queue_pair) {
    const ConnectionId connection = network.connection_of(queue_pair);
    const Connection& c = e.workload.connections()[connection.value()];
    std::uint32_t index = 0;
    while (index < queue_pair && network.connection_of(queue_pair - index - 1) == connection) {
      ++index;
    }
    const auto name = [&e](ProcessId p) {
      return csv::field(e.fabric.host(e.workload.process_hosts()[p.value()]).name);
    };
    return fmt::format("{},{},{},{},{},{}",
                       csv::field(e.workload.jobs()[e.workload.job_of(c.source)].name),
                       e.workload.rank_of(c.source), e.workload.rank_of(c.destination),
                       name(c.source), name(c.destination), index);
  });
}

}  // namespace weft::scenarios
