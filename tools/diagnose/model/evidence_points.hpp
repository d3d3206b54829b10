#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/diagnose/model/places.hpp"
#include "tools/diagnose/model/simulator.hpp"
#include "tools/evidence/measurements.hpp"

namespace weft::diagnose {

/// Smaller messages of perftest are limited by how many a NIC sends, and not by its rate.
inline constexpr std::int64_t kMinWireBytes = std::int64_t{64} << 10U;

/// One measured time, beside what the healthy cluster takes.
struct Point {
  std::uint32_t curve = 0;  ///< number of its curve or matrix
  std::string operation{};
  std::int64_t bytes = 0;
  double measured_us = 0;
  double expected_us = 0;
  double tolerance = 0;  ///< of ln(measured / expected), beyond what all of a curve have in common
  double band = 0;       ///< beyond which two sizes side by side are a finding
  double band_of_hashing = 0;     ///< that part of it which flows that meet account for
  std::vector<double> busy_us{};  ///< by resource, in the healthy run
  bool crosses_uplinks = false;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> pair{};  ///< servers
  std::optional<std::uint32_t> rail{};      ///< of a pair of NICs: which of its server
  bool is_wire = false;                     ///< of perftest: no library is involved
  std::optional<std::uint32_t> receiver{};  ///< of perftest: the resource that data arrive at
  /// By alternative of the evidence: what the call takes there; empty: as expected everywhere.
  std::vector<double> alternative_us{};
  double bytes_per_nic = 0;  ///< what the busiest NIC sends or receives
  double bus_factor = 1;     ///< bus bandwidth over algorithm bandwidth (nccl-tests)
  double nic_gigabytes = 0;  ///< GB/s that this NIC carries

  [[nodiscard]] double bottleneck_us() const;
};

/// A curve over sizes, or a matrix of pairs.
struct Curve {
  /// `all-reduce of 32 ranks`; of a part of the servers ` on gpu01 and gpu02`; each once.
  std::string name;
  /// By how much all its points may be off together, as a logarithm: weft's own error.
  double level = 0;
  bool is_matrix = false;
  bool is_relative = false;  ///< its points are compared with each other alone
  std::vector<std::uint32_t> servers{};
  std::optional<Call> call{};  ///< without its size; nothing: perftest
  /// Its servers are a guess, so that it says nothing of single ones.
  bool is_guess = false;
};

/// A cluster or a library that is set otherwise. What that makes of times no formula says: packets
/// are simulated with it as those that are expected.
struct Alternative {
  enum class What : std::uint8_t {
    kAlgorithm,   ///< one algorithm of NCCL for all sizes
    kProtocol,    ///< one protocol of NCCL for all sizes
    kThresholds,  ///< ECN marks from few bytes on
    kHostMemory,  ///< every message between servers waits for copies
  };
  What what = What::kAlgorithm;
  std::string name{};       ///< `NCCL_ALGO=Tree`; empty: there is one alone
  std::string algorithm{};  ///< weft's name; of a protocol: what packets have
  std::vector<std::string> changes{};
  std::vector<std::string> execution{};
};

/// What was measured, in a form that hypotheses are held against.
struct EvidencePoints {
  std::vector<Curve> curves;
  std::vector<Point> points;
  std::vector<std::string> remarks;
  std::vector<std::string> warnings;  ///< of the runs that say what is to be expected
  std::vector<Alternative> alternatives{};
  double payload = 0;  ///< of a full packet, bytes, as it is meant
  double header = 0;   ///< what else it occupies the wire with
};

/// Where ranks of the evidence are in the cluster, and the times that are to be expected of it.
/// `baseline`: what was measured when all was well, in place of simulated times. Errors: the
/// evidence is of another machine.
[[nodiscard]] Result<EvidencePoints> evidence_points(Simulator& healthy,
                                                     const evidence::Measurements& measured,
                                                     const evidence::Measurements* baseline);

}  // namespace weft::diagnose
