#include "tools/evidence/counters/counter_meaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simcore/base/escape.hpp"

namespace weft::evidence {
namespace {

constexpr std::string_view kMlx5 =
    "Linux, Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst";
constexpr std::string_view kRdma =
    "NVIDIA, Understanding mlx5 Linux Counters and Status Parameters";
constexpr std::string_view kSonic = "SONiC, sonic-utilities Command-Reference";
constexpr std::string_view kClause91 = "IEEE 802.3, 91.6";

struct NamedMeaning {
  std::string_view name;  ///< `#` stands for digits
  CounterMeaning meaning;
};

using enum CounterCulprit;

constexpr std::array kMeanings = std::to_array<NamedMeaning>({
    {"rx_symbol_err_phy", {kLink, "symbols that were received with errors", kMlx5}},
    {"rx_pcs_symbol_err_phy", {kLink, "symbols that FEC did not correct", kMlx5}},
    {"symbol_error", {kLink, "symbols that were received with errors", kRdma}},
    {"rx_crc_errors_phy", {kLink, "frames with a wrong checksum", kMlx5}},
    {"rx_err_lane_#_phy", {kLink, "bits of a lane that were received with errors", kMlx5}},
    // The first time that a link comes up may count as one.
    {"link_down_events_phy", {kLink, "times that the link went down", kMlx5, 1}},
    {"link_downed", {kLink, "times that the link went down", kRdma, 1}},
    {"link_error_recovery", {kLink, "times that the link was trained again", kRdma}},
    {"rx_fec_uncorrectable_blocks", {kLink, "blocks that FEC could not correct", kClause91}},
    {"fec_uncorrectable_blocks", {kLink, "blocks that FEC could not correct", kClause91}},
    {"uncorrectable_blocks", {kLink, "blocks that FEC could not correct", kClause91}},
    {"RX_ERR", {kLink, "frames that a switch port received with errors", kSonic}},
    {"TX_ERR", {kLink, "frames that a switch port could not send", kSonic}},
    {"outbound_pci_buffer_overflow", {kPcie, "packets dropped since PCIe was too slow", kMlx5}},
    {"outbound_pci_stalled_wr",
     {kPcie, "percent of the last second in which writes to memory waited for PCIe credits",
      kMlx5}},
    {"outbound_pci_stalled_wr_events",
     {kPcie, "seconds with more than 30 % of such waiting for writes", kMlx5}},
    {"outbound_pci_stalled_rd",
     {kPcie, "percent of the last second in which reads of memory waited for PCIe credits", kMlx5}},
    {"outbound_pci_stalled_rd_events",
     {kPcie, "seconds with more than 30 % of such waiting for reads", kMlx5}},
    {"rx_pci_signal_integrity",
     {kPcie, "errors of the PCIe link that led to its retraining", kMlx5}},
    {"tx_pci_signal_integrity", {kPcie, "retrainings of the PCIe link by its other side", kMlx5}},
    {"rx_discards_phy", {kPcie, "packets dropped since the NIC's port buffer was full", kMlx5}},
    {"rx_prio#_discards",
     {kPcie, "packets of a priority dropped since the NIC's port buffer was full", kMlx5}},
    {"rx_out_of_buffer", {kHost, "packets for which no receive buffer was posted", kMlx5}},
    {"out_of_buffer", {kHost, "packets for which no receive buffer was posted", kRdma}},
    {"rnr_nak_retry_err", {kHost, "times that the receiver was not ready", kRdma}},
    {"out_of_sequence",
     {kLoss, "packets that arrived out of order: loss, or paths that differ", kRdma}},
    {"packet_seq_err",
     {kLoss, "negative acknowledgements of a gap: the packets from there on are sent again",
      kRdma}},
    {"implied_nak_seq_err",
     {kLoss, "responses out of order: the packets from there on are sent again", kRdma}},
    {"local_ack_timeout_err", {kLoss, "time-outs without an acknowledgement", kRdma}},
    {"roce_adp_retrans", {kLoss, "adaptive retransmissions", kRdma}},
    {"roce_adp_retrans_to", {kLoss, "time-outs of adaptive retransmission", kRdma}},
    {"duplicate_request", {kLoss, "requests that arrived a second time", kRdma}},
    {"RX_DRP", {kLoss, "packets that a switch port dropped at its ingress", kSonic}},
    {"TX_DRP", {kLoss, "packets that a switch port dropped at its egress", kSonic}},
    {"RX_OVR", {kLoss, "frames that overran a switch port", kSonic}},
    {"TX_OVR", {kLoss, "frames that overran a switch port", kSonic}},
    {"tx_discards_phy", {kLoss, "packets dropped before they were sent", kMlx5}},
    {"PG# headroom watermark",
     {kCongestion, "most bytes that came in after a pause: compare with the group's headroom",
      kSonic}},
    {"UC# watermark", {kCongestion, "most bytes that waited in a queue", kSonic}},
    {"PFC# Rx",
     {kCongestion, "pauses that a switch port was sent: congestion behind its peer", kSonic}},
    {"PFC# Tx", {kCongestion, "pauses that a switch port sent: congestion in this switch", kSonic}},
    {"rx_prio#_pause",
     {kCongestion, "pauses that the NIC was sent: congestion in the fabric", kMlx5}},
    {"rx_prio#_pause_duration", {kCongestion, "microseconds for which the NIC was paused", kMlx5}},
    {"tx_prio#_pause",
     {kPause, "pauses that the NIC sent: it takes less from the link than arrives", kMlx5}},
    {"tx_prio#_pause_duration",
     {kPause, "microseconds for which the NIC paused the switch", kMlx5}},
    {"tx_pause_storm_warning_events", {kPause, "times that the NIC sent pauses for long", kMlx5}},
    {"rx_global_pause",
     {kCongestion, "pauses of all priorities that the NIC was sent: PFC is not in use", kMlx5}},
    {"rp_cnp_handled", {kMarks, "congestion notifications that slowed this sender", kRdma}},
    {"np_cnp_sent", {kMarks, "congestion notifications that this receiver sent", kRdma}},
    {"np_ecn_marked_roce_packets", {kMarks, "packets that arrived with an ECN mark", kRdma}},
});

bool is_counter_digit(char c) { return '0' <= c && c <= '9'; }

/// Whether the name is that of the pattern, with one number where this has `#`.
bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t hash = pattern.find('#');
  if (hash == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, hash))) return false;
  std::size_t end = hash;
  while (end < name.size() && is_counter_digit(name[end])) ++end;
  return end > hash && name.substr(end) == pattern.substr(hash + 1);
}

std::string owner_text(const std::string& device, const std::string& port) {
  std::string text = device.empty() ? "an unknown device" : escaped(device);
  if (!port.empty()) text += " " + escaped(port);
  return text;
}

/// By name: what all ports have that were read.
using ValuesByName = std::map<std::string, std::vector<std::uint64_t>, std::less<>>;

bool stands_out(const Counter& counter, std::uint64_t usual, const ValuesByName& read) {
  constexpr std::size_t kFewPorts = 3;
  if (counter.value <= usual) return false;
  const std::vector<std::uint64_t>& all = read.find(counter.name)->second;
  if (all.size() < kFewPorts) return true;
  const auto alike = static_cast<std::size_t>(std::ranges::count_if(
      all, [&](std::uint64_t other) { return other >= (counter.value + 9) / 10; }));
  return 4 * alike < 3 * all.size();
}

}  // namespace

std::string_view name_of(CounterCulprit culprit) {
  switch (culprit) {
    case kLink:
      return "cable or port";
    case kPcie:
      return "PCIe slot of a NIC";
    case kPause:
      return "pauses of a NIC";
    case kHost:
      return "receiving host";
    case kLoss:
      return "loss";
    case kCongestion:
      return "congestion";
    case kMarks:
      return "ECN marks";
  }
  return "";
}

std::optional<CounterMeaning> meaning_of(std::string_view counter) {
  const auto found = std::ranges::find_if(
      kMeanings, [counter](const NamedMeaning& one) { return matches(one.name, counter); });
  if (found == kMeanings.end()) return std::nullopt;
  return found->meaning;
}

std::vector<CounterStatement> counter_statements(const std::vector<Counter>& counters) {
  ValuesByName read;
  for (const Counter& counter : counters) read[counter.name].push_back(counter.value);
  std::vector<CounterStatement> statements;
  for (const Counter& counter : counters) {
    if (counter.value == 0) continue;
    const auto meaning = meaning_of(counter.name);
    if (!meaning) continue;
    const std::string counts = fmt::format("{} ({})", meaning->counts, meaning->source);
    statements.push_back({meaning->culprit, counter.device, counter.port, counter.value,
                          fmt::format("{}: {} {}: {}", owner_text(counter.device, counter.port),
                                      escaped(counter.name), counter.value, counts),
                          counter.where, escaped(counter.name), counts,
                          stands_out(counter, meaning->usual, read)});
  }
  std::ranges::stable_sort(statements, [](const CounterStatement& a, const CounterStatement& b) {
    return std::tuple(a.culprit, b.value, a.text) < std::tuple(b.culprit, a.value, b.text);
  });
  return statements;
}

std::vector<CounterStatement> nic_qos_statements(const std::vector<NicQos>& nics,
                                                 std::uint32_t roce_dscp) {
  std::vector<CounterStatement> statements;
  for (const NicQos& nic : nics) {
    const auto state = [&](std::string text) {
      statements.push_back({kLoss, nic.host, nic.interface, 0,
                            owner_text(nic.host, nic.interface) + ": " + std::move(text),
                            nic.where});
    };
    if (nic.trust == "pcp") {
      state(
          fmt::format("trusts the VLAN's priority, not DSCP {}: packets without a VLAN travel in "
                      "priority 0",
                      roce_dscp));
      continue;
    }
    if (nic.pfc.empty()) {
      state("PFC is on for no priority: the NIC neither sends nor obeys pauses");
      continue;
    }
    const auto priority = nic.priorities.find(roce_dscp);
    if (priority == nic.priorities.end() || nic.pfc.contains(priority->second)) continue;
    state(fmt::format("DSCP {} has priority {}, and PFC is on for {}: RoCE is lossy at this NIC",
                      roce_dscp, priority->second, fmt::join(nic.pfc, ", ")));
  }
  return statements;
}

}  // namespace weft::evidence
