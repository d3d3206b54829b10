#include "tools/deploy/switch_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "protocols/config/headroom.hpp"
#include "scenarios/text/csv.hpp"

namespace weft::deploy {
namespace {

using protocols::TrafficClass;

/// A threshold as a port of that rate has it.
Bytes at_rate(const protocols::EcnConfig& ecn, Bytes threshold, BitsPerSecond rate) {
  if (!ecn.at_rate) return threshold;
  const double share =
      static_cast<double>(rate.count()) / static_cast<double>(ecn.at_rate->count());
  return Bytes(std::llround(static_cast<double>(threshold.count()) * share));
}

class ValueWriter {
 public:
  explicit ValueWriter(const scenarios::Experiment& e)
      : e_(e), transports_(e.scenario.transports()) {}

  Result<Deployed> write() {
    deployed_.text = "switch,port,class,parameter,value,unit,from\n";
    for (const NodeId id : e_.fabric.switches) {
      const Node& node = e_.fabric.node(id);
      if (node.network != NetworkKind::kScaleOut || node.is_nic) continue;
      for (std::uint32_t p = 0; p < node.port_count; ++p) {
        write_port(node, PortId(node.first_port.value() + p));
      }
    }
    if (!has_lossless_) {
      return Error{"has no class with PFC: there is no headroom to set", {.key = "fabric.classes"}};
    }
    if (short_ > 0) {
      deployed_.remarks.push_back(
          fmt::format("{} ports have less headroom than their cable needs: they can drop", short_));
    }
    return std::move(deployed_);
  }

 private:
  void write_port(const Node& node, PortId port) {
    for (const TrafficClass& c : e_.scenario.switches.classes) {
      if (c.network != NetworkKind::kScaleOut || !c.is_pfc()) continue;
      has_lossless_ = true;
      const auto line = [&](const char* parameter, std::int64_t value, const char* unit,
                            const char* from) {
        deployed_.text += fmt::format("{},{},{},{},{},{},{}\n", scenarios::csv::field(node.name),
                                      scenarios::csv::field(e_.fabric.port_name(port)),
                                      scenarios::csv::field(c.name), parameter, value, unit, from);
      };
      const Bytes needed = protocols::exact_headroom(
          protocols::headroom_terms(e_.fabric, port, e_.scenario.switches, c, transports_));
      const Bytes has =
          protocols::headroom_of(e_.fabric, port, e_.scenario.switches, c, transports_);
      line("headroom_needed", needed.count(), "bytes", "computed");
      line("headroom", has.count(), "bytes", "scenario");
      if (has < needed && has > Bytes(0)) ++short_;
      if (!c.ecn.enabled) continue;
      const BitsPerSecond rate = e_.fabric.port(port).rate;
      line("ecn_min", at_rate(c.ecn, c.ecn.kmin, rate).count(), "bytes", "scenario");
      if (c.ecn.curve != protocols::EcnConfig::Curve::kRed) continue;
      line("ecn_max", at_rate(c.ecn, c.ecn.kmax, rate).count(), "bytes", "scenario");
      deployed_.text += fmt::format("{},{},{},ecn_probability,{:g},percent,scenario\n",
                                    scenarios::csv::field(node.name),
                                    scenarios::csv::field(e_.fabric.port_name(port)),
                                    scenarios::csv::field(c.name), 100 * c.ecn.pmax);
    }
  }

  const scenarios::Experiment& e_;
  std::vector<protocols::TransportConfig> transports_;
  Deployed deployed_;
  bool has_lossless_ = false;
  std::size_t short_ = 0;
};

}  // namespace

Result<Deployed> switch_values(const scenarios::Experiment& experiment) {
  return ValueWriter(experiment).write();
}

}  // namespace weft::deploy
