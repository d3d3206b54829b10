#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "protocols/config/transports/delivery.hpp"
#include "protocols/config/transports/transport.hpp"

namespace weft::protocols {

/// Ultra Ethernet Transport (UE specification 1.0, June 2025, and its revisions): packets of a
/// message take many paths, arrive in any order and are repeated one by one.
struct UecConfig {
  static constexpr const char* kName = "uec";

  enum class Preset : std::uint8_t {
    kUec10,  ///< the specification
    kHtsim,  ///< uet-htsim at 40ccb05, the simulator of its working group
  };
  enum class Delivery : std::uint8_t {
    kRud,  ///< reliable, in any order
    kRod,  ///< reliable, in order: go-back-N on one path
  };
  enum class Ip : std::uint8_t { kIpv4, kIpv6 };

  Preset preset = Preset::kUec10;
  Bytes mtu = 4096_B;  ///< payload of a full packet
  Ip ip = Ip::kIpv4;
  bool udp = true;                ///< else an entropy header in its place
  std::optional<Bytes> header{};  ///< absent: what follows from these
  std::vector<std::string> encapsulation{};
  std::uint32_t ttl = 64;
  Delivery delivery = Delivery::kRud;
  std::uint32_t psn_window = 1024;
  std::optional<std::uint32_t> tracked{};  ///< by receivers; absent: `psn_window`
  Bytes ack_bytes = 16_KiB;
  Bytes ack_min_add = 1_KiB;
  bool counts_headers = false;
  bool acks_marks = true;
  bool acks_all = false;
  std::optional<Bytes> ack_size{};  ///< absent: what follows from the headers
  std::string ack_class = kHighestClass;
  bool uses_trimming = true;
  std::optional<Picoseconds> timeout = 1_ms;  ///< absent: PacketDelivery::kByQueue
  bool backs_off = true;
  std::uint32_t retries = 5;
  std::uint32_t nack_retries = PacketDelivery::kEndless;
  bool infers_loss = false;
  std::uint32_t receiver_gap = 0;
  std::uint32_t queue_pairs = 1;  ///< contexts (PDCs) per connection
  Bytes counted_header = 96_B;
  congestion::ControlConfig congestion_control = congestion::NsccSpec::default_config();
  /// Besides, what receivers do.
  std::variant<congestion::NoControlConfig, congestion::RcccConfig> receiver_control{};
  path_selection::ChoiceConfig path_selection = path_selection::MixedConfig{};
  PlaneConfig planes{};

  [[nodiscard]] static UecConfig from_preset(Preset preset);
  [[nodiscard]] static schema::Object<UecConfig> schema(LinkLayer layer);
  [[nodiscard]] static UecConfig default_config(LinkLayer) { return from_preset(Preset::kUec10); }
  [[nodiscard]] TransportTraits traits() const;
  friend bool operator==(const UecConfig&, const UecConfig&) = default;

 private:
  /// Wire bytes of a packet with this much behind the headers that lead to the transport.
  [[nodiscard]] Bytes on_wire(Bytes transport) const;
};

}  // namespace weft::protocols
