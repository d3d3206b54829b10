#include "protocols/congestion/rccc/rccc_spec.hpp"

#include <optional>

#include "protocols/congestion/rccc/rccc_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {
namespace {

constexpr const char* kRcccInHtsim = "Ultra Ethernet 1.0.1, RCCC; ultraethernet/uet-htsim, uec.cpp";
constexpr const char* kOversubscribed = "ultraethernet/uet-htsim, oversubscribed_cc.cpp";
constexpr const char* kWhereItAdapts = "with `adapts_to_marks: true`";

bool adapts(const RcccConfig& c) { return c.adapts_to_marks; }

}  // namespace

schema::Object<RcccConfig> rccc_schema() {
  using Config = RcccConfig;
  return schema::describe<Config>("RCCC",
                                  "senders wait for credit, which receivers grant them in turn")
      .field("base_rtt", &Config::base_rtt,
             "a round trip without load, which `speculative` and `request` are multiples of; "
             "`path`: that of the queue pair's path")
      .source("uet-htsim takes that of the longest path")
      .special("path", std::nullopt)
      .at_least(1_ns)
      .at_most(1_s)
      .field("speculative", &Config::speculative,
             "sent unasked by a sender that was idle, times what its line carries in an idle round "
             "trip")
      .source(kRcccInHtsim)
      .within({.low = 0, .high = 1e3})
      .field("request", &Config::request,
             "the most credit that a sender has or asks for, in the same measure; below 1 it does "
             "not fill its line")
      .source(kRcccInHtsim)
      .within({.low = 0, .high = 1e3, .includes_low = false})
      .field("quantum", &Config::quantum, "wire bytes of one grant")
      .source("4 MTU of 4,096 B: Ultra Ethernet 1.0.1, RCCC; ultraethernet/uet-htsim, uec.cpp")
      .at_least(1_B)
      .at_most(1_MiB)
      .field("pace", &Config::pace, "of the port's rate that its grants are paced for")
      .source(kRcccInHtsim)
      .within({.low = 0.01, .high = 1})
      .field("adapts_to_marks", &Config::adapts_to_marks,
             "whether a port grants less as switches mark what comes to it, or trim it before the "
             "last hop, for fabrics whose core is slower than their edge")
      .source("off where the fabric is not oversubscribed: uet-htsim, main_uec.cpp")
      .field("period", &Config::period, "between two changes of what is granted, on average")
      .source("1.5 round trips of 12 us: uet-htsim, oversubscribed_cc.cpp")
      .at_least(1_ns)
      .at_most(1_s)
      .only_if(adapts, kWhereItAdapts)
      .field("target", &Config::target, "share of marked packets from which a port grants less")
      .source(kOversubscribed)
      .within({.low = 0, .high = 1})
      .only_if(adapts, kWhereItAdapts)
      .field("increase", &Config::increase,
             "of the pace, per period; twice as much each time in a row without any mark")
      .source(kOversubscribed)
      .within({.low = 0, .high = 1, .includes_low = false})
      .only_if(adapts, kWhereItAdapts)
      .field("decrease", &Config::decrease,
             "of the pace, times what the share of marks exceeds its target by")
      .source(kOversubscribed)
      .within({.low = 0, .high = 1})
      .only_if(adapts, kWhereItAdapts)
      .field("gain", &Config::gain, "weight of the last period in the share of marks")
      .source(kOversubscribed)
      .within({.low = 0, .high = 1, .includes_low = false})
      .only_if(adapts, kWhereItAdapts)
      .field("floor", &Config::floor,
             "of the pace, at least; uet-htsim takes 0.9 over the fabric's ratio of "
             "oversubscription")
      .source("where no ratio is known: uet-htsim, oversubscribed_cc.cpp")
      .within({.low = 0.001, .high = 1})
      .only_if(adapts, kWhereItAdapts);
}

}  // namespace weft::protocols::congestion
