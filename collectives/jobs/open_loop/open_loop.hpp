#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/jobs/job_type.hpp"
#include "collectives/jobs/verb.hpp"
#include "collectives/traffic/sizes_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// Messages to uniformly random other ranks at a given load.
struct OpenLoopSpec {
  enum class Arrivals : std::uint8_t { kPoisson, kConstant, kOnOff };
  Bytes size;         ///< of all messages, without `sizes`
  double load = 0.5;  ///< payload, as a fraction of the access rate of who posts
  Arrivals arrivals = Arrivals::kPoisson;
  Picoseconds stop;                  ///< no arrivals from then on, counted from the job's start
  std::optional<SizesSpec> sizes{};  ///< that messages are drawn from
  // Of on-off sources:
  Picoseconds on{};   ///< a source sends for so long, on average
  Picoseconds off{};  ///< and then rests for so long
  Verb verb = Verb::kWrite;
};

/// The mean time between two messages of a rank whose link has this rate, rounded to a picosecond;
/// between 1 and 2^62 ps. The load counts in steps of 10^-9 and is at least one of them; the mean
/// of drawn sizes in thousandths of a byte. Of on-off sources it is that of all time, on and off.
[[nodiscard]] Picoseconds mean_gap(const OpenLoopSpec& spec, BitsPerSecond access_rate);

/// Every rank posts messages to, or reads from, uniformly random other ranks, whatever has become
/// of the earlier ones: at exponential gaps (a Poisson process), or at constant ones with the first
/// message at a random phase within a gap, so that ranks do not march in step; or as a Poisson
/// process that is switched on and off for exponential times, with the same load over all (an
/// interrupted Poisson process: A. Kuczura, Bell System Technical Journal 52, 1973). Whether a
/// source begins on or off is drawn, so that its load is the same from the start.
///
/// Its send peers are those that it draws, which are far fewer than all where ranks are many.
/// Receivers wait for nothing; a rank ends with its last acknowledgement, or delivery.
class OpenLoop final : public JobProgram {
 public:
  using Spec = OpenLoopSpec;
  static constexpr bool kIsOpenLoop = true;
  [[nodiscard]] static const char* type_name(const Spec&) { return "open-loop"; }
  [[nodiscard]] static schema::Object<Spec> schema();
  [[nodiscard]] static std::uint64_t max_connections(const Spec& spec, std::uint32_t ranks);
  [[nodiscard]] static SendBound bound(const Spec& spec, const BoundSetting& setting);
  static void read_files(Spec& spec, JobFiles& files);
  [[nodiscard]] static std::vector<Bytes> size_classes(const Spec& spec);

  /// `setting.access_rates` holds every rank's.
  OpenLoop(ProgramSetting setting, const OpenLoopSpec& spec);

  [[nodiscard]] bool needs_acknowledgements() const override {
    return setting_.has_acknowledgements;
  }
  [[nodiscard]] std::optional<DrawnSends> drawn_sends(std::uint32_t rank) const override;
  [[nodiscard]] std::vector<std::uint32_t> send_peers(LanePlace place) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(LanePlace place) const override;

 private:
  class Activity;
  class SeenPeers;
  class Source;

  [[nodiscard]] Picoseconds mean_gap_of(std::uint32_t rank) const;
  [[nodiscard]] std::uint32_t destination(std::uint32_t rank, std::uint64_t message) const;
  [[nodiscard]] Bytes size_of(std::uint32_t rank, std::uint64_t message) const;
  /// Those of messages that arrive for sure before the end, which takes no logarithms: two in
  /// three.
  void see_sure_messages(std::uint32_t rank, SeenPeers& peers) const;

  ProgramSetting setting_;
  OpenLoopSpec spec_;
};

}  // namespace weft::collectives
