#include "scenarios/build/resolve_faults.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "scenarios/build/fabric_names.hpp"
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
  explicit FaultResolver(const Fabric& fabric) : fabric_(fabric), names_(fabric) {}

  void add(const FaultSpec& spec, std::size_t index) {
    if (errors_.size() >= kMaxErrors) return;
    index_ = index;
    const std::string path = "faults[" + std::to_string(index) + "]";
    for (const PortId port : fault_ports(fabric_, names_, spec, path, errors_)) {
      if (!check_rate(spec, port)) return;
      add_port(spec, port);
      // A NIC holds those who send to it; everything else has two ends.
      if (spec.kind != Fault::Kind::kNicPause) add_port(spec, fabric_.port(port).peer);
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

  bool check_rate(const FaultSpec& spec, PortId port) {
    if (spec.kind != Fault::Kind::kLinkRate) return true;
    const BitsPerSecond least =
        std::min(fabric_.port(port).rate, fabric_.port(fabric_.port(port).peer).rate);
    if (spec.rate <= least) return true;
    const auto text = [](BitsPerSecond rate) {
      return quantity_text(rate.count(), dimension_of<BitsPerSecond>());
    };
    fail("rate", text(spec.rate) + " is above the rate of " + fabric_.port_name(port) + " (" +
                     text(least) + "); a fault can only slow a link down");
    return false;
  }

  void add_port(const FaultSpec& spec, PortId port) {
    if (found_.size() == kMaxFaults) {
      if (errors_.empty()) {
        fail({}, "the faults up to this one are more than " + std::to_string(kMaxFaults) +
                     " on single ports");
      }
      return;
    }
    found_.push_back({{.kind = spec.kind,
                       .port = port,
                       .at = spec.at,
                       .until = spec.until,
                       .rate = spec.rate,
                       .latency = spec.latency,
                       .classes = spec.classes},
                      index_});
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

  const Fabric& fabric_;
  FabricNames names_;
  std::size_t index_ = 0;
  std::vector<Found> found_;
  Errors errors_;
};

}  // namespace

std::vector<PortId> fault_ports(const Fabric& fabric, const FabricNames& names,
                                const FaultSpec& spec, const std::string& path, Errors& errors) {
  const std::string& name = spec.links.from;
  if (spec.kind == Fault::Kind::kNicPause) {
    return ports_of_nic(fabric, names, name, path + ".host", errors);
  }
  if (spec.is_switch) return ports_of_switch(fabric, names, name, path + ".switch", errors);
  return names.ports(spec.links, path, errors);
}

Result<std::vector<protocols::Fault>> resolve_faults(const Scenario& scenario,
                                                     const Fabric& fabric) {
  if (scenario.faults.empty()) return std::vector<protocols::Fault>();
  FaultResolver resolver(fabric);
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) resolver.add(scenario.faults[i], i);
  return resolver.finish();
}

}  // namespace weft::scenarios
