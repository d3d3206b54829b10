#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocols/config/transports/transport.hpp"

namespace weft::protocols {

/// TCP, for storage and management beside RDMA. A connection is open before the run, and carries
/// one message after the other; no segment holds parts of two.
struct TcpConfig {
  static constexpr const char* kName = "tcp";
  /// IPv4 and TCP without options.
  static constexpr Bytes kHeaders = 40_B;
  /// Timestamps (RFC 7323) with their padding.
  static constexpr Bytes kTimestamps = 12_B;
  /// Windows of 2^30 B are the largest (RFC 7323, 2.2); a block of a selective ACK tells of as many
  /// segments.
  static constexpr std::uint32_t kMaxSegments = 65'535;

  Bytes mtu = 9000_B;      ///< of IP: headers and segment
  Bytes framing = 38_B;    ///< Ethernet: preamble 8, header 14, FCS 4, gap 12
  bool timestamps = true;  ///< the option is in every segment
  /// By name, around every segment and ACK; what each adds: `encapsulation.hpp`.
  std::vector<std::string> encapsulation{};
  std::uint32_t ttl = 64;
  std::uint32_t ack_every = 2;         ///< segments per ACK
  Picoseconds ack_delay = 1_ms;        ///< after which a lone segment is acknowledged
  bool acks_last = true;               ///< the end of a message is acknowledged at once
  std::string ack_class = kSameClass;  ///< by name; kSameClass: that of the data
  bool sack = true;                    ///< selective acknowledgements
  std::uint32_t window = 0;  ///< segments that the receiver has room for; 0: kMostSegments
  Picoseconds min_timeout = 10_ms;
  Picoseconds max_timeout = 60_s;
  std::uint32_t retry_limit = 15;  ///< time-outs in a row until the connection fails
  std::uint32_t queue_pairs = 1;  ///< connections per pair of processes; messages take them in turn
  congestion::ControlConfig congestion_control = congestion::CubicSpec::default_config();

  [[nodiscard]] static schema::Object<TcpConfig> schema(LinkLayer layer);
  [[nodiscard]] static TcpConfig default_config(LinkLayer) { return {}; }
  [[nodiscard]] TransportTraits traits() const;
  /// Of IP and TCP, with options.
  [[nodiscard]] Bytes headers() const { return timestamps ? kHeaders + kTimestamps : kHeaders; }
  friend bool operator==(const TcpConfig&, const TcpConfig&) = default;
};

}  // namespace weft::protocols
