#include "tools/evidence/traces/kineto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/evidence/json/json_text.hpp"
#include "tools/evidence/operations.hpp"
#include "tools/evidence/text.hpp"
#include "tools/evidence/traces/file_rank.hpp"
#include "tools/evidence/traces/kineto_events.hpp"

namespace weft::evidence {
namespace {

constexpr std::size_t kMaxKinds = 20;  ///< of what is left out; the rest is not named
constexpr std::int64_t kMaxRank = 1 << 30;

class KinetoReader {
 public:
  explicit KinetoReader(const InputFile& file) : file_(file) {}

  Measurements read() {
    KinetoHandler handler([this](const KinetoEvent& event) { add(event); });
    const std::string_view text = file_.text();
    if (!json::sax_parse(text.begin(), text.end(), &handler)) {
      add_error(m_.remarks, file_.at(handler.problem_at()), handler.problem());
      return std::move(m_);
    }
    settle_rank(handler.header());
    conclude(handler.header());
    return std::move(m_);
  }

 private:
  void add(const KinetoEvent& event) {
    const std::size_t number = events_++;
    if (event.phase != "X" || event.category != "kernel") return;
    const bool is_nccl =
        event.name.starts_with("ncclDevKernel") || event.name.starts_with("ncclKernel");
    if (!is_nccl) {
      if (event.time_us > 0) calls_.compute_us += event.time_us;
      return;
    }
    ++kernels_;
    if (event.collective.empty()) {
      ++without_arguments_;
      return;
    }
    const OperationFacts* facts = find_torch_operation(event.collective);
    if (facts == nullptr) {
      ++left_out_[event.collective];
      return;
    }
    if (event.time_us <= 0) {
      ++without_time_;
      return;
    }
    add_call(event, *facts, fmt::format("traceEvents[{}]", number));
  }

  void add_call(const KinetoEvent& event, const OperationFacts& facts, std::string key) {
    Call call{.group = safe_name(event.group),
              .operation = std::string(facts.name),
              .time_us = event.time_us,
              .begin_us = event.begin_us,
              .where = file_.key(std::move(key))};
    if (event.group_ranks > 0 && event.group_ranks <= kMaxRank) {
      call.group_ranks = static_cast<std::uint32_t>(event.group_ranks);
    }
    if (const TypeFacts* type = find_torch_type(event.type); type != nullptr) {
      call.type = type->name;
      call.bytes = size_product(std::max(event.in_elements, event.out_elements), type->bytes);
    }
    if (call.bytes == 0) ++without_size_;
    if (event.sequence && *event.sequence >= 0) {
      call.sequence = static_cast<std::uint64_t>(*event.sequence);
    } else {
      call.sequence = counted_[call.group]++;
      ++without_sequence_;
    }
    const auto& peer = event.to ? event.to : event.from;
    if (facts.name == "send-recv" && peer && *peer >= 0 && *peer <= kMaxRank) {
      // The own rank stands elsewhere in the file: it is put in at the end.
      const auto other = static_cast<std::uint32_t>(*peer);
      call.message = std::pair(other, other);
      is_sent_.push_back(event.to.has_value());
    }
    calls_.calls.push_back(std::move(call));
  }

  void settle_rank(const KinetoHeader& header) {
    calls_.where = {.file = file_.name()};
    calls_.source = "Kineto";
    calls_.gpu = safe_name(header.gpu);
    calls_.nccl_version = safe_name(header.nccl_version);
    if (header.rank && *header.rank >= 0 && *header.rank <= kMaxRank) {
      calls_.rank = static_cast<std::uint32_t>(*header.rank);
    } else {
      take_rank_of_file(file_.name(), calls_, m_.remarks);
    }
    auto sent = is_sent_.begin();
    for (Call& call : calls_.calls) {
      if (!call.message) continue;
      (*sent++ ? call.message->first : call.message->second) = calls_.rank;
      if (!calls_.is_rank_known) call.message.reset();
    }
  }

  void warn(std::size_t count, const char* what) {
    if (count == 0) return;
    add_warning(m_.remarks, {.file = file_.name()}, fmt::format("{} {}", count, what));
  }

  void conclude(const KinetoHeader& header) {
    if (kernels_ == 0) {
      return add_error(m_.remarks, file_.key("traceEvents"),
                       "has no kernel of NCCL: was the trace taken with CUDA activities, on a rank "
                       "that communicates?");
    }
    if (without_arguments_ == kernels_) {
      return add_error(m_.remarks, file_.key("traceEvents"),
                       fmt::format("{} kernels of NCCL have no arguments (`Collective name`, `In "
                                   "msg nelems`): take the trace with PyTorch 2.3 or later",
                                   kernels_));
    }
    warn(without_arguments_, "kernels of NCCL without arguments are left out");
    warn(without_time_, "kernels of NCCL without a time are left out");
    warn(without_size_, "calls have sizes or types that are not known");
    warn(without_sequence_,
         "calls have no `Seq`: they are numbered in the order of the trace, which holds only if "
         "traces of all ranks begin with the same call");
    std::size_t kinds = 0;
    for (const auto& [name, count] : left_out_) {
      if (++kinds > kMaxKinds) break;
      add_warning(m_.remarks, {.file = file_.name()},
                  fmt::format("{} calls of {} are left out", count, backquoted(name)));
    }
    if (calls_.calls.empty()) {
      return add_error(m_.remarks, file_.key("traceEvents"), "holds no collective");
    }
    std::map<std::string, std::size_t> groups;
    for (const Call& call : calls_.calls) ++groups[call.group];
    m_.recognised.push_back(fmt::format(
        "{}: Kineto trace: {} calls of {} in {} group{}{}", escaped(file_.name()),
        calls_.calls.size(),
        calls_.is_rank_known ? fmt::format("rank {}", calls_.rank) : std::string("one rank"),
        groups.size(), groups.size() == 1 ? "" : "s",
        header.gpu.empty() ? "" : ", " + safe_name(header.gpu)));
    m_.calls.push_back(std::move(calls_));
  }

  const InputFile& file_;
  Measurements m_;
  RankCalls calls_;
  std::vector<bool> is_sent_;  ///< by call that has a message
  std::map<std::string, std::uint64_t> counted_;
  std::map<std::string, std::size_t> left_out_;
  std::size_t events_ = 0;
  std::size_t kernels_ = 0;
  std::size_t without_arguments_ = 0;
  std::size_t without_time_ = 0;
  std::size_t without_size_ = 0;
  std::size_t without_sequence_ = 0;
};

std::optional<std::string_view> recognise_kineto(const InputFile& file) {
  if (!begins_as_json(file.text())) return {};
  for (const std::string_view key : {"\"traceEvents\"", "\"distributedInfo\""}) {
    if (file.text().find(key) != std::string_view::npos) return "`traceEvents`";
  }
  return {};
}

void read_kineto(const InputFile& file, Measurements& measurements) {
  take(measurements, KinetoReader(file).read());
}

}  // namespace

Form kineto_form() {
  return {.name = "kineto",
          .about = "a trace of torch.profiler, one file a rank",
          .command =
              "prof.export_chrome_trace(\"rank0.json\") of torch.profiler.profile; .json.gz "
              "has to be unpacked",
          .recognise = recognise_kineto,
          .read = read_kineto};
}

}  // namespace weft::evidence
