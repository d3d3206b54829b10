#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocols/congestion/specs.hpp"
#include "tests/properties/swarm.hpp"

namespace weft::testing {

/// The text of random transports of a scenario whose fabric is drawn.
class RandomTransport {
 public:
  RandomTransport(SwarmDraws& draws, bool queues_at_inputs)
      : draws_(draws), queues_at_inputs_(queues_at_inputs) {}

  /// In whatever class and over whatever paths: it repairs what either does to it.
  std::string tcp() {
    draws_.note(SwarmFeature::kTcp);
    const char* control = draws_.one_of({"new-reno", "cubic", "dctcp", "swift", "timely", "none"});
    return fmt::format(
        "{{type: tcp, {}mtu: {}B, sack: {}, window: {}, queue_pairs: {}, ack: {{every: {}, delay: "
        "{}us, last: {}, priority: {}}}, timeout: {{min: 300us}}, congestion_control: {}}}",
        around(), draws_.one_of({"1500", "9000"}), draws_.one_of({"true", "false"}), window(1),
        queue_pairs(), 1 + below(4), 20 + below(200), draws_.one_of({"true", "false"}),
        draws_.one_of({"same", "highest", "control"}), control);
  }

  std::string uec() {
    draws_.note(SwarmFeature::kUltraEthernet);
    const char* control =
        draws_.one_of({"nscc", "none", "{type: nscc, preset: uet-htsim, base_rtt: 9us}"});
    const bool is_rud = below(4) != 0;
    const char* paths =
        draws_.one_of({"mixed", "oblivious", "bitmap", "{type: reps, freeze_time: 1ms}", "fixed",
                       "{type: ev-states, values: 16, reserve: 4, min_active: 5, probe_interval: "
                       "20us}"});
    std::string credit;
    if (below(3) == 0) {
      credit = draws_.one_of({", receiver_control: rccc",
                              ", receiver_control: {type: rccc, speculative: 0, quantum: 5000B, "
                              "adapts_to_marks: true}"});
    }
    if (std::string_view(paths).starts_with("{type: ev-states") && is_rud && credit.empty()) {
      return mrc(control, paths);
    }
    const bool infers = is_rud && std::string_view(control) != "none" && below(3) == 0;
    return fmt::format(
        "{{type: uec, {}mtu: {}B, delivery: {}, psn_window: {}, queue_pairs: {}, ack: {{bytes: "
        "{}KB, every_packet: {}, priority: {}}}, recovery: {{trimming: {}, timeout: {}us, retries: "
        "15{}}}, congestion_control: {}{}{}{}}}",
        around(), draws_.one_of({"1024", "4096"}), is_rud ? "rud" : "rod", 20 + below(1'000),
        queue_pairs(), 1 + below(20), draws_.one_of({"true", "false"}),
        draws_.one_of({"same", "highest", "control"}), draws_.one_of({"true", "false"}),
        50 + below(200), infers ? ", sleek: true" : "", control, credit,
        is_rud ? ", path_selection: " : "", is_rud ? paths : "");
  }

  /// With paths that it manages itself.
  std::string mrc(const char* control, const char* paths) {
    return fmt::format(
        "{{type: mrc, {}mtu: {}B, psn_window: {}, queue_pairs: {}, ack: {{bytes: {}KB, "
        "every_packet: "
        "{}, priority: {}}}, recovery: {{trimming: {}, gaps: {}, timeout_exponent: {}, "
        "linear_retries: 7, exponential_retries: 9}}, congestion_control: {}, path_selection: {}}}",
        around(), draws_.one_of({"1024", "4096"}), 20 + below(1'000), queue_pairs(), 1 + below(20),
        draws_.one_of({"true", "false"}), draws_.one_of({"same", "highest", "control"}),
        draws_.one_of({"true", "false"}), draws_.one_of({"true", "false"}), 6 + below(3), control,
        paths);
  }

  std::string roce() {
    const std::uint64_t every = 1 + below(4);
    const bool repeats_selectively = draws_.draws(SwarmFeature::kSelectiveRepeat);
    const bool goes_back = !repeats_selectively && draws_.draws(SwarmFeature::kGoBackN);
    const bool lasts_for_message = draws_.draws(SwarmFeature::kMessageQueuePairs);
    std::string text = fmt::format(
        "{{type: roce, {}mtu: {}B, {}, window: {}, queue_pairs: {}, ack: {{every: {}, "
        "priority: {}{}}}, congestion_control: {}",
        around(), draws_.one_of({"1024", "4096"}),
        repeats_selectively ? selective_repeat() : receiver(goes_back), window(every),
        queue_pairs(), every, draws_.one_of({"same", "highest", "control"}),
        goes_back && below(3) == 0 ? ", nack_interval: 5us" : "", congestion_control());
    if (lasts_for_message) {
      text += ", queue_pair_life: message";
    } else if (!repeats_selectively) {
      text += entropy(goes_back, every == 1);
    }
    return text + "}";
  }

 private:
  std::uint64_t below(std::uint64_t n) { return draws_.below(n); }

  const char* around() {
    if (!draws_.draws(SwarmFeature::kEncapsulation)) return "";
    return draws_.one_of(
        {"encapsulation: vlan, ", "encapsulation: [vlan, macsec], ", "encapsulation: psp, "});
  }
  /// Of packets; 0: none.
  std::uint64_t window(std::uint64_t minimum) {
    return draws_.draws(SwarmFeature::kWindows) ? minimum + below(60) : 0;
  }
  std::uint64_t queue_pairs() { return draws_.draws(SwarmFeature::kQueuePairs) ? 2 + below(2) : 1; }

  static const char* receiver(bool goes_back) {
    return goes_back ? "receiver: in-order" : "receiver: any-order";
  }
  std::string selective_repeat() {
    return fmt::format(
        "recovery: {{type: selective-repeat, cap: {}, timeout_low: {}us, reordering: {}}}",
        draws_.one_of({"bdp", "none", "100KB"}), 20 + below(80), draws_.one_of({"0", "32"}));
  }

  /// Who chooses ways, where the transport can do with it.
  std::string entropy(bool goes_back, bool acks_every_packet) {
    if (goes_back && !acks_every_packet) return "";
    if (!draws_.draws(SwarmFeature::kEntropies)) return "";
    if (goes_back) return ", path_selection: plb";
    if (!acks_every_packet) return ", path_selection: {type: oblivious, values: 8}";
    return draws_.one_of(
        {", path_selection: {type: oblivious, values: 8}", ", path_selection: bitmap",
         ", path_selection: {type: reps, freeze_time: 1ms}", ", path_selection: plb",
         ", path_selection: {type: ev-states, values: 32, reserve: 0, probe_interval: 50us, "
         "good_probes: 2, min_active: 2}"});
  }

  /// Of those in the list that need what they may: DCQCN also by its presets, RCCC also with
  /// nothing unasked. Where packets queue at inputs, telemetry is refused.
  std::string congestion_control() {
    if (draws_.draws(SwarmFeature::kGrants)) {
      if (below(2) == 0) {
        return "{type: rccc, speculative: 0, quantum: 5000B, adapts_to_marks: true}";
      }
      return listed([](const auto& needs) { return needs.grants; });
    }
    if (!queues_at_inputs_ && draws_.draws(SwarmFeature::kTelemetry)) {
      return listed([](const auto& needs) { return needs.telemetry; });
    }
    switch (below(8)) {
      case 0:
        return "{type: dcqcn, preset: connectx}";
      case 1:
        return "{type: dcqcn, preset: hpcc-ns3}";
      default:
        return listed(
            [](const auto& needs) { return !needs.grants && !needs.telemetry && !needs.contexts; });
    }
  }
  template <class IsMeant>
  std::string listed(IsMeant is_meant) {
    using protocols::congestion::ControlSpecs;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < ControlSpecs::kNames.size(); ++i) {
      if (is_meant(ControlSpecs::kRequirements[i])) names.emplace_back(ControlSpecs::kNames[i]);
    }
    return names[below(names.size())];
  }

  SwarmDraws& draws_;
  bool queues_at_inputs_;
};

}  // namespace weft::testing
