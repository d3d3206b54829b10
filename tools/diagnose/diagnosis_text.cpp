#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "simcore/text/counted.hpp"
#include "tools/diagnose/diagnosis.hpp"

namespace weft::diagnose {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value, double digits) {
  const double unit = std::pow(10.0, digits);
  return std::round(value * unit) / unit;
}

Json json_of(const Culprit& c) {
  Json json{{"kind", c.kind}};
  json["place"] = c.places;
  json["whereabouts"] = c.whereabouts;
  json["cables"] = c.cables;
  json["value"] = c.value ? Json(rounded(*c.value, 3)) : Json(nullptr);
  json["explained"] = rounded(c.explained, 4);
  json["confidence"] = rounded(c.confidence, 3);
  json["why"] = c.why;
  json["evidence"] = c.evidence;
  json["packets_off"] = c.packets_off ? Json(rounded(*c.packets_off, 3)) : Json(nullptr);
  return json;
}

std::string cables_text(const Culprit& c) {
  std::string text;
  for (std::size_t i = 0; i < c.cables.size(); ++i) {
    if (c.cables[i].empty()) continue;
    text += fmt::format("\n      cable{} {}", c.places.size() > 1 ? " of " + c.places[i] + ":" : "",
                        c.cables[i]);
  }
  return text;
}

std::string places_text(const Culprit& c) {
  constexpr std::size_t kMax = 6;
  if (c.places.empty()) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMax, c.places.size()); ++i) {
    const bool is_hidden = i < c.whereabouts.size() && !c.whereabouts[i].empty();
    names.push_back(c.places[i] + (is_hidden ? " (" + c.whereabouts[i] + ")" : ""));
  }
  if (c.places.size() == 1) return " " + names.front();
  return fmt::format(
      " (one of {}{})", fmt::join(names, ", "),
      c.places.size() > kMax ? fmt::format(" and {} more", c.places.size() - kMax) : "");
}

/// `above`: what stands there has its evidence already, if it is the same.
std::string line_of(const Culprit& c, const Culprit* above = nullptr) {
  std::string text = c.kind + places_text(c);
  if (c.value && c.kind == "straggler") {
    text += fmt::format(", {:.0f} us", *c.value);
  } else if (c.value) {
    text += fmt::format(", at {:.2f} of its rate", *c.value);
  }
  text += cables_text(c);
  text += fmt::format("\n      {}", c.why);
  if (c.explained > 0)
    text += fmt::format("\n      explains {:.0f} % of the difference", 100 * c.explained);
  if (c.packets_off) {
    text += fmt::format("; a simulation with it comes within {:.0f} % of what was measured",
                        100 * std::expm1(*c.packets_off));
  } else if (c.explained > 0) {
    text += "; by a formula alone, not simulated";
  }
  if (above != nullptr && above != &c && above->evidence == c.evidence) return text + "\n";
  constexpr std::size_t kMax = 6;
  for (std::size_t i = 0; i < std::min(kMax, c.evidence.size()); ++i) {
    text += "\n      " + c.evidence[i];
  }
  if (c.evidence.size() > kMax)
    text += fmt::format("\n      and {} more", c.evidence.size() - kMax);
  return text + "\n";
}

std::string causes_text(const Diagnosis& d) {
  std::string text;
  for (const Culprit& c : d.culprits) text += "culprit: " + line_of(c);
  const bool is_list = d.culprits.empty() && !d.undecided.empty() &&
                       (d.undecided.size() > 1 || d.undecided.front().places.size() > 1);
  if (is_list) text += "undecided: these measurements cannot tell apart\n";
  for (const Culprit& c : d.undecided)
    text += (is_list ? "  - " : "suspect: ") + line_of(c, &d.undecided.front());
  constexpr std::size_t kMaxCleared = 4;
  for (std::size_t i = 0; i < std::min(kMaxCleared, d.cleared.size()); ++i) {
    text += "cleared: " + d.cleared[i].text + "\n";
  }
  if (d.cleared.size() > kMaxCleared) {
    text += fmt::format("cleared: {} more, which --json and the page list\n",
                        d.cleared.size() - kMaxCleared);
  }
  if (d.nothing_explains_it) text += "nothing in the catalogue explains it alone\n";
  if (!d.next_measurement.empty()) text += "next: " + d.next_measurement + "\n";
  return text;
}

/// `28 pairs: 26 as expected` and the others, one row each; of single runs as well.
std::string pairs_text(const std::vector<const ComparedPoint*>& points) {
  const auto well = std::ranges::count(points, Verdict::kAsExpected, &ComparedPoint::verdict);
  std::string text = fmt::format("  {}, {} as expected\n",
                                 counted(static_cast<std::int64_t>(points.size()), "run"), well);
  for (const ComparedPoint* p : points) {
    if (p->verdict == Verdict::kAsExpected) continue;
    // As the programs state it: perftest in bits, nccl-tests in bytes.
    const bool is_link = p->curve.find("-bw") != std::string::npos;
    const double unit = is_link ? 8 : 1;
    text += fmt::format("  {:>8.1f} {}, {:.1f} expected  {:>6.2f}  {:>3.0f} %  {} and {}: {}\n",
                        unit * p->bus_bandwidth(p->measured_us), is_link ? "Gb/s" : "GB/s",
                        unit * p->bus_bandwidth(p->expected_us), p->measured_us / p->expected_us,
                        100 * p->band, p->pair->first, p->pair->second, name_of(p->verdict));
  }
  return text;
}

std::string sizes_text(const std::vector<const ComparedPoint*>& points) {
  std::string text = fmt::format("  {:>12}  {:>11}  {:>11}  {:>6}  {:>5}\n", "bytes", "measured us",
                                 "expected us", "ratio", "band");
  for (const ComparedPoint* p : points) {
    text +=
        fmt::format("  {:>12}  {:>11.1f}  {:>11.1f}  {:>6.2f}  {:>3.0f} %  {}\n", p->bytes,
                    p->measured_us, p->expected_us, p->measured_us / p->expected_us, 100 * p->band,
                    p->verdict == Verdict::kAsExpected ? "" : name_of(p->verdict));
  }
  return text;
}

/// Every size of a curve, and of pairs those that are not as expected. Runs of pairs whose names
/// differ by the servers alone are one table.
std::string tables_text(const std::vector<ComparedPoint>& compared) {
  std::vector<std::pair<std::string, std::vector<const ComparedPoint*>>> tables;
  for (const ComparedPoint& point : compared) {
    const std::string name =
        point.pair ? point.curve.substr(0, point.curve.find(" from ")) : point.curve;
    const auto known =
        std::ranges::find_if(tables, [&name](const auto& table) { return table.first == name; });
    if (known != tables.end()) {
      known->second.push_back(&point);
    } else {
      tables.emplace_back(name, std::vector{&point});
    }
  }
  std::string text;
  for (const auto& [name, points] : tables) {
    text += name + "\n" + (points.front()->pair ? pairs_text(points) : sizes_text(points));
  }
  return text;
}

Json json_of(const Cleared& cleared) {
  return {{"place", cleared.places},
          {"by", cleared.by},
          {"value", rounded(cleared.value, 3)},
          {"longer", rounded(cleared.longer, 2)},
          {"text", cleared.text}};
}

}  // namespace

std::vector<NextCommand> commands_of(const std::string& next_measurement) {
  std::vector<NextCommand> all;
  std::size_t at = 0;
  while ((at = next_measurement.find('`', at)) != std::string::npos) {
    const std::size_t end = next_measurement.find('`', at + 1);
    if (end == std::string::npos) break;
    const std::string text = next_measurement.substr(at + 1, end - at - 1);
    const std::string before = next_measurement.substr(0, at);
    at = end + 1;
    // Names of files and single options are none.
    if (text.find(' ') == std::string::npos || text.front() == '-') continue;
    NextCommand next{.on = {}, .command = text};
    // `on gpu01 `.
    const std::size_t word = before.find_last_of(' ', before.size() < 2 ? 0 : before.size() - 2);
    if (word != std::string::npos && word >= 2 && before.substr(word - 2, 3) == "on ") {
      next.on = before.substr(word + 1, before.size() - word - 2);
    }
    all.push_back(std::move(next));
  }
  return all;
}

Json to_json(const Diagnosis& d) {
  Json json{{"verdict", name_of(d.verdict)}};
  for (const char* list : {"culprits", "undecided"}) {
    json[list] = Json::array();
    for (const Culprit& c : list[0] == 'c' ? d.culprits : d.undecided) {
      json[list].push_back(json_of(c));
    }
  }
  json["nothing_explains_it"] = d.nothing_explains_it;
  json["next_measurement"] = d.next_measurement.empty() ? Json(nullptr) : Json(d.next_measurement);
  json["next_commands"] = Json::array();
  for (const NextCommand& next : commands_of(d.next_measurement)) {
    json["next_commands"].push_back(
        {{"on", next.on.empty() ? Json(nullptr) : Json(next.on)}, {"command", next.command}});
  }
  json["cleared"] = Json::array();
  for (const Cleared& cleared : d.cleared) json["cleared"].push_back(json_of(cleared));
  json["findings"] = d.anomalies;
  json["notes"] = d.notes;
  json["compared"] = Json::array();
  for (const ComparedPoint& p : d.compared) {
    Json row{{"curve", p.curve}, {"bytes", p.bytes}};
    if (p.pair) row["pair"] = {p.pair->first, p.pair->second};
    row["measured_us"] = rounded(p.measured_us, 2);
    row["expected_us"] = rounded(p.expected_us, 2);
    row["measured_busbw"] = rounded(p.bus_bandwidth(p.measured_us), 2);
    row["expected_busbw"] = rounded(p.bus_bandwidth(p.expected_us), 2);
    row["band"] = rounded(p.band, 3);
    row["verdict"] = name_of(p.verdict);
    json["compared"].push_back(std::move(row));
  }
  json["warnings"] = d.warnings;
  json["remarks"] = d.remarks;
  return json;
}

std::string to_text(const Diagnosis& d) {
  std::string text = fmt::format("verdict: {}\n", name_of(d.verdict));
  constexpr std::size_t kMax = 8;
  for (std::size_t i = 0; i < std::min(kMax, d.anomalies.size()); ++i) {
    text += "  " + d.anomalies[i] + "\n";
  }
  if (d.anomalies.size() > kMax) text += fmt::format("  and {} more\n", d.anomalies.size() - kMax);
  text += causes_text(d);
  for (const std::string& note : d.notes) text += "note: " + note + "\n";
  for (const std::string& warning : d.warnings) text += "warning: " + warning + "\n";
  for (const std::string& remark : d.remarks) text += "remark: " + remark + "\n";
  return text + tables_text(d.compared);
}

}  // namespace weft::diagnose
