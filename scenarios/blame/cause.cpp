#include "scenarios/blame/cause.hpp"

namespace weft::scenarios {

const char* cause_name(Cause cause) {
  switch (cause) {
    case Cause::kCompute:
      return "compute";
    case Cause::kStraggler:
      return "straggler";
    case Cause::kBubble:
      return "bubble";
    case Cause::kSchedule:
      return "schedule";
    case Cause::kProtocol:
      return "launch and protocol";
    case Cause::kPropagation:
      return "propagation";
    case Cause::kSerialisation:
      return "serialisation";
    case Cause::kQueueing:
      return "queueing";
    case Cause::kPause:
      return "pause";
    case Cause::kCredits:
      return "credits";
    case Cause::kCongestionControl:
      return "congestion control";
    case Cause::kWindow:
      return "window";
    case Cause::kRetransmission:
      return "retransmission";
    case Cause::kTimeout:
      return "time-out";
    case Cause::kLinkFailure:
      return "link failure";
    case Cause::kLinkRetry:
      return "link retry";
  }
  return "unknown";
}

}  // namespace weft::scenarios
