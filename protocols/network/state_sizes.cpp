#include "protocols/network/state_sizes.hpp"

#include "protocols/state/network_state.hpp"

namespace weft::protocols {
namespace {

std::size_t congestion_state_of(const TransportConfig& transport) {
  return congestion::ControlStates::bytes_per_queue_pair(traits_of(transport).congestion_control);
}

std::size_t entropy_state_of(const TransportConfig& transport) {
  const std::size_t choice = traits_of(transport).path_selection.index();
  std::size_t number = 0;
  std::size_t size = 0;
  path_selection::Choices::for_each([&]<class C>() {
    const bool is_meant = number++ == choice;
    if (is_meant && number > 1) size = sizeof(C) + sizeof(std::uint32_t);  // 0 has no state
  });
  return size;
}

std::size_t grant_state_of(const TransportConfig& transport) {
  if (!congestion::requirements_of(traits_of(transport).congestion_control).grants) return 0;
  return sizeof(congestion::GrantStates::Asker) + sizeof(congestion::GrantStates::Turn);
}

std::size_t credit_state_of(const TransportConfig& transport) {
  if (!traits_of(transport).receiver_control) return 0;
  return sizeof(congestion::RcccSource) + sizeof(congestion::RcccSink) +
         sizeof(congestion::GrantStates::Asker) + sizeof(congestion::GrantStates::Turn);
}

std::size_t transport_state_of(const TransportConfig& transport) {
  if (traits_of(transport).delivery) {
    // Beside the two states, 64 packets in flight and a place in the list of both.
    return sizeof(UecSender) + sizeof(UecReceiver) + 64 * sizeof(SentPacket) +
           sizeof(std::uint32_t) + entropy_state_of(transport) + credit_state_of(transport);
  }
  if (!std::holds_alternative<TcpConfig>(transport)) {
    return entropy_state_of(transport) + grant_state_of(transport);
  }
  // Beside the two states, times of sixteen packets in flight and a place in the list of both.
  return sizeof(TcpSender) + sizeof(TcpReceiver) + 16 * sizeof(std::int64_t) +
         sizeof(std::uint32_t);
}

}  // namespace

StateSizes state_sizes(const TransportConfig& transport) {
  return {.port = sizeof(PortState) + sizeof(Link) + 2 * sizeof(Chunk),
          .class_of_port = sizeof(ClassQueue) + sizeof(IngressAccount),
          .connection = sizeof(ConnectionState),
          .sender = sizeof(SenderState),
          .added_up_sender = sizeof(SendingEnd),
          .receiver = sizeof(ReceiverState),
          .copy_receiver = sizeof(CopyReceiver),
          .congestion_state = congestion_state_of(transport),
          .transport_state = transport_state_of(transport)};
}

}  // namespace weft::protocols
