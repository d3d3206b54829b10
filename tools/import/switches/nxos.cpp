#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/switches/pasted.hpp"
#include "tools/import/switches/pasted_formats.hpp"
#include "tools/import/switches/units.hpp"

/// Lines of Cisco NX-OS's running-config (Nexus 9000, QoS configuration guide).
namespace weft::import {
namespace {

constexpr std::uint32_t kMaxGroup = 7;

std::optional<std::string_view> recognise_nxos(const InputFile& file) {
  for (const std::string_view line : file.lines()) {
    const auto words = words_of(line);
    if (words.size() < 3) continue;
    if ((words[0] == "policy-map" || words[0] == "class-map" || words[0] == "class") &&
        words[1] == "type" &&
        (words[2] == "qos" || words[2] == "network-qos" || words[2] == "queuing")) {
      return "policy-map type";
    }
    if (words[0] == "pause" && words[1] == "pfc-cos") return "pause pfc-cos";
  }
  return std::nullopt;
}

struct CodePointName {
  std::string_view name;
  std::uint32_t dscp;
};
// RFC 2474, RFC 2597 and RFC 3246.
constexpr std::array kCodePoints = std::to_array<CodePointName>(
    {{"default", 0}, {"cs1", 8},   {"af11", 10}, {"af12", 12}, {"af13", 14}, {"cs2", 16},
     {"af21", 18},   {"af22", 20}, {"af23", 22}, {"cs3", 24},  {"af31", 26}, {"af32", 28},
     {"af33", 30},   {"cs4", 32},  {"af41", 34}, {"af42", 36}, {"af43", 38}, {"cs5", 40},
     {"ef", 46},     {"cs6", 48},  {"cs7", 56}});

/// The group of a class of the system: `c-8q-nq3`, `c-out-8q-q3`, `c-out-8q-q-default`.
std::optional<std::uint32_t> group_of(std::string_view name, std::string_view kind) {
  std::uint32_t max = kMaxGroup;
  std::string_view rest = name;
  const auto drop = [&rest](std::string_view prefix) {
    if (!rest.starts_with(prefix)) return false;
    rest.remove_prefix(prefix.size());
    return true;
  };
  if (kind == "queuing" ? !drop("c-out-") : !drop("c-")) return std::nullopt;
  if (!drop("8q-") && drop("4q-")) max = 3;
  if (kind == "queuing" ? !drop("q") : !drop("nq")) return std::nullopt;
  if (rest == "-default") return 0;
  const auto group = parse_unsigned(rest);
  if (!group || *group > max) return std::nullopt;
  return static_cast<std::uint32_t>(*group);
}

class NxosReader {
 public:
  NxosReader(const InputFile& file, Remarks& remarks) : lines_(file, remarks) {
    settings_.where = {.file = file.name()};
  }

  SwitchSettings read() {
    while (lines_.next()) read_line();
    lines_.warn_if_cut();
    finish();
    return std::move(settings_);
  }

 private:
  enum class Inside { kNothing, kClassMap, kQos, kNetworkQos, kQueuing, kInterface, kOther };

  void read_line() {
    const auto& words = lines_.words();
    if (words[0] == "class-map" || words[0] == "policy-map" || words[0] == "interface" ||
        words[0] == "system" || words[0] == "hostname" || words[0] == "switchname") {
      open();
      return;
    }
    if (lines_.indent() == 0) inside_ = Inside::kNothing;
    switch (inside_) {
      case Inside::kClassMap:
        return read_match();
      case Inside::kQos:
        return read_marking();
      case Inside::kNetworkQos:
        return read_network_qos();
      case Inside::kQueuing:
        return read_queuing();
      case Inside::kInterface:
        return read_interface();
      case Inside::kOther:
        return;
      case Inside::kNothing:
        return lines_.unknown(2);
    }
  }

  void open() {
    const auto& words = lines_.words();
    inside_ = Inside::kOther;
    group_.reset();
    class_.clear();
    if (words[0].ends_with("name") && words.size() == 2) {
      settings_.name = std::string(words[1]);
    } else if (lines_.starts("class-map type qos")) {
      inside_ = Inside::kClassMap;
      class_ = std::string(words.back());
      matches_[class_];
    } else if (lines_.starts("policy-map type qos")) {
      inside_ = Inside::kQos;
    } else if (lines_.starts("policy-map type network-qos")) {
      inside_ = Inside::kNetworkQos;
    } else if (lines_.starts("policy-map type queuing")) {
      inside_ = Inside::kQueuing;
    } else if (words[0] == "interface" && words.size() == 2) {
      if (!is_front_port(words[1])) return;
      inside_ = Inside::kInterface;
      interfaces_here_ = lines_.interfaces(words[1]);
      for (const std::string& name : interfaces_here_) {
        SwitchPort& port = settings_.ports[name];
        if (port.where.line == 0) port.where = lines_.where();
      }
    } else if (words[0] != "system") {
      lines_.unknown(3);
    }
  }

  void read_match() {
    const auto& words = lines_.words();
    if (!lines_.starts("match dscp")) return lines_.unknown(2);
    if (words.size() < 3) return lines_.error("expected code points after `match dscp`");
    for (std::size_t i = 2; i < words.size(); ++i) {
      for (const std::string_view part : split(words[i], ',')) add_match(part);
    }
  }

  void add_match(std::string_view part) {
    if (part.empty()) return;
    const auto named = std::ranges::find(kCodePoints, part, &CodePointName::name);
    if (named != kCodePoints.end()) {
      matches_[class_].insert(named->dscp);
    } else if (const auto numbers = number_set(part, 63)) {
      matches_[class_].insert(numbers->begin(), numbers->end());
    } else {
      lines_.error(fmt::format("{} found, expected code points of 0 to 63, or a name such as af31",
                               backquoted(part)));
    }
  }

  void read_marking() {
    const auto& words = lines_.words();
    if (words[0] == "class" && words.size() >= 2) {
      class_ = std::string(words.back());
      if (class_ != "class-default" && !matches_.contains(class_)) {
        lines_.error(fmt::format("names the class {}, which no `class-map type qos` above defines",
                                 backquoted(class_)));
      }
    } else if (lines_.starts("set qos-group")) {
      const auto group = lines_.number(2, 0, kMaxGroup, "a QoS group");
      if (!group || !matches_.contains(class_)) return;
      for (const std::uint32_t dscp : matches_[class_]) {
        qos_.classes.emplace(dscp, Stated<std::uint32_t>{*group, lines_.where()});
      }
    } else {
      lines_.unknown(2);
    }
  }

  /// At `class type KIND NAME`; true: it was one.
  bool read_class(std::string_view kind) {
    const auto& words = lines_.words();
    if (words[0] != "class") return false;
    group_.reset();
    if (words.size() != 4 || words[1] != "type" || words[2] != kind) {
      lines_.error(fmt::format("expected `class type {} NAME`", kind));
      return true;
    }
    const bool is_default = words[3] == "class-default";
    group_ = is_default ? std::optional<std::uint32_t>(0) : group_of(words[3], kind);
    for (const std::string_view queues : {"-4q-", "-8q-"}) {
      if (words[3].find(queues) != std::string_view::npos) queues_.insert(queues);
    }
    if (queues_.size() > 1)
      lines_.error("classes of four queues and of eight: which has the switch?");
    if (!group_) {
      lines_.error(
          fmt::format("the class {} is none of the system's, such as {}: which group is it?",
                      backquoted(words[3]), kind == "queuing" ? "c-out-8q-q3" : "c-8q-nq3"));
    }
    return true;
  }

  void read_network_qos() {
    if (read_class("network-qos") || !group_) return;
    const auto& words = lines_.words();
    if (lines_.starts("pause pfc-cos")) {
      const auto priority = lines_.number(2, 0, 7, "a priority");
      if (!priority) return;
      qos_.pfc.insert(*priority);
      qos_.priorities[*group_] = *priority;
      if (!qos_.pfc_at) qos_.pfc_at = lines_.where();
      if (words.size() > 3) lines_.unknown(3);
    } else if (words[0] == "mtu") {
      if (const auto mtu = lines_.bytes(1, 68, 10'000, "an MTU")) qos_.mtus[*group_] = *mtu;
    } else {
      lines_.unknown(2);
    }
  }

  void read_queuing() {
    if (read_class("queuing") || !group_) return;
    const auto& words = lines_.words();
    PastedQueue& queue = qos_.by_queue[*group_];
    if (words[0] == "bandwidth") {
      const auto percent = lines_.number(words.size() - 1, 0, 100, "a percentage");
      if (percent) queue.weight = Stated<std::uint32_t>{*percent, lines_.where()};
    } else if (words[0] == "priority") {
      queue.is_strict = true;
      if (words.size() > 1) {
        const auto level = lines_.number(2, 1, 8, "a level");
        if (level && *level != 1) {
          lines_.warn_once("level", fmt::format("priority level {}: strict classes are served in "
                                                "the order of their queues",
                                                *level));
        }
      }
    } else if (words[0] == "random-detect") {
      queue.ecn = lines_.random_detect(1, false);
    } else {
      lines_.unknown(2);
    }
  }

  void read_interface() {
    const auto& words = lines_.words();
    for (const std::string& name : interfaces_here_) {
      SwitchPort& port = settings_.ports[name];
      if (lines_.starts("priority-flow-control mode")) {
        const std::string_view mode = words.size() > 2 ? words[2] : "";
        if (mode == "auto") {
          lines_.warn_once("auto", "`auto` pauses only if the peer agrees by DCBX: taken as on");
        } else if (mode != "on" && mode != "off") {
          lines_.error("expected `priority-flow-control mode on`, off or auto");
        }
        pfc_modes_[name] = Stated<bool>{mode != "off", lines_.where()};
      } else if (words[0] == "mtu") {
        port.mtu = lines_.bytes(1, 68, 10'000, "an MTU");
      } else if (words[0] == "shutdown") {
        port.is_up = false;
      } else if (words[0] == "speed" && words.size() == 2) {
        if (words[1] != "auto") port.rate = lines_.rate(words[1]);
      } else if (words[0] != "service-policy" && words[0] != "description" && words[0] != "no") {
        lines_.unknown(2);
      }
    }
  }

  void finish() {
    qos_.where = qos_.pfc_at.value_or(settings_.where);
    settings_.classes = classes_of(qos_);
    if (settings_.ports.empty()) return;
    lines_.warn_once("applied",
                     "the policies are taken as those of every port that is named: which "
                     "of them `service-policy` applies is not looked up");
    settings_.has_port_classes = true;
    for (auto& [name, port] : settings_.ports) {
      PastedQos own = qos_;
      const auto mode = pfc_modes_.find(name);
      // The default is `auto`, as of the lines that name it.
      if (mode != pfc_modes_.end() && !mode->second.value) own.pfc.clear();
      port.pfc = Stated<std::set<std::uint32_t>>{
          own.pfc, mode == pfc_modes_.end() ? port.where : mode->second.where};
      port.classes = classes_of(own);
    }
  }

  PastedLines lines_;
  SwitchSettings settings_;
  Inside inside_ = Inside::kNothing;
  PastedQos qos_;
  std::map<std::string, std::set<std::uint32_t>> matches_;  ///< by class map
  std::map<std::string, Stated<bool>> pfc_modes_;
  std::set<std::string_view> queues_;  ///< of the system, as names of classes have them
  std::string class_;
  std::optional<std::uint32_t> group_;
  std::vector<std::string> interfaces_here_;
};

void read_nxos(const InputFile& file, Description& description) {
  Remarks remarks;
  SwitchSettings settings = NxosReader(file, remarks).read();
  add_pasted(file, "Cisco NX-OS lines", std::move(settings), remarks, description);
}

}  // namespace

Format nxos_format() {
  return {.name = "cisco-nxos",
          .about = "lines of Cisco NX-OS's running-config",
          .command = "`show running-config ipqos`",
          .recognise = recognise_nxos,
          .read = read_nxos};
}

}  // namespace weft::import
