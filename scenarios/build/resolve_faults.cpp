#include "scenarios/build/resolve_faults.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "collectives/jitter/jitter.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "scenarios/build/fabric_names.hpp"
#include "simcore/base/random.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::scenarios {
namespace {

using protocols::Fault;

/// Beyond it a typing error is likelier than a wish.
constexpr std::size_t kMaxFaults = 1'000'000;
/// Looking for the nearest name takes time on a large fabric.
constexpr std::size_t kMaxErrors = 50;

NodeId find(const FabricNames& names, const std::string& name, const std::string& key,
            Errors& errors) {
  const NodeId node = names.find(name);
  if (node.is_none()) errors.push_back({names.unknown(name), {{}, 0, 0, key}});
  return node;
}

std::vector<PortId> ports_of_nic(const Fabric& fabric, const FabricNames& names,
                                 const std::string& host, const std::string& key, Errors& errors) {
  const NodeId node = find(names, host, key, errors);
  if (node.is_none()) return {};
  if (fabric.node(node).kind != NodeKind::kHost) {
    errors.push_back({"`" + host + "` is a switch; a NIC belongs to a host", {{}, 0, 0, key}});
    return {};
  }
  std::vector<PortId> ports = names.ports(node, NodeId::none());
  std::erase_if(ports,
                [&](PortId port) { return fabric.network_of(port) == NetworkKind::kScaleUp; });
  if (ports.empty()) errors.push_back({"`" + host + "` has no NIC", {{}, 0, 0, key}});
  return ports;
}

std::vector<PortId> ports_of_switch(const Fabric& fabric, const FabricNames& names,
                                    const std::string& name, const std::string& key,
                                    Errors& errors) {
  const NodeId node = find(names, name, key, errors);
  if (node.is_none()) return {};
  if (fabric.node(node).kind == NodeKind::kHost) {
    errors.push_back(
        {"`" + name + "` is a host; `link-down` takes its links down", {{}, 0, 0, key}});
    return {};
  }
  return names.ports(node, NodeId::none());
}

class FaultResolver {
 public:
  FaultResolver(const Scenario& scenario, const Fabric& fabric)
      : seed_(scenario.seed), switches_(scenario.switches), fabric_(fabric), names_(fabric) {}

  void add(const FaultSpec& spec, std::size_t index) {
    if (errors_.size() >= kMaxErrors) return;
    index_ = index;
    const std::string path = "faults[" + std::to_string(index) + "]";
    if (const auto* flapping = std::get_if<Flapping>(&spec.what)) {
      return add_flapping(spec, *flapping, path);
    }
    Fault fault = fault_of(spec);
    const bool is_pause = fault.kind == Fault::Kind::kNicPause;
    const LinkDirection direction = is_pause ? LinkDirection::kOut : direction_of(spec);
    taken_.clear();
    for (const PortId port : fault_ports(fabric_, names_, spec, path, errors_)) {
      fault.port = port;
      if (!check_rate(fault) || !check_network(fault)) return;
      // A NIC holds those who send to it; everything else has two directions.
      if (direction != LinkDirection::kIn) add_link(fault);
      if (direction == LinkDirection::kOut) continue;
      fault.port = fabric_.port(port).peer;
      add_link(fault);
    }
  }

  Result<std::vector<Fault>> finish() {
    if (errors_.empty()) check_overlaps();
    if (!errors_.empty()) return std::move(errors_);
    std::vector<Fault> faults;
    faults.reserve(found_.size());
    for (const Found& found : found_) faults.push_back(found.fault);
    return faults;
  }

 private:
  struct Found {
    Fault fault;
    std::size_t index;  ///< in the scenario
  };

  void fail(const std::string& key, std::string message) {
    fail_at(index_, key, std::move(message));
  }
  void fail_at(std::size_t index, const std::string& key, std::string message) {
    std::string path = "faults[" + std::to_string(index) + "]";
    if (!key.empty()) path += "." + key;
    errors_.push_back({std::move(message), {{}, 0, 0, std::move(path)}});
  }

  /// The times of a cable are drawn by its lower port: they do not depend on who else flaps, nor
  /// on which end the fault names.
  void add_flapping(const FaultSpec& spec, const Flapping& flapping, const std::string& path) {
    taken_.clear();
    for (const PortId named : fault_ports(fabric_, names_, spec, path, errors_)) {
      const PortId port = std::min(named, fabric_.port(named).peer);
      if (!takes(port)) continue;  // a link that several share flaps once
      const RandomStream random(seed_, Purpose::kActivity,
                                (kFlapping | std::uint64_t{index_}) << 32U | port.value());
      std::uint64_t draws = 0;
      Picoseconds at = spec.at + drawn(flapping.up, random.bits(draws++));
      while (at < *spec.until) {
        if (!errors_.empty()) return;
        const Picoseconds end = at + drawn(flapping.down, random.bits(draws++));
        Fault fault{.kind = Fault::Kind::kLinkDown, .port = port, .at = at};
        fault.until = std::min(end, *spec.until);
        add_sharers(fault);
        fault.port = fabric_.port(port).peer;
        if (!shares_link(fault.port, port)) add_sharers(fault);
        at = end + drawn(flapping.up, random.bits(draws++));
      }
    }
  }

  /// Never 0: a link is not down when it fails again.
  [[nodiscard]] static Picoseconds drawn(const FlapTime& time, std::uint64_t bits) {
    using Distribution = collectives::Jitter::Distribution;
    if (time.distribution == FlapTime::Distribution::kFixed) return time.mean;
    const bool is_exponential = time.distribution == FlapTime::Distribution::kExponential;
    collectives::Jitter jitter;
    jitter.distribution = is_exponential ? Distribution::kExponential : Distribution::kLogNormal;
    jitter.mean = time.mean;
    jitter.deviation = time.deviation;
    return std::max(collectives::draw_delay(jitter, bits), 1_ps);
  }

  /// What a fault does to a port.
  [[nodiscard]] Fault fault_of(const FaultSpec& spec) const {
    Fault fault{.kind = spec.kind(),
                .port = {},
                .at = spec.at,
                .until = spec.until.value_or(Fault::kForever)};
    if (const auto* slow = std::get_if<LinkRate>(&spec.what)) fault.rate = slow->rate;
    if (const auto* late = std::get_if<LinkLatency>(&spec.what)) fault.latency = late->added;
    if (const auto* spoilt = std::get_if<BitErrors>(&spec.what)) {
      fault.errors = spoilt->errors.given().value_or(LinkErrors());
    }
    if (const auto* pause = std::get_if<NicPause>(&spec.what)) {
      fault.classes = classes_of(pause->classes);
    }
    return fault;
  }

  [[nodiscard]] std::uint8_t classes_of(const std::vector<std::string>& names) const {
    const std::uint8_t all = switches_.pausable_classes();
    std::uint8_t meant = 0;
    for (const ClassId c : switches_.all_classes()) {
      const bool is_meant = std::ranges::any_of(names, [&](const std::string& name) {
        return name == "all" || name == switches_.classes[c].name;
      });
      if (is_meant) meant |= protocols::class_bit(c);
    }
    return meant & all;
  }

  bool check_rate(const Fault& fault) {
    if (fault.kind != Fault::Kind::kLinkRate) return true;
    const Port& port = fabric_.port(fault.port);
    const BitsPerSecond min = std::min(port.rate, fabric_.port(port.peer).rate);
    if (fault.rate <= min) return true;
    const auto text = [](BitsPerSecond rate) {
      return quantity_text(rate.count(), dimension_of<BitsPerSecond>());
    };
    fail("rate", text(fault.rate) + " is above the rate of " + fabric_.port_name(fault.port) +
                     " (" + text(min) + "); a fault can only slow a link down");
    return false;
  }

  /// Links of scale-up domains send again what was corrupted, link by link.
  bool check_network(const Fault& fault) {
    if (fault.kind != Fault::Kind::kLinkErrors ||
        fabric_.network_of(fault.port) != NetworkKind::kScaleUp) {
      return true;
    }
    fail({},
         fabric_.port_name(fault.port) +
             " belongs to a scale-up domain, whose links retransmit corrupted frames; only links "
             "of the scale-out network can have bit errors");
    return false;
  }

  [[nodiscard]] bool shares_link(PortId a, PortId b) const {
    const std::uint32_t link = fabric_.port(a).shared_link;
    return link != 0 && link == fabric_.port(b).shared_link;
  }
  /// False: this fault has changed the link that `port` shares already.
  bool takes(PortId port) {
    const std::uint32_t link = fabric_.port(port).shared_link;
    return link == 0 || taken_.insert(link).second;
  }
  /// Of all ports that share the link of the fault's.
  void add_sharers(Fault fault) {
    for (const PortId port : sharers_of(fabric_, fault.port)) {
      fault.port = port;
      add_port(fault);
    }
  }
  /// The rate of a link that several share is that of all, and when it is down, it is for all.
  void add_link(const Fault& fault) {
    const bool is_of_all =
        fault.kind == Fault::Kind::kLinkRate || fault.kind == Fault::Kind::kLinkDown;
    if (!is_of_all) return add_port(fault);
    if (takes(fault.port)) add_sharers(fault);
  }

  void add_port(const Fault& fault) {
    if (found_.size() == kMaxFaults) {
      if (errors_.empty()) {
        fail({}, "the faults up to this one are more than " + std::to_string(kMaxFaults) +
                     " on single ports");
      }
      return;
    }
    found_.push_back({fault, index_});
    found_.back().fault.incident = static_cast<std::uint32_t>(index_);
  }

  /// Two faults of one kind at one port at the same time would have no meaning when one ends.
  void check_overlaps() {
    std::ranges::stable_sort(found_, {}, [](const Found& f) {
      return std::make_tuple(f.fault.port, f.fault.kind, f.fault.at);
    });
    std::vector<std::pair<std::size_t, std::size_t>> reported;
    for (std::size_t i = 1; i < found_.size(); ++i) {
      const Found& earlier = found_[i - 1];
      const Found& later = found_[i];
      if (earlier.fault.port != later.fault.port || earlier.fault.kind != later.fault.kind ||
          earlier.fault.until <= later.fault.at) {
        continue;
      }
      const std::pair<std::size_t, std::size_t> pair = std::minmax(earlier.index, later.index);
      if (std::ranges::find(reported, pair) != reported.end() || reported.size() == 10) continue;
      reported.push_back(pair);
      fail_at(pair.second, {},
              "overlaps faults[" + std::to_string(pair.first) + "] on " +
                  fabric_.port_name(later.fault.port) + "; end one before the other begins");
    }
  }

  /// Ahead of the index of a fault, where streams of jobs have the number of the job.
  static constexpr std::uint64_t kFlapping = 0x8000'0000;

  std::uint64_t seed_;
  const protocols::SwitchConfig& switches_;
  const Fabric& fabric_;
  FabricNames names_;
  std::size_t index_ = 0;
  std::set<std::uint32_t> taken_;  ///< shared links that the present fault has changed
  std::vector<Found> found_;
  Errors errors_;
};

}  // namespace

std::vector<PortId> fault_ports(const Fabric& fabric, const FabricNames& names,
                                const FaultSpec& spec, const std::string& path, Errors& errors) {
  if (const auto* pause = std::get_if<NicPause>(&spec.what)) {
    return ports_of_nic(fabric, names, pause->host, path + ".host", errors);
  }
  if (const auto* off = std::get_if<SwitchDown>(&spec.what)) {
    return ports_of_switch(fabric, names, off->node, path + ".switch", errors);
  }
  return names.ports(*links_of(spec), path, errors);
}

Result<std::vector<protocols::Fault>> resolve_faults(const Scenario& scenario,
                                                     const Fabric& fabric) {
  if (scenario.faults.empty()) return std::vector<protocols::Fault>();
  FaultResolver resolver(scenario, fabric);
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) resolver.add(scenario.faults[i], i);
  return resolver.finish();
}

}  // namespace weft::scenarios
