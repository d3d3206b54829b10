#include "scenarios/language/lowering/lower.hpp"

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/language/lowering/topology.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::scenarios::language {
namespace {

/// Of the NICs of all racks.
NicTransport nic_transport(const Document& document) {
  const topologies::NicPart first = nic_of(document);
  NicTransport slowest{first.transport_latency, first.start_latency};
  for (const topologies::RackSpec& racks : document.racks) {
    const topologies::NicPart& nic = racks.server.nic;
    slowest.latency = std::max(slowest.latency, nic.transport_latency);
    slowest.start = std::max(slowest.start, nic.start_latency);
  }
  return slowest;
}

/// Of the hosts of all racks, in their order.
std::vector<ServerBlock> server_blocks(const Document& document) {
  std::vector<ServerBlock> blocks;
  std::uint64_t hosts = 0;
  for (const topologies::RackSpec& racks : racks_of(document)) {
    const std::uint64_t added = std::uint64_t{racks.count} * racks.servers * racks.server.hosts();
    if (added == 0) continue;
    const topologies::ServerPart& server = racks.server;
    blocks.push_back({static_cast<std::uint32_t>(hosts), server.nic.ports, server.gpu.rates(),
                      server.gpu.times()});
    hosts += added;
  }
  return blocks;
}

/// Receivers are one configuration for all hosts.
void check_receivers(const Context& context) {
  const std::vector<topologies::RackSpec>& racks = context.document.racks;
  const auto receiver = [](const topologies::NicPart& nic) {
    return std::tuple(nic.receive_rate, nic.receive_buffer, nic.xoff, nic.xon);
  };
  for (std::size_t i = 1; i < racks.size(); ++i) {
    if (receiver(racks[i].server.nic) == receiver(racks.front().server.nic)) continue;
    context.fail(element_path("racks", i) + ".server.nic",
                 "takes in packets differently from the NICs of the first racks (receive_rate, "
                 "receive_buffer, xoff, xon); these must be alike");
  }
}

/// Arbiters of inputs do not take turns on links that other nodes send on.
void check_shared_links(const Context& context, const Scenario& scenario) {
  if (scenario.switches.queueing != protocols::SwitchConfig::Queueing::kInput) return;
  const std::vector<topologies::RackSpec> racks = racks_of(context.document);
  for (std::size_t i = 0; i < racks.size(); ++i) {
    const topologies::HostLinkPart& link = racks[i].server.host_link;
    if (!link.is_shared()) continue;
    const bool is_listed = locate(context.root, "racks[0]").is_exact;
    context.fail((is_listed ? element_path("racks", i) : std::string("racks")) +
                     ".server.host_link." + (link.is_one_way() ? "through" : "shared_by"),
                 "makes a link that several share, whose turns switches with `queueing: input` do "
                 "not know; say `queueing: output`, or leave it out");
  }
}

/// Where the load balancing of a class stands.
std::string balancing_path(const Context& context, ClassId c) {
  const auto& classes = context.document.fabric.classes;
  const std::size_t place = c.value();
  const bool is_own = place < classes.size() && classes[place].own.load_balancing.has_value();
  return (is_own ? element_path("fabric.classes", place) : std::string("fabric")) +
         ".load_balancing";
}

void check_balancing(const Context& context, const Scenario& scenario) {
  const protocols::SwitchConfig& switches = scenario.switches;
  const std::vector<ClassDocument>& classes = context.document.fabric.classes;
  for (const ClassId c : switches.all_classes()) {
    const protocols::LoadBalancing& balancing = switches.balancing(c);
    const std::size_t place = c.value();
    const bool has_own = place < classes.size() && classes[place].transport.has_value();
    const protocols::TransportConfig& transport =
        has_own ? *classes[place].transport : scenario.transport;
    if (balancing.sprays() && breaks_when_reordered(transport)) {
      return context.fail(balancing_path(context, c), kReorderedDatagrams);
    }
    if (balancing.type == protocols::LoadBalancing::kAdaptive &&
        switches.queueing == protocols::SwitchConfig::Queueing::kInput) {
      return context.fail(balancing_path(context, c),
                          "`adaptive` compares queues at the outputs, of which a switch with "
                          "`queueing: input` has none");
    }
  }
}

void check_run(const Context& context) {
  const RunSpec& run = context.document.run;
  if (run.until && *run.until <= run.warmup) {
    context.fail("run.until", quantity_text(run.until->count(), dimension_of<Picoseconds>()) +
                                  " is not after the warm-up (" +
                                  quantity_text(run.warmup.count(), dimension_of<Picoseconds>()) +
                                  ")");
  }
}

/// What cannot be told of periods that are skipped.
void check_periods(const Context& context, const Scenario& scenario) {
  if (scenario.run.reuse.periods != Periods::kApproximate) return;
  const ObserveSpec& o = scenario.observe;
  const auto refuse = [&context](bool is_there, const char* path, const char* why) {
    if (is_there) {
      context.fail(path, std::string(why) + "; leave it out, or say `periods: simulated`");
    }
  };
  refuse(!scenario.faults.empty(), "faults", "break the periods that `run.reuse` leaves out");
  refuse(scenario.run.warmup > Picoseconds(0), "run.warmup",
         "counts from a time on, and approximate periods leave some out");
  refuse(scenario.run.until.has_value(), "run.until",
         "may cut periods that approximate reuse leaves out");
  refuse(o.blame, "observe.blame", "follows packets, and skipped periods have none");
  refuse(o.timeline.has_value(), "observe.timeline", "would show a gap where periods are skipped");
  refuse(o.queues.has_value(), "observe.queues", "would show a gap where periods are skipped");
  refuse(o.marks.has_value(), "observe.marks", "would show a gap where periods are skipped");
  refuse(o.rates.has_value(), "observe.rates", "would show a gap where periods are skipped");
  refuse(o.packets.has_value(), "observe.packets", "would miss packets of skipped periods");
  refuse(o.pauses, "observe.pauses", "would miss pauses of skipped periods");
  refuse(o.credits, "observe.credits", "would miss stalls of skipped periods");
  const Reuse mode = scenario.run.reuse.mode;
  refuse(mode == Reuse::kVerify || mode == Reuse::kAudit, "run.reuse.mode",
         "simulates everything, and approximate periods do not");
  const std::string path = "run.reuse.periods";
  if (scenario.jobs.size() != 1) {
    context.fail(path, "is `approximate`, which needs one job by itself; there are " +
                           std::to_string(scenario.jobs.size()));
  } else if (!collectives::has_iterations(scenario.jobs.front().kind)) {
    context.fail(path, "is `approximate`; a job of type `" +
                           std::string(collectives::type_name(scenario.jobs.front().kind)) +
                           "` has neither rounds nor iterations");
  }
}

}  // namespace

Scenario lower(const Context& context) {
  const Document& document = context.document;
  Scenario scenario;
  scenario.name = document.name;
  scenario.seed = document.seed;
  scenario.topology = lower_topology(document);
  scenario.link_changes = document.links.changes;
  scenario.switches = document.fabric.policies;
  scenario.switches.buffer = document.fabric.switch_part.buffer;
  scenario.switches.cell = document.fabric.switch_part.cell;
  scenario.switches.headroom_pool = document.fabric.switch_part.headroom_pool;
  const topologies::NicPart nic = nic_of(document);
  scenario.nic = {.receive_rate = nic.receive_rate,
                  .receive_buffer = nic.receive_buffer,
                  .xoff = nic.xoff,
                  .xon = nic.xon};
  scenario.nic_transport = nic_transport(document);
  scenario.servers = server_blocks(document);
  scenario.transport = document.transport;
  scenario.pxn = document.pxn;
  scenario.run = document.run;
  scenario.observe = document.observe;
  check_receivers(context);
  check_shared_links(context, scenario);
  check_run(context);
  lower_classes(context, scenario);
  lower_trimming(context, scenario);
  lower_settings(context, scenario);
  check_balancing(context, scenario);
  lower_jobs(context, scenario);
  check_buffers(context, scenario);
  lower_faults(context, scenario);
  lower_scale_up(context, scenario);
  check_periods(context, scenario);
  return scenario;
}

}  // namespace weft::scenarios::language
