#pragma once

#include <cstdint>

#include "protocols/path_selection/choice.hpp"

namespace weft::protocols::path_selection {

/// Defaults are those of Linux, by some of the paper's authors (`tcp_plb_cong_thresh`,
/// `tcp_plb_rehash_rounds` and `tcp_plb_idle_rehash_rounds` of networking/ip-sysctl.rst: the
/// paper's K, N and M).
struct PlbConfig {
  double marked_share = 0.5;  ///< of a round's ACKs, from which on the round was congested
  std::uint32_t congested_rounds = 12;  ///< in a row, after which another path is taken
  std::uint32_t idle_rounds = 3;        ///< the same, while nothing is in flight to be overtaken

  friend bool operator==(const PlbConfig&, const PlbConfig&) = default;
};

/// PLB (M. A. Qureshi et al., "PLB: Congestion Signals are Simple and Effective for Network Load
/// Balancing", SIGCOMM 2022, section 3): a queue pair keeps to its path until it was congested for
/// some round trips in a row, or until a time-out, and then draws another one. Linux keeps to a
/// path for a minute or two after a time-out, which is left out.
class Plb {
 public:
  using Config = PlbConfig;
  struct Parameters {
    explicit Parameters(const Config& config)
        : marked_in_1024(static_cast<std::uint32_t>(config.marked_share * 1024)),
          congested_rounds(config.congested_rounds),
          idle_rounds(config.idle_rounds) {}
    std::uint32_t marked_in_1024;
    std::uint32_t congested_rounds;
    std::uint32_t idle_rounds;
  };
  static constexpr const char* kName = "plb";
  static constexpr Traits kTraits{.is_per_packet = false, .observes_acks = true};
  [[nodiscard]] static schema::Object<Config> schema();

  void start(const Parameters& /*p*/, std::uint64_t /*key*/) {}
  [[nodiscard]] std::uint32_t next(const Parameters& p, std::uint32_t /*sequence*/,
                                   Picoseconds /*now*/) {
    if (is_idle_ && congested_ >= p.idle_rounds) move();
    is_idle_ = false;
    return value_;
  }

  void on_ack(const Parameters& p, const AckedPacket& answer, Picoseconds /*now*/) {
    is_idle_ = answer.arrived == answer.sent;
    if (answer.value != value_) return;  // of the path before
    // A round trip begins with the first ACK after the one before, and has all that is under way.
    if (acks_ == 0) round_ends_ = answer.sent;
    ++acks_;
    if (answer.is_marked) ++marked_;
    if (static_cast<std::int32_t>(answer.arrived - round_ends_) < 0) return;
    const bool is_congested =
        marked_ > 0 && std::uint64_t{marked_} * 1024 >= std::uint64_t{acks_} * p.marked_in_1024;
    congested_ = is_congested ? congested_ + 1 : 0;
    acks_ = 0;
    marked_ = 0;
    if (congested_ >= p.congested_rounds) move();
  }
  void on_loss(const Parameters& /*p*/, std::uint32_t /*sequence*/, LossSignal signal,
               Picoseconds /*now*/) {
    if (signal == LossSignal::kTimeout) move();
  }
  void on_path_loss(const Parameters& /*p*/, std::uint32_t value, LossSignal signal,
                    Picoseconds /*now*/) {
    if (signal == LossSignal::kTimeout && value == value_) move();
  }

 private:
  /// What value stands for which path is drawn, so that the next one is as good as any.
  void move() {
    value_ = (value_ + 1) % kMaxValues;
    congested_ = 0;
    acks_ = 0;
    marked_ = 0;
  }

  std::uint32_t value_ = 0;
  std::uint32_t round_ends_ = 0;
  std::uint32_t acks_ = 0;
  std::uint32_t marked_ = 0;
  std::uint32_t congested_ = 0;
  bool is_idle_ = false;
};
static_assert(EntropyChoice<Plb>);

}  // namespace weft::protocols::path_selection
