#include "scenarios/output/incident_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

constexpr std::size_t kLines = 5;

std::string line_of(const IncidentResult& r) {
  std::string text =
      fmt::format("    {} {}  from {}{}", incident_kind_name(r.kind), r.place, format_time(r.begin),
                  r.end ? " until " + format_time(*r.end) : " on");
  text += r.packets == 0 ? "  lost nothing"
                         : fmt::format("  lost {}, the last at {}", counted(r.packets, "packet"),
                                       format_time(*r.last_loss));
  const std::string noticed = r.noticed_by();
  if (r.packets > 0 && !noticed.empty()) text += "  noticed by " + noticed;
  if (r.slower && *r.slower > Picoseconds(0))
    text += "  iteration slower by " + format_time(*r.slower);
  return text + "\n";
}

}  // namespace

std::string incident_summary_text(const Results& results) {
  if (results.incidents.empty()) return {};
  std::vector<const IncidentResult*> heaviest;
  for (const IncidentResult& r : results.incidents) heaviest.push_back(&r);
  std::ranges::stable_sort(heaviest, [](const IncidentResult* a, const IncidentResult* b) {
    return a->packets > b->packets;
  });
  const bool has_more = heaviest.size() > kLines;
  std::string text =
      fmt::format("  {}{}\n", counted(static_cast<std::int64_t>(heaviest.size()), "incident"),
                  has_more ? ", most packets lost first (incidents.csv has all)" : "");
  heaviest.resize(std::min(heaviest.size(), kLines));
  for (const IncidentResult* r : heaviest) text += line_of(*r);
  return text + "\n";
}

}  // namespace weft::scenarios
