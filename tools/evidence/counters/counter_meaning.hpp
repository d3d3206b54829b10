#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/evidence/measurements.hpp"

namespace weft::evidence {

/// What a counter speaks for: kinds of culprits that one curve of a collective cannot tell apart.
enum class CounterCulprit : std::uint8_t {
  kLink,        ///< a cable, transceiver or port: bit errors, or it went down
  kPause,       ///< a NIC pauses its switch
  kPcie,        ///< the PCIe slot of a NIC does not take what arrives
  kHost,        ///< the receiving software has no buffer posted
  kLoss,        ///< packets are dropped or come out of order, and are sent again
  kCongestion,  ///< more comes together than a link carries, and PFC acts as it should
  kMarks,       ///< the same, and ECN acts; or its thresholds are too low
};

[[nodiscard]] std::string_view name_of(CounterCulprit culprit);

/// What a counter counts.
struct CounterMeaning {
  CounterCulprit culprit = CounterCulprit::kLink;
  std::string_view counts;  ///< `packets that the NIC dropped for want of a receive buffer`
  std::string_view source;
  std::uint64_t usual = 0;  ///< up to this many are seen where all is well
};

/// Of the name that the tool prints; digits of priorities, queues and lanes do not matter. Nothing:
/// the counter says nothing of culprits, such as one of bytes.
[[nodiscard]] std::optional<CounterMeaning> meaning_of(std::string_view counter);

/// A counter that is not 0, with what it speaks for.
struct CounterStatement {
  CounterCulprit culprit = CounterCulprit::kLink;
  std::string device;
  std::string port;
  std::uint64_t value = 0;
  std::string text;  ///< `gpu03 mlx5_5: packet_seq_err 17: negative acknowledgements ... (source)`
  SourceLocation where{};
  std::string counter{};  ///< `packet_seq_err`; empty: it is a setting
  std::string counts{};   ///< `negative acknowledgements ... (source)`
  /// False: at most what is usual, or three quarters of the ports that were read have a tenth of it
  /// or more, so that it says nothing of this one.
  bool stands_out = true;
};

/// The counters that speak for a culprit, ordered by culprit, then by value, largest first.
/// Counters count since the last reset: a large one may be old.
[[nodiscard]] std::vector<CounterStatement> counter_statements(
    const std::vector<Counter>& counters);

/// What the priorities of a NIC say against RoCE with this code point.
[[nodiscard]] std::vector<CounterStatement> nic_qos_statements(const std::vector<NicQos>& nics,
                                                               std::uint32_t roce_dscp = 26);

}  // namespace weft::evidence
