#include "scenarios/results/tables/latency/latency_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include "scenarios/results/results.hpp"
#include "simcore/messages/size_class.hpp"

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

/// `row` with every share of packets and their latency.
template <class Visit>
void for_each_row(LatencyRow row, const Histogram& latency, Visit visit) {
  for_each_share(latency.count(), [&](double longer) {
    row.longer = longer;
    row.latency = Picoseconds(latency.quantile(1 - longer));
    visit(row);
  });
}

/// Of all packets of a job, and of its size classes where there are several.
template <class Visit>
void for_each_row_of(const std::string& job, const Histogram& all, const LatencyBySize& sizes,
                     Visit visit) {
  LatencyRow row;
  row.job = job;
  for_each_row(row, all, visit);
  if (sizes.size() < 2) return;
  for (const SizedLatency& size : sizes) {
    const std::size_t c = size.size_class;
    row.above = c > 0 ? kMaxOfSizeClass[c - 1] : Bytes(0);
    row.up_to.reset();
    if (c < kMaxOfSizeClass.size()) row.up_to = kMaxOfSizeClass[c];
    for_each_row(row, size.latency, visit);
  }
}

}  // namespace

const Table<LatencyRow>& LatencyTable::declaration() {
  using Row = LatencyRow;
  static const Table<Row> table{
      "latency.csv",
      "a share of all packets, then of those of each job where there are several, up to 64; after "
      "each the same of messages of one size class, where there are several; within 1/128 of the "
      "latency, the last one exact",
      {{"job", "its name; empty: all packets", [](const Row& r) { return r.job; }},
       {"above_bytes", "of messages that are larger; empty: of all sizes",
        [](const Row& r) { return r.above; }},
       {"up_to_bytes", "and no larger", [](const Row& r) { return r.up_to; }},
       {"longer", "share of the packets that took longer",
        [](const Row& r) {
          return Quotient{r.longer, Quotient::Spelling::kRate};
        }},
       {"latency_s", "from a NIC to another", [](const Row& r) { return r.latency; }}},
      [](const Results& r, const auto& visit) {
        LatencyBySize sizes;
        for (const LatencyBySize& job : r.packet_latency_by_size) merge(sizes, job);
        for_each_row_of("", r.packet_latency, sizes, visit);
        if (r.packet_latency_by_size.size() < 2) return;
        for (std::size_t j = 0; j < r.packet_latency_by_size.size(); ++j) {
          const LatencyBySize& of_job = r.packet_latency_by_size[j];
          if (of_job.empty()) continue;
          Histogram all;
          merge(all, of_job);
          for_each_row_of(r.jobs[j].name, all, of_job, visit);
        }
      },
      [](const Results& r) { return r.packet_latency.count() > 0; },
      false,
      false};
  return table;
}

}  // namespace weft::scenarios
