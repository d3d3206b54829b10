#pragma once

#include "simcore/base/ids.hpp"

namespace weft::protocols {

/// A queue pair of the network, by its sending end.
using QueuePairId = Id<struct QueuePairIdTag>;
/// Where data gets to: the receiving end of a queue pair, of what scale-up switches reduce, or of a
/// copy of a multicast, in this order.
using ReceiverId = Id<struct ReceiverIdTag>;

/// Of a queue pair whose data scale-up switches do not work on: both ends have one number.
[[nodiscard]] constexpr ReceiverId receiver_of(QueuePairId queue_pair) {
  return ReceiverId(queue_pair.value());
}
[[nodiscard]] constexpr QueuePairId queue_pair_of(ReceiverId receiver) {
  return QueuePairId(receiver.value());
}

}  // namespace weft::protocols
