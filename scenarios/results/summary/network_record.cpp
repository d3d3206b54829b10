#include "scenarios/results/summary/network_record.hpp"

#include <optional>

namespace weft::scenarios {

namespace {

template <double Percentiles::*Which>
std::optional<Quotient> percentile(const CoveredPercentiles& p) {
  if (!p.values) return {};
  return ratio((*p.values).*Which);
}

}  // namespace

nlohmann::ordered_json cut_off_json(const std::optional<std::string>& text) {
  return text ? nlohmann::ordered_json(*text) : absent();
}

const Record<CoveredPercentiles>& percentiles_record() {
  static const Record<CoveredPercentiles> record{
      {{"p50", "median, by nearest rank; null of nothing", percentile<&Percentiles::p50>},
       {"p95", "95th percentile", percentile<&Percentiles::p95>},
       {"p99", "99th percentile", percentile<&Percentiles::p99>},
       {"p999", "99.9th percentile", percentile<&Percentiles::p999>},
       {"max", "", percentile<&Percentiles::max>},
       {kCutOff, "of which messages these are, if the run was cut off before all were completed",
        [](const CoveredPercentiles& p) {
          return cut_off_json(p.values ? cut_off_text(p.coverage) : std::nullopt);
        }}}};
  return record;
}

const Record<Results>& messages_record() {
  static const Record<Results> record{
      {{"count", "posted since the measurement began",
        [](const Results& r) { return r.messages.count(); }},
       {"completed", "of these", [](const Results& r) { return r.messages.completed(); }},
       object<Results>("fct_seconds", "flow completion times of those", percentiles_record(),
                       [](const Results& r) {
                         return std::optional(CoveredPercentiles{
                             only_if(r.messages.completed() > 0, r.messages.completion_seconds()),
                             coverage_of(r)});
                       }),
       object<Results>("slowdown", "flow completion times over zero-load times",
                       percentiles_record(), [](const Results& r) {
                         return std::optional(CoveredPercentiles{
                             only_if(r.messages.completed() > 0, r.messages.slowdown()),
                             coverage_of(r)});
                       })}};
  return record;
}

const Record<protocols::NetworkTotals>& network_record() {
  using Row = protocols::NetworkTotals;
  static const Record<Row> record{
      {{"packets_injected", "by NICs, and by scale-up switches that reduce or multicast",
        [](const Row& r) { return r.packets_injected; }},
       {"packets_delivered", "to where they were for",
        [](const Row& r) { return r.packets_delivered; }},
       {"packets_dropped", "the sum of the drops that follow",
        [](const Row& r) { return r.packets_dropped(); }},
       {"buffer_drops", "packets that found a buffer full",
        [](const Row& r) { return r.buffer_drops; }},
       {"ttl_drops", "packets whose time to live was over",
        [](const Row& r) { return r.ttl_drops; }},
       {"fault_drops", "packets that failing links lost",
        [](const Row& r) { return r.fault_drops; }},
       {"error_drops", "packets that link errors corrupted",
        [](const Row& r) { return r.error_drops; }},
       {"retry_drops", "packets that link-level retry gave up",
        [](const Row& r) { return r.retry_drops; }},
       {"poison_drops", "corrupted frames that cut-through switches had passed on",
        [](const Row& r) { return r.poison_drops; }},
       {"link_replays", "times that a link with retry began to send again",
        [](const Row& r) { return r.replays; }},
       {"frames_replayed", "that such links sent again",
        [](const Row& r) { return r.frames_replayed; }},
       {"wred_drops", "packets that WRED dropped", [](const Row& r) { return r.wred_drops; }},
       {"watchdog_drops", "packets of queues in a storm that PFC watchdogs dropped",
        [](const Row& r) { return r.watchdog_drops; }},
       {"pause_storms", "that PFC watchdogs found", [](const Row& r) { return r.pause_storms; }},
       {"headroom_pool_drops",
        "of buffer_drops: they came after XOFF and found the headroom pool of their switch empty",
        [](const Row& r) { return r.headroom_pool_drops; }},
       {"headroom_pool_peak_bytes", "most that the headroom pool of any switch held",
        [](const Row& r) { return r.headroom_pool_peak; }},
       {"packets_retransmitted", "", [](const Row& r) { return r.packets_retransmitted; }},
       {"timeouts", "of senders that heard nothing for too long, and send again",
        [](const Row& r) { return r.timeouts; }},
       {"packets_trimmed", "data that switches cut to their headers",
        [](const Row& r) { return r.packets_trimmed; }},
       {"losses_inferred", "packets that senders repeat by what ACKs say (SLEEK)",
        [](const Row& r) { return r.losses_inferred; }},
       {"path_probes", "sent by paths that lost packets (path_selection: ev-states)",
        [](const Row& r) { return r.path_probes; }},
       {"path_probes_answered", "of these, that came back",
        [](const Row& r) { return r.path_probes_answered; }},
       {"ecn_marked", "packets, at each port that marked them",
        [](const Row& r) { return r.ecn_marked; }},
       {"pfc_pauses", "sent", [](const Row& r) { return r.pauses; }},
       {"pfc_paused_seconds", "during which a class could not start because of a pause, all ports",
        [](const Row& r) { return r.paused_time; }},
       {"credit_stalls", "times that data began to wait for credits",
        [](const Row& r) { return r.credit_stalls; }},
       {"credit_stall_seconds", "during which data waited for credits, all ports and classes",
        [](const Row& r) { return r.credit_stall_time; }}}};
  return record;
}

}  // namespace weft::scenarios
