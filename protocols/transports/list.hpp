#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "protocols/config/transports/list.hpp"
#include "protocols/transports/datagram/datagram.hpp"
#include "protocols/transports/roce/roce.hpp"
#include "protocols/transports/tcp/tcp.hpp"
#include "protocols/transports/uec/uec.hpp"

namespace weft::protocols {

/// The two ends of every transport on the hosts of a network, in the order of `Transports`; some
/// have those of another one (`model_of`). A call finds its transport by comparing its number,
/// which is the same for long stretches of a run; nothing is virtual.
///
/// What a transport does at a sender:
/// - `on_first_sent` as the transmission of a packet begins that was not sent before, and `on_sent`
///   after any, with whether it is the last one of its message.
/// - `receive_response`: something came back from the receiver.
/// - `expire_timer`: a timer that it filed has run out.
///
/// At a receiver: `receive_data`; `expire_ack_timer` where it holds back ACKs; `receive_trimmed`
/// where it makes use of headers whose payload a switch cut off, each of which it answers.
template <class Host>
class TransportModels {
 public:
  TransportModels(NetworkState& state, Host& host)
      : models_(Roce<Host>(state, host), Datagram<Host>(state, host), Tcp<Host>(state, host),
                Contexts(state, host)) {
    static_assert(std::tuple_size_v<Models> == Transports::models());
  }

  /// `use(model)` with the one of this number.
  template <std::size_t I = 0, class Use>
  [[gnu::always_inline]] void with(std::uint8_t model, Use use) {
    if constexpr (I + 1 < std::tuple_size_v<Models>) {
      if (model != I) {
        with<I + 1>(model, use);
        return;
      }
    }
    use(std::get<I>(models_));
  }

 private:
  /// Packet paths without contexts have no code for them.
  using Contexts = std::conditional_t<Host::kHasContexts, Uec<Host>, Datagram<Host>>;
  using Models = std::tuple<Roce<Host>, Datagram<Host>, Tcp<Host>, Contexts>;
  Models models_;
};

}  // namespace weft::protocols
