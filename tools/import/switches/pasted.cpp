#include "tools/import/switches/pasted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/switches/units.hpp"

namespace weft::import {
namespace {

constexpr std::size_t kMaxLines = 200'000;

std::uint32_t mapped(const std::map<std::uint32_t, std::uint32_t>& map, std::uint32_t key) {
  const auto found = map.find(key);
  return found == map.end() ? key : found->second;
}

std::set<std::uint32_t> class_numbers(const PastedQos& qos) {
  std::set<std::uint32_t> numbers;
  for (const auto& [dscp, number] : qos.classes) numbers.insert(number.value);
  for (const auto& [number, unused] : qos.mtus) numbers.insert(number);
  for (const auto& [number, unused] : qos.queues) numbers.insert(number);
  for (const auto& [number, unused] : qos.priorities) numbers.insert(number);
  std::set<std::uint32_t> queues;
  std::set<std::uint32_t> priorities;
  for (const std::uint32_t number : numbers) {
    queues.insert(mapped(qos.queues, number));
    priorities.insert(mapped(qos.priorities, number));
  }
  for (const auto& [queue, unused] : qos.by_queue) {
    if (!queues.contains(queue)) numbers.insert(queue);
  }
  for (const std::uint32_t priority : qos.pfc) {
    if (!priorities.contains(priority)) numbers.insert(priority);
  }
  return numbers;
}

/// The text after the prompt of a shell, such as `cumulus@leaf01:mgmt:~$ nv show ...`.
std::string_view after_prompt(std::string_view line, std::optional<std::string>& host) {
  const std::size_t at = line.find('@');
  const std::size_t end = line.find("$ ");
  if (at == std::string_view::npos || end == std::string_view::npos || at > end) return line;
  if (line.substr(0, end).find(' ') != std::string_view::npos) return line;
  const std::size_t colon = line.find(':', at);
  if (colon < end) host = std::string(line.substr(at + 1, colon - at - 1));
  return line.substr(end + 2);
}

}  // namespace

std::vector<ClassSettings> classes_of(const PastedQos& qos) {
  const auto code_points = std::make_shared<const CodePoints>(qos.classes);
  std::vector<ClassSettings> all;
  for (const std::uint32_t number : class_numbers(qos)) {
    ClassSettings made{.traffic_class = number, .where = qos.where};
    for (const auto& [dscp, to] : qos.classes) {
      if (to.value != number) continue;
      made.dscps.insert(dscp);
    }
    made.code_points = code_points;
    made.priority = mapped(qos.priorities, number);
    made.queue = mapped(qos.queues, number);
    made.pfc = qos.pfc.contains(made.priority);
    if (const auto queue = qos.by_queue.find(made.queue); queue != qos.by_queue.end()) {
      made.is_strict = queue->second.is_strict;
      made.weight = queue->second.weight;
      made.ecn = queue->second.ecn;
    }
    if (const auto found = qos.buffers.find(made.priority); found != qos.buffers.end()) {
      made.ingress = found->second;
    }
    if (const auto found = qos.mtus.find(number); found != qos.mtus.end()) made.mtu = found->second;
    all.push_back(std::move(made));
  }
  std::ranges::stable_sort(all, {}, &ClassSettings::queue);
  return all;
}

bool is_front_port(std::string_view interface) {
  std::string name(interface);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::none_of(
      std::to_array<std::string_view>({"mgmt", "management", "lo", "vlan", "port-channel", "bond"}),
      [&name](std::string_view prefix) { return name.starts_with(prefix); });
}

bool PastedLines::next() {
  if (file_.lines().size() > kMaxLines) {
    error(fmt::format("has more than {} lines: no switch's configuration is that long", kMaxLines));
    return false;
  }
  while (line_ < file_.lines().size()) {
    text_ = after_prompt(file_.lines()[line_++], host_);
    const std::size_t first = text_.find_first_not_of(" \t");
    if (first == std::string_view::npos || text_[first] == '!' || text_[first] == '#') continue;
    indent_ = first;
    words_ = words_of(text_);
    return true;
  }
  return false;
}

SourceLocation PastedLines::where() const { return file_.line(line_); }

bool PastedLines::starts(std::string_view words) const {
  const auto wanted = words_of(words);
  return words_.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), words_.begin());
}

void PastedLines::error(std::string text) {
  if (remarks_.size() < kMaxFaults) add_error(remarks_, where(), std::move(text));
  refuse_if_full();
}

void PastedLines::warning(std::string text) {
  if (remarks_.size() < kMaxFaults) add_warning(remarks_, where(), std::move(text));
  refuse_if_full();
}

void PastedLines::refuse_if_full() {
  if (remarks_.size() != kMaxFaults) return;
  add_error(remarks_, {.file = file_.name()},
            "has more faults than are listed: is it of a switch?");
}

void PastedLines::warn_once(const std::string& topic, std::string text) {
  if (warned_.insert(topic).second) warning(std::move(text));
}

void PastedLines::unknown(std::size_t words) {
  std::string command;
  for (std::size_t i = 0; i < std::min(words, words_.size()); ++i) {
    command += (i == 0 ? "" : " ") + std::string(words_[i]);
  }
  warn_once("unknown " + command, fmt::format("{} is not known, ignored", backquoted(command)));
}

void PastedLines::warn_if_cut() {
  if (!file_.ends_inside_line()) return;
  add_warning(remarks_, file_.line(file_.lines().size()),
              "the text ends without a line end: is its last line whole?");
}

std::optional<std::uint32_t> PastedLines::number(std::size_t index, std::uint32_t min,
                                                 std::uint32_t max, std::string_view what) {
  const auto value = index < words_.size() ? parse_unsigned(words_[index]) : std::nullopt;
  if (value && min <= *value && *value <= max) return static_cast<std::uint32_t>(*value);
  error(fmt::format("expected {} of {} to {}, found {}", what, min, max,
                    index < words_.size() ? backquoted(words_[index]) : "the end of the line"));
  return std::nullopt;
}

std::set<std::uint32_t> PastedLines::numbers(std::size_t index, std::uint32_t max,
                                             std::string_view what) {
  auto found = index < words_.size() ? number_set(words_[index], max) : std::nullopt;
  if (found) return *std::move(found);
  error(fmt::format("expected {} of 0 to {}, such as 3 or 0-2,5, found {}", what, max,
                    index < words_.size() ? backquoted(words_[index]) : "the end of the line"));
  return {};
}

std::optional<Stated<Bytes>> PastedLines::bytes(std::size_t index, std::int64_t min,
                                                std::int64_t max, std::string_view what) {
  const auto value = index < words_.size() ? parse_unsigned(words_[index]) : std::nullopt;
  if (value && *value <= static_cast<std::uint64_t>(max) &&
      static_cast<std::int64_t>(*value) >= min) {
    return Stated<Bytes>{Bytes(static_cast<std::int64_t>(*value)), where()};
  }
  error(fmt::format("expected {} of {} to {} bytes, found {}", what, min, max,
                    index < words_.size() ? backquoted(words_[index]) : "the end of the line"));
  return std::nullopt;
}

std::optional<Stated<BitsPerSecond>> PastedLines::rate(std::string_view word) {
  const std::size_t end = std::min(word.find_first_not_of("0123456789"), word.size());
  const auto value = parse_unsigned(word.substr(0, end));
  const std::string_view unit = word.substr(end);
  const bool gigabits = unit.starts_with('g') || unit.starts_with('G');
  if (!value || *value > 10'000'000 || (!gigabits && !unit.empty())) {
    error(fmt::format("{} found, expected a rate such as 400g", backquoted(word)));
    return std::nullopt;
  }
  const std::uint64_t megabits = gigabits ? *value * 1000 : *value;
  if (const auto known = ethernet_rate(megabits)) return Stated<BitsPerSecond>{*known, where()};
  error(gigabits ? fmt::format("{} is no Ethernet rate", backquoted(word))
                 : no_ethernet_rate(megabits));
  return std::nullopt;
}

std::optional<Bytes> PastedLines::size_with_unit(std::size_t index) {
  constexpr std::uint64_t kMaxValue = 1'000'000'000;
  const auto value = index < words_.size() ? parse_unsigned(words_[index]) : std::nullopt;
  if (!value || *value > kMaxValue) {
    error(fmt::format("expected a threshold such as `1024 kbytes`, found {}",
                      index < words_.size() ? backquoted(words_[index]) : "the end of the line"));
    return std::nullopt;
  }
  const std::string_view unit = index + 1 < words_.size() ? words_[index + 1] : "";
  const auto number = static_cast<std::int64_t>(*value);
  if (unit == "bytes") return Bytes(number);
  if (unit == "kbytes" || unit == "mbytes") {
    warn_once("kbytes",
              "a kbyte is taken as 1024 B, an mbyte as 1024 kbytes; with 1000 the "
              "thresholds are 2.4 % or 4.9 % lower");
    return Bytes(number * (unit == "kbytes" ? 1024 : 1024 * 1024));
  }
  if (unit == "segments" || unit == "packets") {
    error(
        fmt::format("{}: their size depends on the platform; give the thresholds in bytes", unit));
  } else if (unit.ends_with("seconds")) {
    error(
        fmt::format("{}: a time times the rate of each port; give the thresholds in bytes", unit));
  } else {
    error(fmt::format("{} found after {}, expected bytes, kbytes or mbytes",
                      unit.empty() ? "nothing" : backquoted(unit), number));
  }
  return std::nullopt;
}

std::optional<EcnSettings> PastedLines::random_detect(std::size_t index, bool marks) {
  std::optional<Bytes> min;
  std::optional<Bytes> max;
  std::uint32_t percent = 100;
  bool is_whole = true;
  for (std::size_t i = index; i < words_.size(); ++i) {
    const std::string_view word = words_[i];
    if (word == "minimum-threshold" || word == "maximum-threshold") {
      auto& threshold = word == "minimum-threshold" ? min : max;
      threshold = size_with_unit(i + 1);
      if (!threshold) is_whole = false;
      i += 2;
    } else if (word.ends_with("-probability")) {
      const auto value = number(++i, 0, 100, "a percentage");
      if (value) percent = *value;
      if (!value) is_whole = false;
    } else if (word == "weight") {
      const auto weight = number(++i, 0, 15, "a weight");
      if (weight && *weight != 0) {
        warn_once("weight", fmt::format("weight {} averages the queue's length: marking follows "
                                        "the length itself here",
                                        *weight));
      }
      if (!weight) is_whole = false;
    } else if (word == "ecn") {
      marks = true;
    } else if (word == "burst-optimized" || word == "mesh-optimized") {
      warning(fmt::format("{} holds no number: the default thresholds are used", backquoted(word)));
      return std::nullopt;
    } else {
      error(fmt::format("{} is not known in `random-detect`", backquoted(word)));
      is_whole = false;
    }
  }
  if (!is_whole) return std::nullopt;
  if (!min || !max) {
    error("expected minimum-threshold and maximum-threshold");
    return std::nullopt;
  }
  if (*min > *max) {
    error(fmt::format("minimum-threshold {} > maximum-threshold {}: are they swapped?",
                      text_of(*min), text_of(*max)));
    return std::nullopt;
  }
  return EcnSettings{.kmin = {*min, where()},
                     .kmax = {*max, where()},
                     .pmax = {static_cast<double>(percent) / 100, where()},
                     .drops = !marks};
}

std::vector<std::string> PastedLines::interfaces(std::string_view names) {
  constexpr std::uint64_t kMaxValue = 1024;
  std::vector<std::string> all;
  for (const std::string_view name : split(names, ',')) {
    if (all.size() > kMaxPorts) {
      error(fmt::format("names more than {} ports, which no switch has", kMaxPorts));
      return {};
    }
    const std::size_t last =
        std::min(name.find_last_of("/abcdefghijklmnopqrstuvwxyzEPV") + 1, name.size());
    const std::string_view tail = name.substr(last);
    if (name.empty() || tail.find('-') == std::string_view::npos) {
      if (name.empty()) error("an interface without a name: two commas, or one at an end?");
      if (!name.empty()) all.emplace_back(name);
      continue;
    }
    const auto range = parse_range(tail);
    if (!range || range->first > range->second || range->second - range->first > kMaxValue) {
      error(fmt::format("{} found, expected interfaces such as Ethernet1/1-4", backquoted(name)));
      continue;
    }
    for (std::uint64_t n = range->first; n <= range->second; ++n) {
      all.push_back(fmt::format("{}{}", name.substr(0, last), n));
    }
  }
  return all;
}

void add_pasted(const InputFile& file, std::string_view form, SwitchSettings settings,
                const Remarks& remarks, Description& description) {
  description.remarks.insert(description.remarks.end(), remarks.begin(), remarks.end());
  if (has_errors(remarks)) return;
  std::size_t classes = settings.classes.size();
  for (const auto& [name, port] : settings.ports) classes = std::max(classes, port.classes.size());
  std::size_t lossless = 0;
  const auto& some = settings.classes.empty() && !settings.ports.empty()
                         ? settings.ports.begin()->second.classes
                         : settings.classes;
  for (const ClassSettings& one : some) lossless += one.pfc ? 1 : 0;
  description.recognised.push_back(
      fmt::format("{}: {} of {}: {} classes, {} with PFC, {} ports named", escaped(file.name()),
                  form, settings.name ? escaped(*settings.name) : "a switch without a name",
                  classes, lossless, settings.ports.size()));
  description.switches.push_back(std::move(settings));
}

}  // namespace weft::import
