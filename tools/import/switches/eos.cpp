#include <fmt/format.h>

#include <algorithm>

#include "simcore/text/quoted.hpp"
#include "tools/import/switches/pasted.hpp"
#include "tools/import/switches/pasted_formats.hpp"
#include "tools/import/switches/units.hpp"

/// Lines of Arista EOS's running-config (EOS user manual, "Quality of Service" and "DCB").
namespace weft::import {
namespace {

constexpr std::uint32_t kMaxDscp = 63;
constexpr std::uint32_t kMaxClass = 7;

std::optional<std::string_view> recognise_eos(const InputFile& file) {
  for (const std::string_view line : file.lines()) {
    const auto words = words_of(line);
    if (words.size() < 2) continue;
    if (words[0] == "uc-tx-queue" || words[0] == "tx-queue") return "uc-tx-queue";
    if (words.size() > 4 && words[0] == "qos" && words[1] == "map" && words[2] == "dscp") {
      return "qos map dscp";
    }
    if (words.size() == 4 && words[0] == "priority-flow-control" && words[1] == "priority") {
      return "priority-flow-control priority";
    }
  }
  return std::nullopt;
}

struct EosInterface {
  std::string profile;
  PastedQos own;
  SwitchPort port;
};

class EosReader {
 public:
  EosReader(const InputFile& file, Remarks& remarks) : lines_(file, remarks) {
    settings_.where = {.file = file.name()};
  }

  SwitchSettings read() {
    while (lines_.next()) {
      if (lines_.indent() == 0) leave();
      if (!is_passing_) read_line();
    }
    lines_.warn_if_cut();
    finish();
    return std::move(settings_);
  }

 private:
  void leave() {
    profile_ = nullptr;
    interfaces_here_.clear();
    queue_.reset();
    is_passing_ = false;
  }

  /// What a line of PFC or of a queue is about.
  std::vector<PastedQos*> targets() {
    if (profile_ != nullptr) return {profile_};
    std::vector<PastedQos*> all;
    for (const std::string& name : interfaces_here_) all.push_back(&interfaces_[name].own);
    if (all.empty()) lines_.error("expected inside of `qos profile` or `interface`");
    return all;
  }

  void read_line() {
    const auto& words = lines_.words();
    if (words[0] == "hostname" && words.size() == 2) {
      settings_.name = std::string(words[1]);
      settings_.where = lines_.where();
    } else if (lines_.starts("qos map")) {
      read_map();
    } else if (lines_.starts("qos profile") && words.size() == 3) {
      profile_ = &profiles_[std::string(words[2])];
      if (profile_->where.line == 0) profile_->where = lines_.where();
    } else if (words[0] == "interface" && words.size() == 2) {
      is_passing_ = !is_front_port(words[1]);
      if (is_passing_) return;
      interfaces_here_ = lines_.interfaces(words[1]);
      for (const std::string& name : interfaces_here_) {
        EosInterface& here = interfaces_[name];
        if (here.port.where.line == 0) here.port.where = lines_.where();
        here.own.where = here.port.where;
      }
    } else if (words[0] == "uc-tx-queue" || words[0] == "tx-queue") {
      queue_ = lines_.number(1, 0, kMaxClass, "a queue");
      if (queue_) queue([](PastedQueue&) {});
    } else if (words[0] == "priority-flow-control") {
      read_pfc();
    } else if (words[0] == "exit") {
      queue_.reset();
    } else if (queue_) {
      read_queue_line();
    } else if (!interfaces_here_.empty()) {
      read_interface_line();
    } else if (words[0] != "dcbx" && words[0] != "end") {
      lines_.unknown(2);
    }
  }

  void read_map() {
    const auto& words = lines_.words();
    const auto to = std::ranges::find(words, "to");
    const auto index = static_cast<std::size_t>(to - words.begin());
    if (words.size() > 4 && words[2] == "dscp" && index + 2 < words.size() &&
        words[index + 1] == "traffic-class") {
      const auto traffic_class = lines_.number(index + 2, 0, kMaxClass, "a traffic class");
      for (std::size_t i = 3; traffic_class && i < index; ++i) {
        for (const std::uint32_t dscp : lines_.numbers(i, kMaxDscp, "code points")) {
          add_code_point(dscp, *traffic_class);
        }
      }
    } else if (words.size() == 7 && words[2] == "traffic-class" && words[4] == "to" &&
               words[5].ends_with("tx-queue")) {
      const auto queue = lines_.number(6, 0, kMaxClass, "a queue");
      for (const std::uint32_t one : lines_.numbers(3, kMaxClass, "traffic classes")) {
        if (queue) queues_[one] = *queue;
      }
    } else if (words.size() > 2 && (words[2] == "dscp" || words[2] == "traffic-class")) {
      lines_.error(
          "expected `qos map dscp N to traffic-class N`, or `qos map traffic-class N to "
          "uc-tx-queue N`");
    } else {
      lines_.unknown(3);
    }
  }

  void add_code_point(std::uint32_t dscp, std::uint32_t traffic_class) {
    const auto [it, is_new] =
        dscps_.emplace(dscp, Stated<std::uint32_t>{traffic_class, lines_.where()});
    if (is_new || it->second.value == traffic_class) return;
    lines_.error(fmt::format("DSCP {} is mapped to {} in line {}", dscp, it->second.value,
                             it->second.where.line));
  }

  void read_pfc() {
    const auto& words = lines_.words();
    if (words.size() == 2 && words[1] == "on") {
      for (PastedQos* qos : targets()) on_.insert(qos);
    } else if (words.size() == 3 && words[1] == "mode" && words[2] == "on") {
      for (PastedQos* qos : targets()) on_.insert(qos);
    } else if (words.size() == 4 && words[1] == "priority" &&
               (words[3] == "no-drop" || words[3] == "drop")) {
      const auto priority = lines_.number(2, 0, kMaxClass, "a priority");
      for (PastedQos* qos : priority ? targets() : std::vector<PastedQos*>{}) {
        if (!qos->pfc_at) qos->pfc_at = lines_.where();
        if (words[3] == "no-drop") qos->pfc.insert(*priority);
      }
    } else if (words.size() > 1 && (words[1] == "pause" || words[1] == "counters")) {
      lines_.unknown(3);  // its watchdog
    } else {
      lines_.error("expected `priority-flow-control on` or `... priority N no-drop`");
    }
  }

  template <class Change>
  void queue(Change change) {
    for (PastedQos* qos : targets()) change(qos->by_queue[*queue_]);
  }

  void read_queue_line() {
    const auto& words = lines_.words();
    if (lines_.starts("bandwidth percent") || lines_.starts("bandwidth guaranteed percent")) {
      const auto weight = lines_.number(words.size() - 1, 1, 100, "a percentage");
      if (!weight) return;
      queue([&](PastedQueue& q) { q.weight = Stated<std::uint32_t>{*weight, lines_.where()}; });
    } else if (lines_.starts("priority strict")) {
      queue([](PastedQueue& q) { q.is_strict = true; });
    } else if (lines_.starts("no priority")) {
      queue([](PastedQueue& q) { q.is_strict = false; });
    } else if (lines_.starts("random-detect")) {
      const std::size_t first =
          words.size() > 1 && (words[1] == "ecn" || words[1] == "drop") ? 2 : 1;
      if (lines_.starts("random-detect ecn count")) return;  // a counter
      const auto ecn = lines_.random_detect(first, words.size() > 1 && words[1] == "ecn");
      if (ecn) queue([&](PastedQueue& q) { q.ecn = ecn; });
    } else {
      lines_.unknown(2);
    }
  }

  void read_interface_line() {
    const auto& words = lines_.words();
    for (const std::string& name : interfaces_here_) {
      EosInterface& here = interfaces_[name];
      if (words[0] == "service-profile" && words.size() == 2) {
        here.profile = std::string(words[1]);
      } else if (words[0] == "mtu") {
        here.port.mtu = lines_.bytes(1, 68, 10'000, "an MTU");
      } else if (words[0] == "shutdown") {
        here.port.is_up = false;
      } else if (words[0] == "speed" && words.size() > 1) {
        here.port.rate = lines_.rate(words[1] == "forced" ? words.back() : words[1]);
      } else if (lines_.starts("error-correction encoding") && words.size() > 2) {
        const std::string fec = words[2] == "reed-solomon" ? "rs"
                                : words[2] == "fire-code"  ? "fc"
                                                           : "none";
        here.port.fec = Stated<std::string>{fec, lines_.where()};
      } else if (words[0] != "description" && words[0] != "no" && words[0] != "qos") {
        lines_.unknown(2);
      }
    }
  }

  void finish() {
    std::set<std::string> used;
    for (auto& [name, profile] : profiles_) {
      if (!on_.contains(&profile)) profile.pfc.clear();
    }
    for (auto& [name, here] : interfaces_) {
      PastedQos qos = here.own;
      if (!on_.contains(&here.own)) qos.pfc.clear();
      if (!here.profile.empty()) {
        const auto profile = profiles_.find(here.profile);
        if (profile == profiles_.end()) {
          lines_.error(fmt::format("{} names the profile {}, which no line defines",
                                   backquoted(name), backquoted(here.profile)));
          continue;
        }
        used.insert(here.profile);
        qos.pfc.insert(profile->second.pfc.begin(), profile->second.pfc.end());
        if (!qos.pfc_at) qos.pfc_at = profile->second.pfc_at;
        qos.by_queue.insert(profile->second.by_queue.begin(), profile->second.by_queue.end());
      }
      qos.classes = dscps_;
      qos.queues = queues_;
      here.port.pfc = Stated<std::set<std::uint32_t>>{qos.pfc, qos.pfc_at.value_or(qos.where)};
      here.port.classes = classes_of(qos);
      settings_.ports.emplace(name, std::move(here.port));
    }
    settings_.has_port_classes = !settings_.ports.empty();
    if (!settings_.ports.empty()) return;
    if (profiles_.size() > 1) {
      lines_.error("several profiles and no interface: which of them is used?");
    } else {
      PastedQos qos = profiles_.empty() ? PastedQos{} : profiles_.begin()->second;
      qos.classes = dscps_;
      qos.queues = queues_;
      settings_.classes = classes_of(qos);
    }
  }

  PastedLines lines_;
  SwitchSettings settings_;
  std::map<std::uint32_t, Stated<std::uint32_t>> dscps_;
  std::map<std::uint32_t, std::uint32_t> queues_;
  std::map<std::string, PastedQos> profiles_;
  std::map<std::string, EosInterface> interfaces_;
  std::set<const PastedQos*> on_;
  PastedQos* profile_ = nullptr;
  bool is_passing_ = false;  ///< inside of an interface that carries no traffic of jobs
  std::vector<std::string> interfaces_here_;
  std::optional<std::uint32_t> queue_;
};

void read_eos(const InputFile& file, Description& description) {
  Remarks remarks;
  SwitchSettings settings = EosReader(file, remarks).read();
  add_pasted(file, "Arista EOS lines", std::move(settings), remarks, description);
}

}  // namespace

Format eos_format() {
  return {.name = "arista-eos",
          .about = "lines of Arista EOS's running-config",
          .command = "`show running-config`",
          .recognise = recognise_eos,
          .read = read_eos};
}

}  // namespace weft::import
