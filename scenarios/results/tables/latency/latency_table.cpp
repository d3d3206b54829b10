#include "scenarios/results/tables/latency/latency_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

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

template <class Visit>
void for_each_row(const std::string& job, const Histogram& latency, Visit visit) {
  for_each_share(latency.count(), [&](double longer) {
    visit({job, longer, Picoseconds(latency.quantile(1 - longer))});
  });
}

}  // namespace

const Table<LatencyRow>& LatencyTable::declaration() {
  using Row = LatencyRow;
  static const Table<Row> table{
      "latency.csv",
      "a share of all packets, then of those of each job where there are several, up to 64; within "
      "1/128 of the latency, the last one exact",
      {{"job", "its name; empty: all packets", [](const Row& r) { return r.job; }},
       {"longer", "share of the packets that took longer",
        [](const Row& r) {
          return Quotient{r.longer, Quotient::Spelling::kRate};
        }},
       {"latency_s", "from a NIC to another", [](const Row& r) { return r.latency; }}},
      [](const Results& r, const auto& visit) {
        for_each_row("", r.packet_latency, visit);
        for (std::size_t j = 0; j < r.packet_latency_of_jobs.size(); ++j) {
          const Histogram& latency = r.packet_latency_of_jobs[j];
          if (!latency.is_empty()) for_each_row(r.jobs[j].name, latency, visit);
        }
      },
      [](const Results& r) { return r.packet_latency.count() > 0; },
      false,
      false};
  return table;
}

}  // namespace weft::scenarios
