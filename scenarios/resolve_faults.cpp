#include "scenarios/resolve_faults.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "scenarios/fabric_names.hpp"
#include "simcore/quantity_text.hpp"

namespace weft::scenarios {
namespace {

using protocols::Fault;

/// Beyond it a typing error is likelier than a wish.
constexpr std::size_t kMaxFaults = 1'000'000;
/// Looking for the nearest name takes time on a large fabric.
constexpr std::size_t kMaxErrors = 50;

class FaultResolver {
 public:
  explicit FaultResolver(const Fabric& fabric) : fabric_(fabric), names_(fabric) {}

  void add(const FaultSpec& spec, std::size_t index) {
    if (errors_.size() >= kMaxErrors) return;
    index_ = index;
    const NodeId from = find(spec.from, key_of(spec));
    const NodeId to = spec.to.empty() ? NodeId::none() : find(spec.to, "to");
    if (from.is_none() || (to.is_none() && !spec.to.empty())) return;
    if (spec.kind == Fault::Kind::kNicPause) return add_pause(spec, from);
    if (spec.is_switch && fabric_.node(from).kind == NodeKind::kHost) {
      return fail("switch", "`" + spec.from + "` is a host; `link-down` takes its links down");
    }
    const std::vector<PortId> ports = names_.ports(from, to);
    if (ports.empty()) fail("to", "no link joins `" + spec.from + "` and `" + spec.to + "`");
    for (const PortId port : ports) {
      if (!check_rate(spec, port)) return;
      add_port(spec, port);
      add_port(spec, fabric_.port(port).peer);
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

  /// The key that names the first node of a fault.
  static const char* key_of(const FaultSpec& spec) {
    if (spec.kind == Fault::Kind::kNicPause) return "host";
    return spec.is_switch ? "switch" : "from";
  }

  void fail(const std::string& key, std::string message) {
    fail_at(index_, key, std::move(message));
  }
  void fail_at(std::size_t index, const std::string& key, std::string message) {
    std::string path = "faults[" + std::to_string(index) + "]";
    if (!key.empty()) path += "." + key;
    errors_.push_back({std::move(message), {{}, 0, 0, std::move(path)}});
  }

  NodeId find(const std::string& name, const char* key) {
    const NodeId node = names_.find(name);
    if (node.is_none()) fail(key, names_.unknown(name));
    return node;
  }

  void add_pause(const FaultSpec& spec, NodeId host) {
    if (fabric_.node(host).kind != NodeKind::kHost) {
      return fail("host", "`" + spec.from + "` is a switch; a NIC belongs to a host");
    }
    add_port(spec, fabric_.node(host).first_port);
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

Result<std::vector<protocols::Fault>> resolve_faults(const Scenario& scenario,
                                                     const Fabric& fabric) {
  if (scenario.faults.empty()) return std::vector<protocols::Fault>();
  FaultResolver resolver(fabric);
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) resolver.add(scenario.faults[i], i);
  return resolver.finish();
}

}  // namespace weft::scenarios
