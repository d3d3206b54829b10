#include "tools/diagnose/model/band.hpp"

#include <algorithm>
#include <array>

namespace weft::diagnose {
namespace {

using collectives::Operation;

/// Up to 1 MiB, up to 64 MiB, above.
struct ErrorRow {
  Operation operation;
  std::array<double, 3> parts;
};

// What nine of ten times of tests/operators/reference/nccl-one-server-open.csv are within (servers
// of 8 A100, H100 and B200, half): tests/diagnose/band_test.cpp measures it. Other collectives have
// the worst of these.
constexpr std::array<ErrorRow, 4> kErrors{{{Operation::kAllReduce, {0.15, 0.28, 0.10}},
                                           {Operation::kAllGather, {0.26, 0.18, 0.16}},
                                           {Operation::kReduceScatter, {0.14, 0.27, 0.10}},
                                           {Operation::kAllToAll, {0.31, 0.62, 0.15}}}};
constexpr std::array<double, 3> kOtherErrors{0.31, 0.62, 0.16};

// Of several servers no such table is open: these are assumed, not measured. NICs, drivers and
// proxies differ most at small sizes.
constexpr std::array<double, 3> kServers{0.40, 0.30, 0.15};

}  // namespace

double band_of(Operation operation, std::int64_t bytes, BandOf of) {
  const std::size_t row = bytes <= kSmallBytes ? 0 : bytes <= kMiddleBytes ? 1 : 2;
  double part = kOtherErrors[row];
  for (const ErrorRow& errors : kErrors) {
    if (errors.operation == operation) part = errors.parts[row];
  }
  if (of.has_several_servers) part = std::max(part, kServers[row]);
  return part + (of.hashes_flows && bytes > kSmallBytes ? kCollisionsBand : 0);
}

}  // namespace weft::diagnose
