#pragma once

#include <string>
#include <vector>

#include "scenarios/results/results.hpp"
#include "scenarios/results/table.hpp"

/// The tables that a run leaves behind. Names of files and columns are what scripts read: they
/// stay.
namespace weft::scenarios {

struct JobRow {
  const JobResult& job;
};
struct MessageRow {
  const std::string& job;
  const MessageResult& message;
};
struct PortRow {
  const PortResult& port;
};
struct ClassRow {
  const Results& results;
  const PortResult& port;
  std::size_t traffic_class;

  [[nodiscard]] const protocols::ClassCounters& counters() const {
    return results.class_counters(port.port, traffic_class);
  }
};
struct CollectiveRow {
  const Results& results;
  const CollectiveResult& collective;

  [[nodiscard]] const JobResult& job() const { return results.jobs[collective.job]; }
};
struct VictimRow {
  const Results& results;
  const VictimResult& victim;
  const protocols::VictimLoss& loss;
};
struct PauseRow {
  const Results& results;
  const protocols::PauseInterval& pause;
  std::uint32_t storm;
};

[[nodiscard]] const Table<JobRow>& jobs_table();
[[nodiscard]] const Table<MessageRow>& messages_table();
[[nodiscard]] const Table<PortRow>& ports_table();
/// Without the columns that only packets fill.
[[nodiscard]] const Table<PortRow>& fluid_ports_table();
[[nodiscard]] const Table<ClassRow>& classes_table();
[[nodiscard]] const Table<CollectiveRow>& collectives_table();
[[nodiscard]] const Table<VictimRow>& victims_table();
[[nodiscard]] const Table<PauseRow>& pauses_table();

/// Calls `visit(table)` with every table but that of messages, which are streamed: the one list.
template <class Visit>
void for_each_table(Visit visit) {
  visit(jobs_table());
  visit(ports_table());
  visit(fluid_ports_table());
  visit(classes_table());
  visit(pauses_table());
  visit(collectives_table());
  visit(victims_table());
}
/// With those that these results fill.
template <class Visit>
void for_each_table(const Results& results, Visit visit) {
  for_each_table([&](const auto& table) {
    if (table.is_filled(results)) visit(table);
  });
}

/// Every file and what its columns mean, in the order of the files' names.
[[nodiscard]] std::vector<TableReference> result_reference();
/// The same as text, for people.
[[nodiscard]] std::string result_reference_text();

}  // namespace weft::scenarios
