#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collectives/jobs/job_type.hpp"
#include "collectives/jobs/verb.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// All ranks but one send to that one at once.
struct IncastSpec {
  enum class Members : std::uint8_t { kFixed, kDrawn };
  std::uint32_t receiver = 0;
  Bytes size;  ///< per sender and round
  std::uint32_t rounds = 1;
  Picoseconds jitter;                      ///< each sender starts a round uniformly within it
  std::optional<std::uint32_t> senders{};  ///< absent: all ranks but the receiver
  // Rounds at their times; absent: a round begins when the last one is over.
  std::optional<Picoseconds> period{};  ///< from the begin of a round to that of the next
  std::optional<double> load{};         ///< the period follows from it
  Members members = Members::kFixed;    ///< drawn: a receiver and its senders for each round
  Verb verb = Verb::kWrite;

  [[nodiscard]] bool draws_members() const { return members == Members::kDrawn; }
  [[nodiscard]] bool is_periodic() const { return period.has_value() || load.has_value(); }
};

/// All ranks but the receiver send to it at once. When the receiver has a whole round, it control
/// events the senders, which start the next one; or rounds begin at their times, whatever has
/// become of the earlier ones. Each sender starts each round at a random time of its own, uniform
/// in [0, jitter) after it may. A receiver that reads asks each sender at that time. Where members
/// are drawn, each round has a receiver and senders of its own, any as likely, as in-casts of
/// storage systems have (HPCC, SIGCOMM 2019, section 5.1).
class Incast final : public JobProgram {
 public:
  using Spec = IncastSpec;
  static constexpr bool kIsOpenLoop = false;
  [[nodiscard]] static const char* type_name(const Spec&) { return "incast"; }
  [[nodiscard]] static schema::Object<Spec> schema();
  [[nodiscard]] static std::optional<RankDemand> rank_demand(const Spec& spec);
  static void check(const Spec& spec, std::uint32_t ranks, Problems& problems);
  [[nodiscard]] static std::uint64_t max_connections(const Spec& spec, std::uint32_t ranks);
  [[nodiscard]] static SendBound bound(const Spec& spec, const BoundSetting& setting);

  /// `setting.access_rates` holds every rank's.
  [[nodiscard]] static bool needs_access_rates(const Spec& spec) { return spec.load.has_value(); }

  Incast(ProgramSetting setting, const IncastSpec& spec);

  [[nodiscard]] bool needs_acknowledgements() const override {
    return setting_.has_acknowledgements;
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(LanePlace place) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(LanePlace place) const override;

 private:
  class Sender;
  class Receiver;
  class Reader;
  class Member;
  /// Who takes part in a round.
  struct Round {
    std::uint32_t receiver = 0;
    std::vector<std::uint32_t> senders;  ///< ascending
  };

  /// When a sender is asked, from the begin of a round.
  struct Read {
    Picoseconds time;
    std::uint32_t sender = 0;
  };

  [[nodiscard]] Picoseconds find_period() const;
  [[nodiscard]] Round drawn_round(std::uint32_t round) const;
  /// From the begin of what a sender may begin.
  [[nodiscard]] Picoseconds jitter_of(std::uint32_t rank, std::uint32_t round) const;
  /// The reads of a round, in the order of their times.
  [[nodiscard]] std::vector<Read> reads_of(std::span<const std::uint32_t> senders,
                                           std::uint32_t round) const;

  ProgramSetting setting_;
  IncastSpec spec_;
  std::uint32_t senders_;
  Picoseconds period_;  ///< of periodic ones
};

}  // namespace weft::collectives
