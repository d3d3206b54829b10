#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "collectives/jobs/list.hpp"
#include "protocols/config/switch_config.hpp"
#include "protocols/config/transports/list.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/link_layer.hpp"
#include "simcore/schema/schema.hpp"
#include "topologies/list.hpp"
#include "topologies/parts/parts.hpp"

/// A scenario in the shape in which it is written: what the schema binds to, and what the resolved
/// scenario prints. `lower` makes the Scenario of it.
namespace weft::scenarios::language {

struct LinksDocument {
  topologies::LinkPart access;
  topologies::LinkPart uplink;
  topologies::LinkPart super_uplink;  ///< with three tiers only
  std::vector<LinkChange> changes;
};

/// A traffic class; what is absent is that of the whole fabric.
struct ClassDocument {
  protocols::TrafficClass own;    ///< without what follows
  std::vector<std::string> dscp;  ///< code points that stand for it
  std::optional<protocols::FlowControlConfig> flow_control;
  std::optional<protocols::EcnConfig> ecn;
  std::optional<Bytes> egress_limit;
  std::optional<protocols::TrimmingConfig> trimming;
  std::optional<protocols::WredConfig> wred;
  std::optional<protocols::TransportConfig> transport;
};

struct FabricDocument {
  topologies::AnyTopology topology;
  topologies::SwitchPart switch_part;
  topologies::RoutingSpec routing;
  protocols::SwitchConfig policies;  ///< its first class is what the fabric's keys say
  std::optional<Picoseconds> convergence = Picoseconds(1'000'000'000);
  std::vector<ClassDocument> classes;  ///< empty: those of default_classes()
  std::vector<SettingsChange> changes;
};

/// Which hosts, in which order: numbers, ranges and names, or a number drawn at random.
struct RanksDocument {
  enum class Order : std::uint8_t { kGiven, kByRack, kStriped, kServers, kRandom };
  std::vector<std::string> hosts = {"all"};  ///< empty if `random` is set
  std::optional<std::uint32_t> random;
  Order order = Order::kGiven;
  std::optional<std::uint32_t> count;  ///< that many of them, from the first on
};

struct JobDocument {
  std::string name;
  std::string traffic_class;      ///< empty: the lowest, or that of the code point
  std::vector<std::string> dscp;  ///< a code point; empty: the class says it
  Picoseconds start;
  std::vector<std::string> after;  ///< names of jobs that end before
  bool is_omitted = false;
  std::optional<std::uint32_t> queue_pairs;             ///< absent: the transport's
  std::optional<protocols::TransportConfig> transport;  ///< absent: that of its class
  RanksDocument ranks;
  collectives::JobKind kind;
};

struct Document {
  std::string name;
  std::uint64_t seed = 1;
  std::vector<topologies::RackSpec> racks;  ///< access links are those of `links`
  LinksDocument links;
  FabricDocument fabric;
  protocols::TransportConfig transport;
  PxnSpec pxn;
  std::vector<JobDocument> jobs;
  std::vector<FaultSpec> faults;
  RunSpec run;
  ObserveSpec observe;
};

/// What a document is before anything is read, on a fabric with such links.
[[nodiscard]] Document standard_document(LinkLayer layer);

/// The language: every key, with its meaning, its limits and the source of its default. Made once
/// per process and link layer.
[[nodiscard]] const schema::Object<Document>& document_schema(
    LinkLayer layer = LinkLayer::kEthernet);

// Its parts.
[[nodiscard]] schema::Object<LinksDocument> links_schema();
[[nodiscard]] schema::Object<LinkSelection> link_selection_schema();
[[nodiscard]] schema::Object<FabricDocument> fabric_schema(LinkLayer layer);
[[nodiscard]] schema::Object<ClassDocument> class_schema(LinkLayer layer);
[[nodiscard]] schema::Object<SettingsChange> settings_change_schema(LinkLayer layer);
[[nodiscard]] schema::Object<JobDocument> job_schema(LinkLayer layer);
[[nodiscard]] schema::Object<FaultSpec> fault_schema();
[[nodiscard]] schema::Object<ObserveSpec> observe_schema();

}  // namespace weft::scenarios::language
