#include "tools/evidence/nccl_tests/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "tools/evidence/nccl_tests/ranks.hpp"
#include "tools/evidence/operations.hpp"

namespace weft::evidence {
namespace {

constexpr std::size_t kMaxErrors = 20;  ///< of a table; the rest is counted

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Rows that were wrapped have their rest on a line of its own; a file that was cut has one row
/// without a rest, at its end.
bool check_narrow(const import::InputFile& file, const MeasuredTable& table, Remarks& remarks) {
  if (table.narrow.empty()) return true;
  const MeasuredRow& first = table.narrow.front();
  const auto has_text = [](std::string_view line) { return !line.empty(); };
  const auto rest = std::span(file.lines()).subspan(static_cast<std::size_t>(first.line));
  if (table.narrow.size() == 1 && std::ranges::none_of(rest, has_text)) {
    add_warning(remarks, file.line(static_cast<std::size_t>(first.line)),
                fmt::format("the last row is incomplete ({} of {} fields): it is left out",
                            first.fields, table.layout.fields));
    return true;
  }
  add_error(remarks, file.line(static_cast<std::size_t>(first.line)),
            fmt::format("{} of {} fields, where the header of line {} has {}: was the text pasted "
                        "from a narrow window? Copy it from a file, with one line per row",
                        counted(table.narrow.size(), "row"), first.fields, table.layout.line,
                        table.layout.fields));
  return false;
}

bool check_problems(const MeasuredTable& table, Remarks& remarks) {
  for (std::size_t i = 0; i < std::min(kMaxErrors, table.problems.size()); ++i) {
    add_error(remarks, table.problems[i].where, table.problems[i].message);
  }
  if (table.problems.size() > kMaxErrors) {
    add_error(remarks, table.problems[kMaxErrors].where,
              fmt::format("{} more rows do not check", table.problems.size() - kMaxErrors));
  }
  return table.problems.empty();
}

/// Each process of a program that was built without MPI is alone, and so rank 0.
bool check_mpi(const import::InputFile& file, const MeasuredTable& table, Remarks& remarks) {
  const auto is_alone = [](const MeasuredRow& row) {
    return row.bus_bandwidth.value == 0 && row.algorithm_bandwidth.value > 1;
  };
  const bool rows_are = !table.rows.empty() && std::ranges::any_of(table.rows, is_alone);
  if (!rows_are && table.devices.size() != 1 && !table.repeats_ranks) return true;
  add_error(remarks, file.line(static_cast<std::size_t>(table.line)),
            "is of one rank, whose bus bandwidth is 0: where several processes ran, each was rank "
            "0, since nccl-tests was built without MPI; build it with `make MPI=1`");
  return false;
}

/// Whether the run that printed the table came to its end, with right data.
void check_end(const import::InputFile& file, MeasuredTable& table, Remarks& remarks) {
  const auto place = file.line(static_cast<std::size_t>(table.line));
  if (!table.has_end) {
    add_warning(remarks, place,
                "has no line `Avg bus bandwidth` behind its rows: the run did not end, or the "
                "text was cut");
    const bool may_be_cut = file.ends_inside_line() && !table.rows.empty() &&
                            table.narrow.empty() &&
                            static_cast<std::size_t>(table.rows.back().line) == file.lines().size();
    if (may_be_cut) {
      add_warning(remarks, file.line(file.lines().size()),
                  "the last row has no line end: its last number may be cut, and it is left out");
      table.rows.pop_back();
    }
  }
  if (table.graph_line > 0) {
    add_warning(remarks, file.line(static_cast<std::size_t>(table.graph_line)),
                "was run with graphs (-G): times are without the cost of launching kernels");
  }
  if (table.reduced_line > 0) {
    add_warning(remarks, file.line(static_cast<std::size_t>(table.reduced_line)),
                "memory did not suffice for all sizes: the largest ones are missing");
  }
}

/// Times of a run whose data came out wrong say nothing.
bool check_data(const import::InputFile& file, const MeasuredTable& table, Remarks& remarks) {
  const auto wrong = std::ranges::find_if(table.rows, &MeasuredRow::has_wrong_data);
  if (wrong == table.rows.end() && !table.has_failed) return true;
  const int line = wrong == table.rows.end() ? table.line : wrong->line;
  const auto count = std::ranges::count_if(table.rows, &MeasuredRow::has_wrong_data);
  add_finding(remarks, file.line(static_cast<std::size_t>(line)),
              fmt::format("data came out wrong ({}; the run says FAILED): a broken GPU, link or "
                          "driver, or a defect of NCCL; the times of this run are not compared",
                          count == 0 ? "no row says where"
                                     : counted(static_cast<std::size_t>(count), "row") +
                                           " with elements in `#wrong`"));
  return false;
}

bool check_layout(const import::InputFile& file, const MeasuredTable& table, Remarks& remarks) {
  const auto place = file.line(static_cast<std::size_t>(table.line));
  const RowLayout& layout = table.layout;
  if (layout.line == 0) {
    add_error(remarks, place,
              "has rows without a header: which layout, and which operation? Add the lines above "
              "them, from `# nThread` on");
    return false;
  }
  if (layout.is_of_2017) {
    add_error(remarks, file.line(static_cast<std::size_t>(layout.line)),
              "has the layout of 2017, with times in ms and without operation, ranks and hosts: "
              "measure again with nccl-tests 2.0 or later");
    return false;
  }
  if (layout.is_cpu_time) {
    add_warning(remarks, file.line(static_cast<std::size_t>(layout.line)),
                "has times of the CPU (`cputime`, option -C 1), which are not comparable: measure "
                "without -C; the table is left out");
    return false;
  }
  return true;
}

/// Whether the columns and numbers of all rows can be of an operation.
bool is_possible(const MeasuredTable& table, const OperationFacts& facts) {
  if (!contradiction(table, facts.name).empty()) return false;
  const bool has_root =
      std::ranges::any_of(table.rows, [](const MeasuredRow& row) { return row.root.has_value(); });
  if (facts.has_root != has_root) return false;
  const bool has_redop = std::ranges::any_of(
      table.rows, [](const MeasuredRow& row) { return !row.redop.empty() && row.redop != "none"; });
  if (facts.reduces != has_redop) return false;
  const auto has_part = [](const MeasuredRow& row) { return row.size == 0 || row.parts() > 1; };
  return !facts.has_parts() || std::ranges::all_of(table.rows, has_part);
}

std::string names_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Of hosts in the order of ranks, each once.
void take_hosts(const MeasuredTable& table, MeasuredOn& on) {
  const std::uint32_t group = table.rank_groups.empty() ? 0 : table.rank_groups.begin()->second;
  std::map<std::string_view, std::uint32_t> numbers;
  for (const auto& [rank, host] : table.rank_hosts) {
    const auto of = table.rank_groups.find(rank);
    if (of != table.rank_groups.end() && of->second != group) continue;
    const auto [number, is_new] = numbers.emplace(host, static_cast<std::uint32_t>(numbers.size()));
    if (is_new) on.hosts.push_back(host);
    on.rank_hosts.push_back(number->second);
  }
}

/// What the list of devices says: the ranks of its first group; 0: it has none, or is cut.
std::uint32_t listed_ranks(const MeasuredTable& table) {
  if (table.devices.empty() || *table.devices.rbegin() + 1 != table.devices.size()) return 0;
  const std::uint32_t group = table.rank_groups.begin()->second;
  return static_cast<std::uint32_t>(std::ranges::count_if(
      table.rank_groups, [group](const auto& rank) { return rank.second == group; }));
}

/// What bandwidths of one placement say against those of an operation.
std::string problem_of_bus(const Printed& algorithm, const Printed& bus, double factor,
                           std::uint32_t ranks, const char* place) {
  constexpr double kSlack = 2e-3;
  const double expected = algorithm.value * factor;
  const double tolerance = bus.unit + algorithm.unit * factor + kSlack * expected;
  if (std::abs(bus.value - expected) <= tolerance) return {};
  return fmt::format("does not check: {}busbw {} should be {:.4g} times algbw {} on {} ranks",
                     place, bus.value, factor, algorithm.value, ranks);
}

}  // namespace

bool check_table(const import::InputFile& file, MeasuredTable& table, Remarks& remarks) {
  if (!table.failure.message.empty()) {
    add_error(remarks, table.failure.where, "the run failed: " + backquoted(table.failure.message));
    return false;
  }
  if (!check_layout(file, table, remarks)) return false;
  const bool is_whole = check_narrow(file, table, remarks);
  if (!check_problems(table, remarks) || !is_whole) return false;
  check_end(file, table, remarks);
  if (table.rows.empty()) return false;
  return check_mpi(file, table, remarks) && check_data(file, table, remarks);
}

std::optional<std::string> settle_operation(const import::InputFile& file,
                                            const MeasuredTable& table, Remarks& remarks) {
  const auto place = file.line(static_cast<std::size_t>(table.line));
  if (!table.operation.empty()) {
    const std::string wrong = contradiction(table, table.operation);
    if (wrong.empty()) return table.operation;
    add_error(remarks, place,
              fmt::format("cannot be of {}, which its program is for: {}", table.operation, wrong));
    return {};
  }
  const std::string by_name = operation_of_file(file.name());
  std::vector<std::string> possible;
  for (const OperationFacts& facts : operations()) {
    if (!is_possible(table, facts)) continue;
    if (facts.name == by_name) return by_name;
    possible.emplace_back(facts.name);
  }
  if (possible.size() == 1) {
    add_warning(remarks, place,
                fmt::format("does not say its program; its columns can only be of {}, which is "
                            "assumed",
                            possible.front()));
    return possible.front();
  }
  add_error(remarks, place,
            fmt::format("does not say which operation it is of{}: name the file after it, or add "
                        "a line such as `# Collective test starting: all_reduce_perf`",
                        possible.empty() ? "" : " (it can be " + names_of(possible) + ")"));
  return {};
}

std::optional<MeasuredOn> settle_machine(const import::InputFile& file, const MeasuredTable& table,
                                         const std::string& operation, Remarks& remarks) {
  MeasuredOn on{.gpu = table.gpu, .nccl_version = table.nccl_version};
  const auto said = ranks_of(table, operation, file.name());
  if (!said) {
    for (const Error& error : said.errors()) add_error(remarks, error.where, error.message);
    return {};
  }
  const RankRange& range = said.value();
  const std::uint32_t listed = listed_ranks(table);
  if (listed > 0) {
    if (!range.has(listed)) {
      add_error(remarks, file.line(static_cast<std::size_t>(table.line)),
                fmt::format("is of {} ranks ({}), and its list of devices has {}", range.text(),
                            range.why, listed));
      return {};
    }
    on.ranks = listed;
    take_hosts(table, on);
    return on;
  }
  const auto place = file.line(static_cast<std::size_t>(table.line));
  if (range.min == range.max) on.ranks = static_cast<std::uint32_t>(range.min);
  if (!table.devices.empty()) {
    add_warning(
        remarks, place,
        fmt::format("its list of devices is cut (nccl-tests prints 2048 characters of each "
                    "process): {}, and no hosts are taken",
                    on.ranks == 0 ? "ranks" : fmt::format("{} ranks by {}", on.ranks, range.why)));
  } else {
    add_warning(remarks, place,
                fmt::format("has no list of devices: {} ranks, hosts and GPUs are not known",
                            range.text()));
  }
  return on;
}

std::string problem_of_row(const MeasuredRow& row, const std::string& operation,
                           std::uint32_t ranks) {
  const OperationFacts* facts = find_operation(operation);
  if (facts == nullptr || row.size == 0) return {};
  const std::int64_t parts = row.parts();
  const std::int64_t expected = facts->has_parts() ? ranks : 1;
  if (parts == 0 || (expected > 0 && parts != expected)) {
    return fmt::format("does not check: {} elements of {} are {} bytes{}, and size is {}",
                       row.count, row.type, row.count * row.element,
                       facts->has_parts() ? fmt::format(" of each of {} ranks", ranks) : "",
                       row.size);
  }
  if (ranks < 2) return {};
  const double factor = facts->bus_factor(ranks);
  std::string problem =
      problem_of_bus(row.algorithm_bandwidth, row.bus_bandwidth, factor, ranks, "");
  if (!problem.empty()) return problem;
  if (!row.in_place_problem.empty()) return "in place: " + row.in_place_problem;
  if (row.in_place_us.value == 0) return {};
  return problem_of_bus(row.in_place_algorithm_bandwidth, row.in_place_bus_bandwidth, factor, ranks,
                        "in place ");
}

}  // namespace weft::evidence
