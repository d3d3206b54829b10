#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/schema/schema_builder.hpp"
#include "simcore/text/counted.hpp"
#include "topologies/parts/parts.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::topologies {
namespace {

using Problems = std::vector<schema::Problem>;

constexpr std::uint32_t kMaxGpus = 4'096;
constexpr std::uint32_t kMaxScaleUpSwitches = 1'024;

bool is_nominal(const ScaleUpPart& part) { return !part.is_effective; }
bool has_boards(const ScaleUpPart& part) { return part.boards > 1; }
bool has_gpus(const ServerPart& server) { return server.gpus > 0; }

void check_wiring(const ScaleUpPart& part, Problems& problems) {
  if (part.switches % part.boards != 0) {
    problems.push_back(
        {"switches", "cannot be split evenly over " + std::to_string(part.boards) + " boards"});
    return;
  }
  const std::uint32_t switches = part.switches / part.boards;
  if (part.links_per_switch.size() != 1 && part.links_per_switch.size() != switches) {
    problems.push_back(
        {"links_per_switch", "has " + weft::counted(part.links_per_switch.size(), "number") +
                                 "; a board has " + weft::counted(switches, "switch", "switches") +
                                 ": expected one for all, or one for each"});
  }
  if (has_boards(part) && part.trunks == 0) {
    problems.push_back({"trunks", "is 0; GPUs of different boards could not reach each other"});
  }
}

void check_host_link(const HostLinkPart& link, Problems& problems) {
  if (link.rate || !link.is_shared()) return;
  const char* key = link.is_one_way() ? "through" : "shared_by";
  problems.push_back({key, "needs the `rate` of the link that is shared; found `unlimited`"});
}

/// `1, 2, 4`
std::string divisors_of(std::uint32_t number) {
  std::string list;
  for (std::uint32_t i = 1; i <= number; ++i) {
    if (number % i == 0) list += (list.empty() ? "" : ", ") + std::to_string(i);
  }
  return list;
}

void check_shared_link(const ServerPart& server, Problems& problems) {
  const HostLinkPart& link = server.host_link;
  if (link.is_one_way() && !has_gpus(server)) {
    problems.push_back({"host_link.through",
                        "needs GPUs, which the server has none of: its NICs reach memory through "
                        "the root complex anyway, each direction by itself; expected `switch`"});
  }
  if (link.shared_by == 0) return;
  if (server.nics == 0) {
    problems.push_back({"host_link.shared_by", "needs NICs, which the server has none of"});
  } else if (server.nics % link.shared_by != 0) {
    problems.push_back(
        {"host_link.shared_by", "does not divide " + weft::counted(server.nics, "NIC") +
                                    "; expected one of " + divisors_of(server.nics)});
  }
}

void check_server(const ServerPart& server, Problems& problems) {
  check_shared_link(server, problems);
  const std::string gpus = weft::counted(server.gpus, "GPU");
  if (!has_gpus(server) && server.nics == 0) {
    problems.push_back({"nics", "leaves a server with neither GPUs nor NICs"});
  }
  const bool has_shares = server.nics > 0 && has_gpus(server);
  if (has_shares && server.gpus % server.nics != 0 && server.nics % server.gpus != 0) {
    problems.push_back({"nics", "leaves " + gpus + " without an equal share of " +
                                    weft::counted(server.nics, "NIC")});
  }
  if (has_gpus(server) && server.scale_up && server.gpus % server.scale_up->boards != 0) {
    problems.push_back({"gpus", "cannot be split evenly over the " +
                                    std::to_string(server.scale_up->boards) +
                                    " boards of the scale-up domain"});
  }
  if (server.rails > server.nics) {
    problems.push_back({"rails", "is more than " + weft::counted(server.nics, "NIC")});
  }
}

template <class Part>
PartKind kind(const schema::Object<Part>& object,
              std::vector<std::pair<std::string, std::string>> headline) {
  return {object.any(), [] { return std::make_shared<Part>(); }, std::move(headline)};
}

/// How long data takes through a domain, and what its ports hold.
void describe_latencies(schema::Builder<ScaleUpPart>& part) {
  part.field("link_latency", &ScaleUpPart::link_latency, "of the wire, one way")
      .source(kIdeal)
      .at_most(1_s)
      .field("send_latency", &ScaleUpPart::send_latency, "from a GPU's memory to its link")
      .source(kIdeal)
      .at_most(1_s)
      .field("gpu_latency", &ScaleUpPart::gpu_latency,
             "from the end of reception until a GPU has the data")
      .source(kIdeal)
      .at_most(1_s)
      .field("switch_latency", &ScaleUpPart::switch_latency, "of a scale-up switch")
      .formerly("chip_latency")
      .source(kIdeal)
      .at_most(1_s)
      .field("port_buffer", &ScaleUpPart::port_buffer, "of every receiving port; its credits")
      .source("chosen: several times what a link holds within a rack; not published")
      .at_least(64_B)
      .at_most(Bytes(1'000'000'000));
}

/// What links and switches of a domain do with data.
void describe_data(schema::Builder<ScaleUpPart>& builder) {
  builder
      .choice("spreading", &ScaleUpPart::spreading,
              {{ScaleUpPart::Spreading::kRoundRobin, "round-robin", "packet by packet in turn"},
               {ScaleUpPart::Spreading::kRandom, "random", "packet by packet at random"},
               {ScaleUpPart::Spreading::kFlow, "flow", "all packets of a connection by one link"}},
              "how packets of one message spread over a GPU's links")
      .matters_if([](const ScaleUpPart& part) { return part.links_per_gpu() > 1; },
                  "with several links per GPU")
      .source("chosen: GPUs interleave their links finely; not published")
      .field(
          "reduction_window", &ScaleUpPart::reduction_window,
          "packets per link and GPU in sums that switches have not completed; 0: they do not add")
      .source("switches that only forward")
      .range(0, 4'096)
      .field("reduction_efficiency", &ScaleUpPart::reduction_efficiency,
             "share of the payload rate for data that switches reduce or multicast")
      .matters_if([](const ScaleUpPart& part) { return part.reduction_window > 0; },
                  "with a `reduction_window`")
      .source("all of it")
      .within({.low = 0, .high = 1, .includes_low = false})
      .choice("gpus", &ScaleUpPart::gpus,
              {{std::nullopt, "other", "that NCCL's model does not know"},
               {GpuGeneration::kVolta, "volta", "V100"},
               {GpuGeneration::kAmpere, "ampere", "A100"},
               {GpuGeneration::kHopper, "hopper", "H100, H200"},
               {GpuGeneration::kBlackwell, "blackwell", "B200, GB200, B300"}},
              "that are attached to it, by which collectives are chosen")
      .source("nothing is known of them");
}

}  // namespace

schema::Object<ScaleUpPart> scale_up_part_schema() {
  auto builder =
      schema::describe<ScaleUpPart>("scale-up",
                                    "links of GPUs to the scale-up switches of a domain")
          .field("switches", &ScaleUpPart::switches,
                 "scale-up switches such as NVSwitches, of all boards together")
          .formerly("chips")
          .source("the smallest domain")
          .range(1, kMaxScaleUpSwitches)
          .integers(
              "links_per_switch", &ScaleUpPart::links_per_switch,
              "links from a GPU to each switch of its board; one number stands for all switches")
          .formerly("links_per_chip")
          .source("one link")
          .range(1, 64)
          .field("boards", &ScaleUpPart::boards, "GPUs and switches are split over them in order")
          .source("all GPUs are one switch away from each other")
          .range(1, 2)
          .field("trunks", &ScaleUpPart::trunks, "links between a switch and its counterpart")
          .source("switches of one board are not joined")
          .range(0, 1'024)
          .only_if(has_boards, "with two boards")
          .field("rate", &ScaleUpPart::rate, "nominal, of one link and direction")
          .rating()
          .source("NVLink 5: 50 GB/s")
          .at_least(1_Mbps)
          .only_if(is_nominal,
                   "without `effective_rate`, which stands for both rate and efficiency")
          .then([](ScaleUpPart& part) { part.is_effective = false; })
          .field("effective_rate", &ScaleUpPart::rate,
                 "what is left of a link's rate for payload, such as NCCL's figures")
          .source("none; the nominal rate and its efficiency are given")
          .at_least(1_Mbps)
          .only_if([](const ScaleUpPart& part) { return part.is_effective; }, "without `rate`")
          .then([](ScaleUpPart& part) {
            part.is_effective = true;
            part.payload_efficiency.reset();
          })
          .field("payload_efficiency", &ScaleUpPart::payload_efficiency,
                 "share of `rate` that carries payload, in place of a packet header")
          .source("all of it")
          .within({.low = 0, .high = 1, .includes_low = false})
          .only_if(
              is_nominal,
              "with a nominal `rate`; an `effective_rate` has the overhead taken off already, and "
              "it would be taken off twice")
          .field("packet", &ScaleUpPart::packet, "payload of a simulated packet")
          .source("a compromise: NVLink's own packets hold 256 B, which cost 16 times the events")
          .at_least(64_B)
          .at_most(1_MiB);
  describe_latencies(builder);
  describe_data(builder);
  builder.check(check_wiring).part_of("scale-up");
  return builder;
}

schema::Object<HostLinkPart> host_link_part_schema() {
  return schema::describe<HostLinkPart>(
             "host link", "how a GPU reaches its NIC, or the memory of a server without GPUs")
      .field("rate", &HostLinkPart::rate, "per direction; `unlimited`: any NIC's")
      .source("an ideal link keeps up with its NIC")
      .at_least(1_Mbps)
      .special("unlimited", std::nullopt)
      .field("latency", &HostLinkPart::latency, "one way, PCIe switches included")
      .source(kIdeal)
      .at_most(1_s)
      .field("shared_by", &HostLinkPart::shared_by,
             "NICs in order that share one link, as above a PCIe switch or between sockets, with "
             "their GPUs: `rate` is for all")
      .source("every GPU has a link of its own")
      .range(0, kMaxGpus)
      .special("none", schema::Scalar(std::uint64_t{0}))
      .choice("through", &HostLinkPart::through,
              {{HostLinkPart::Through::kSwitch, "switch", "straight through their PCIe switch"},
               {HostLinkPart::Through::kRootComplex, "root-complex",
                "up the link above it and down again, as with ACS or without GPU-direct: both "
                "directions share `rate`"}},
              "how data passes between GPU and NIC")
      .source("GPU-direct, without ACS")
      .check(check_host_link)
      .part_of("host-links");
}

schema::Object<GpuPart> gpu_part_schema() {
  constexpr const char* kByGeneration = "as A100, H100 or B200, by generation";
  return schema::describe<GpuPart>("GPU", "what collectives have to know of a GPU")
      .field("memory_bandwidth", &GpuPart::memory_bandwidth, "reads and writes together")
      .source("not known")
      .at_least(1_Gbps)
      .field("copy_rate", &GpuPart::copy_rate,
             "bytes that it copies, with `execution: nccl`; 0: at once")
      .source("half of the memory's bandwidth: every byte is read and written")
      .field("reduce_rate", &GpuPart::reduce_rate,
             "bytes that it adds up, with `execution: nccl`; 0: at once")
      .source("a third of the memory's bandwidth: two bytes are read for each that is written")
      .field("block_rate", &GpuPart::block_rate,
             "bytes that one block of threads moves between buffers of the network")
      .source(kByGeneration)
      .at_least(1_Mbps)
      .field("launch_latency", &GpuPart::launch_latency,
             "what its host takes until a collective that nothing precedes has begun")
      .source(kByGeneration)
      .field("kernel_latency", &GpuPart::kernel_latency,
             "what a collective's kernel takes in LL beside its steps and bytes, inside a domain")
      .source(kByGeneration)
      .field("kernel_step_latency", &GpuPart::kernel_step_latency,
             "what a step of a ring takes in LL, inside a domain")
      .source(kByGeneration)
      .part_of("gpus");
}

schema::Object<ServerPart> server_part_schema() {
  return schema::describe<ServerPart>("server", "a server, or a rack that is one domain")
      .field("gpus", &ServerPart::gpus, "each is a host of the fabric; 0: each NIC is one")
      .source("a plain server")
      .range(0, kMaxGpus)
      .object("gpu", &ServerPart::gpu, gpu_part_schema(), "what each of its GPUs is")
      .source("with `execution: nccl` as A100, H100 or B200, by generation")
      .only_if(has_gpus, "with `gpus`")
      .object("scale_up", &ServerPart::scale_up, scale_up_part_schema(),
              "what joins its GPUs to each other")
      .only_if(has_gpus, "with `gpus`")
      .field("nics", &ServerPart::nics,
             "shared evenly by the GPUs, or several beside each; 0: no scale-out network")
      .source("one NIC, one host")
      .range(0, kMaxGpus)
      .field("rails", &ServerPart::rails, "NIC i is on rail i modulo rails")
      .source("every NIC of a server is on a rail of its own")
      .range(0, kMaxGpus)
      .special("one-per-nic", schema::Scalar(std::uint64_t{0}))
      .object("nic", &ServerPart::nic, nic_part_schema(), "what each of its NICs is")
      .source(kIdeal)
      .object("host_link", &ServerPart::host_link, host_link_part_schema(),
              "how a GPU reaches its NIC, or the memory of a server without GPUs: all ports of the "
              "NIC share it")
      .source(kIdeal)
      .check(check_server)
      .part_of("servers");
}

std::vector<PartKind> part_kinds() {
  return {
      kind(server_part_schema(), {{"GPUs", "gpus"},
                                  {"scale-up switches", "scale_up.switches"},
                                  {"link", "scale_up.rate"},
                                  {"NICs", "nics"},
                                  {"rate", "nic.rate"}}),
      kind(gpu_part_schema(), {{"memory", "memory_bandwidth"}, {"block", "block_rate"}}),
      kind(scale_up_part_schema(), {{"rate", "rate"},
                                    {"payload", "payload_efficiency"},
                                    {"switch latency", "switch_latency"},
                                    {"port buffer", "port_buffer"}}),
      kind(host_link_part_schema(), {{"rate", "rate"}, {"latency", "latency"}}),
      kind(nic_part_schema(), {{"rate", "rate"},
                               {"ports", "ports"},
                               {"send latency", "send_latency"},
                               {"receive latency", "receive_latency"}}),
      kind(switch_part_schema(), {{"capacity", "capacity"},
                                  {"buffer", "buffer"},
                                  {"cell", "cell"},
                                  {"latency", "latency"}}),
      kind(cable_part_schema(),
           {{"per metre", "latency_per_metre"}, {"transceivers", "transceivers"}, {"FEC", "fec"}}),
  };
}

}  // namespace weft::topologies
