#include "tools/deploy/switch_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
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
      pool_needed_ = Bytes(0);
      const std::string ports = std::exchange(deployed_.text, {});
      for (std::uint32_t p = 0; p < node.port_count; ++p) {
        write_port(node, PortId(node.first_port.value() + p));
      }
      const std::string own = std::exchange(deployed_.text, ports);
      write_switch(node);
      deployed_.text += own;
    }
    if (!has_lossless_) {
      return Error{"has no class with PFC: there is no headroom to set", {.key = "fabric.classes"}};
    }
    if (short_ > 0) {
      deployed_.remarks.push_back(
          fmt::format("{} ports have less headroom than their cable needs: they can drop", short_));
    }
    if (short_pools_ > 0) {
      deployed_.remarks.push_back(fmt::format(
          "{} switches have a smaller headroom pool than all ports need at once: they can drop",
          short_pools_));
    }
    return std::move(deployed_);
  }

 private:
  /// What belongs to a switch as a whole: its buffer, and the pool that ports draw headroom from.
  void write_switch(const Node& node) {
    const Bytes pool = e_.scenario.switches.headroom_pool_of(node);
    const auto line = [&](const char* parameter, Bytes value, const char* from) {
      deployed_.text += fmt::format("{},,,{},{},bytes,{}\n", scenarios::csv::field(node.name),
                                    parameter, value.count(), from);
    };
    line("buffer", e_.scenario.switches.buffer_of(node), "scenario");
    if (pool == Bytes(0)) return;
    line("headroom_pool_needed", pool_needed_, "computed");
    line("headroom_pool", pool, "scenario");
    if (pool < pool_needed_) ++short_pools_;
  }

  void write_port(const Node& node, PortId port) {
    for (const ClassId id : e_.scenario.switches.all_classes()) {
      const TrafficClass& c = e_.scenario.switches.class_at(port, id);
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
      if (e_.scenario.switches.headroom_pool_of(node) > Bytes(0)) {
        const Bytes reserved = std::min(c.pfc().headroom_reserved, has);
        line("headroom_reserved", reserved.count(), "bytes", "scenario");
        // Beyond its own part, a port takes no more of the pool than can arrive.
        pool_needed_ += std::max(std::min(has, needed) - reserved, Bytes(0));
      }
      write_thresholds(node, port, c);
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

  void write_thresholds(const Node& node, PortId port, const TrafficClass& c) {
    const auto line = [&](const char* parameter, const std::string& value, const char* unit) {
      deployed_.text +=
          fmt::format("{},{},{},{},{},{},scenario\n", scenarios::csv::field(node.name),
                      scenarios::csv::field(e_.fabric.port_name(port)),
                      scenarios::csv::field(c.name), parameter, value, unit);
    };
    const protocols::PfcConfig& pfc = c.pfc();
    if (pfc.threshold == protocols::PfcConfig::Threshold::kDynamic) {
      line("pfc_alpha", fmt::format("{:g}", pfc.alpha), "ratio");
      line("pfc_xon_offset", fmt::format("{}", pfc.xon_offset.count()), "bytes");
    } else {
      line("pfc_xoff", fmt::format("{}", pfc.xoff.count()), "bytes");
      line("pfc_xon", fmt::format("{}", pfc.xon.count()), "bytes");
    }
  }

  const scenarios::Experiment& e_;
  std::vector<protocols::TransportConfig> transports_;
  Deployed deployed_;
  bool has_lossless_ = false;
  std::size_t short_ = 0;
  std::size_t short_pools_ = 0;
  Bytes pool_needed_;  ///< of the switch whose ports are being written
};

}  // namespace

Result<Deployed> switch_values(const scenarios::Experiment& experiment) {
  return ValueWriter(experiment).write();
}

}  // namespace weft::deploy
