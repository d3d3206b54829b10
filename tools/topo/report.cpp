#include "tools/topo/report.hpp"

#include <fmt/format.h>

#include <utility>

#include "scenarios/text/format.hpp"

namespace weft::topo {
namespace {

using scenarios::format_count;
using scenarios::format_rate;
using scenarios::format_time;
using scenarios::TextTable;
using topologies::Bisection;
using topologies::DomainKind;
using topologies::PathClass;
using topologies::Role;

/// Rows of a table of links or paths; custom graphs may have any number.
constexpr std::size_t kMaxRows = 16;
constexpr std::size_t kMaxCycles = 5;
constexpr std::size_t kMaxCyclePorts = 8;

std::string rate_text(BitsPerSecond rate) { return format_rate(static_cast<double>(rate.count())); }
std::string count_text(std::uint64_t count) {
  return format_count(static_cast<std::int64_t>(count));
}
/// As vendors give it for scale-up links: `1.8 TB/s`.
std::string byte_rate_text(BitsPerSecond rate) {
  const double bytes = static_cast<double>(rate.count()) / 8;
  return bytes < 1e12 ? fmt::format("{:.4g} GB/s", bytes / 1e9)
                      : fmt::format("{:.4g} TB/s", bytes / 1e12);
}
std::string range_text(std::uint64_t low, std::uint64_t high) {
  return low == high ? count_text(low) : count_text(low) + " to " + count_text(high);
}

class TextReport {
 public:
  TextReport(const Fabric& fabric, const Report& report) : fabric_(fabric), report_(report) {}

  std::string write() {
    text_ = report_.name + "\n";
    write_counts();
    write_tiers();
    write_links();
    write_domains();
    write_paths();
    write_bisection();
    write_cycles();
    return text_;
  }

 private:
  void write_counts() {
    text_ += "  ";
    for (const Role& role : report_.roles.roles) {
      if (&role != &report_.roles.roles.front()) text_ += ", ";
      text_ += topologies::counted(role.nodes, role.name);
    }
    std::uint64_t links = 0;
    for (const auto& kind : report_.roles.links) links += kind.links;
    text_ += fmt::format(", {} links\n", count_text(links));
    if (report_.rails) {
      const auto& rails = *report_.rails;
      text_ += fmt::format("  {} rails of {} hosts on {} each{}\n", rails.rails,
                           range_text(rails.fewest_hosts, rails.most_hosts),
                           topologies::counted(rails.most_edge_switches, "edge switch"),
                           rails.is_separate ? "" : "; some switches have hosts of several rails");
    }
  }

  void write_tiers() {
    TextTable table(
        {"tier", "network", "nodes", "ports", "down", "across", "up", "oversubscribed"});
    for (const Role& role : report_.roles.roles) {
      if (role.kind == NodeKind::kHost) continue;
      const auto rate = [](BitsPerSecond r) { return r.count() == 0 ? "-" : rate_text(r); };
      table.add({fmt::format("{} {}", role.tier, role.name), network_name(role.network),
                 count_text(role.nodes), range_text(role.fewest_ports, role.most_ports),
                 rate(role.down), rate(role.across), rate(role.up),
                 role.oversubscription > 0 ? fmt::format("{:.4g}:1", role.oversubscription) : "-"});
    }
    text_ += "\n" + table.to_string("  ");
    text_ += "  down, across, up: of all switches of the tier together, per direction\n";
  }

  void write_links() {
    TextTable table({"links", "number", "rate", "wire latency", "all together"});
    const auto& roles = report_.roles.roles;
    for (std::size_t i = 0; i < report_.roles.links.size() && i < kMaxRows; ++i) {
      const topologies::LinkKind& kind = report_.roles.links[i];
      table.add({roles[kind.lower].name + " - " + roles[kind.upper].name, count_text(kind.links),
                 rate_text(kind.rate), format_time(kind.wire_latency),
                 rate_text(kind.rate * static_cast<std::int64_t>(kind.links))});
    }
    text_ += "\n" + table.to_string("  ");
    if (report_.roles.links.size() > kMaxRows) {
      text_ += fmt::format("  and {} more kinds\n", report_.roles.links.size() - kMaxRows);
    }
  }

  void write_domains() {
    if (report_.domains.empty()) return;
    text_ += "\n";
    for (std::size_t i = 0; i < report_.domains.size() && i < kMaxRows; ++i) {
      write_domain(report_.domains[i]);
    }
    if (report_.domains.size() > kMaxRows) {
      text_ += fmt::format("  and {} more kinds of scale-up domains\n",
                           report_.domains.size() - kMaxRows);
    }
  }

  void write_domain(const DomainKind& kind) {
    text_ += fmt::format("  {} of {} and {}", topologies::counted(kind.domains, "scale-up domain"),
                         topologies::counted(kind.hosts, "GPU"),
                         topologies::counted(kind.chips, "chip"));
    if (kind.links == 0) {
      text_ += ", without links\n";
      return;
    }
    text_ +=
        fmt::format(": {} links of {}", count_text(kind.links),
                    kind.slowest_link == kind.fastest_link
                        ? rate_text(kind.slowest_link)
                        : rate_text(kind.slowest_link) + " to " + rate_text(kind.fastest_link));
    text_ += fmt::format(", {} per GPU",
                         range_text(kind.fewest_links_per_host, kind.most_links_per_host));
    if (kind.trunks > 0) text_ += fmt::format(", {} between chips", count_text(kind.trunks));
    text_ += fmt::format("\n    {} per GPU and direction, {} in both directions of all links\n",
                         byte_rate_text(kind.host_links / static_cast<std::int64_t>(kind.hosts)),
                         byte_rate_text(kind.host_links * 2));
    if (kind.bisection) text_ += "    " + bisection_text(*kind.bisection, true) + "\n";
  }

  void write_paths() {
    const topologies::PathSurvey& paths = report_.paths;
    TextTable table({"pairs of hosts", "over", "links", "shortest paths", "such as"});
    for (std::size_t i = 0; i < paths.classes.size() && i < kMaxRows; ++i) {
      const PathClass& entry = paths.classes[i];
      table.add({count_text(entry.pairs), network_name(entry.network), count_text(entry.links),
                 range_text(entry.fewest_paths, entry.most_paths),
                 fabric_.host(entry.from).name + " to " + fabric_.host(entry.to).name});
    }
    if (!paths.classes.empty()) text_ += "\n" + table.to_string("  ");
    if (paths.classes.size() > kMaxRows) {
      text_ += fmt::format("  and {} more distances\n", paths.classes.size() - kMaxRows);
    }
    if (paths.unconnected_pairs > 0) {
      text_ += fmt::format("  {} pairs have no path\n", count_text(paths.unconnected_pairs));
    }
    if (!paths.is_complete) {
      text_ += "  from evenly chosen hosts to all others, for there are too many to go through\n";
    }
    for (const NetworkKind network : {NetworkKind::kScaleUp, NetworkKind::kScaleOut}) {
      const std::uint32_t diameter = paths.diameter(network);
      if (diameter > 0) {
        text_ += fmt::format("  diameter of {}: {} links\n", network_name(network), diameter);
      }
    }
  }

  static std::string bisection_text(const Bisection& bisection, bool in_bytes) {
    const char* halves = "the first half of the hosts against the others";
    if (bisection.halves == Bisection::Halves::kEdgeSwitches) halves = "halves by edge switch";
    if (bisection.halves == Bisection::Halves::kRails) halves = "halves by rail";
    if (bisection.halves == Bisection::Halves::kUnits) halves = "halves of whole parts";
    const double share =
        static_cast<double>(bisection.rate.count()) / static_cast<double>(bisection.hosts.count());
    return fmt::format(
        "bisection bandwidth {} per direction, {:.4g} % of what half the hosts can send\n"
        "{}({}, {})",
        in_bytes ? byte_rate_text(bisection.rate) : rate_text(bisection.rate), 100 * share,
        in_bytes ? "      " : "    ",
        bisection.method == Bisection::Method::kMaxFlow ? "by maximum flow" : "in closed form",
        halves);
  }

  void write_bisection() {
    if (report_.scale_out_bisection) {
      text_ += "  " + bisection_text(*report_.scale_out_bisection, false) + "\n";
    } else if (report_.paths.diameter(NetworkKind::kScaleOut) > 0) {
      text_ += "  bisection bandwidth: not known, too large for a maximum flow and not regular\n";
    }
  }

  void write_cycles() {
    const auto& cycles = report_.dependencies.cycles;
    if (cycles.empty()) {
      text_ += report_.dependencies.is_complete
                   ? "  no circle of buffer dependencies: no deadlock\n"
                   : "  no circle of buffer dependencies found on the routes that were followed\n";
      return;
    }
    text_ += fmt::format("  {}: lossless traffic can deadlock\n",
                         topologies::counted(cycles.size(), "circle") + " of buffer dependencies");
    for (std::size_t i = 0; i < cycles.size() && i < kMaxCycles; ++i) {
      text_ += "   ";
      for (std::size_t p = 0; p < cycles[i].ports.size() && p < kMaxCyclePorts; ++p) {
        text_ += " " + fabric_.port_name(cycles[i].ports[p]);
      }
      text_ += cycles[i].ports.size() > kMaxCyclePorts ? " ...\n" : "\n";
    }
    if (cycles.size() > kMaxCycles) {
      text_ += fmt::format("    and {} more\n", cycles.size() - kMaxCycles);
    }
  }

  const Fabric& fabric_;
  const Report& report_;
  std::string text_;
};

}  // namespace

const char* network_name(NetworkKind network) {
  return network == NetworkKind::kScaleUp ? "scale-up" : "scale-out";
}

Report report_on(const Fabric& fabric, const Routes& routes, std::string name) {
  std::vector<HostId> hosts;
  for (std::size_t i = 0; i < fabric.hosts.size(); ++i) hosts.emplace_back(i);
  return {.name = std::move(name),
          .roles = topologies::find_roles(fabric),
          .paths = topologies::survey_paths(fabric),
          .scale_out_bisection = topologies::find_bisection(
              fabric, topologies::NetworkView(fabric, NetworkKind::kScaleOut), hosts),
          .domains = topologies::survey_domains(fabric),
          .rails = topologies::survey_rails(fabric),
          .dependencies = topologies::find_buffer_cycles(fabric, routes)};
}

std::string report_text(const Fabric& fabric, const Report& report) {
  return TextReport(fabric, report).write();
}

}  // namespace weft::topo
