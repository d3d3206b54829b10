#pragma once

#include <cstdint>

#include "protocols/path_selection/choice.hpp"
#include "protocols/path_selection/rounds.hpp"

namespace weft::protocols::path_selection {

struct ObliviousConfig {
  std::uint32_t values = 64;

  friend bool operator==(const ObliviousConfig&, const ObliviousConfig&) = default;
};

/// Packets take all values in turn, whatever becomes of them: what Ultra Ethernet calls oblivious
/// spraying (uet-htsim, `uec_mp.cpp`, UecMpOblivious).
class Oblivious {
 public:
  using Config = ObliviousConfig;
  using Parameters = ObliviousConfig;
  static constexpr const char* kName = "oblivious";
  static constexpr Traits kTraits{.is_per_packet = true, .observes_acks = false};
  [[nodiscard]] static schema::Object<Config> schema();

  void start(const Parameters& p, std::uint64_t key) { rounds_.start(key, p.values); }
  [[nodiscard]] std::uint32_t next(const Parameters& p, std::uint32_t /*sequence*/,
                                   Picoseconds /*now*/) {
    return rounds_.next(p.values);
  }
  void on_ack(const Parameters& /*p*/, const AckedPacket& /*answer*/, Picoseconds /*now*/) {}
  void on_loss(const Parameters& /*p*/, std::uint32_t /*sequence*/, LossSignal /*how*/,
               Picoseconds /*now*/) {}
  void on_path_loss(const Parameters& /*p*/, std::uint32_t /*value*/, LossSignal /*how*/,
                    Picoseconds /*now*/) {}

 private:
  Rounds rounds_;
};
static_assert(EntropyChoice<Oblivious>);

}  // namespace weft::protocols::path_selection
