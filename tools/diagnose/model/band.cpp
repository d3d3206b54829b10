#include "tools/diagnose/model/band.hpp"

#include <array>

namespace weft::diagnose {
namespace {

using collectives::Operation;

/// Up to 1 MiB, up to 64 MiB, above.
struct ErrorRow {
  Operation operation;
  std::array<double, 3> parts;
};

// What nine of ten times of tests/operators/reference/nccl-one-server-open.csv are within (servers of
// 8 A100, H100 and B200, half): tests/diagnose/band_test.cpp measures it. Of several servers
// nothing is as openly known; Other collectives have the worst of these.
constexpr std::array<ErrorRow, 4> kErrors{{{Operation::kAllReduce, {0.15, 0.28, 0.10}},
                                           {Operation::kAllGather, {0.26, 0.55, 0.19}},
                                           {Operation::kReduceScatter, {0.14, 0.48, 0.18}},
                                           {Operation::kAllToAll, {0.30, 0.57, 0.15}}}};
constexpr std::array<double, 3> kOtherErrors{0.30, 0.57, 0.19};

/// Two flows on one path while another is idle: what a few queue pairs make of that.
constexpr double kCollisions = 0.25;

}  // namespace

double band_of(Operation operation, std::int64_t bytes, bool hashes_flows) {
  const std::size_t row = bytes <= kSmallBytes ? 0 : bytes <= kMiddleBytes ? 1 : 2;
  double part = kOtherErrors[row];
  for (const ErrorRow& errors : kErrors) {
    if (errors.operation == operation) part = errors.parts[row];
  }
  return part + (hashes_flows && bytes > kSmallBytes ? kCollisions : 0);
}

}  // namespace weft::diagnose
