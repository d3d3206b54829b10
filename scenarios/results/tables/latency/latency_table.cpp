#include "scenarios/results/tables/latency/latency_table.hpp"

#include <cstdint>

#include "scenarios/results/results.hpp"

namespace weft::scenarios {
namespace {

/// In even steps, then ever closer to none, as far as there are packets to tell apart.
template <class Visit>
void for_each_share(std::uint64_t packets, Visit visit) {
  constexpr int kPercent = 100;
  constexpr int kStep = 5;
  for (int percent = kPercent; percent > 0; percent -= kStep) {
    visit(static_cast<double>(percent) / kPercent);
  }
  constexpr double kTailBegin = 0.05;
  for (double rest = kTailBegin; rest * static_cast<double>(packets) >= 1; rest /= 10) {
    for (const double part : {0.6, 0.4, 0.2, 0.1}) {
      if (rest * part * static_cast<double>(packets) >= 1) visit(rest * part);
    }
  }
  visit(0.0);
}

}  // namespace

const Table<LatencyRow>& LatencyTable::declaration() {
  using Row = LatencyRow;
  static const Table<Row> table{
      "latency.csv",
      "a share of all packets; within 1/128 of the latency, the last one exact",
      {{"longer", "share of all packets that took longer",
        [](const Row& r) {
          return Quotient{r.longer, Quotient::Spelling::kRate};
        }},
       {"latency_s", "from a NIC to another", [](const Row& r) { return r.latency; }}},
      [](const Results& r, const auto& visit) {
        for_each_share(r.packet_latency.count(), [&](double longer) {
          visit({longer, Picoseconds(r.packet_latency.quantile(1 - longer))});
        });
      },
      [](const Results& r) { return r.packet_latency.count() > 0; },
      false,
      false};
  return table;
}

}  // namespace weft::scenarios
