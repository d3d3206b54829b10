#pragma once

#include <concepts>
#include <cstddef>
#include <variant>

#include "protocols/config/transports/datagram_config.hpp"
#include "protocols/config/transports/mrc_config.hpp"
#include "protocols/config/transports/roce_config.hpp"
#include "protocols/config/transports/tcp_config.hpp"
#include "protocols/config/transports/transport.hpp"
#include "protocols/config/transports/uec_config.hpp"

namespace weft::protocols {

/// A transport that has the two ends of another one, its `Model`.
template <class T>
concept HasModelOfAnother = requires {
  typename T::Model;
};

/// Some transports, numbered in this order. The first is meant where a scenario names none.
template <TransportSpec... T>
struct TransportSpecs {
  using Config = std::variant<T...>;
  template <TransportSpec Wanted>
  [[nodiscard]] static constexpr std::size_t number_of() {
    std::size_t number = 0;
    bool is_found = false;
    ((is_found = is_found || std::same_as<T, Wanted>, number += is_found ? 0 : 1), ...);
    return number;
  }
  /// Those with ends of their own.
  [[nodiscard]] static constexpr std::size_t models() {
    return (std::size_t{HasModelOfAnother<T> ? 0U : 1U} + ...);
  }
  /// Calls `visit.template operator()<T>()` for each, in order.
  template <class Visit>
  static void for_each(Visit visit) {
    (visit.template operator()<T>(), ...);
  }
};

/// All transports that a scenario can name. `protocols/transports/list.hpp` has their two ends.
using Transports = TransportSpecs<RoceConfig, DatagramConfig, TcpConfig, UecConfig, MrcConfig>;
using TransportConfig = Transports::Config;

/// With what is around its packets.
[[nodiscard]] TransportTraits traits_of(const TransportConfig& transport);
/// The number of the transport whose two ends it has: its own, or that of its `Model`. Those with
/// ends of their own come first.
[[nodiscard]] std::size_t model_of(const TransportConfig& transport);
/// What NICs on such links run.
[[nodiscard]] TransportConfig standard_transport(LinkLayer layer);
/// How a transport is written in a scenario: its type, and that one's keys.
[[nodiscard]] schema::Object<TransportConfig> transport_schema(LinkLayer layer);

}  // namespace weft::protocols
