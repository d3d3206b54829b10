#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/import/checks/settings_checks.hpp"
#include "tools/import/formats.hpp"
#include "tools/import/switches/units.hpp"

/// What the tests of switch settings share.
namespace weft::import {

inline std::string operator_sample(const std::string& name) {
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/tests/operators/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A copy with one text replaced where it first stands after `after`; empty if it is not there.
inline std::string changed(std::string text, std::string_view from, std::string_view to,
                           std::string_view after = "") {
  const std::size_t begin = text.find(after);
  const std::size_t at = begin == std::string::npos ? begin : text.find(from, begin);
  if (at == std::string::npos) return {};
  return text.replace(at, from.size(), to);
}

inline std::string all_changed(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

inline Description described(const NamedTexts& files) {
  Description description;
  for (const auto& [name, text] : files) {
    read_file(InputFile(name, text), nullptr, description);
  }
  return description;
}

inline Description described(const std::string& sample) {
  return described({{sample, operator_sample(sample)}});
}

inline std::vector<std::string> lines_of(const Remarks& remarks) {
  std::vector<std::string> lines;
  for (const Remark& remark : remarks) lines.push_back(remark.to_string());
  return lines;
}

template <class T>
std::string stated_setting(const std::optional<Stated<T>>& value) {
  if (!value) return "-";
  if constexpr (requires { value->value.count(); }) {
    return std::to_string(value->value.count());
  } else {
    return fmt::format("{}", value->value);
  }
}

inline std::string class_text(const ClassSettings& one) {
  std::string text = fmt::format(
      "tc {} prio {} queue {} pfc {} strict {} weight {} dscps {} paused {}", one.traffic_class,
      one.priority, one.queue, one.pfc, one.is_strict, stated_setting(one.weight),
      set_text(one.dscps), one.paused_queue ? std::to_string(*one.paused_queue) : "-");
  if (one.ingress) {
    const BufferSettings& b = *one.ingress;
    text +=
        fmt::format(" in {} {} {} {} {} {} {}", b.reserved.value.count(), stated_setting(b.alpha),
                    stated_setting(b.threshold), stated_setting(b.headroom), stated_setting(b.xon),
                    stated_setting(b.xon_offset), b.trims);
  }
  if (one.ecn) {
    text += fmt::format(" ecn {} {} {} {}", one.ecn->kmin.value.count(),
                        one.ecn->kmax.value.count(), one.ecn->pmax.value, one.ecn->drops);
  }
  return text + fmt::format(" out {} {} {} mtu {}\n", stated_setting(one.egress_reserved),
                            stated_setting(one.egress_alpha), stated_setting(one.egress_threshold),
                            stated_setting(one.mtu));
}

/// All facts and remarks as text, without places: what must differ when a number does.
inline std::string settings_text(const Description& description) {
  std::string text;
  for (const Cable& cable : description.cables) {
    text += cable.a.to_string() + "=" + cable.b.to_string() + "\n";
  }
  for (const Device& device : description.devices) {
    text += fmt::format("{} {} {}\n", device.name, device.tier ? *device.tier : 0,
                        device.part.value_or("-"));
  }
  for (const SwitchSettings& one : description.switches) {
    text += fmt::format("switch {} {} {} {} {}\n", one.name.value_or("-"),
                        stated_setting(one.hardware), stated_setting(one.buffer),
                        stated_setting(one.egress_buffer), stated_setting(one.headroom_pool));
    for (const ClassSettings& made : one.classes) text += class_text(made);
    for (const auto& [name, port] : one.ports) {
      text += fmt::format(
          "{} {} {} {} {} {} up {} pfc {} watched {} lossless {}\n", name, port.alias.value_or("-"),
          stated_setting(port.rate), stated_setting(port.mtu), stated_setting(port.fec),
          stated_setting(port.cable_length), port.is_up, port.pfc ? set_text(port.pfc->value) : "-",
          port.watched ? set_text(port.watched->value) : "-", set_text(port.lossless_groups));
      if (port.watchdog) {
        text += fmt::format("watchdog {} {} {}\n", port.watchdog->detection_time.count(),
                            port.watchdog->restoration_time.count(), port.watchdog->action);
      }
      for (const ClassSettings& made : port.classes) text += class_text(made);
    }
  }
  for (const Remark& remark : description.remarks) text += remark.text + "\n";
  return text;
}

inline const ClassSettings* roce_class(const std::vector<ClassSettings>& classes) {
  for (const ClassSettings& one : classes) {
    if (one.dscps.contains(26)) return &one;
  }
  return nullptr;
}

}  // namespace weft::import
