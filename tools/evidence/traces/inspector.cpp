#include "tools/evidence/traces/inspector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/evidence/json/json_text.hpp"
#include "tools/evidence/operations.hpp"
#include "tools/evidence/text.hpp"
#include "tools/evidence/traces/file_rank.hpp"

namespace weft::evidence {
namespace {

constexpr std::size_t kMaxLineProblems = 20;  ///< the rest is counted
constexpr const char* kKnownVersion = "v4.0";

class InspectorReader {
 public:
  explicit InspectorReader(const InputFile& file) : file_(file) {}

  Measurements read() {
    for (std::size_t i = 0; i < file_.lines().size(); ++i) {
      const std::string_view line = without_prefix(file_.lines()[i]);
      if (!line.empty()) read_line(line, i + 1);
    }
    if (problems_ > kMaxLineProblems) {
      add_error(m_.remarks, {.file = file_.name()},
                fmt::format("{} more lines cannot be used", problems_ - kMaxLineProblems));
    }
    if (m_.calls.empty() && !has_errors(m_.remarks)) {
      add_error(m_.remarks, {.file = file_.name()},
                "has no call with a time: Inspector leaves out those below "
                "NCCL_INSPECTOR_DUMP_MIN_SIZE_BYTES (8192)");
    }
    for (const RankCalls& rank : m_.calls) say(rank);
    return std::move(m_);
  }

 private:
  void problem(std::size_t line, std::string text) {
    if (++problems_ <= kMaxLineProblems) add_error(m_.remarks, file_.line(line), std::move(text));
  }

  void read_line(std::string_view line, std::size_t number) {
    std::string why;
    const auto object = parse_json_line(line, why);
    if (!object) {
      if (number != file_.lines().size()) return problem(number, why);
      add_warning(m_.remarks, file_.line(number),
                  "the last line is incomplete and left out: copy the file when the run has ended");
      return;
    }
    if (!object->is_object()) return problem(number, "is no object of Inspector");
    check_version(*object, number);
    for (const char* kind : {"coll", "p2p"}) {
      const auto perf = object->find(std::string(kind) + "_perf");
      if (perf != object->end()) return read_call(*object, *perf, kind, number);
    }
  }

  void check_version(const json& object, std::size_t number) {
    const auto metadata = object.find("metadata");
    if (metadata == object.end()) return;
    const std::string version = json_text(*metadata, "inspector_output_format_version");
    if (version == kKnownVersion || !versions_.insert(version).second) return;
    if (versions_.size() > 4) return;
    add_warning(m_.remarks, file_.line(number),
                fmt::format("has version {}, known is {}: it is read, as all fields are there",
                            backquoted(version), kKnownVersion));
  }

  void read_call(const json& object, const json& perf, const std::string& kind,
                 std::size_t number) {
    const json header = object.value("header", json());
    const std::string name = json_text(perf, kind);
    for (const auto& [holder, key] : {std::pair<const json*, std::string>(&header, "id"),
                                      {&header, "rank"},
                                      {&header, "n_ranks"},
                                      {&perf, kind},
                                      {&perf, kind + "_sn"},
                                      {&perf, kind + "_msg_size_bytes"},
                                      {&perf, kind + "_exec_time_us"}}) {
      if (holder->is_object() && holder->contains(key)) continue;
      return problem(number, fmt::format("has no field `{}`", key));
    }
    const OperationFacts* facts = find_nccl_operation(name);
    if (facts == nullptr) return problem(number, "has the operation " + backquoted(name));
    const std::int64_t rank = json_whole(header, "rank");
    const std::int64_t ranks = json_whole(header, "n_ranks");
    const std::int64_t sequence = json_whole(perf, kind + "_sn");
    const std::int64_t bytes = json_whole(perf, kind + "_msg_size_bytes");
    const double time = json_number(perf, kind + "_exec_time_us");
    constexpr std::int64_t kMaxRanks = 1 << 30;
    if (rank < 0 || ranks < 1 || rank >= ranks || ranks > kMaxRanks || sequence < 0) {
      return problem(number,
                     fmt::format("has rank {} of {}, and the number {}", rank, ranks, sequence));
    }
    if (bytes < 0 || time < 0) return problem(number, "has a negative size or time");
    if (time == 0) {
      add_zero_time(number);
      return;
    }
    Call call{.operation = std::string(facts->name),
              .sequence = static_cast<std::uint64_t>(sequence),
              .bytes = size_product(bytes, facts->has_parts() ? ranks : 1),
              .time_us = time,
              .group_ranks = static_cast<std::uint32_t>(ranks),
              .where = file_.line(number)};
    if (std::string wrong = check(perf, kind, *facts, call); !wrong.empty()) {
      return problem(number, std::move(wrong));
    }
    if (kind == "p2p") set_message(perf, name, static_cast<std::uint32_t>(rank), call);
    add(object, header, static_cast<std::uint32_t>(rank), std::move(call));
  }

  void add_zero_time(std::size_t number) {
    if (++zero_times_ > kMaxLineProblems) return;
    add_warning(m_.remarks, file_.line(number), "has the time 0 and is left out");
  }

  static void set_message(const json& perf, const std::string& name, std::uint32_t rank,
                          Call& call) {
    const std::int64_t peer = perf.contains("p2p_peer") ? json_whole(perf, "p2p_peer") : -1;
    if (peer < 0 || peer >= call.group_ranks) return;
    const auto other = static_cast<std::uint32_t>(peer);
    call.message = name == "Send" ? std::pair(rank, other) : std::pair(other, rank);
  }

  /// Times are printed in whole us, bandwidths with six digits behind the point.
  static std::string check(const json& perf, const std::string& kind, const OperationFacts& facts,
                           const Call& call) {
    const double algorithm = json_number(perf, kind + "_algobw_gbs");
    const double bus = json_number(perf, kind + "_busbw_gbs");
    if (algorithm <= 0 || call.bytes == 0) return {};
    constexpr double kSlack = 1e-3;
    const double expected = static_cast<double>(call.bytes) * 1e-3 / *call.time_us;
    if (std::abs(algorithm / expected - 1) > kSlack + 1 / *call.time_us) {
      return fmt::format("does not check: {} bytes in {} us are {:.4g} GB/s, and algobw is {}",
                         call.bytes, *call.time_us, expected, algorithm);
    }
    const double factor = facts.bus_factor(call.group_ranks);
    if (bus > 0 && std::abs(bus - algorithm * factor) > kSlack * bus + 1e-5) {
      return fmt::format("does not check: busbw {} should be {:.4g} times algobw {} on {} ranks",
                         bus, factor, algorithm, call.group_ranks);
    }
    return {};
  }

  void add(const json& object, const json& header, std::uint32_t rank, Call call) {
    const json metadata = object.value("metadata", json());
    const std::string host = safe_name(json_text(metadata, "hostname"));
    call.group = safe_name(json_text(header, "id"));
    const auto [at, is_new] = index_.emplace(std::tuple(call.group, host, rank), m_.calls.size());
    if (is_new) {
      RankCalls calls{.rank = rank, .source = "NCCL Inspector", .where = call.where};
      if (!host.empty()) calls.host = host;
      m_.calls.push_back(std::move(calls));
    }
    m_.calls[at->second].calls.push_back(std::move(call));
  }

  void say(const RankCalls& rank) {
    m_.recognised.push_back(fmt::format(
        "{}: NCCL Inspector: {} calls of rank {} of {}{}", escaped(file_.name()), rank.calls.size(),
        rank.rank, rank.calls.front().group_ranks, rank.host ? " on " + *rank.host : ""));
  }

  const InputFile& file_;
  Measurements m_;
  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::size_t> index_;
  std::set<std::string> versions_;
  std::size_t problems_ = 0;
  std::size_t zero_times_ = 0;
};

/// `# TYPE nccl_..`, `nccl_..{rank="0"} 12.5`: what Inspector writes with
/// NCCL_INSPECTOR_PROM_DUMP=1.
bool is_prometheus(const InputFile& file) {
  constexpr std::size_t kMaxLooked = 64;  // lines
  for (std::size_t i = 0; i < std::min(kMaxLooked, file.lines().size()); ++i) {
    const std::string_view line = file.lines()[i].substr(0, 1024);
    if (line.starts_with("# TYPE nccl") || line.starts_with("# HELP nccl")) return true;
    const std::size_t name = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
    if (line.starts_with("nccl") && name != line.npos && line[name] == '{') return true;
  }
  return false;
}

std::optional<std::string_view> recognise_inspector(const InputFile& file) {
  if (is_prometheus(file)) return "metrics of Prometheus";
  if (file.lines().empty() || !begins_as_json(without_prefix(file.lines().front()))) return {};
  const std::string_view first = file.lines().front();
  for (const std::string_view key : {"\"inspector_output_format_version\"", "\"coll_perf\""}) {
    if (first.find(key) != first.npos) return "`coll_perf` of NCCL Inspector";
  }
  return {};
}

void read_inspector(const InputFile& file, Measurements& measurements) {
  if (is_prometheus(file)) {
    return add_error(measurements.remarks, {.file = file.name()},
                     "has Inspector's metrics for Prometheus, which put sizes into classes and "
                     "times into averages: run with NCCL_INSPECTOR_PROM_DUMP=0");
  }
  take(measurements, InspectorReader(file).read());
}

}  // namespace

Form inspector_form() {
  return {.name = "inspector",
          .about = "calls that NCCL Inspector logs, one file a process",
          .command =
              "NCCL_PROFILER_PLUGIN=libnccl-profiler-inspector.so NCCL_INSPECTOR_ENABLE=1 "
              "NCCL_INSPECTOR_DUMP_DIR=.. NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS=500",
          .recognise = recognise_inspector,
          .read = read_inspector};
}

}  // namespace weft::evidence
