#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "simcore/base/units.hpp"
#include "simcore/schema/schema.hpp"

/// How a reliable transport repairs what is lost.
namespace weft::protocols {

/// Everything from the first packet that is missing is sent again.
struct GoBackN {
  [[nodiscard]] static schema::Object<GoBackN> schema();
  friend bool operator==(const GoBackN&, const GoBackN&) = default;
};

/// What is missing is sent again, and nothing else: the loss recovery of IRN (R. Mittal et al.,
/// "Revisiting Network Support for RDMA", SIGCOMM 2018, section 3.1), with its flow control (3.2).
struct SelectiveRepeat {
  enum class Preset : std::uint8_t {
    kPaper,     ///< the paper's simulations of 40 Gbps and a longest round trip of 24 us
    kConWeave,  ///< the ns-3 model of ConWeave (SIGCOMM 2023), which has IRN beside go-back-N
  };
  Preset preset = Preset::kPaper;
  /// From the oldest packet that is not acknowledged on, this many bytes may be sent.
  /// Absent: what the link sends in the base RTT of the queue pair's path; 0: as many packets as
  /// ACKs can tell.
  std::optional<Bytes> cap{};
  std::uint32_t few = 3;              ///< with fewer packets than that in flight
  Picoseconds timeout_low = 100_us;   ///< this is the time-out
  Picoseconds timeout_high = 320_us;  ///< and else this
  std::uint32_t reordering = 0;       ///< packets by which one may overtake a hole that is not lost

  [[nodiscard]] static SelectiveRepeat from_preset(Preset preset);
  [[nodiscard]] static schema::Object<SelectiveRepeat> schema();
  friend bool operator==(const SelectiveRepeat&, const SelectiveRepeat&) = default;
};

using Recovery = std::variant<GoBackN, SelectiveRepeat>;
/// How it is written in a scenario.
[[nodiscard]] schema::Object<Recovery> recovery_schema();

/// Packets that can be in flight under selective repeat: what an ACK tells of beyond the first that
/// is missing is a number of 16 bits.
inline constexpr std::uint32_t kMaxSelective = 65'535;

}  // namespace weft::protocols
