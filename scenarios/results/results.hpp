#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/analysis/victim_analysis.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/results/memo/periods_report.hpp"
#include "scenarios/results/memo/reuse_report.hpp"
#include "scenarios/results/message_phase.hpp"
#include "scenarios/results/message_statistics.hpp"
#include "scenarios/results/table_list.hpp"
#include "simcore/base/histogram.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/units.hpp"
#include "simcore/messages/size_class.hpp"

/// What a run found: plain tables, complete before anything is written.
namespace weft::scenarios {

/// How a run ended. All but the first two make `weft run` exit with 1; the results up to then are
/// kept.
enum class Outcome : std::uint8_t {
  kFinished,     ///< every job did what it had to, or an open-ended job reached `run.until`
  kHorizon,      ///< `run.until`, which the scenario names, came first
  kStuck,        ///< nothing is left to happen, but a job waits: a message was lost for good
  kDeadlocked,   ///< ports wait for each other in a circle, and none can ever send again
  kStalled,      ///< time advances without any packet moving, as behind an endless pause
  kInterrupted,  ///< the user stopped it
};

/// `finished`, `horizon` ...: how the outcome is called.
[[nodiscard]] const char* outcome_name(Outcome outcome);
/// The run did what its scenario asks for.
[[nodiscard]] constexpr bool is_success(Outcome outcome) {
  return outcome == Outcome::kFinished || outcome == Outcome::kHorizon;
}

/// How somebody asked for a run.
struct Invocation {
  std::string command_line;            ///< quoted for a shell; empty: not by a command line
  std::string scenario_file;           ///< absolute; empty: there is none
  std::vector<std::string> overrides;  ///< as in `--set`
  std::string without;                 ///< as in `--without`
};

/// What a run found: what its tables keep, and what they are read with.
struct Results : ResultTables {
  std::string scenario;
  std::string engine = "packet";
  /// False: the engine knows no packets. Their counts, latencies, queues, marks, pauses and drops
  /// are absent from everything that is printed or written.
  bool has_packets = true;
  bool has_link_errors = false;  ///< some link spoils frames
  bool has_trims = false;        ///< switches trim packets of some class
  bool has_early_drops = false;  ///< switches have WRED that drops, or PFC watchdogs
  bool has_retries = false;      ///< links have link-level retry
  std::string version;
  Invocation invocation;
  std::string scenario_sha256;
  std::uint64_t seed = 0;
  Outcome outcome = Outcome::kFinished;
  std::vector<std::string> explanation;  ///< who waits for whom, if not finished
  std::vector<std::string> warnings;
  Picoseconds measured_from;
  Picoseconds simulated;  ///< time of the last event, or of the limit
  double wall_seconds = 0;
  std::uint32_t threads = 1;
  protocols::ThreadTimes thread_times;  ///< of each of them
  std::uint64_t logical_processes = 0;
  Picoseconds lookahead;
  protocols::NetworkTotals totals;
  Histogram packet_latency;
  /// By job, or of all as one where there is one job, or more than are told apart, and by size
  /// class of messages. Adds up to the other.
  std::vector<LatencyBySize> packet_latency_by_size;
  ReuseReport reuse;
  std::optional<PeriodsReport> periods;  ///< absent: they were not to be approximate
  MessageStatistics messages;
  bool lists_messages = true;        ///< as rows of a file
  std::vector<MessagePhase> phases;  ///< by job and iteration
  IdVector<ClassId, std::string> class_names;
  std::vector<std::string> host_names;
  /// The circle of ports that can never send again; each waits for the next, the last for the
  /// first.
  std::vector<protocols::BlockedPort> deadlock;

  /// SHA-256 over all tables but for quotients, the phases of messages and the histogram of packet
  /// latencies: equal for equal results, whatever the build, the machine, the partition into
  /// logical processes, and which files are written.
  [[nodiscard]] std::string digest() const;
  /// In which ports and messages were counted: without what was skipped.
  [[nodiscard]] Picoseconds counted_time() const {
    return simulated - measured_from - (periods ? periods->skipped.time : Picoseconds(0));
  }
  [[nodiscard]] const protocols::ClassCounters& class_counters(PortId port, ClassId c) const {
    return classes[port.value() * class_names.size() + c.value()];
  }
  [[nodiscard]] const std::string& port_name(PortId port) const { return ports[port.value()].name; }
};

/// Calls `visit(table)` with every table that these results fill, with the columns that they know.
template <class Visit>
void for_each_table(const Results& results, Visit visit) {
  ResultTables::for_each([&](const auto& table) {
    if (table.is_filled(results)) {
      visit(table.known(results.has_packets, results.has_link_errors, results.periods.has_value(),
                        results.has_trims, results.has_early_drops, results.has_retries));
    }
  });
}

/// The root of a storm: an egress port, `NIC of h3`, or `cycle of ...`.
[[nodiscard]] std::string root_name(const Results& results, const protocols::PauseStorm& storm);

}  // namespace weft::scenarios
