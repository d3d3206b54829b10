#include <fmt/format.h>

#include "scenarios/checks/static_checks.hpp"
#include "scenarios/text/format.hpp"
#include "tools/topo/sections/list.hpp"
#include "topologies/analysis/reachability.hpp"
#include "topologies/analysis/roles.hpp"
#include "topologies/routing/usable_paths.hpp"

namespace weft::topo {
namespace {

using topologies::PathClass;
using topologies::PathSurvey;
using topologies::Reachability;
using topologies::UsablePathSurvey;

std::string classes_text(const Fabric& fabric, const PathSurvey& paths) {
  if (paths.classes.empty()) return {};
  scenarios::TextTable table({"pairs of hosts", "over", "links", "shortest paths", "such as"});
  for (std::size_t i = 0; i < paths.classes.size() && i < kMaxRows; ++i) {
    const PathClass& entry = paths.classes[i];
    table.add({count_text(entry.pairs), network_name(entry.network), count_text(entry.links),
               range_text(entry.fewest_paths, entry.max_paths),
               fabric.host(entry.from).name + " to " + fabric.host(entry.to).name});
  }
  std::string text = "\n" + table.to_string("  ");
  if (paths.classes.size() > kMaxRows) {
    text += fmt::format("  and {}\n",
                        topologies::counted(paths.classes.size() - kMaxRows, "more distance"));
  }
  return text;
}

/// Over the routes: what links join, static next hops may part.
std::string reach_text(const Fabric& fabric, const Reachability::Pairs& pairs) {
  if (pairs.count == 0) return {};
  return fmt::format("  {}{} {} no path by the routes, such as {} to {}\n",
                     pairs.is_complete ? "" : "at least ", count_text(pairs.count),
                     pairs.count == 1 ? "pair has" : "pairs have", fabric.host(pairs.from).name,
                     fabric.host(pairs.to).name);
}

/// How many pairs of sets of hosts are looked at. Going through a CRC takes a millisecond each.
std::size_t max_pairs(const Subject& subject) {
  return subject.hashing->hash.type == PathHash::Type::kCrc16 ? 200 : 4'000;
}

UsablePathSurvey usable_paths_of(const Subject& subject) {
  if (!subject.hashing || !topologies::may_polarise(subject.hashing->hash)) return {};
  const auto pairs = topologies::representative_pairs(subject.fabric, max_pairs(subject));
  return topologies::survey_usable_paths(subject.fabric, subject.routes, *subject.hashing, pairs);
}

std::string polarised_text(const Fabric& fabric, const UsablePathSurvey& found) {
  if (found.reduced == 0) return {};
  return fmt::format(
      "  {}; of {} links between switches that shortest paths cross, {} never carry a flow\n",
      scenarios::polarisation_text(fabric, found), count_text(found.links),
      count_text(found.idle_links));
}

Json polarisation_json(const Fabric& fabric, const UsablePathSurvey& found) {
  if (found.reduced == 0) return nullptr;
  return {{"pairs", found.pairs},
          {"reduced_pairs", found.reduced},
          {"worst", {fabric.host(found.worst.first).name, fabric.host(found.worst.second).name}},
          {"shortest_paths", found.of_worst.shortest},
          {"usable_paths", found.of_worst.usable},
          {"links", found.links},
          {"idle_links", found.idle_links}};
}

std::string survey_text(const PathSurvey& paths) {
  std::string text;
  if (!paths.is_complete) {
    text += "  from evenly chosen hosts to all others, for there are too many to go through\n";
  }
  for (const NetworkKind network : {NetworkKind::kScaleUp, NetworkKind::kScaleOut}) {
    const std::uint32_t diameter = paths.diameter(network);
    if (diameter > 0) {
      text += fmt::format("  diameter of {}: {}\n", network_name(network),
                          topologies::counted(diameter, "link"));
    }
  }
  return text;
}

Json classes_json(const Fabric& fabric, const PathSurvey& paths) {
  Json classes = Json::array();
  for (const PathClass& entry : paths.classes) {
    classes.push_back({{"network", network_name(entry.network)},
                       {"links", entry.links},
                       {"pairs", entry.pairs},
                       {"paths", {entry.fewest_paths, entry.max_paths}},
                       {"example", {fabric.host(entry.from).name, fabric.host(entry.to).name}}});
  }
  return classes;
}

}  // namespace

Section paths_section(const Subject& subject) {
  const PathSurvey& paths = subject.paths;
  const Reachability::Pairs cut = Reachability(subject.fabric, subject.routes).unreachable();
  const UsablePathSurvey usable = usable_paths_of(subject);
  return {.headline = {},
          .body = classes_text(subject.fabric, paths) + reach_text(subject.fabric, cut) +
                  survey_text(paths) + polarised_text(subject.fabric, usable),
          .members = {{"paths",
                       {{"classes", classes_json(subject.fabric, paths)},
                        {"unconnected_pairs", cut.count},
                        {"is_complete", paths.is_complete}}},
                      {"polarisation", polarisation_json(subject.fabric, usable)},
                      {"diameter",
                       {{"scale_up", paths.diameter(NetworkKind::kScaleUp)},
                        {"scale_out", paths.diameter(NetworkKind::kScaleOut)}}}}};
}

}  // namespace weft::topo
