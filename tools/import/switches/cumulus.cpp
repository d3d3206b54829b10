#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/switches/pasted.hpp"
#include "tools/import/switches/pasted_formats.hpp"
#include "tools/import/switches/units.hpp"

/// Commands of NVIDIA Cumulus Linux (NVUE, "Quality of Service").
namespace weft::import {
namespace {

constexpr std::uint32_t kMaxPriority = 7;
constexpr std::string_view kGlobal = "default-global";

std::optional<std::string_view> recognise_cumulus(const InputFile& file) {
  const bool found = std::ranges::any_of(file.lines(), [](std::string_view line) {
    return line.find("nv set qos ") != std::string_view::npos;
  });
  return found ? std::optional<std::string_view>("nv set qos") : std::nullopt;
}

/// ECN of a profile, before it is known whether the queue marks.
struct Congestion {
  std::optional<Stated<Bytes>> min;
  std::optional<Stated<Bytes>> max;
  Stated<std::uint32_t> percent{.value = 100};
  bool marks = false;
  bool drops = false;
  SourceLocation where{};
};

struct PfcProfile {
  std::set<std::uint32_t> priorities;
  bool sends = true;
  bool obeys = true;
  std::optional<Stated<Millimetres>> cable_length;
  std::optional<Stated<Bytes>> headroom;
  SourceLocation where{};
};

/// Profiles of one kind by name; `default-global` is of every port that names no other.
template <class T>
using Profiles = std::map<std::string, T>;

class CumulusReader {
 public:
  CumulusReader(const InputFile& file, Remarks& remarks) : lines_(file, remarks) {
    settings_.where = {.file = file.name()};
  }

  SwitchSettings read() {
    while (lines_.next()) read_line();
    if (!settings_.name && lines_.host()) settings_.name = lines_.host();
    lines_.warn_if_cut();
    finish();
    return std::move(settings_);
  }

 private:
  void read_line() {
    const auto& words = lines_.words();
    if (lines_.starts("nv set system hostname") && words.size() == 5) {
      settings_.name = std::string(words[4]);
    } else if (lines_.starts("nv set qos roce")) {
      read_roce();
    } else if (lines_.starts("nv set qos") && words.size() > 5) {
      read_qos(words[3], std::string(words[4]));
    } else if (lines_.starts("nv set interface") && words.size() > 5) {
      read_interface();
    } else if (lines_.starts("nv unset")) {
      lines_.error(
          "`nv unset` takes back what other lines set: give what is in force, `nv config "
          "show -o commands`");
    } else if (lines_.starts("nv set qos")) {
      lines_.error("expected a kind, a profile and a setting after `nv set qos`");
    } else if (!lines_.starts("nv config")) {
      lines_.unknown(3);
    }
  }

  void read_qos(std::string_view kind, const std::string& profile) {
    if (kind == "mapping") return read_mapping(profile);
    if (kind == "pfc") return read_pfc(profile);
    if (kind == "congestion-control") return read_congestion(profile);
    if (kind == "egress-queue-mapping") return read_queue_mapping(profile);
    if (kind == "egress-scheduler") return read_scheduler(profile);
    if (kind == "remark" || kind == "traffic-pool") return lines_.unknown(4);
    static const std::vector<std::string> known{"mapping", "pfc", "congestion-control",
                                                "egress-queue-mapping", "egress-scheduler"};
    lines_.error(fmt::format("{} is not known after `nv set qos`{}", backquoted(kind),
                             did_you_mean(kind, known)));
  }

  void expected(std::string_view form) { lines_.error(fmt::format("expected `{}`", form)); }

  void read_mapping(const std::string& profile) {
    const auto& words = lines_.words();
    if (words.size() == 7 && words[5] == "trust") return;
    if (words.size() == 9 && words[5] == "pcp") return;  // of frames without IP
    if (words.size() != 9 || words[5] != "dscp" || words[7] != "switch-priority") {
      return expected("nv set qos mapping PROFILE dscp N switch-priority N");
    }
    const auto priority = lines_.number(8, 0, kMaxPriority, "a switch priority");
    for (const std::uint32_t dscp : lines_.numbers(6, 63, "code points")) {
      if (!priority) return;
      mappings_[profile][dscp] = Stated<std::uint32_t>{*priority, lines_.where()};
    }
  }

  void read_pfc(const std::string& profile) {
    const auto& words = lines_.words();
    PfcProfile& pfc = pfcs_[profile];
    if (pfc.where.line == 0) pfc.where = lines_.where();
    if (words.size() < 7) return expected("nv set qos pfc PROFILE switch-priority N");
    const std::string_view name = words[5];
    if (name == "switch-priority") {
      const auto some = lines_.numbers(6, kMaxPriority, "switch priorities");
      pfc.priorities.insert(some.begin(), some.end());
    } else if (name == "tx" || name == "rx") {
      if (words[6] != "enable" && words[6] != "disable") {
        return expected("enable or disable after tx or rx");
      }
      (name == "tx" ? pfc.sends : pfc.obeys) = words[6] == "enable";
    } else if (name == "cable-length") {
      if (const auto metres = lines_.number(6, 1, 100'000, "metres")) {
        pfc.cable_length =
            Stated<Millimetres>{Millimetres(*metres * std::int64_t{1000}), lines_.where()};
      }
    } else if (name == "port-buffer") {
      pfc.headroom = lines_.bytes(6, 0, 1'000'000'000, "a buffer");
    } else {
      lines_.unknown(6);
    }
  }

  void read_congestion(const std::string& profile) {
    const auto& words = lines_.words();
    if (words.size() < 9 || words[5] != "traffic-class") {
      return expected("nv set qos congestion-control PROFILE traffic-class N min-threshold N");
    }
    for (const std::uint32_t queue : lines_.numbers(6, kMaxPriority, "traffic classes")) {
      Congestion& one = congestions_[profile][queue];
      if (one.where.line == 0) one.where = lines_.where();
      if (words[7] == "min-threshold" || words[7] == "min-threshold-bytes") {
        one.min = lines_.bytes(8, 0, 1'000'000'000, "a threshold");
      } else if (words[7] == "max-threshold" || words[7] == "max-threshold-bytes") {
        one.max = lines_.bytes(8, 0, 1'000'000'000, "a threshold");
      } else if (words[7] == "probability") {
        if (const auto value = lines_.number(8, 0, 100, "a percentage")) {
          one.percent = {*value, lines_.where()};
        }
      } else if ((words[7] == "ecn" || words[7] == "red") &&
                 (words[8] == "enable" || words[8] == "disable")) {
        (words[7] == "ecn" ? one.marks : one.drops) = words[8] == "enable";
      } else {
        return expected("min-threshold, max-threshold, probability, ecn enable or red enable");
      }
    }
  }

  void read_queue_mapping(const std::string& profile) {
    const auto& words = lines_.words();
    if (words.size() != 9 || words[5] != "switch-priority" || words[7] != "traffic-class") {
      return expected("nv set qos egress-queue-mapping PROFILE switch-priority N traffic-class N");
    }
    const auto queue = lines_.number(8, 0, kMaxPriority, "a traffic class");
    for (const std::uint32_t one : lines_.numbers(6, kMaxPriority, "switch priorities")) {
      if (queue) queue_mappings_[profile][one] = *queue;
    }
  }

  void read_scheduler(const std::string& profile) {
    const auto& words = lines_.words();
    if (words.size() != 9 || words[5] != "traffic-class") {
      return expected("nv set qos egress-scheduler PROFILE traffic-class N mode strict");
    }
    for (const std::uint32_t one : lines_.numbers(6, kMaxPriority, "traffic classes")) {
      PastedQueue& queue = schedulers_[profile][one];
      if (words[7] == "mode" && (words[8] == "strict" || words[8] == "dwrr")) {
        queue.is_strict = words[8] == "strict";
      } else if (words[7] == "bw-percent") {
        const auto percent = lines_.number(8, 0, 100, "a percentage");
        if (percent) queue.weight = Stated<std::uint32_t>{*percent, lines_.where()};
      } else {
        return expected("mode strict, mode dwrr or bw-percent N");
      }
    }
  }

  /// `nv set qos roce` stands for settings of its own (Cumulus Linux, "RDMA over Converged
  /// Ethernet").
  void read_roce() {
    const auto& words = lines_.words();
    const std::string profile(kGlobal);
    const bool is_lossy = words.size() > 5 && words[4] == "mode" && words[5] == "lossy";
    if (words.size() > 4 && words[4] != "mode" && words[4] != "enable") return lines_.unknown(5);
    if (words.size() > 5 && words[4] == "mode" && !is_lossy && words[5] != "lossless") {
      return expected("nv set qos roce mode lossless, or lossy");
    }
    const auto stated = [this](std::uint32_t value) {
      return Stated<std::uint32_t>{value, lines_.where()};
    };
    mappings_[profile].insert({{26, stated(3)}, {48, stated(6)}});
    PfcProfile& pfc = pfcs_[profile];
    pfc.where = lines_.where();
    if (is_lossy) pfc.priorities.clear();
    if (!is_lossy) pfc.priorities.insert(3);
    Congestion& congestion = congestions_[profile][3];
    congestion.marks = true;
    congestion.where = lines_.where();
    congestion.min = Stated<Bytes>{Bytes(150'000), lines_.where()};
    congestion.max = Stated<Bytes>{Bytes(1'501'500), lines_.where()};
    congestion.percent = stated(100);
    schedulers_[profile][3].weight = stated(50);
    schedulers_[profile][0].weight = stated(50);
    schedulers_[profile][6].is_strict = true;
    lines_.warn_once("roce",
                     "stands for the vendor's settings: DSCP 26 to priority 3, 48 to 6; ECN "
                     "150,000 to 1,501,500 B; `nv show qos congestion-control` prints those "
                     "of the switch");
  }

  void read_interface() {
    const auto& words = lines_.words();
    for (const std::string& name : lines_.interfaces(words[3])) {
      if (!is_front_port(name)) continue;
      SwitchPort& port = settings_.ports[name];
      if (port.where.line == 0) port.where = lines_.where();
      if (words[4] == "qos" && words.size() == 8 && words[6] == "profile") {
        bound_[name][std::string(words[5])] = std::string(words[7]);
      } else if (words[4] == "link" && words.size() > 6) {
        read_link(port);
      } else if (words[4] == "link" && words[5] == "state") {
        expected("nv set interface PORT link state up, or down");
      } else {
        lines_.unknown(5);
      }
    }
  }

  void read_link(SwitchPort& port) {
    const auto& words = lines_.words();
    if (words[5] == "mtu") {
      port.mtu = lines_.bytes(6, 68, 10'000, "an MTU");
    } else if (words[5] == "speed") {
      if (words[6] != "auto") port.rate = lines_.rate(words[6]);
    } else if (words[5] == "fec") {
      port.fec =
          Stated<std::string>{std::string(words[6] == "off" ? "none" : words[6]), lines_.where()};
    } else if (words[5] == "state") {
      port.is_up = words[6] != "down";
    } else {
      lines_.unknown(6);
    }
  }

  /// The profile of a kind that a port is bound to.
  template <class T>
  T of(const Profiles<T>& profiles, const std::string& port, const std::string& kind) {
    std::string name(kGlobal);
    if (const auto bound = bound_.find(port); bound != bound_.end()) {
      if (const auto own = bound->second.find(kind); own != bound->second.end()) name = own->second;
    }
    const auto found = profiles.find(name);
    if (found != profiles.end()) return found->second;
    if (name != kGlobal) {
      lines_.error(fmt::format("{} names the {} profile {}, which no line defines",
                               backquoted(port), kind, backquoted(name)));
    }
    return T{};
  }

  PastedQos qos_of(const std::string& port) {
    PastedQos qos;
    qos.classes = of(mappings_, port, "mapping");
    qos.queues = of(queue_mappings_, port, "egress-queue-mapping");
    qos.by_queue = of(schedulers_, port, "egress-scheduler");
    const PfcProfile pfc = of(pfcs_, port, "pfc");
    if (pfc.sends && pfc.obeys) qos.pfc = pfc.priorities;
    if (pfc.sends != pfc.obeys) {
      lines_.warn_once("one way",
                       "PFC in one direction only: pauses are sent or obeyed, not both; "
                       "taken as off");
    }
    qos.pfc_at = pfc.where;
    for (const std::uint32_t priority : pfc.priorities) {
      if (pfc.headroom) qos.buffers[priority].headroom = pfc.headroom;
    }
    for (const auto& [queue, congestion] : of(congestions_, port, "congestion-control")) {
      if (auto ecn = ecn_of(queue, congestion)) qos.by_queue[queue].ecn = std::move(ecn);
    }
    qos.where = pfc.where.line != 0 ? pfc.where : settings_.where;
    return qos;
  }

  std::optional<EcnSettings> ecn_of(std::uint32_t queue, const Congestion& one) {
    if (!one.marks && !one.drops) {
      lines_.warn_once(fmt::format("ecn {}", queue),
                       fmt::format("traffic class {} has thresholds, neither `ecn enable` nor `red "
                                   "enable`: it does not mark",
                                   queue));
      return std::nullopt;
    }
    if (!one.min || !one.max) {
      lines_.error(
          fmt::format("traffic class {}: expected min-threshold and max-threshold", queue));
      return std::nullopt;
    }
    if (one.min->value > one.max->value) {
      lines_.error(
          fmt::format("traffic class {}: min-threshold {} > max-threshold {}: are they "
                      "swapped?",
                      queue, text_of(one.min->value), text_of(one.max->value)));
    }
    return EcnSettings{.kmin = *one.min,
                       .kmax = *one.max,
                       .pmax = {static_cast<double>(one.percent.value) / 100, one.percent.where},
                       .drops = !one.marks};
  }

  void finish() {
    settings_.classes = classes_of(qos_of({}));
    for (auto& [name, port] : settings_.ports) {
      const PastedQos qos = qos_of(name);
      port.classes = classes_of(qos);
      port.pfc = Stated<std::set<std::uint32_t>>{qos.pfc, qos.where};
      port.cable_length = of(pfcs_, name, "pfc").cable_length;
    }
  }

  PastedLines lines_;
  SwitchSettings settings_;
  Profiles<std::map<std::uint32_t, Stated<std::uint32_t>>> mappings_;
  Profiles<PfcProfile> pfcs_;
  Profiles<std::map<std::uint32_t, Congestion>> congestions_;
  Profiles<std::map<std::uint32_t, std::uint32_t>> queue_mappings_;
  Profiles<std::map<std::uint32_t, PastedQueue>> schedulers_;
  std::map<std::string, std::map<std::string, std::string>> bound_;  ///< by port, then kind
};

void read_cumulus(const InputFile& file, Description& description) {
  Remarks remarks;
  SwitchSettings settings = CumulusReader(file, remarks).read();
  add_pasted(file, "NVIDIA Cumulus commands", std::move(settings), remarks, description);
}

}  // namespace

Format cumulus_format() {
  return {.name = "cumulus",
          .about = "commands of NVIDIA Cumulus Linux",
          .command = "`nv config show -o commands`",
          .recognise = recognise_cumulus,
          .read = read_cumulus};
}

}  // namespace weft::import
