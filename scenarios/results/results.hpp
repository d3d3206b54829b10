#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/analysis/victim_analysis.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/results/collective_results.hpp"
#include "scenarios/results/message_phase.hpp"
#include "scenarios/results/message_statistics.hpp"
#include "simcore/base/histogram.hpp"
#include "simcore/base/units.hpp"

/// What a run found: plain tables, complete before anything is written.
namespace weft::scenarios {

/// How a run ended. Everything but kFinished makes `weft run` exit with 1; the results up to then
/// are kept.
enum class Outcome : std::uint8_t {
  kFinished,     ///< every job did what it had to, or an open-ended job reached `run.until`
  kTimeLimit,    ///< `run.until` came first
  kStuck,        ///< nothing is left to happen, but a job waits: a message was lost for good
  kDeadlocked,   ///< ports wait for each other in a circle, and none can ever send again
  kStalled,      ///< time advances without any packet moving, as behind an endless pause
  kInterrupted,  ///< the user stopped it
};

struct JobResult {
  std::string name;
  std::string type;
  std::uint32_t ranks = 0;
  Bytes bytes;  ///< payload that the job posted
  Picoseconds start;
  Picoseconds end;  ///< of what was done, if not finished
  bool is_finished = false;
  Picoseconds jct;
  Picoseconds ideal;                    ///< 0 where there is none (open-loop)
  std::string ideal_set_by;             ///< what the ideal time is made of
  std::optional<double> bus_bandwidth;  ///< bytes/s, collectives only
  MessageStatistics messages;
  // Of collectives; empty for other jobs.
  std::string algorithm;
  std::string protocol;
  std::string choice;  ///< why this algorithm, if it was not named
};

struct PortResult {
  PortId port;
  std::string name;
  std::string node;       ///< whose port it is
  std::string peer_node;  ///< at the other end
  BitsPerSecond rate;
  double utilisation = 0;
  double mean_queue_bytes = 0;
  protocols::PortCounters counters;
};

/// Messages of one queue pair that lost time to pauses whose root is off their path.
struct VictimResult {
  std::uint32_t job = 0;
  std::uint32_t source_rank = 0;
  std::uint32_t destination_rank = 0;
  HostId source;
  HostId destination;
  std::uint32_t queue_pair = 0;  ///< among those of its connection
  std::uint8_t traffic_class = 0;
  Picoseconds active;                         ///< time during which a message of it was under way
  Picoseconds lost;                           ///< of that
  std::vector<protocols::VictimLoss> losses;  ///< by storm, falling
};

/// What pauses did.
struct PauseReport {
  std::vector<protocols::PauseInterval> pauses;
  std::uint64_t lost = 0;  ///< pauses that the run did not record
  protocols::PauseAnalysis analysis;
  std::uint64_t flows = 0;            ///< that were examined for time lost
  std::vector<VictimResult> victims;  ///< by falling lost time
  bool is_nic_only = false;  ///< packets are sprayed: only pauses of a flow's NIC port count
};

struct Results {
  std::string scenario;
  std::string engine = "packet";
  /// False: the engine knows no packets. Their counts, latencies, queues, marks, pauses and drops
  /// are absent from everything that is printed or written.
  bool has_packets = true;
  std::string version;
  std::string scenario_sha256;
  std::uint64_t seed = 0;
  Outcome outcome = Outcome::kFinished;
  std::vector<std::string> explanation;  ///< who waits for whom, if not finished
  std::vector<std::string> warnings;
  Picoseconds measured_from;
  Picoseconds simulated;  ///< time of the last event, or of the limit
  double wall_seconds = 0;
  std::uint32_t threads = 1;
  std::uint64_t cells = 0;
  Picoseconds lookahead;
  protocols::NetworkTotals totals;
  Histogram packet_latency;
  std::vector<JobResult> jobs;
  std::vector<CollectiveResult> collectives;  ///< by job and iteration
  MessageStatistics messages;
  bool lists_messages = true;        ///< as rows of a file
  std::vector<MessagePhase> phases;  ///< by job and iteration
  std::vector<PortResult> ports;     ///< by PortId
  std::vector<std::string> class_names;
  std::vector<protocols::ClassCounters> classes;  ///< by port, then class
  std::vector<std::string> host_names;
  PauseReport pauses;
  /// The circle of ports that can never send again; each waits for the next, the last for the
  /// first.
  std::vector<protocols::BlockedPort> deadlock;

  /// SHA-256 over all tables but for quotients, the phases of messages and the histogram of packet
  /// latencies: equal for equal results, whatever the build, the machine, the cut into cells, and
  /// which files are written.
  [[nodiscard]] std::string digest() const;
  [[nodiscard]] const protocols::ClassCounters& class_counters(PortId port,
                                                               std::size_t traffic_class) const {
    return classes[port.value() * class_names.size() + traffic_class];
  }
  [[nodiscard]] const std::string& port_name(PortId port) const { return ports[port.value()].name; }
};

/// The root of a storm: an egress port, `NIC of h3`, or `cycle of ...`.
[[nodiscard]] std::string root_name(const Results& results, const protocols::PauseStorm& storm);

}  // namespace weft::scenarios
