#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/language/lowering/topology.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::scenarios::language {
namespace {

using topologies::CablePart;
using topologies::LinkPart;
using topologies::LinkRoles;

/// Links that a change may mean: all of one role, or one of those that a topology lists.
struct Candidate {
  const LinkPart* link = nullptr;
  std::string path;
};

/// How far above the hosts a node of a Clos fabric is, by its name: `pod0-agg1` is 2. Nothing: no
/// node has such a name, which is said once the fabric is there, or it is a scale-up switch.
std::optional<std::size_t> level_of(std::string_view name) {
  name.remove_prefix(name.rfind('-') == std::string_view::npos ? 0 : name.rfind('-') + 1);
  while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0) {
    name.remove_suffix(1);
  }
  static constexpr std::array<std::pair<std::string_view, std::size_t>, 9> kLevels{{{"h", 0},
                                                                                    {"gpu", 0},
                                                                                    {"nic", 0},
                                                                                    {"leaf", 1},
                                                                                    {"edge", 1},
                                                                                    {"spine", 2},
                                                                                    {"agg", 2},
                                                                                    {"super", 3},
                                                                                    {"core", 3}}};
  for (const auto& [kind, level] : kLevels) {
    if (kind == name) return level;
  }
  return {};
}

/// Links of roles between the levels of both ends; with one end, those below and above it.
std::vector<Candidate> links_by_role(const Document& document, const LinkSelection& links) {
  const LinkRoles known = link_roles_of(document);
  if (known == LinkRoles::kNone) return {};
  std::vector<Candidate> roles{{&document.links.access, "links.access"},
                               {&document.links.uplink, "links.uplink"}};
  if (known == LinkRoles::kThreeTiers) {
    roles.push_back({&document.links.super_uplink, "links.super_uplink"});
  }
  const auto from = level_of(links.from);
  const auto to = links.to.empty() ? from : level_of(links.to);
  std::vector<Candidate> found;
  for (std::size_t below = 0; from && to && below < roles.size(); ++below) {
    const bool is_meant = links.to.empty()
                              ? *from == below || *from == below + 1
                              : std::min(*from, *to) == below && std::max(*from, *to) == below + 1;
    if (is_meant) found.push_back(roles[below]);
  }
  return found;
}

std::vector<Candidate> listed_links(const topologies::Custom& topology,
                                    const LinkSelection& links) {
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const topologies::Custom::Link& link = topology.links[i];
    for (const auto& [from, to] : {std::pair(link.from, link.to), std::pair(link.to, link.from)}) {
      if (links.from != from || (!links.to.empty() && links.to != to)) continue;
      found.push_back({&link.link, element_path("fabric.links", i)});
    }
  }
  return found;
}

bool is_same(const CablePart& a, const CablePart& b) {
  return a.latency_per_metre == b.latency_per_metre && a.transceivers == b.transceivers &&
         a.fec == b.fec;
}

/// A length without a cable is one of the cable that is there.
void complete_cable(const Context& context, LinkChange& change, const std::string& path) {
  const std::string key = child_path(path, "length");
  if (change.links.to.empty() && change.links.network != LinkSelection::Network::kScaleOut) {
    context.fail(key, "needs a cable beside it: links of scale-up domains have none");
    return;
  }
  const auto* custom = std::get_if<topologies::Custom>(&context.document.fabric.topology);
  const std::vector<Candidate> links = custom != nullptr
                                           ? listed_links(*custom, change.links)
                                           : links_by_role(context.document, change.links);
  for (const Candidate& link : links) {
    if (!link.link->cable) {
      context.fail(key, "needs a cable beside it: " + link.path +
                            " has a latency in place of a length and a cable");
      return;
    }
    if (!is_same(*link.link->cable, *links.front().link->cable)) {
      context.fail(key, "needs a cable beside it, or `to`: " + backquoted(change.links.from) +
                            " has links of several cables (" + links.front().path + ", " +
                            link.path + ")");
      return;
    }
  }
  if (links.empty()) {
    context.fail(key, "needs a cable beside it: no cable is known of links " +
                          (change.links.to.empty() ? "of " + backquoted(change.links.from)
                                                   : "between " + backquoted(change.links.from) +
                                                         " and " + backquoted(change.links.to)));
    return;
  }
  change.link.cable = links.front().link->cable;
  for (const char* figure : {".latency_per_metre", ".transceivers", ".fec"}) {
    context.provenance[child_path(path, "cable") + figure] = "as " + links.front().path;
  }
}

}  // namespace

void complete_changes(const Context& context) {
  std::vector<LinkChange>& changes = context.document.links.changes;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const LinkPart& link = changes[i].link;
    const std::string path = element_path("links.changes", i);
    if (link.cable && !link.length) {
      context.fail(path, "has a cable but no length");
    } else if (!link.rate && !link.latency && !link.length && !link.errors.given()) {
      context.fail(path, "changes nothing; expected a rate, a latency, a length, or errors");
    } else if (link.length && !link.cable) {
      complete_cable(context, changes[i], path);
    }
  }
}

}  // namespace weft::scenarios::language
