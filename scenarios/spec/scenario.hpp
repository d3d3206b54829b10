#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/config/scale_up_config.hpp"
#include "protocols/config/switch_config.hpp"
#include "scenarios/spec/fault_spec.hpp"
#include "scenarios/spec/jobs.hpp"
#include "scenarios/spec/settings_change.hpp"
#include "simcore/base/units.hpp"
#include "simcore/engine/lp_plan.hpp"
#include "simcore/fabric/gpu_rates.hpp"
#include "topologies/list.hpp"
#include "topologies/parts/parts.hpp"

namespace weft::scenarios {

/// Links that differ from what the topology gives them.
struct LinkChange {
  LinkSelection links;
  topologies::LinkPart link;  ///< what it says is so
};

/// Whether what was simulated once is simulated again.
enum class Reuse : std::uint8_t {
  kOff,     ///< always
  kOn,      ///< calls inside scale-up domains are not, where they begin alike
  kVerify,  ///< always, and compared with what would have been taken
  kAudit,   ///< always, and counted how often phases begin alike, and then end alike
};

/// What becomes of a long run of periods: rounds of a call, iterations of a job.
enum class Periods : std::uint8_t {
  kSimulated,    ///< all of them
  kApproximate,  ///< those that follow on three alike are left out, and stand for as much time
};

struct ReuseSpec {
  Reuse mode = Reuse::kOn;
  Periods periods = Periods::kSimulated;
  double tolerance = 0.01;  ///< of approximate periods: how far they may differ
};

struct RunSpec {
  Picoseconds warmup;                  ///< statistics count from then on
  std::optional<Picoseconds> until;    ///< the run stops there at the latest
  Picoseconds control_latency = 1_us;  ///< of job control between hosts; bounds the lookahead
  LpPlan::Cut partition = LpPlan::Cut::kAuto;
  ReuseSpec reuse;
};

/// NCCL's PXN ("PCI x NVLink"): what is for a GPU on another rail goes over the scale-up domain to
/// a GPU on that rail, and leaves by its NIC.
struct PxnSpec {
  bool enabled = false;
  Bytes chunk = 128_KiB;  ///< the two legs are pipelined chunk by chunk
};

/// What the results hold besides the summary. Ports and flows are patterns, resolved on the fabric
/// and the jobs (resolve_observation.hpp).
struct ObserveSpec {
  struct Queues {
    std::vector<std::string> ports;
    std::optional<Picoseconds> period;  ///< absent: at every change
  };
  struct Marks {
    std::vector<std::string> ports;
    Picoseconds period = 10_us;
  };
  struct Rates {
    std::vector<std::string> flows;
    Picoseconds period = 10_us;
  };
  struct Packets {
    std::vector<std::string> flows;
  };
  struct Timeline {
    enum class Format : std::uint8_t { kPerfetto, kJson };
    Format format = Format::kPerfetto;
    std::vector<std::string> jobs;   ///< their names; empty: all
    std::vector<std::string> ranks;  ///< numbers, and ranges such as `0-7`; empty: all
    Picoseconds from;
    std::optional<Picoseconds> to;  ///< absent: the end of the run
    std::optional<Bytes> limit;     ///< of the file; absent: by format
  };
  std::optional<bool> messages;  ///< messages.csv; absent: if there are not too many
  bool blame = false;            ///< blame.csv
  bool pauses = false;           ///< pauses.csv
  bool credits = false;          ///< credits.csv
  std::optional<Queues> queues;
  std::optional<Marks> marks;
  std::optional<Rates> rates;
  std::optional<Packets> packets;
  std::optional<Timeline> timeline;  ///< timeline.perfetto-trace, or timeline.json
};

/// What the NICs' own transports take besides packets; of the slowest.
struct NicTransport {
  Picoseconds latency;  ///< of a message
  Picoseconds start;    ///< of a collective
};

/// Hosts whose servers are alike, up to the first of the next such block.
struct ServerBlock {
  std::uint32_t first_host = 0;
  std::uint32_t nic_ports = 1;  ///< of every NIC
  GpuRates gpu_rates;
  GpuTimes gpu_times;
};

/// A whole experiment: typed, checked, with every default filled in. Nothing in it depends on
/// files.
struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  topologies::TopologySpec topology;
  std::vector<LinkChange> link_changes;
  protocols::SwitchConfig switches;
  bool lists_classes = false;  ///< else its class of data, and that of control, are the usual ones
  std::vector<SettingsChange> settings_changes;
  protocols::NicConfig nic;
  NicTransport nic_transport;
  std::vector<ServerBlock> servers;  ///< in the order of hosts; empty: hosts are listed
  protocols::TransportConfig transport;
  /// Of classes and jobs that have one of their own: what JobSpec::transport 1, 2, ... means.
  std::vector<protocols::TransportConfig> more_transports;
  PxnSpec pxn;
  /// Kinds of scale-up domains; each has a traffic class of its own, after those of the fabric.
  std::vector<protocols::ScaleUpConfig> scale_up;
  /// For each group of racks the index in `scale_up` of what its domains have.
  std::vector<std::uint8_t> scale_up_of_group;
  std::vector<JobSpec> jobs;
  std::vector<FaultSpec> faults;
  /// From a link's failure or repair until all switches route by it; absent: never.
  std::optional<Picoseconds> convergence = 1_ms;
  RunSpec run;
  ObserveSpec observe;

  /// By JobSpec::transport.
  [[nodiscard]] const protocols::TransportConfig& transport_of(std::size_t number) const {
    return number == 0 ? transport : more_transports[number - 1];
  }
  /// Those of all connections between servers, `transport` first.
  [[nodiscard]] std::vector<protocols::TransportConfig> transports() const {
    std::vector<protocols::TransportConfig> all{transport};
    all.insert(all.end(), more_transports.begin(), more_transports.end());
    return all;
  }
  /// Whether some messages are split over the queue pairs of their connections.
  [[nodiscard]] bool splits_messages() const {
    const auto splits = [](const protocols::TransportConfig& of) {
      return protocols::traits_of(of).splits_messages;
    };
    return splits(transport) || std::ranges::any_of(more_transports, splits);
  }
  /// Whether all packets of a queue pair of this class and transport (by its number) take one path.
  [[nodiscard]] bool keeps_path(ClassId traffic_class, std::size_t number) const {
    const protocols::TransportTraits traits = protocols::traits_of(transport_of(number));
    return switches.balancing(traffic_class).keeps_path() && traits.has_fixed_entropy() &&
           traits.planes.choice != protocols::PlaneConfig::Choice::kPacket;
  }
  /// Whether they leave by several ports of their NIC at a time.
  [[nodiscard]] bool spreads_over_ports(ClassId traffic_class, std::size_t number) const {
    using Choice = protocols::PlaneConfig::Choice;
    const Choice choice = protocols::traits_of(transport_of(number)).planes.choice;
    return choice == Choice::kPacket ||
           (choice == Choice::kBalanced && switches.balancing(traffic_class).sprays());
  }
  /// Whether they are under way on several at a time.
  [[nodiscard]] bool sprays(ClassId traffic_class, std::size_t number) const {
    const protocols::TransportTraits traits = protocols::traits_of(transport_of(number));
    return switches.balancing(traffic_class).sprays() || traits.varies_entropy() ||
           traits.planes.choice == protocols::PlaneConfig::Choice::kPacket;
  }
};

}  // namespace weft::scenarios
