#include <fmt/format.h>

#include "tools/topo/sections/list.hpp"
#include "topologies/analysis/roles.hpp"
#include "topologies/analysis/scale_up_survey.hpp"

namespace weft::topo {
namespace {

using topologies::counted;
using topologies::DomainKind;

std::string domain_text(const DomainKind& kind) {
  std::string text =
      fmt::format("  {} of {} and {}", counted(kind.domains, "scale-up domain"),
                  counted(kind.hosts, "GPU"), counted(kind.switches, "scale-up switch"));
  if (kind.links == 0) return text + ", without links\n";
  text += fmt::format(": {} of {}", counted(kind.links, "link"),
                      kind.slowest_link == kind.fastest_link
                          ? rate_text(kind.slowest_link)
                          : rate_text(kind.slowest_link) + " to " + rate_text(kind.fastest_link));
  text +=
      fmt::format(", {} per GPU", range_text(kind.fewest_links_per_host, kind.max_links_per_host));
  if (kind.trunks > 0) text += fmt::format(", {} between switches", count_text(kind.trunks));
  text += fmt::format("\n    {} per GPU and direction, {} in both directions of all links\n",
                      byte_rate_text(kind.host_links / static_cast<std::int64_t>(kind.hosts)),
                      byte_rate_text(kind.host_links * 2));
  if (kind.bisection) text += "    " + bisection_text(*kind.bisection, true) + "\n";
  return text;
}

std::string domains_text(const std::vector<DomainKind>& kinds) {
  if (kinds.empty()) return {};
  std::string text = "\n";
  for (std::size_t i = 0; i < kinds.size() && i < kMaxRows; ++i) text += domain_text(kinds[i]);
  if (kinds.size() > kMaxRows) {
    text += fmt::format("  and {} of scale-up domains\n",
                        counted(kinds.size() - kMaxRows, "more kind"));
  }
  return text;
}

Json domains_json(const std::vector<DomainKind>& kinds) {
  Json domains = Json::array();
  for (const DomainKind& kind : kinds) {
    domains.push_back(
        {{"domains", kind.domains},
         {"gpus", kind.hosts},
         {"scale_up_switches", kind.switches},
         {"links", kind.links},
         {"trunks", kind.trunks},
         {"links_per_gpu", {kind.fewest_links_per_host, kind.max_links_per_host}},
         {"link_bits_per_second", {kind.slowest_link.count(), kind.fastest_link.count()}},
         {"links_bits_per_second", kind.host_links.count()},
         {"bisection", bisection_json(kind.bisection)}});
  }
  return domains;
}

}  // namespace

Section domains_section(const Subject& subject) {
  const std::vector<DomainKind> kinds = topologies::survey_domains(subject.fabric);
  return {
      .headline = {}, .body = domains_text(kinds), .members = {{"domains", domains_json(kinds)}}};
}

Section rails_section(const Subject& subject) {
  const auto rails = topologies::survey_rails(subject.fabric);
  if (!rails) return {.headline = {}, .body = {}, .members = {{"rails", nullptr}}};
  return {.headline =
              fmt::format("  {} rails of {} hosts on {} each{}\n", rails->rails,
                          range_text(rails->fewest_hosts, rails->max_hosts),
                          counted(rails->max_edge_switches, "edge switch"),
                          rails->is_separate ? "" : "; some switches have hosts of several rails"),
          .body = {},
          .members = {{"rails",
                       {{"rails", rails->rails},
                        {"hosts", {rails->fewest_hosts, rails->max_hosts}},
                        {"edge_switches", rails->max_edge_switches}}}}};
}

Section host_links_section(const Subject& subject) {
  std::string text;
  Json links = Json::array();
  for (const topologies::SharedHostLinks& kind :
       topologies::survey_shared_host_links(subject.fabric)) {
    text += fmt::format("  {} of {}{}, shared by {} and {}\n", counted(kind.links, "host link"),
                        rate_text(kind.rate),
                        kind.is_one_way ? " for both directions together" : " per direction",
                        counted(kind.nics, "NIC"), counted(kind.hosts, "host"));
    links.push_back({{"links", kind.links},
                     {"bits_per_second", kind.rate.count()},
                     {"nics", kind.nics},
                     {"hosts", kind.hosts},
                     {"directions_share", kind.is_one_way}});
  }
  return {.headline = std::move(text), .body = {}, .members = {{"shared_host_links", links}}};
}

}  // namespace weft::topo
