#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "scenarios/checks/odd/majority.hpp"
#include "tools/import/checks/checked_fabric.hpp"
#include "tools/import/switches/units.hpp"

/// Which switch or port differs from its peers: ports that face the same kind of device, of one
/// switch and of the switches of its tier.
namespace weft::import {
namespace {

struct Vote {
  PortAt at;  ///< no port: of the whole switch
  Aspect aspect = Aspect::kLossless;
  std::string value;
  SourceLocation where{};
};

/// Those that should agree: tier, what they face, and what is compared.
struct Compared {
  std::string tier;
  std::string facing;
  std::string label;
  auto operator<=>(const Compared&) const = default;
};

using Votes = std::map<Compared, std::vector<Vote>>;

std::string number_text(double value) { return fmt::format("{:g}", value); }

std::string mapping_text(const std::vector<ClassSettings>& classes) {
  std::string text;
  for (const ClassSettings& one : classes) {
    text += fmt::format("{}>{}/{};", set_text(one.dscps), one.priority, one.queue);
  }
  return text;
}

constexpr std::string_view kMapping = "mapping";

/// Collects what ports say.
class Ballot {
 public:
  explicit Ballot(const CheckedFabric& fabric) : fabric_(fabric) {
    for (const PortAt& at : fabric.ports()) add_port(at);
    for (std::size_t i = 0; i < fabric.description().switches.size(); ++i) add_switch(i);
  }

  [[nodiscard]] const Votes& votes() const { return votes_; }

 private:
  void add(const PortAt& at, Aspect aspect, const std::string& label, std::string value,
           const SourceLocation& where) {
    if (fabric_.is_told(at, aspect)) return;
    votes_[{tier_of(at.switch_index), fabric_.facing(at), label}].push_back(
        {at, aspect, std::move(value), where});
  }

  /// Switches of an unknown tier have no peers.
  [[nodiscard]] std::string tier_of(std::size_t index) const {
    const SwitchSettings& settings = fabric_.description().switches[index];
    return settings.tier ? fmt::format("tier {}", *settings.tier) : fmt::format("#{}", index);
  }

  void add_port(const PortAt& at) {
    const SwitchPort& port = fabric_.port(at);
    if (port.rate && fabric_.facing(at) != "others") {
      add(at, Aspect::kRate, "rate", text_of(port.rate->value), port.rate->where);
    }
    if (port.mtu) add(at, Aspect::kMtu, "MTU", text_of(port.mtu->value), port.mtu->where);
    if (port.fec) add(at, Aspect::kFec, "FEC", port.fec->value, port.fec->where);
    if (port.pfc) {
      add(at, Aspect::kLossless, "PFC priorities", set_text(port.pfc->value), port.pfc->where);
      if (!port.pfc->value.empty()) add_watchdog(at, port);
    }
    if (port.classes.empty()) return;
    add(at, Aspect::kLossless, std::string(kMapping), mapping_text(port.classes),
        port.classes.front().where);
    for (const ClassSettings& one : port.classes) {
      if (!one.dscps.empty()) add_class(at, port, one);
    }
  }

  void add_watchdog(const PortAt& at, const SwitchPort& port) {
    add(at, Aspect::kWatchdog, "PFC watchdog",
        port.watchdog
            ? fmt::format("after {} ms, back after {} ms ({})",
                          to_seconds(port.watchdog->detection_time) * 1000,
                          to_seconds(port.watchdog->restoration_time) * 1000, port.watchdog->action)
            : "none",
        port.watchdog ? port.watchdog->where : port.where);
  }

  void add_class(const PortAt& at, const SwitchPort& port, const ClassSettings& one) {
    const bool is_roce = one.dscps.contains(fabric_.roce_dscp());
    // The numbers of a class that RoCE should not be in follow from that.
    if (is_roce && fabric_.is_told(at, Aspect::kLossless)) return;
    const std::string of =
        fmt::format(" of DSCP {}", is_roce ? fabric_.roce_dscp() : *one.dscps.begin());
    if (one.ecn) {
      add(at, Aspect::kEcn, "ECN" + of,
          fmt::format("{} to {} at {} %", text_of(one.ecn->kmin.value),
                      text_of(one.ecn->kmax.value), number_text(one.ecn->pmax.value * 100)),
          one.ecn->kmin.where);
    } else {
      add(at, Aspect::kEcn, "ECN" + of, "none", one.where);
    }
    add(at, Aspect::kThreshold, "scheduling" + of,
        one.is_strict ? "strict"
        : one.weight  ? fmt::format("weight {}", one.weight->value)
                      : "without a weight",
        one.weight ? one.weight->where : one.where);
    if (one.egress_alpha) {
      add(at, Aspect::kThreshold, "alpha of egress" + of, number_text(one.egress_alpha->value),
          one.egress_alpha->where);
    }
    if (one.egress_threshold) {
      add(at, Aspect::kThreshold, "threshold of egress" + of, text_of(one.egress_threshold->value),
          one.egress_threshold->where);
    }
    if (one.egress_reserved) {
      add(at, Aspect::kThreshold, "reserve of egress" + of, text_of(one.egress_reserved->value),
          one.egress_reserved->where);
    }
    if (one.ingress) add_ingress(at, port, *one.ingress, of);
  }

  void add_ingress(const PortAt& at, const SwitchPort& port, const BufferSettings& buffer,
                   const std::string& of) {
    const auto add_bytes = [&](Aspect aspect, const std::string& label,
                               const std::optional<Stated<Bytes>>& value) {
      if (value) add(at, aspect, label, text_of(value->value), value->where);
    };
    if (buffer.alpha) {
      add(at, Aspect::kThreshold, "alpha" + of, number_text(buffer.alpha->value),
          buffer.alpha->where);
    }
    add_bytes(Aspect::kThreshold, "threshold" + of, buffer.threshold);
    add_bytes(Aspect::kThreshold, "xon" + of, buffer.xon);
    add_bytes(Aspect::kThreshold, "xon_offset" + of, buffer.xon_offset);
    add_bytes(Aspect::kThreshold, "reserve" + of, buffer.reserved);
    // Headrooms of unlike links are unlike by right.
    const std::string link =
        fmt::format(" at {} and {}", port.rate ? text_of(port.rate->value) : "an unknown rate",
                    port.cable_length ? text_of(port.cable_length->value) : "an unknown length");
    add_bytes(Aspect::kHeadroom, "headroom" + of + link, buffer.headroom);
  }

  void add_switch(std::size_t index) {
    const SwitchSettings& settings = fabric_.description().switches[index];
    const auto add_pool = [&](std::string label, const std::optional<Stated<Bytes>>& pool) {
      if (!pool) return;
      votes_[{tier_of(index), "", std::move(label)}].push_back(
          {{index, ""}, Aspect::kThreshold, text_of(pool->value), pool->where});
    };
    add_pool("shared buffer", settings.buffer);
    add_pool("shared buffer of egress", settings.egress_buffer);
    add_pool("headroom pool", settings.headroom_pool);
  }

  const CheckedFabric& fabric_;
  Votes votes_;
};

/// The same difference of several ports or classes of a switch, which is one finding.
struct Odd {
  std::vector<PortAt> ports;
  Vote first;
  Vote peer;
  std::string label;
  std::size_t of_ports = 0;  ///< ports of the switch that were compared
  bool is_undecided = false;
};

class Judge {
 public:
  explicit Judge(CheckedFabric& fabric) : fabric_(fabric) {}

  void judge(const Compared& compared, const std::vector<Vote>& said) {
    std::vector<scenarios::Vote> votes;
    votes.reserve(said.size());
    for (const Vote& one : said) votes.push_back({one.at.switch_index, one.value});
    for (const scenarios::OddVote& odd : scenarios::odd_votes(votes)) {
      add(compared, said[odd.vote], said[odd.peer], odd.of_device, odd.is_undecided);
    }
  }

  void tell() {
    for (const auto& [key, odd] : odd_) {
      std::vector<PortAt> ports = odd.ports;
      std::ranges::sort(ports);
      ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
      const bool is_whole_switch = odd.first.at.port.empty() || odd.is_undecided ||
                                   (ports.size() >= odd.of_ports && ports.size() > 1);
      tell_one(odd, is_whole_switch ? fabric_.switch_name(odd.first.at.switch_index)
                                    : port_list(fabric_, ports));
    }
  }

 private:
  void add(const Compared& compared, const Vote& one, const Vote& peer, std::size_t of_ports,
           bool is_undecided) {
    // Of headrooms and classes, the label names what differs before its first ` of `.
    const std::string what = compared.label.substr(0, compared.label.find(" of DSCP"));
    auto [it, is_new] = odd_.try_emplace({one.at.switch_index, what, one.value});
    Odd& odd = it->second;
    if (is_new) {
      odd.first = one;
      odd.peer = peer;
      odd.label = compared.label;
      odd.is_undecided = is_undecided;
    }
    odd.ports.push_back(one.at);
    auto& roles = compared_[{one.at.switch_index, what, one.value}];
    if (roles.insert(compared.facing).second) odd.of_ports += of_ports;
  }

  void tell_one(const Odd& odd, const std::string& who) {
    const bool is_switch = odd.peer.at.port.empty();
    const std::string peer =
        is_switch ? fabric_.switch_name(odd.peer.at.switch_index) : fabric_.name(odd.peer.at);
    const std::string_view verdict =
        odd.is_undecided ? "which of them is meant?" : "the odd one out";
    if (odd.label == kMapping) return tell_mapping(odd, who, peer, verdict);
    fabric_.find(odd.first.where,
                 fmt::format("{}: {} {}, {} has {} ({}): {}", who, odd.label, odd.first.value, peer,
                             odd.peer.value, place_text(odd.peer.where), verdict));
  }

  /// Names the first code point that is treated otherwise.
  void tell_mapping(const Odd& odd, const std::string& who, const std::string& peer,
                    std::string_view verdict) {
    constexpr std::uint32_t kCodePoints = 64;
    for (std::uint32_t dscp = 0; dscp < kCodePoints; ++dscp) {
      const ClassSettings* a = class_of_dscp(fabric_.port(odd.first.at).classes, dscp);
      const ClassSettings* b = class_of_dscp(fabric_.port(odd.peer.at).classes, dscp);
      if (a == nullptr && b == nullptr) continue;
      const auto text = [](const ClassSettings* one) {
        return one == nullptr ? std::string("no class")
                              : fmt::format("priority {}, queue {}", one->priority, one->queue);
      };
      if (a != nullptr && b != nullptr && a->priority == b->priority && a->queue == b->queue)
        continue;
      fabric_.find(
          a == nullptr ? odd.first.where : place_of_dscp(*a, dscp),
          fmt::format("{}: DSCP {} goes to {}, at {} to {} ({}): {}", who, dscp, text(a), peer,
                      text(b), place_text(b == nullptr ? odd.peer.where : place_of_dscp(*b, dscp)),
                      verdict));
      return;
    }
  }

  using Key = std::tuple<std::size_t, std::string, std::string>;

  CheckedFabric& fabric_;
  std::map<Key, Odd> odd_;
  std::map<Key, std::set<std::string>> compared_;
};

}  // namespace

void check_odd_ones(CheckedFabric& fabric) {
  const Ballot ballot(fabric);
  Judge judge(fabric);
  for (const auto& [compared, said] : ballot.votes()) judge.judge(compared, said);
  judge.tell();
}

}  // namespace weft::import
