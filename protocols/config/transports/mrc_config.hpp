#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/config/transports/transport.hpp"
#include "protocols/config/transports/uec_config.hpp"

namespace weft::protocols {

/// Multipath Reliable Connection (OCP specification 1.0, May 2026): RDMA writes whose packets are
/// sprayed, trimmed and repeated one by one as those of Ultra Ethernet are, over several planes and
/// on paths that senders manage themselves. What the specification's public parts leave open is
/// taken from RoCE and from Ultra Ethernet, and said so in the keys.
struct MrcConfig {
  static constexpr const char* kName = "mrc";
  /// Whose two ends it has.
  using Model = UecConfig;
  /// Of `exponential_retries`: without end.
  static constexpr std::uint32_t kEndless = 25;

  Bytes mtu = 4096_B;             ///< payload of a full packet
  std::optional<Bytes> header{};  ///< absent: that of RoCE, and of source routes
  std::vector<std::string> encapsulation{};
  std::uint32_t ttl = 64;
  bool source_routes = false;  ///< packets name their routes (SRv6)
  std::uint32_t psn_window = 1024;
  std::optional<std::uint32_t> tracked{};  ///< by receivers; absent: `psn_window`
  Bytes ack_bytes = 16_KiB;
  bool acks_all = false;
  std::optional<Bytes> ack_size{};  ///< absent: that of RoCE, and a SACK
  std::string ack_class = kHighestClass;
  bool uses_trimming = true;
  std::uint32_t timeout_exponent = 8;     ///< the time-out is 1.024 us times 2 to this
  std::uint32_t linear_retries = 7;       ///< after that time
  std::uint32_t exponential_retries = 7;  ///< then these, each after twice the time
  std::uint32_t nack_retries = PacketDelivery::kEndless;
  bool infers_loss = true;
  std::uint32_t queue_pairs = 1;  ///< per connection
  Bytes counted_header = 56_B;
  congestion::ControlConfig congestion_control = congestion::NsccSpec::default_config();
  path_selection::ChoiceConfig path_selection = path_selection::EvStatesConfig{};
  PlaneConfig planes{};

  [[nodiscard]] Picoseconds timeout() const {
    return (std::int64_t{1} << timeout_exponent) * 1'024_ns;
  }
  [[nodiscard]] static schema::Object<MrcConfig> schema(LinkLayer layer);
  [[nodiscard]] static MrcConfig default_config(LinkLayer) { return {}; }
  [[nodiscard]] TransportTraits traits() const;
  friend bool operator==(const MrcConfig&, const MrcConfig&) = default;
};

}  // namespace weft::protocols
