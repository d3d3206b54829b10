#include <fmt/format.h>

#include <algorithm>

#include "protocols/config/headroom.hpp"
#include "protocols/config/switch_config.hpp"
#include "tools/import/checks/checked_fabric.hpp"
#include "tools/import/switches/units.hpp"

namespace weft::import {
namespace {

using namespace literals;

/// The same fault of several ports of one switch is one finding, at the place of the first.
class Grouped {
 public:
  void add(const PortAt& at, const SourceLocation& where, std::string text) {
    auto [it, is_new] = groups_.emplace(std::pair{at.switch_index, std::move(text)}, Group{});
    if (is_new) {
      it->second.where = where;
      order_.push_back(&*it);
    }
    it->second.ports.push_back(at);
  }

  void tell(CheckedFabric& fabric, Aspect aspect) {
    for (const auto* group : order_) {
      for (const PortAt& at : group->second.ports) fabric.tell(at, aspect);
      fabric.find(group->second.where, fmt::format("{}: {}", port_list(fabric, group->second.ports),
                                                   group->first.second));
    }
  }

 private:
  struct Group {
    SourceLocation where{};
    std::vector<PortAt> ports;
  };
  std::map<std::pair<std::size_t, std::string>, Group> groups_;
  std::vector<const std::pair<const std::pair<std::size_t, std::string>, Group>*> order_;
};

/// Why a class is lossy, with the place; nothing: it is lossless, or the file does not say.
struct Lossy {
  SourceLocation where{};
  std::string why;
};

std::optional<Lossy> lossy_class(const ClassSettings& roce, std::uint32_t dscp,
                                 const std::optional<Stated<std::set<std::uint32_t>>>& pfc) {
  if (!roce.pfc) {
    const bool elsewhere = pfc && !pfc->value.empty();
    // A code point that stands in the class of all others was mapped there by mistake; in a class
    // of its own, PFC is what is wrong.
    const bool is_mapping = roce.dscps.size() > 1 && elsewhere;
    const SourceLocation& pfc_at = pfc ? pfc->where : roce.where;
    if (is_mapping) {
      return Lossy{
          .where = place_of_dscp(roce, dscp),
          .why = fmt::format("DSCP {} goes to traffic class {}, priority {}, with {} other "
                             "code points, and PFC is on for priority {}: RoCE runs in a "
                             "lossy class",
                             dscp, roce.traffic_class, roce.priority, roce.dscps.size() - 1,
                             set_text(pfc->value))};
    }
    return Lossy{
        .where = pfc_at,
        .why = elsewhere ? fmt::format("PFC is on for priority {}, and RoCE (DSCP {}) travels in "
                                       "priority {}: it runs in a lossy class",
                                       set_text(pfc->value), dscp, roce.priority)
                         : fmt::format("PFC is off, so RoCE (DSCP {}, priority {}) runs in a "
                                       "lossy class",
                                       dscp, roce.priority)};
  }
  if (roce.paused_queue && *roce.paused_queue != roce.queue) {
    return Lossy{
        .where = roce.where,
        .why = fmt::format("a pause of priority {} stops queue {}, and RoCE (DSCP {}) waits "
                           "in queue {}: pauses have no effect on it",
                           roce.priority, *roce.paused_queue, dscp, roce.queue)};
  }
  if (roce.ingress && !roce.ingress->headroom) {
    return Lossy{.where = roce.ingress->where,
                 .why = fmt::format("PFC is on for priority {}, and its buffer profile has no "
                                    "headroom (xoff): RoCE loses what arrives after a pause",
                                    roce.priority)};
  }
  return std::nullopt;
}

std::optional<Lossy> lossy_port(const CheckedFabric& fabric, const PortAt& at) {
  const SwitchPort& port = fabric.port(at);
  const std::uint32_t dscp = fabric.roce_dscp();
  if (port.classes.empty()) {
    if (!fabric.settings(at).has_port_classes || fabric.facing(at) == "others") return std::nullopt;
    return Lossy{.where = port.where,
                 .why =
                     "has no classes (PORT_QOS_MAP), other ports of the switch have: RoCE runs in "
                     "a lossy class"};
  }
  const ClassSettings* roce = class_of_dscp(port.classes, dscp);
  if (roce == nullptr) {
    const bool has_code_points = std::ranges::any_of(
        port.classes, [](const ClassSettings& one) { return !one.dscps.empty(); });
    if (!has_code_points) return std::nullopt;
    return Lossy{
        .where = port.classes.front().where,
        .why = fmt::format("no class takes DSCP {}: RoCE runs in the default class", dscp)};
  }
  return lossy_class(*roce, dscp, port.pfc);
}

/// When the group pauses at the latest: with all of the shared buffer free but what it holds
/// itself.
std::optional<Stated<Bytes>> latest_xoff(const SwitchSettings& settings,
                                         const BufferSettings& buffer) {
  if (buffer.threshold) {
    if (settings.buffer && buffer.threshold->value >= settings.buffer->value) return std::nullopt;
    return buffer.threshold;
  }
  if (!buffer.alpha || !settings.buffer) return std::nullopt;
  // T = alpha (B - T) where one group alone fills the buffer B.
  const double alpha = buffer.alpha->value;
  const double bytes = static_cast<double>(settings.buffer->value.count()) * alpha / (1 + alpha);
  return Stated<Bytes>{buffer.reserved.value + Bytes(static_cast<std::int64_t>(bytes)),
                       buffer.alpha->where};
}

}  // namespace

Bytes min_headroom(BitsPerSecond rate, Millimetres length, Bytes mtu) {
  constexpr std::int64_t kPicosecondsPerMillimetre = 5;
  constexpr Bytes kFraming = 38_B;  // Ethernet header, FCS, preamble and gap
  const protocols::PauseConfig pause;
  return protocols::exact_headroom({.rate = rate,
                                    .wire = Picoseconds(length.count() * kPicosecondsPerMillimetre),
                                    .pipeline = {},
                                    .response = protocols::standard_pause_response(rate),
                                    .pause_frame = pause.wire_bytes(),
                                    .reverse_packet = mtu + kFraming,
                                    .reverse_hold = {},
                                    .smallest = mtu,
                                    .largest = mtu});
}

void check_roce_is_lossless(CheckedFabric& fabric) {
  Grouped lossy;
  for (const PortAt& at : fabric.ports()) {
    if (auto found = lossy_port(fabric, at)) lossy.add(at, found->where, std::move(found->why));
  }
  lossy.tell(fabric, Aspect::kLossless);
  for (const SwitchSettings& settings : fabric.description().switches) {
    const ClassSettings* roce = class_of_dscp(settings.classes, fabric.roce_dscp());
    if (roce == nullptr || !settings.ports.empty()) continue;
    if (const auto found = lossy_class(*roce, fabric.roce_dscp(), std::nullopt)) {
      fabric.find(found->where, "all ports: " + found->why);
    }
  }
}

void check_headroom(CheckedFabric& fabric) {
  constexpr Bytes kUsualMtu = 9100_B;
  Grouped small;
  for (const PortAt& at : fabric.ports()) {
    const SwitchPort& port = fabric.port(at);
    const auto length = fabric.cable_length(at);
    if (!port.rate || !length) continue;
    for (const ClassSettings& one : port.classes) {
      if (!one.pfc || !one.ingress || !one.ingress->headroom) continue;
      const Bytes mtu = port.mtu ? port.mtu->value : kUsualMtu;
      const Bytes needed = min_headroom(port.rate->value, length->value, mtu);
      if (one.ingress->headroom->value >= needed) continue;
      small.add(at, one.ingress->headroom->where,
                fmt::format("headroom {} < {}, the minimum for {}, {} of cable and packets of {}: "
                            "priority {} loses packets in spite of PFC",
                            text_of(one.ingress->headroom->value), text_of(needed),
                            text_of(port.rate->value), text_of(length->value), text_of(mtu),
                            one.priority));
    }
  }
  small.tell(fabric, Aspect::kHeadroom);
}

void check_marking(CheckedFabric& fabric) {
  Grouped marking;
  const auto check = [&](const SwitchSettings& settings, const ClassSettings& one, auto&& add) {
    if (!one.ecn) return;
    if (one.ecn->drops && (one.pfc || one.dscps.contains(fabric.roce_dscp()))) {
      add(one.ecn->kmin.where,
          fmt::format(
              "WRED of queue {} drops where ECN would mark: packets of priority {} are lost "
              "from {} on",
              one.queue, one.priority, text_of(one.ecn->kmin.value)));
    }
    if (!one.pfc || !one.ingress) return;
    const auto xoff = latest_xoff(settings, *one.ingress);
    if (!xoff || one.ecn->kmax.value <= xoff->value) return;
    add(one.ecn->kmax.where,
        fmt::format("ECN's maximum {} is above XOFF, {} at most: pauses come before marks of "
                    "priority {}",
                    text_of(one.ecn->kmax.value), text_of(xoff->value), one.priority));
  };
  for (const PortAt& at : fabric.ports()) {
    for (const ClassSettings& one : fabric.port(at).classes) {
      check(fabric.settings(at), one, [&](const SourceLocation& where, std::string text) {
        marking.add(at, where, std::move(text));
      });
    }
  }
  marking.tell(fabric, Aspect::kEcn);
  for (const SwitchSettings& settings : fabric.description().switches) {
    if (!settings.ports.empty()) continue;
    for (const ClassSettings& one : settings.classes) {
      check(settings, one, [&](const SourceLocation& where, const std::string& text) {
        fabric.find(where, "all ports: " + text);
      });
    }
  }
}

}  // namespace weft::import
