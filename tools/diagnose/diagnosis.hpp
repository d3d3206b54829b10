#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/diagnose/model/simulator.hpp"
#include "tools/diagnose/search/cleared.hpp"
#include "tools/diagnose/search/search.hpp"
#include "tools/evidence/measurements.hpp"

namespace weft::diagnose {

enum class Verdict : std::uint8_t {
  kAsExpected,
  kSlower,
  kAlone,              ///< beyond its band, and no finding: Diagnosis::notes says why
  kFasterThanTheWire,  ///< more bytes per NIC and second than it carries
  kNotComparable,
};
[[nodiscard]] const char* name_of(Verdict verdict);

/// A measured size beside the expected one.
struct ComparedPoint {
  std::string curve{};
  std::int64_t bytes = 0;
  std::optional<std::pair<std::string, std::string>> pair{};  ///< servers, where it is of two alone
  double measured_us = 0;
  double expected_us = 0;
  double band = 0;
  double bus_factor = 1;  ///< bus bandwidth over algorithm bandwidth, as nccl-tests has them
  Verdict verdict = Verdict::kAsExpected;

  /// GB/s, as nccl-tests states it, of a call that takes so long.
  [[nodiscard]] double bus_bandwidth(double time_us) const {
    return static_cast<double>(bytes) * bus_factor / time_us / 1e3;
  }
};

/// Something that is wrong, and where.
struct Culprit {
  std::string kind{};                 ///< name_of(CulpritKind), or of what a log says directly
  std::vector<std::string> places{};  ///< one of these; empty: the cluster
  /// Of each place its server, if its name hides it.
  std::vector<std::string> whereabouts{};
  /// Of each place, where a NIC is one of two at most, where its cable goes; else empty.
  std::vector<std::string> cables{};
  std::optional<double> value{};  ///< the part that is left; of a straggler: microseconds
  double explained = 0;           ///< the part of the deviation, 0 to 1
  double confidence = 0;          ///< 0 to 1
  std::string why{};
  std::vector<std::string> evidence{};  ///< single measurements that agree with it
  /// Whether packets were simulated with it, and how far the worst size is off then.
  std::optional<double> packets_off{};
};

/// A command of the next measurement, as it can be copied.
struct NextCommand {
  std::string on{};  ///< the host; empty: it is not said
  std::string command{};
};
/// What stands in backquotes of a next measurement and is a command with its arguments.
[[nodiscard]] std::vector<NextCommand> commands_of(const std::string& next_measurement);

struct Diagnosis {
  Verdict verdict = Verdict::kAsExpected;
  std::vector<ComparedPoint> compared{};
  std::vector<std::string> anomalies{};
  std::vector<std::string> notes{};  ///< what the verdict does not count, or rests on
  std::vector<Culprit> culprits{};   ///< the best first
  std::vector<Culprit> undecided{};  ///< what the measurements cannot tell from the first, with it
  std::vector<Cleared> cleared{};    ///< what runs that are as expected say is not to blame
  bool nothing_explains_it = false;
  std::string next_measurement{};       ///< empty: none is needed
  std::vector<std::string> warnings{};  ///< of the files that were read, and of simulated runs
  std::vector<std::string> remarks{};
};

struct DiagnosisOptions {
  bool confirms_by_packets = true;
};

/// Compares what was measured with the healthy cluster, and searches for what explains the
/// difference. Errors: the evidence is of another machine, or nothing can be simulated.
[[nodiscard]] Result<Diagnosis> diagnose(Simulator& healthy, const evidence::Measurements& measured,
                                         const evidence::Measurements* baseline = nullptr,
                                         const DiagnosisOptions& options = {});

[[nodiscard]] nlohmann::ordered_json to_json(const Diagnosis& diagnosis);
[[nodiscard]] std::string to_text(const Diagnosis& diagnosis);

}  // namespace weft::diagnose
