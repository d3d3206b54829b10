#include "topologies/parts/parts_schema.hpp"

#include <optional>
#include <string>
#include <vector>

#include "simcore/schema/schema_builder.hpp"
#include "topologies/parts/parts.hpp"

namespace weft::topologies {
namespace {

constexpr const char* kReceiver = "chosen; not published for any NIC";

bool is_slow_receiver(const NicPart& nic) { return nic.receive_rate.has_value(); }

}  // namespace

schema::Object<SwitchPart> switch_part_schema() {
  return schema::describe<SwitchPart>("switch", "a switch as a part")
      .field("buffer", &SwitchPart::buffer, "shared packet buffer")
      .rating()
      .source("an ideal switch has room for everything")
      .at_least(1_B)
      .field("cell", &SwitchPart::cell, "packets occupy whole cells of the buffer")
      .source("an ideal switch wastes no memory")
      .at_least(1_B)
      .at_most(4_KiB)
      .field("headroom_pool", &SwitchPart::headroom_pool,
             "of the buffer: what the headroom of all ports and classes with PFC is drawn from, up "
             "to each one's `headroom`; `none`: each has its headroom to itself")
      .source(
          "headroom was per port before there were pools; SONiC: `xoff` of the ingress pool "
          "(SAI_BUFFER_POOL_ATTR_XOFF_SIZE)")
      .special("none", std::int64_t{0})
      .field("latency", &SwitchPart::latency, "from the end of reception to the egress queue")
      .source(kIdeal)
      .at_most(1_s)
      .field("capacity", &SwitchPart::capacity,
             "of all its ports together, per direction; `unlimited`: whatever is plugged in")
      .rating()
      .changes_output()
      .source("an ideal switch has any number of ports")
      .at_least(1_Mbps)
      .special("unlimited", std::nullopt)
      .choice("link_layer", &SwitchPart::link_layer,
              {{LinkLayer::kEthernet, "ethernet",
                "lossless by PFC, with ECN and DCQCN, unless said otherwise"},
               {LinkLayer::kInfiniBand, "infiniband",
                "lossless by credits, without them, unless said otherwise"}},
              "what its links speak; the same for all switches of a fabric")
      .source("most switches are Ethernet switches")
      .check([](const SwitchPart& part, std::vector<schema::Problem>& problems) {
        if (part.headroom_pool >= part.buffer) {
          problems.push_back(
              {"headroom_pool", "is no less than the whole buffer (" +
                                    quantity_text(part.buffer.count(), dimension_of<Bytes>()) +
                                    "); nothing would be left to share"});
        }
      })
      .part_of("switches");
}

schema::Object<NicPart> nic_part_schema() {
  return schema::describe<NicPart>("NIC", "a network interface as a part")
      .field("rate", &NicPart::rate, "of one port, per direction")
      .rating()
      .source("the rate of NDR and of most 2025 training fabrics")
      .at_least(1_Mbps)
      .field("nominal_rate", &NicPart::nominal_rate,
             "what `explain` compares `rate` with, and takes slow NICs out to")
      .changes_nothing()
      .source("that of the part, where `rate` is below it; else `rate`")
      .at_least(1_Mbps)
      .field("ports", &NicPart::ports, "several: one per plane, or two for two leaves per rack")
      .source("one port")
      .range(1, 64)
      .field("send_latency", &NicPart::send_latency, "from the host to the wire")
      .source(kIdeal)
      .at_most(1_s)
      .field("receive_latency", &NicPart::receive_latency,
             "from the end of reception to the transport")
      .source(kIdeal)
      .at_most(1_s)
      .field("transport_latency", &NicPart::transport_latency,
             "what a message takes longer in the NIC's own transport than over InfiniBand or RoCE")
      .source("RDMA in hardware; NCCL's tuning table contains it")
      .at_most(1_s)
      .field("start_latency", &NicPart::start_latency,
             "with `preset: nccl`, from the launch of a collective on several servers until the "
             "transports of all of them are at work")
      .source("they are at work already, as in calls back to back")
      .at_most(1_s)
      .field("receive_rate", &NicPart::receive_rate,
             "wire bytes that it takes in towards host memory; `unlimited`: any link's")
      .source("an ideal NIC keeps up with its link")
      .at_least(1_Mbps)
      .special("unlimited", std::nullopt)
      .field("receive_buffer", &NicPart::receive_buffer, "where what it cannot take in waits")
      .source(kReceiver)
      .at_least(1_B)
      .only_if(is_slow_receiver, "with a `receive_rate`")
      .field("xoff", &NicPart::xoff, "pauses the switch above this many waiting bytes")
      .source(kReceiver)
      .at_least(1_B)
      .only_if(is_slow_receiver, "with a `receive_rate`")
      .field("xon", &NicPart::xon, "resumes it below")
      .source(kReceiver)
      .only_if(is_slow_receiver, "with a `receive_rate`")
      .check([](const NicPart& nic, std::vector<schema::Problem>& problems) {
        if (nic.xon > nic.xoff) {
          problems.push_back({"xon", "is above xoff (" +
                                         quantity_text(nic.xoff.count(), dimension_of<Bytes>()) +
                                         "); a pause could never be lifted in order"});
        }
      })
      .part_of("nics");
}

schema::Object<CablePart> cable_part_schema() {
  return schema::describe<CablePart>("cable", "a cable with what is plugged in at its ends")
      .field("latency_per_metre", &CablePart::latency_per_metre, "propagation")
      .source(kIdeal)
      .at_most(1_us)
      .field("transceivers", &CablePart::transceivers, "of both ends together")
      .source(kIdeal)
      .at_most(1_s)
      .field("fec", &CablePart::fec, "accumulating, coding and decoding a code word")
      .source(kIdeal)
      .at_most(1_s)
      .part_of("cables");
}

schema::Object<LinkErrorPart> link_error_schema() {
  using Errors = LinkErrorPart;
  return schema::describe<Errors>("link errors", "how often frames are corrupted")
      .field("bit_error_rate", &Errors::bit_error_rate,
             "bits that arrive wrong after forward error correction; each corrupts its code word")
      .source("none")
      .within({.low = 0, .high = 0.1})
      .choice("code_word", &Errors::code_word,
              {{LinkErrors::Unit::kRs544, "rs-544", "RS(544,514), 640 B of data in 5,440 bits"},
               {LinkErrors::Unit::kRs528, "rs-528", "RS(528,514), 640 B of data in 5,280 bits"},
               {LinkErrors::Unit::kRs272, "rs-272", "RS(272,258), 320 B of data in 2,720 bits"},
               {LinkErrors::Unit::kBits, "none", "no FEC: a bit error corrupts its frame only"}},
              "what an error corrupts, with every frame that has a part in it")
      .source("IEEE 802.3 clause 119, the code of links of 50 and 100 Gbps per lane")
      .only_if([](const Errors& e) { return e.bit_error_rate.has_value(); },
               "with a `bit_error_rate`")
      .field("frame_loss_rate", &Errors::frame_loss_rate,
             "frames that are corrupted, whatever their size; instead of `bit_error_rate`")
      .source("none")
      .within({.low = 0, .high = 1})
      .check([](const Errors& e, std::vector<schema::Problem>& problems) {
        if (e.bit_error_rate && e.frame_loss_rate) {
          problems.push_back({"frame_loss_rate",
                              "given together with bit_error_rate, which it replaces; leave one of "
                              "them out"});
        }
      });
}

schema::Object<LinkPart> link_part_schema() {
  return schema::describe<LinkPart>("link", "a cable: a latency, or a length of some cable")
      .field("rate", &LinkPart::rate, "per direction")
      .at_least(1_Mbps)
      .field("latency", &LinkPart::latency, "of one direction, instead of length and cable")
      .field("length", &LinkPart::length, "of the cable")
      .at_least(Millimetres(1))
      .at_most(Millimetres(100'000'000))
      .object("cable", &LinkPart::cable, cable_part_schema(), "what kind of cable")
      .include(&LinkPart::errors, link_error_schema())
      .check([](const LinkPart& link, std::vector<schema::Problem>& problems) {
        if (link.latency && (link.length || link.cable)) {
          problems.push_back({"latency",
                              "given together with length or cable; the latency of the "
                              "whole wire replaces both"});
        }
      });
}

}  // namespace weft::topologies
