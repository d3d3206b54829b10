#include "tools/cli/collective/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <variant>

#include "scenarios/language/yaml/source_text.hpp"
#include "tools/cli/collective/load_for_collective.hpp"
#include "tools/diagnose/model/gpu_names.hpp"
#include "tools/evidence/nccl_tests/ranks.hpp"
#include "tools/import/source/input_file.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

using collectives::CollectiveSpec;
using collectives::Operation;
using evidence::MeasuredRow;
using evidence::MeasuredTable;

/// What a measurement has at most where it comes through a pipe.
constexpr std::size_t kMaxPiped = std::size_t{16} << 20U;

Result<import::InputFile> read_input(const std::string& name) {
  if (name != scenarios::language::kStandardInput) return import::InputFile::read(name);
  const auto text = scenarios::language::read_text_file(name, kMaxPiped);
  if (!text.ok()) return text.errors();
  return import::InputFile(name, text.value());
}

std::string name_of_table(const MeasuredTable& table) {
  return fmt::format("{} (line {})", table.operation.empty() ? "unnamed" : table.operation,
                     table.line);
}

/// The table to compare with: of the operation that is asked for, or the first.
Result<MeasuredTable> choose(const BenchArguments& a, std::vector<MeasuredTable> tables,
                             std::vector<std::string>& remarks) {
  auto chosen = tables.begin();
  if (a.has_operation) {
    for (const std::string& wanted : {a.operation, std::string()}) {
      chosen = std::ranges::find(tables, wanted, &MeasuredTable::operation);
      if (chosen != tables.end()) break;
    }
  }
  std::string names;
  for (const MeasuredTable& table : tables) {
    names += (names.empty() ? "" : ", ") + name_of_table(table);
  }
  if (chosen == tables.end()) {
    return Error{fmt::format("is of {}, and --op says {}", names, a.operation),
                 {a.against, 0, 0, {}}};
  }
  if (tables.size() > 1) {
    remarks.push_back(fmt::format("has {} tables: {}; only that of line {} is compared{}",
                                  tables.size(), names, chosen->line,
                                  a.has_operation ? "" : " (--op chooses another)"));
  }
  return std::move(*chosen);
}

/// What was measured: what is asked for, what the output says, what its file is named after, or
/// else what the job does. Error: the rows are of something else.
Result<Operation> operation_of(const BenchArguments& a, const MeasuredTable& table,
                               Operation of_job) {
  if (!table.operation.empty()) return collectives::operation_named(table.operation).value();
  Operation operation = of_job;
  const auto by_name = collectives::operation_named(evidence::operation_of_file(a.against));
  if (a.has_operation) {
    operation = collectives::operation_named(a.operation).value();
  } else if (by_name && evidence::contradiction(table, name_of(*by_name)).empty()) {
    operation = *by_name;
  }
  const std::string wrong = evidence::contradiction(table, name_of(operation));
  if (wrong.empty()) return operation;
  const MeasuredRow& row = table.rows.front();
  return Error{fmt::format("cannot be of {}: {}; --op says what was measured ({} bytes in {} us)",
                           name_of(operation), wrong, row.size, row.time_us.value),
               {a.against, row.line, 0, {}}};
}

/// Of rows of several machines those that can be of the job's ranks, if there are any.
Errors settle_ranks(const BenchArguments& a, const scenarios::JobSpec& job, Operation operation,
                    Measurement& measured) {
  MeasuredTable& table = measured.table;
  const std::size_t ranks = job.ranks.size();
  const std::string_view name = name_of(operation);
  auto range = evidence::ranks_of(table, name, a.against);
  if (!range) {
    const auto fits = [&](const MeasuredRow& row) { return evidence::can_be_of(row, name, ranks); };
    if (std::ranges::none_of(table.rows, fits)) return range.errors();
    evidence::keep(table, fits, fmt::format("not of {} ranks, as the job", ranks),
                   measured.remarks);
    range = evidence::ranks_of(table, name, a.against);
    if (!range) return range.errors();
  }
  if (range.value().has(ranks)) return {};
  const std::string said = range.value().text();
  measured.remarks.push_back(fmt::format(
      "is of {} rank{} ({}), and job `{}` has {}: times of different machines{}", said,
      said == "1" ? "" : "s", range.value().why, job.name, ranks,
      said == "1" ? "; nccl-tests that is built without MPI=1 runs each process alone" : ""));
  return {};
}

/// What is compared is out of place; operators measure both, and may have meant the other one.
std::string remark_on_place(const MeasuredTable& table) {
  constexpr double kMuch = 0.1;
  double largest = kMuch;
  const MeasuredRow* found = nullptr;
  for (const MeasuredRow& row : table.rows) {
    if (row.in_place_us.value == 0) continue;
    const double difference = row.in_place_us.value / row.time_us.value - 1;
    if (std::abs(difference) <= largest) continue;
    largest = std::abs(difference);
    found = &row;
  }
  if (found == nullptr) return {};
  return fmt::format(
      "in place takes up to {:.0f} % {} (line {}); compared is out of place", 100 * largest,
      found->in_place_us.value > found->time_us.value ? "more" : "less", found->line);
}

Result<Measurement> take(const BenchArguments& a, const scenarios::JobSpec& job,
                         std::vector<MeasuredTable> tables) {
  Measurement measured;
  auto table = choose(a, std::move(tables), measured.remarks);
  if (!table) return table.errors();
  measured.table = std::move(table).value();
  evidence::keep_first_kind(measured.table, measured.remarks);
  const auto operation =
      operation_of(a, measured.table, std::get<CollectiveSpec>(job.kind).operation);
  if (!operation) return operation.errors();
  measured.operation = name_of(operation.value());
  if (Errors errors = settle_ranks(a, job, operation.value(), measured); !errors.empty()) {
    return errors;
  }
  evidence::keep_first_of_size(measured.table, measured.remarks);
  if (std::string remark = remark_on_place(measured.table); !remark.empty()) {
    measured.remarks.push_back(std::move(remark));
  }
  if (measured.table.has_failed) measured.remarks.emplace_back("says that data came out wrong");
  if (!measured.table.rows.empty()) return measured;
  return Error{"has only rows of no bytes", {a.against, measured.table.line, 0, {}}};
}

}  // namespace

std::optional<Measurement> read_measurement(const BenchArguments& a,
                                            const scenarios::JobSpec& job) {
  if (a.has_operation && !read_operation(a.operation)) return std::nullopt;
  const auto file = read_input(a.against);
  if (!file.ok()) {
    print_errors(file.errors());
    return std::nullopt;
  }
  auto tables = evidence::parse_nccl_tests(file.value());
  if (!tables) {
    print_errors(tables.errors());
    return std::nullopt;
  }
  auto measured = take(a, job, std::move(tables).value());
  if (measured.ok()) return std::move(measured).value();
  print_errors(measured.errors());
  return std::nullopt;
}

std::string remark_on_hosts(const Measurement& measurement, const scenarios::JobSpec& job) {
  constexpr std::size_t kMaxGpus = 16;  // of a server; racks have more, in many trays
  const MeasuredTable& table = measurement.table;
  std::map<std::uint32_t, std::size_t> ranks_of_domain;
  for (const std::uint32_t domain : job.layout.domain) ++ranks_of_domain[domain];
  const auto is_rack = [](const auto& domain) { return domain.second > kMaxGpus; };
  const bool is_known = !table.hosts.empty() && table.devices.size() == job.ranks.size() &&
                        !ranks_of_domain.empty() && std::ranges::none_of(ranks_of_domain, is_rack);
  if (!is_known || table.hosts.size() == ranks_of_domain.size()) return {};
  return fmt::format(
      "is of {} host{}, such as {}, and job `{}` runs on {}: times of different machines",
      table.hosts.size(), table.hosts.size() == 1 ? "" : "s", *table.hosts.begin(), job.name,
      ranks_of_domain.size());
}

std::string remark_on_gpus(const Measurement& measurement,
                           std::optional<GpuGeneration> generation) {
  const std::string& gpu = measurement.table.gpu;
  if (gpu.empty() || !generation) return {};
  if (diagnose::gpu_generation_of(gpu) == generation) return {};
  return fmt::format("is of `{}`, and the job's GPUs are {}", gpu,
                     diagnose::generation_text(*generation));
}

}  // namespace weft::cli
