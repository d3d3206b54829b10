#include <string>
#include <utility>
#include <vector>

#include "protocols/config/transports/roce_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {
namespace {

bool goes_back(const RoceConfig& roce) { return std::holds_alternative<GoBackN>(roce.recovery); }

/// What recovery has no use for.
void check_recovery(const RoceConfig& roce, std::vector<schema::Problem>& problems) {
  if (roce.nack_interval &&
      (!goes_back(roce) || roce.receiver == RoceConfig::Receiver::kAnyOrder)) {
    problems.push_back(
        {"ack.nack_interval",
         "has no meaning here: only a receiver that takes packets in order reports a "
         "gap as such; leave it out, or set `receiver: in-order` and `recovery: "
         "go-back-n`"});
  }
  if (roce.queue_pair_life == QueuePairLife::kMessage &&
      roce.queue_pair_use == QueuePairUse::kBothWays) {
    problems.push_back({"queue_pair_life",
                        "is `message`, and a queue pair that lasts for one message carries no data "
                        "the other way; set `queue_pair_use: unidirectional`"});
  }
  if (roce.split_messages && roce.queue_pair_life == QueuePairLife::kMessage) {
    problems.push_back({"split_messages",
                        "cuts a message into parts, and each would have a queue pair of its own "
                        "that lasts for it alone; set `queue_pair_life: connection`"});
  }
}

/// What path selection by the sender requires.
void check_path_selection(const RoceConfig& roce, std::vector<schema::Problem>& problems) {
  const path_selection::Traits traits = path_selection::traits_of(roce.path_selection);
  const std::string name =
      "is `" + std::string(path_selection::name_of(roce.path_selection)) + "`, ";
  if (std::holds_alternative<path_selection::FixedConfig>(roce.path_selection)) return;
  if (!goes_back(roce)) {
    problems.push_back(
        {"path_selection", name + "and selective repeat takes a packet that another path "
                                  "overtook for lost; set `recovery: go-back-n`"});
  } else if (traits.is_per_packet && roce.receiver == RoceConfig::Receiver::kInOrder) {
    problems.push_back({"path_selection", name +
                                              "so that packets overtake each other; set `receiver: "
                                              "any-order`"});
  }
  if (traits.observes_acks && roce.ack_every != 1) {
    problems.push_back(
        {"path_selection", name + "which hears of every packet; set `ack: {every: 1}`"});
  }
  if (roce.queue_pair_use == QueuePairUse::kBothWays) {
    problems.push_back(
        {"path_selection", name + "and acknowledgements carry what the packet had that they "
                                  "answer; set `queue_pair_use: unidirectional`"});
  }
  if (roce.queue_pair_life == QueuePairLife::kMessage) {
    problems.push_back({"path_selection", name + "which a queue pair learns over its life; set "
                                                 "`queue_pair_life: connection`"});
  }
}

/// What packets that take several planes require.
void check_planes(const RoceConfig& roce, std::vector<schema::Problem>& problems) {
  if (roce.planes.choice != PlaneConfig::Choice::kPacket) return;
  if (!goes_back(roce)) {
    problems.push_back(
        {"plane_choice",
         "lets packets overtake each other, and selective repeat takes one that another plane's "
         "overtook for lost; set recovery: go-back-n and receiver: any-order, or "
         "plane_choice: qp"});
  } else if (roce.receiver == RoceConfig::Receiver::kInOrder) {
    problems.push_back({"plane_choice",
                        "lets packets overtake each other; set receiver: any-order, "
                        "or plane_choice: qp"});
  }
  if (roce.planes.notice == PlaneConfig::Notice::kLoss) {
    problems.push_back({"plane_notice",
                        "is loss, with plane_choice: packet, and a time-out of roce tells of no "
                        "single packet; set plane_notice: port-status, or type: uec"});
  }
}

/// What needs ACKs more often than one per `ack_every` packets or per message.
void check_acks(const RoceConfig& roce, std::vector<schema::Problem>& problems) {
  if (roce.ack_every != RoceConfig::kMessage) {
    if (roce.window != 0 && roce.window < roce.ack_every) {
      problems.push_back({"window", "is less than the " + std::to_string(roce.ack_every) +
                                        " packets per ACK; the sender would wait for an ACK "
                                        "that the receiver holds back"});
    }
    return;
  }
  const std::string instead = " is acknowledged before a message ends; set `ack: {every: 1}`";
  if (roce.window != 0) {
    problems.push_back({"window", "would be full forever where nothing" + instead});
  }
  if (!goes_back(roce)) {
    problems.push_back({"recovery", "hears of gaps by ACKs, and nothing" + instead});
  }
  if (congestion::requirements_of(roce.congestion_control).acks) {
    problems.push_back({"congestion_control", "goes by ACKs, and nothing" + instead});
  }
}

schema::Object<RoceConfig> ack_schema() {
  return schema::describe<RoceConfig>("acknowledgements", "how receivers acknowledge")
      .field("size", &RoceConfig::ack_size, "wire bytes of an ACK, NACK or CNP")
      .source("RoCEv2 ACK frame of 66 B, preamble 8, gap 12")
      .at_least(1_B)
      .at_most(4_KiB)
      .field("every", &RoceConfig::ack_every,
             "packets per ACK; the last packet of a message is always acknowledged, and with "
             "`message` no other. ConnectX NICs under Linux ask for one in 256 packets")
      .source("an ACK per packet shows the sender every delivery")
      .range(1, 1'000'000)
      .special("message", std::uint64_t{RoceConfig::kMessage})
      .field(
          "nack_interval", &RoceConfig::nack_interval,
          "least time between two NACKs for one gap, which is reported again while packets after "
          "it arrive; `never`: once")
      .source("InfiniBand: one NAK until what is missing has come")
      .special("never", std::nullopt)
      .at_least(1_ns)
      .field("priority", &RoceConfig::ack_class,
             "class of ACKs and NACKs; `same`: that of the data they answer")
      .source("acknowledgements of a RoCE queue pair use its own priority");
}

/// What only Ultra Ethernet has.
void check_contexts(const RoceConfig& roce, std::vector<schema::Problem>& problems) {
  if (!congestion::requirements_of(roce.congestion_control).contexts) return;
  problems.push_back({"congestion_control",
                      std::string("is ") + congestion::title_of(roce.congestion_control) +
                          ", which has a window in bytes per destination; only `type: uec` has "
                          "such"});
}

/// Telemetry makes packets longer than their format says.
void check_telemetry(const RoceConfig& roce, std::vector<schema::Problem>& problems) {
  const Bytes packet = roce.traits().full_packet();
  if (packet > kMaxPacket && roce.format.payload + roce.format.header <= kMaxPacket) {
    problems.push_back({"mtu", "makes packets of " + std::to_string(packet.count()) +
                                   " B with their telemetry; at most " +
                                   std::to_string(kMaxPacket.count()) + " B are possible"});
  }
}

/// What a queue pair is: how much it has in flight, how long it waits, whose data it carries.
void describe_queue_pairs(schema::Builder<RoceConfig>& builder) {
  builder.field("window", &RoceConfig::window, "packets in flight per queue pair; 0: no limit")
      .source("RoCE NICs limit the rate, not the window")
      .range(0, congestion::kMaxInFlight)
      .field("retransmit_timeout", &RoceConfig::retransmit_timeout,
             "time without progress until the sender goes back; with selective repeat, which has "
             "time-outs of its own, what `retry_limit` counts")
      .source("4.096 us * 2^14, the timeout 14 that verbs programs commonly set")
      .at_least(1_us)
      .field("retry_limit", &RoceConfig::retry_limit,
             "time-outs in a row until the queue pair fails")
      .source("InfiniBand: the largest value of the 3-bit retry counter")
      .range(0, 1'000)
      .field("queue_pairs", &RoceConfig::queue_pairs, "per connection; messages take them in turn")
      .source("one queue pair per pair of processes")
      .range(1, 1'024)
      .field("split_messages", &RoceConfig::split_messages,
             "every message takes all queue pairs of its connection, with an even part on each "
             "(NCCL_IB_SPLIT_DATA_ON_QPS=1)")
      .source("NCCL: NCCL_IB_SPLIT_DATA_ON_QPS is 0, messages take queue pairs in turn")
      .choice("queue_pair_use", &RoceConfig::queue_pair_use,
              {{QueuePairUse::kOneWay, "unidirectional",
                "one process's: ACKs of A to B have an ECMP key of their own"},
               {QueuePairUse::kBothWays, "bidirectional",
                "both processes': ACKs of A to B take the path of B's data to A"}},
              "whose data a queue pair carries")
      .respelled("unidirectional", "one-way")
      .respelled("bidirectional", "both-ways")
      .source("NCCL connects a queue pair per send and per receive")
      .choice(
          "queue_pair_life", &RoceConfig::queue_pair_life,
          {{QueuePairLife::kConnection, "connection",
            "rates, windows and paths are those that earlier messages have left"},
           {QueuePairLife::kMessage, "message",
            "every message has a new queue pair, and waits for the message before it in the same "
            "slot of `queue_pairs`"}},
          "how long a queue pair lives")
      .source("RDMA programs connect once; simulators of flows start each on a fresh one");
}

}  // namespace

RoceConfig RoceConfig::default_config(LinkLayer layer) {
  RoceConfig roce;
  if (layer == LinkLayer::kInfiniBand) roce.congestion_control = congestion::NoControlConfig{};
  return roce;
}

TransportTraits RoceConfig::traits() const {
  TransportTraits traits;
  traits.format = format;
  traits.is_acknowledged = true;
  if (const auto* repeat = std::get_if<SelectiveRepeat>(&recovery)) traits.selective = *repeat;
  traits.uses_trimming = traits.selective.has_value();
  traits.takes_any_order = receiver == Receiver::kAnyOrder || traits.selective;
  traits.nack_interval = nack_interval;
  traits.queue_pair_life = queue_pair_life;
  traits.ack_size = ack_size;
  traits.ack_every = ack_every;
  traits.ack_class = ack_class;
  traits.cnp_class = cnp_class;
  traits.window = window;
  traits.retransmit_timeout = retransmit_timeout;
  traits.retry_limit = retry_limit;
  traits.queue_pairs = queue_pairs;
  traits.splits_messages = split_messages;
  traits.queue_pair_use = queue_pair_use;
  traits.congestion_control = congestion_control;
  traits.path_selection = path_selection;
  traits.planes = planes;
  if (congestion::requirements_of(congestion_control).telemetry) {
    traits.format.header += kTelemetrySize;
    traits.ack_size += kTelemetrySize;
  }
  return traits;
}

schema::Object<RoceConfig> RoceConfig::schema(LinkLayer layer) {
  auto builder =
      schema::describe<RoceConfig>("RoCE", "RoCEv2 reliable connection")
          .include(&RoceConfig::format, PacketFormat::schema())
          .group("ack", ack_schema(), "acknowledgements")
          .field("cnp_priority", &RoceConfig::cnp_class,
                 "class of CNPs; `highest`: that of highest priority")
          .matters_if(
              [](const RoceConfig& roce) {
                return congestion::requirements_of(roce.congestion_control).notices;
              },
              "with a congestion control that CNPs tell of congestion, which is dcqcn")
          .source("NIC guides give CNPs a strict-priority class of their own")
          .choice("receiver", &RoceConfig::receiver,
                  {{RoceConfig::Receiver::kInOrder, "in-order",
                    "go-back-N: discards what follows a gap and sends one NACK per gap"},
                   {RoceConfig::Receiver::kAnyOrder, "any-order",
                    "accepts packets in any order, as sprayed traffic needs"}},
                  "what a receiver does with packets out of order")
          .source("the reliable connection of InfiniBand and RoCE")
          .only_if(goes_back, "with `recovery: go-back-n`; selective repeat takes any order")
          .object("recovery", &RoceConfig::recovery, recovery_schema(),
                  "how what is lost is repaired")
          .source("the reliable connection of InfiniBand and RoCE");
  describe_queue_pairs(builder);
  builder
      .object("congestion_control", &RoceConfig::congestion_control,
              congestion::control_schema(default_config(layer).congestion_control),
              "how senders set their rates")
      .source(layer == LinkLayer::kEthernet ? "the congestion control of RoCEv2 NICs"
                                            : "DCQCN belongs to RoCEv2; InfiniBand has its credits")
      .object("path_selection", &RoceConfig::path_selection, path_selection::choice_schema(),
              "how senders select paths by the entropy values that switches hash")
      .formerly("entropy")
      .source("a RoCE queue pair has one UDP source port")
      .include(&RoceConfig::planes, PlaneConfig::schema())
      .check(check_recovery)
      .check(check_planes)
      .check(check_path_selection)
      .check(check_acks)
      .check(check_telemetry)
      .check(check_contexts);
  return builder;
}

}  // namespace weft::protocols
