#include "tools/cli/collective/bench_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/spec/data_type.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/text/plain_number.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

using collectives::CollectiveSpec;
using collectives::Operation;

void say(const std::string& line) {
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

std::optional<BenchRow> row_of(const scenarios::Results& r, std::size_t job,
                               const CollectiveSpec& spec) {
  const scenarios::CollectiveResult* last = nullptr;
  for (const scenarios::CollectiveResult& c : r.collectives) {
    if (c.job == job) last = &c;
  }
  if (last == nullptr) return std::nullopt;
  const bool has_root =
      spec.operation == Operation::kBroadcast || spec.operation == Operation::kReduce ||
      spec.operation == Operation::kGather || spec.operation == Operation::kScatter;
  return BenchRow{.size = last->size.count(),
                  .type = spec.data_type,
                  .redop = reduces(spec.operation) ? "sum" : "none",
                  .root = has_root ? std::to_string(spec.root) : "-1",
                  .time_us = to_seconds(last->end - last->start) * 1e6,
                  .algorithm_bandwidth = last->algorithm_bandwidth.value_or(0) * 1e-9,
                  .bus_bandwidth = last->bus_bandwidth.value_or(0) * 1e-9,
                  .algorithm = r.jobs[job].algorithm,
                  .protocol = r.jobs[job].protocol};
}

std::string execution_text(const CollectiveSpec& spec) {
  using collectives::Execution;
  const Execution& e = spec.execution;
  std::string text =
      fmt::format("execution nccl: {} in {}, {}", name_of(spec.algorithm), name_of(e.protocol),
                  scenarios::counted(std::int64_t{e.channels}, "channel"));
  text +=
      fmt::format(", chunks of {}", scenarios::format_bytes(static_cast<double>(e.chunk.count())));
  if (e.slices > 1) text += fmt::format(" in {} slices", e.slices);
  if (e.in_flight > 0) text += fmt::format(", {} in flight", e.in_flight);
  switch (e.transfer) {
    case Execution::Transfer::kSerial:
      text += ", serial";
      break;
    case Execution::Transfer::kPaced:
      text += ", paced";
      break;
    default:
      text += ", posted";
  }
  if (e.channel_rate.count() > 0) {
    text += " at " + scenarios::format_rate(static_cast<double>(e.channel_rate.count())) +
            " per channel";
  }
  if (e.network_channel_rate.count() > 0) {
    text +=
        fmt::format(", {} between domains",
                    scenarios::format_rate(static_cast<double>(e.network_channel_rate.count())));
  }
  if (e.launch) text += ", launch " + scenarios::format_time(*e.launch);
  if (e.launch_interval > Picoseconds(0)) {
    text += ", launches " + scenarios::format_time(e.launch_interval) + " apart";
  }
  return text;
}

void BenchTable::add(const BenchRow& row) {
  if (!std::exchange(has_header_, true)) header();
  const std::int64_t count = row.size / bytes_of(row.type);
  const char* const type = name_of(row.type);
  say(is_csv_ ? fmt::format("{},{},{},{},{},{:.3f},{:.4f},{:.4f},{},{}\n", row.size, count, type,
                            row.redop, row.root, row.time_us, row.algorithm_bandwidth,
                            row.bus_bandwidth, row.algorithm, row.protocol)
              : fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}  {:>7}  {:>6.2f}  "
                            "{:>6.2f}  {}\n",
                            row.size, count, type, row.redop, row.root,
                            scenarios::plain_number(row.time_us, 4), row.algorithm_bandwidth,
                            row.bus_bandwidth, row.how()));
}

void BenchTable::header() const {
  say(is_csv_ ? "size,count,type,redop,root,time_us,algbw_GBps,busbw_GBps,algorithm,protocol\n"
              : "#       size         count      type   redop    root     time   algbw   busbw  "
                "algorithm\n"
                "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n");
}

void ComparedTable::add(std::int64_t asked, const BenchRow& row) {
  const auto found = std::ranges::find(measured_, asked, &evidence::MeasuredRow::size);
  if (found == measured_.end()) return;
  if (errors_.empty()) header();
  const double error = 100 * (row.time_us / found->time_us.value - 1);
  errors_.push_back(std::abs(error));
  say(is_csv_ ? fmt::format("{},{:.3f},{:.3f},{:.2f},{:.4f},{:.4f},{}\n", asked,
                            found->time_us.value, row.time_us, error, found->bus_bandwidth.value,
                            row.bus_bandwidth, row.how())
              : fmt::format("{:>12}  {:>9}  {:>9}  {:>+7.1f}  {:>8.2f}  {:>8.2f}  {}\n", asked,
                            scenarios::plain_number(found->time_us.value, 4),
                            scenarios::plain_number(row.time_us, 4), error,
                            found->bus_bandwidth.value, row.bus_bandwidth, row.how()));
}

void ComparedTable::conclude() const {
  if (errors_.empty()) return;
  double sum = 0;
  for (const double error : errors_) sum += error;
  const std::string text =
      fmt::format("{} size{}: mean error {:.1f} %, largest {:.1f} % (of the time, either way)\n",
                  errors_.size(), errors_.size() == 1 ? "" : "s",
                  sum / static_cast<double>(errors_.size()), *std::ranges::max_element(errors_));
  if (is_csv_) {
    print_error_text("weft: " + text);
  } else {
    say("# " + text);
  }
}

void ComparedTable::header() const {
  say(is_csv_ ? "size,measured_us,time_us,error_percent,measured_busbw_GBps,busbw_GBps,algorithm\n"
              : "#       size   measured  simulated    error  measured     busbw  algorithm\n"
                "#        (B)       (us)       (us)      (%)    (GB/s)    (GB/s)\n");
}

}  // namespace weft::cli
