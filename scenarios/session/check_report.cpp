#include "scenarios/session/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "scenarios/build/changed_links.hpp"
#include "scenarios/checks/odd/odd_ones.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/text/plain_number.hpp"
#include "simcore/base/escape.hpp"
#include "topologies/analysis/scale_up_survey.hpp"
#include "topologies/analysis/summary.hpp"

namespace weft::scenarios {
namespace {

std::string tiers_text(const CheckReport& report) {
  std::string text = "  " + counted(static_cast<std::int64_t>(report.hosts), "host");
  if (report.servers > 0) {
    text +=
        fmt::format(" ({} with {})", counted(static_cast<std::int64_t>(report.servers), "server"),
                    counted(static_cast<std::int64_t>(report.nics), "NIC"));
  }
  if (report.scale_up_switches > 0) {
    text += ", " + counted(static_cast<std::int64_t>(report.scale_up_switches), "scale-up switch",
                           "scale-up switches");
  }
  for (const CheckReport::Tier& tier : report.tiers) {
    text += fmt::format(", {} of tier {}",
                        counted(static_cast<std::int64_t>(tier.switches), "switch", "switches"),
                        tier.tier);
    if (tier.oversubscription > 0) {
      text += fmt::format(" (oversubscription {}:1)", plain_number(tier.oversubscription, 2));
    }
  }
  return text + "\n";
}

/// Of a cluster as it is cabled: hosts are its NICs, or GPUs that share them.
void count_servers(const Fabric& fabric, CheckReport& report) {
  std::set<std::string_view> servers;
  for (const NodeId id : fabric.hosts) {
    const std::string_view name = fabric.node(id).name;
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return;
    servers.insert(name.substr(0, slash));
  }
  const auto nics = std::ranges::count_if(fabric.switches,
                                          [&fabric](NodeId id) { return fabric.node(id).is_nic; });
  report.servers = servers.size();
  report.nics = nics > 0 ? static_cast<std::uint64_t>(nics) : fabric.hosts.size();
}

}  // namespace

CheckReport check_report(const Session& session) {
  const Experiment& e = session.experiment;
  const LpPlan plan = plan_of(e);
  CheckReport report;
  report.name = e.scenario.name;
  report.hosts = e.fabric.hosts.size();
  count_servers(e.fabric, report);
  std::map<std::uint32_t, std::uint32_t> inside;  // servers and racks, by tier
  for (const NodeId id : e.fabric.switches) {
    const Node& node = e.fabric.node(id);
    const bool is_scale_up = node.network == NetworkKind::kScaleUp;
    report.scale_up_switches += is_scale_up ? 1 : 0;
    if (is_scale_up || node.is_nic) ++inside[node.tier];
  }
  for (const auto& tier : topologies::summarize(e.fabric).tiers) {
    const std::uint32_t switches = tier.switches - inside[tier.tier];
    if (switches > 0) report.tiers.push_back({tier.tier, switches, tier.oversubscription});
  }
  report.jobs = e.workload.jobs().size();
  report.ranks = e.workload.process_hosts().size();
  report.connections = e.workload.connections().size();
  report.logical_processes = plan.lp_count;
  report.lookahead = plan.lookahead;
  if (!plan.limiting_port.is_none()) report.limiting_port = e.fabric.port_name(plan.limiting_port);
  for (const auto& kind : topologies::survey_shared_host_links(e.fabric)) {
    report.shared_host_links.push_back(
        fmt::format("{} of {}{}, shared by {} and {}", counted(kind.links, "host link"),
                    format_rate(static_cast<double>(kind.rate.count())),
                    kind.is_one_way ? " for both directions together" : " per direction",
                    counted(kind.nics, "NIC"), counted(kind.hosts, "host")));
  }
  report.changed_links = describe_changed_links(e.scenario, e.fabric);
  report.forecast = session.forecast;
  report.fluid_seconds = fluid_seconds(e, session.forecast.messages);
  for (const OddOne& odd : find_odd_ones(session.source, e.fabric)) {
    report.findings.push_back(odd_one_text(odd));
  }
  report.warnings = e.warnings;
  for (std::string& warning : report.warnings) {
    if (warning.starts_with(kPolarised)) warning += " (" + place_of_hash(session.source) + ")";
  }
  return report;
}

std::string check_text(const CheckReport& r) {
  const auto count = [](std::uint64_t n, const char* one, const char* several = "") {
    return counted(static_cast<std::int64_t>(n), one, several);
  };
  std::string text = fmt::format("{} is valid\n", r.name) + tiers_text(r);
  text += fmt::format("  {}, {}, {}\n", count(r.jobs, "job"), count(r.ranks, "rank"),
                      count(r.connections, "connection"));
  text += fmt::format("  {}, lookahead {}, set by {}\n",
                      count(r.logical_processes, "logical process", "logical processes"),
                      format_time(r.lookahead),
                      r.limiting_port.empty() ? "run.control_latency" : r.limiting_port);
  for (const std::string& line : r.shared_host_links) text += "  " + line + "\n";
  for (const std::string& line : r.changed_links) text += "  " + escaped(line) + "\n";
  text += "  about " + forecast_text(r.forecast);
  if (r.fluid_seconds > r.forecast.seconds) {
    text += fmt::format("; {} by the fluid engine", format_time(r.fluid_seconds));
  }
  text += "\n";
  for (const std::string& finding : r.findings) text += "  finding: " + escaped(finding) + "\n";
  for (const std::string& warning : r.warnings) text += "  warning: " + escaped(warning) + "\n";
  return text;
}

}  // namespace weft::scenarios
