#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/config/transports/delivery.hpp"
#include "protocols/config/transports/planes_config.hpp"
#include "protocols/config/transports/recovery.hpp"
#include "protocols/congestion/specs.hpp"
#include "protocols/path_selection/list.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/link_layer.hpp"
#include "simcore/schema/schema.hpp"

/// What a transport says of itself in a scenario. Its specification and keys are a pair of files
/// beside this one and an entry in `list.hpp`; its two ends are in `protocols/transports/`.
namespace weft::protocols {

/// Packet sizes are 16-bit numbers.
inline constexpr Bytes kMaxPacket = 65'535_B;

/// What every transport has: how messages become packets.
struct PacketFormat {
  Bytes payload = 4096_B;  ///< of a full packet (path MTU)
  /// Everything else a data packet occupies the wire with. RoCEv2: Ethernet 38 B (preamble 8,
  /// header 14, FCS 4, gap 12) + IPv4 20 + UDP 8 + BTH 12 + ICRC 4.
  Bytes header = 82_B;
  std::uint32_t ttl = 64;
  /// By name, around every packet between servers, answers included; what each adds:
  /// `encapsulation.hpp`. `header` and `ack_size` of traits have it.
  std::vector<std::string> encapsulation{};

  [[nodiscard]] static schema::Object<PacketFormat> schema();
  friend bool operator==(const PacketFormat&, const PacketFormat&) = default;
};

/// How long a queue pair lives.
enum class QueuePairLife : std::uint8_t {
  kConnection,
  /// Every message begins on a fresh one: its congestion control and its ECMP key know nothing of
  /// the messages before. A message waits for the one before it in the same place.
  kMessage,
};

inline constexpr const char* kSameClass = "same";
inline constexpr const char* kHighestClass = "highest";

/// What others have to know of a transport, whichever it is.
struct TransportTraits {
  PacketFormat format;
  bool is_acknowledged = false;        ///< and sent again where it was lost
  bool takes_any_order = false;        ///< packets that overtake each other do no harm
  bool is_stream = false;              ///< TCP: meant for classes that drop, from which it learns
  bool sacks = false;                  ///< ACKs tell of packets beyond a gap, too
  Bytes ack_size;                      ///< wire bytes of whatever answers data
  std::uint32_t ack_every = 1;         ///< packets per ACK
  Picoseconds ack_delay;               ///< the longest that an ACK waits for them; 0: forever
  bool acks_last = true;               ///< the last packet of a message is acknowledged at once
  std::string ack_class = kSameClass;  ///< name of a class; kSameClass: that of the data
  std::string cnp_class = kSameClass;  ///< kHighestClass: that of highest priority
  std::uint32_t window = 0;            ///< packets in flight per queue pair; 0: no limit
  Picoseconds retransmit_timeout;      ///< without progress; with `max_timeout` the least
  Picoseconds max_timeout;             ///< it follows round trips up to this; 0: it is fixed
  std::uint32_t retry_limit = 0;       ///< time-outs in a row until a queue pair fails
  std::uint32_t queue_pairs = 1;       ///< per connection; messages take them in turn
  bool splits_messages = false;        ///< or each takes all of them, with a part on each
  std::optional<SelectiveRepeat> selective{};  ///< sends again what is missing, and nothing else
  std::optional<PacketDelivery> delivery{};    ///< queue pairs are packet delivery contexts
  bool uses_trimming = false;  ///< a trimmed packet tells its receiver what is missing
  std::optional<Picoseconds> nack_interval{};  ///< a gap is reported again after it
  QueuePairLife queue_pair_life = QueuePairLife::kConnection;
  QueuePairUse queue_pair_use = QueuePairUse::kOneWay;
  congestion::ControlConfig congestion_control = congestion::NoControlConfig{};
  /// Receivers grant credit beside that; of contexts alone.
  std::optional<congestion::RcccConfig> receiver_control{};
  path_selection::ChoiceConfig path_selection = path_selection::FixedConfig{};
  bool source_routes = false;  ///< packets name the route that switches go by
  PlaneConfig planes{};

  /// All packets of a queue pair carry one entropy value.
  [[nodiscard]] bool has_fixed_entropy() const {
    return std::holds_alternative<path_selection::FixedConfig>(path_selection);
  }
  /// They are under way with several at a time.
  [[nodiscard]] bool varies_entropy() const {
    return path_selection::traits_of(path_selection).is_per_packet;
  }
  /// Wire bytes of a full packet.
  [[nodiscard]] Bytes full_packet() const { return format.payload + format.header; }
  /// Packets in flight that it is sure to wait at; 0: none. ACKs that a timer sends, or that
  /// packets out of order bring under selective repeat, let it continue earlier than `ack_every`
  /// says.
  [[nodiscard]] std::uint32_t certain_window() const {
    const bool acks_early = ack_delay > Picoseconds() || (selective && ack_every > 1);
    return acks_early ? 0 : window;
  }
};

/// The specification of a transport, as far as it is one.
template <class T>
concept TransportSpec = std::equality_comparable<T> && requires(const T& spec, LinkLayer layer) {
  { T::kName } -> std::convertible_to<const char*>;  // in scenarios
  { T::schema(layer) } -> std::same_as<schema::Object<T>>;
  { T::default_config(layer) } -> std::same_as<T>;
  { spec.traits() } -> std::same_as<TransportTraits>;
};

}  // namespace weft::protocols
