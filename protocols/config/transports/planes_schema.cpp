#include "protocols/config/transports/planes_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {

schema::Object<PlaneConfig> PlaneConfig::schema() {
  using Config = PlaneConfig;
  return schema::describe<Config>("planes", "how packets select one of several planes")
      .choice("plane_choice", &Config::choice,
              {{Choice::kBalanced, "balanced",
                "as load_balancing selects a port: a hash of the queue pair with ecmp"},
               {Choice::kPacket, "packet", "each packet the next plane, in the ratio of weights"},
               {Choice::kQueuePair, "qp", "all packets of a queue pair one plane, by a hash"}},
              "how packets select one of the planes that their NIC has a port in")
      .source(
          "a NIC with a port per plane: ConnectX-8 and MRC select by packet, software by queue "
          "pair")
      .integers("plane_weights", &Config::weights,
                "packets of each plane in a rotation; none: the same number of all")
      .source("equal planes")
      .range(1, 64)
      .only_if([](const Config& c) { return c.choice == Choice::kPacket; },
               "with `plane_choice: packet`")
      .choice("plane_notice", &Config::notice,
              {{Notice::kPortStatus, "port-status",
                "a NIC whose port fails or comes back tells those who send to it, by all its other "
                "ports"},
               {Notice::kLoss, "loss", "a time-out of a packet that was sent there"},
               {Notice::kNone, "none", "only what routes say (fabric.convergence)"}},
              "how senders learn that a plane leads to a host no more; at its own NIC a host sees "
              "it at once")
      .source("MRC: PORT_STATUS_UPDATE")
      .only_if([](const Config& c) { return c.choice != Choice::kBalanced; },
               "with `plane_choice: packet` or `qp`")
      .field("plane_retry", &Config::retry,
             "from a loss until one packet tries the plane again; it doubles with each try that "
             "fails")
      .source("assumed: MRC leaves its probe interval open; REPS freezes for 10 ms")
      .at_least(1_us)
      .at_most(1_s)
      .only_if(
          [](const Config& c) {
            return c.choice != Choice::kBalanced && c.notice == Notice::kLoss;
          },
          "with `plane_notice: loss`");
}

schema::Object<PlaneConfig> PlaneConfig::windows_schema() {
  using Config = PlaneConfig;
  return schema::describe<Config>("windows of planes", "how many windows there are")
      .choice("plane_windows", &Config::windows,
              {{Windows::kShared, "shared", "one for all planes to a destination"},
               {Windows::kEach, "each",
                "one for each plane: a slow plane holds back only what goes there"}},
              "how many windows the congestion control has to a destination")
      .source(
          "assumed: MRC's is not public; adaptive load balancing over planes has a window for "
          "each (arXiv 2605.21187)")
      .only_if([](const Config& c) { return c.choice == Choice::kPacket; },
               "with `plane_choice: packet`");
}

}  // namespace weft::protocols
