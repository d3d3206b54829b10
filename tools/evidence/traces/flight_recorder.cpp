#include "tools/evidence/traces/flight_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/evidence/json/json_text.hpp"
#include "tools/evidence/operations.hpp"
#include "tools/evidence/text.hpp"
#include "tools/evidence/traces/file_rank.hpp"

namespace weft::evidence {
namespace {

constexpr std::size_t kMaxEntryProblems = 20;  ///< the rest is counted

/// Ranks of `[0, 1, 2]`, which stands there as a text.
std::uint32_t ranks_in_list(std::string_view text) {
  if (text.find_first_of("0123456789") == text.npos || text.find("...") != text.npos) return 0;
  return static_cast<std::uint32_t>(std::ranges::count(text, ',') + 1);
}

/// Of tensors `[[4194304], [2, 8]]` of the types `["BFloat16"]`; 0: not known.
std::int64_t bytes_of_tensors(const json& sizes, const json& types, std::string& type) {
  if (!sizes.is_array() || (types.is_array() && types.empty())) return 0;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const json& written = types.is_array() ? types[std::min(i, types.size() - 1)] : types;
    const TypeFacts* facts =
        written.is_string() ? find_torch_type(written.get<std::string>()) : nullptr;
    if (facts == nullptr || !sizes[i].is_array()) return 0;
    type = facts->name;
    std::int64_t bytes = facts->bytes;
    for (const json& extent : sizes[i]) {
      bytes = extent.is_number_integer() ? size_product(bytes, extent.get<std::int64_t>()) : 0;
    }
    if (bytes == 0 || total > std::numeric_limits<std::int64_t>::max() - bytes) return 0;
    total += bytes;
  }
  return total;
}

class RecorderReader {
 public:
  explicit RecorderReader(const InputFile& file) : file_(file) {}

  Measurements read() {
    const auto root = parse_json(file_);
    if (!root) {
      add_error(m_.remarks, root.errors().front().where, root.errors().front().message);
      return std::move(m_);
    }
    const json& dump = root.value();
    const auto entries = dump.is_object() ? dump.find("entries") : dump.end();
    if (!dump.is_object() || entries == dump.end() || !entries->is_array()) {
      add_error(m_.remarks, {.file = file_.name()},
                "is no dump of the flight recorder: expected a list `entries`");
      return std::move(m_);
    }
    calls_.source = "flight recorder";
    take_rank_of_file(file_.name(), calls_, m_.remarks);
    calls_.where = {.file = file_.name()};
    calls_.nccl_version = safe_name(json_text(dump, "nccl_version"));
    if (calls_.nccl_version.empty()) {
      calls_.nccl_version = safe_name(json_text(dump, "comm_lib_version"));
    }
    read_groups(dump);
    for (std::size_t i = 0; i < entries->size(); ++i) {
      read_entry((*entries)[i], fmt::format("entries[{}]", i));
    }
    conclude();
    return std::move(m_);
  }

 private:
  void read_groups(const json& dump) {
    const auto groups = dump.find("pg_config");
    if (groups == dump.end() || !groups->is_object()) {
      add_warning(m_.remarks, file_.key("pg_config"),
                  "is missing: group sizes are unknown, so calls cannot be compared; dump with "
                  "PyTorch 2.4 or later");
      return;
    }
    has_groups_ = true;
    for (const auto& [id, group] : groups->items()) {
      const auto ranks = group.is_object() ? group.find("ranks") : group.end();
      if (!group.is_object() || ranks == group.end()) continue;
      const std::uint32_t count = ranks->is_string() ? ranks_in_list(ranks->get<std::string>())
                                                     : static_cast<std::uint32_t>(ranks->size());
      std::string name = json_text(group, "name");
      group_ranks_[name.empty() ? id : name] = count;
    }
  }

  void problem(const std::string& key, std::string text) {
    if (++problems_ <= kMaxEntryProblems) add_error(m_.remarks, file_.key(key), std::move(text));
  }

  void read_entry(const json& entry, const std::string& key) {
    if (!entry.is_object()) return problem(key, "is no object");
    const std::string named = json_text(entry, "profiling_name");
    const std::size_t colon = named.find(':');
    const std::string words = named.substr(colon == std::string::npos ? 0 : colon + 1);
    const std::string name = words.substr(0, words.find(' '));
    const OperationFacts* facts = find_torch_operation(name);
    if (named.empty()) return problem(key, "has no `profiling_name`, such as `nccl:all_reduce`");
    if (facts == nullptr) {
      ++left_out_[name];
      return;
    }
    const bool is_message = name == "send" || name == "recv" ||
                            (entry.contains("is_p2p") && entry["is_p2p"] == json(true));
    const char* number = is_message ? "p2p_seq_id" : "collective_seq_id";
    if (!entry.contains(number)) number = "seq_id";  // before version 2.3
    const std::int64_t sequence = entry.contains(number) ? json_whole(entry, number) : -1;
    if (sequence < 0) return problem(key, "has no `collective_seq_id`");
    Call call{.group = group_of(entry),
              .operation = std::string(facts->name),
              .sequence = static_cast<std::uint64_t>(sequence),
              .is_finished = json_text(entry, "state") == "completed",
              .where = file_.key(key)};
    if (const auto ranks = group_ranks_.find(call.group); ranks != group_ranks_.end()) {
      call.group_ranks = ranks->second;
    }
    if (is_message) set_message(words, call);
    read_sizes(entry, call);
    read_times(entry, key, call);
    calls_.calls.push_back(std::move(call));
  }

  static std::string group_of(const json& entry) {
    const auto group = entry.find("process_group");
    if (group != entry.end() && group->is_array() && !group->empty() && (*group)[0].is_string()) {
      return safe_name((*group)[0].get<std::string>());
    }
    if (group != entry.end() && group->is_string()) return safe_name(group->get<std::string>());
    return entry.contains("pg_id") ? std::to_string(json_whole(entry, "pg_id")) : std::string();
  }

  /// `send 0->1`
  static void set_message(const std::string& words, Call& call) {
    const std::size_t arrow = words.find("->");
    const std::size_t blank = words.find(' ');
    if (arrow == std::string::npos || blank == std::string::npos || blank > arrow) return;
    const std::string_view text = words;
    const auto from = number_in<std::uint32_t>(trimmed(text.substr(blank, arrow - blank)));
    const auto to = number_in<std::uint32_t>(trimmed(text.substr(arrow + 2)));
    if (from && to) call.message = {*from, *to};
  }

  void read_sizes(const json& entry, Call& call) {
    const auto bytes = [&](const char* sizes, const char* types) {
      return bytes_of_tensors(entry.value(sizes, json()), entry.value(types, json()), call.type);
    };
    const std::int64_t out = bytes("output_sizes", "output_dtypes");
    const std::int64_t in = bytes("input_sizes", "input_dtypes");
    call.bytes = std::max(in, out);
    if (call.bytes == 0) ++without_size_;
  }

  void read_times(const json& entry, const std::string& key, Call& call) {
    if (entry.contains("time_created_ns") && entry["time_created_ns"].is_number_integer()) {
      call.begin_us = static_cast<double>(json_whole(entry, "time_created_ns")) * 1e-3;
    }
    if (!entry.contains("duration_ms")) return;
    const double milliseconds = json_number(entry, "duration_ms");
    if (milliseconds <= 0) {
      return add_warning(m_.remarks, file_.key(key), "has no time above 0, which is left out");
    }
    call.time_us = milliseconds * 1000;
    ++with_time_;
  }

  void conclude() {
    if (problems_ > kMaxEntryProblems) {
      add_error(m_.remarks, {.file = file_.name()},
                fmt::format("{} more entries cannot be used", problems_ - kMaxEntryProblems));
    }
    if (calls_.calls.empty() && !has_errors(m_.remarks)) {
      add_error(m_.remarks, file_.key("entries"), "holds no collective");
    }
    if (calls_.calls.empty()) return;
    if (with_time_ == 0) {
      add_warning(m_.remarks, {.file = file_.name()},
                  "has no durations: calls can be replayed, not compared; set "
                  "TORCH_NCCL_ENABLE_TIMING=1");
    }
    if (without_size_ > 0) {
      add_warning(m_.remarks, {.file = file_.name()},
                  fmt::format("{} calls have sizes or types that are not known", without_size_));
    }
    std::size_t kinds = 0;
    for (const auto& [name, count] : left_out_) {
      if (++kinds > kMaxEntryProblems) break;
      add_warning(m_.remarks, {.file = file_.name()},
                  fmt::format("{} calls of {} are left out", count, backquoted(name)));
    }
    m_.recognised.push_back(fmt::format(
        "{}: flight recorder{}: {} calls of {}{}", escaped(file_.name()),
        calls_.nccl_version.empty() ? "" : " with NCCL " + calls_.nccl_version, calls_.calls.size(),
        calls_.is_rank_known ? fmt::format("rank {}", calls_.rank) : std::string("one rank"),
        has_groups_
            ? fmt::format(", {} group{}", group_ranks_.size(), group_ranks_.size() == 1 ? "" : "s")
            : std::string()));
    m_.calls.push_back(std::move(calls_));
  }

  const InputFile& file_;
  Measurements m_;
  RankCalls calls_;
  std::map<std::string, std::uint32_t> group_ranks_;
  std::map<std::string, std::size_t> left_out_;
  bool has_groups_ = false;
  std::size_t problems_ = 0;
  std::size_t with_time_ = 0;
  std::size_t without_size_ = 0;
};

std::optional<std::string_view> recognise_recorder(const InputFile& file) {
  if (!begins_as_json(file.text())) return {};
  for (const std::string_view key : {"\"profiling_name\"", "\"pg_config\"", "\"pg_status\""}) {
    if (file.text().find(key) != std::string_view::npos) {
      return "`entries` with `profiling_name`";
    }
  }
  return {};
}

void read_recorder(const InputFile& file, Measurements& measurements) {
  take(measurements, RecorderReader(file).read());
}

}  // namespace

Form flight_recorder_form() {
  return {.name = "flight-recorder",
          .about = "a dump of PyTorch's flight recorder as JSON, one file a rank",
          .command =
              "TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_ENABLE_TIMING=1, then in Python "
              "torch._C._distributed_c10d._dump_nccl_trace_json()",
          .recognise = recognise_recorder,
          .read = read_recorder};
}

}  // namespace weft::evidence
