#include "tools/evidence/nccl_log/nccl_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/evidence/nccl_log/calls.hpp"
#include "tools/evidence/nccl_log/log_line.hpp"
#include "tools/evidence/nccl_log/members.hpp"
#include "tools/evidence/nccl_log/structure.hpp"
#include "tools/evidence/text.hpp"

namespace weft::evidence {
namespace {

constexpr const char* kSubsystems =
    "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,ENV,NET,COLL,TUNING";

constexpr std::size_t kMaxCommunicators = 4096;  ///< each with a copy of the environment
constexpr std::size_t kMaxVariables = 512;       ///< NCCL knows about 200

/// What the processes of a host say of its NICs.
struct HostNics {
  std::map<std::uint32_t, std::string> names;  ///< by NCCL's number
  std::optional<bool> sockets;
};

class LogReader {
 public:
  explicit LogReader(const InputFile& file) : file_(file) {}

  /// Without `is_alone` nothing is missed.
  Measurements read(bool is_alone) {
    const std::vector<LogLine> lines = read_log_lines(file_, m_.remarks);
    read_version();
    for (const LogLine& line : lines) read_line(line);
    std::vector<Member> members = members_.take();
    if (members.empty()) {
      if (is_alone) refuse();
      return std::move(m_);
    }
    name_members(members);
    if (is_alone) say_missing(members);
    add_logs(members);
    for (Member& member : members) add_calls(member);
    return std::move(m_);
  }

 private:
  /// `NCCL version 2.27.5+cuda12.9`, with or without a prefix.
  void read_version() {
    constexpr std::string_view kStart = "NCCL version ";
    constexpr std::size_t kMaxVersionLine = 8192;
    for (const std::string_view line : file_.lines()) {
      const std::size_t at = line.size() > kMaxVersionLine ? line.npos : line.find(kStart);
      if (at == line.npos) continue;
      const std::string_view rest = line.substr(at + kStart.size());
      version_ = safe_name(rest.substr(0, rest.find_first_of("+ ")));
      return;
    }
  }

  void read_line(const LogLine& line) {
    const SourceLocation where = file_.line(line.number);
    if (line.is_warning) {
      if (++warnings_ == 1) {
        add_warning(m_.remarks, where, "NCCL warns: " + backquoted(line.text));
      }
      return;
    }
    if (read_nics(line) || read_environment(line) || calls_.read(line, where, members_)) return;
    if (line.text.find("comm 0x") != line.text.npos && members_.read(line, where)) return;
    if (read_structure(line, where, members_)) {
      has_structure_ = true;
      return;
    }
    if (costs_.read(line, members_)) has_tuning_ = true;
  }

  /// `NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>`, `Using network
  /// IB`
  bool read_nics(const LogLine& line) {
    constexpr std::string_view kNetwork = "Using network ";
    if (line.text.starts_with(kNetwork)) {
      nics_[std::string(line.host)].sockets = line.text.substr(kNetwork.size()) == "Socket";
      return true;
    }
    const std::size_t using_at = line.text.find(" : Using ");
    if (!line.text.starts_with("NET/") || using_at == line.text.npos) return false;
    HostNics& host = nics_[std::string(line.host)];
    if (line.text.starts_with("NET/Socket")) host.sockets = true;
    if (line.text.starts_with("NET/IB")) host.sockets = false;
    const std::string_view listed = line.text.substr(using_at, line.text.find(';') - using_at);
    for (const std::string_view word : split_words(listed)) {
      const std::size_t bracket = word.find(']');
      if (!word.starts_with('[') || bracket == word.npos) continue;
      const auto number = number_in<std::uint32_t>(word.substr(1, bracket - 1));
      const std::string_view name = word.substr(bracket + 1);
      if (number && !name.empty()) host.names[*number] = safe_name(name.substr(0, name.find(':')));
    }
    return true;
  }

  /// `NCCL_IB_TC set by environment to 106.`
  bool read_environment(const LogLine& line) {
    constexpr std::string_view kSet = " set by environment to ";
    const std::size_t at = line.text.find(kSet);
    if (at == line.text.npos) return false;
    const std::string_view before = line.text.substr(0, at);
    const std::size_t blank = before.rfind(' ');
    const std::string_view name = blank == before.npos ? before : before.substr(blank + 1);
    std::string_view value = line.text.substr(at + kSet.size());
    if (value.ends_with('.')) value.remove_suffix(1);
    if (name.starts_with("NCCL_") && environment_.size() < kMaxVariables)
      environment_.emplace(safe_name(name), safe_name(value));
    return true;
  }

  void refuse() {
    std::string missing = "INIT (communicators)";
    if (!has_structure_) missing += ", GRAPH (channels and paths)";
    if (!calls_.has_calls()) missing += ", COLL (calls)";
    if (!calls_.has_choices()) missing += ", TUNING (algorithms)";
    if (nics_.empty()) missing += ", NET (NICs)";
    add_error(m_.remarks, {.file = file_.name()},
              fmt::format("has no line of a communicator, such as `comm 0x.. rank 0 nranks 32`, so "
                          "there is nothing to import; missing: {}; run with {}",
                          missing, kSubsystems));
  }

  void say_missing(const std::vector<Member>& members) {
    const auto lacks = [&](const char* subsystem, const char* what) {
      add_warning(m_.remarks, {.file = file_.name()},
                  fmt::format("has no lines of {}: {}; run with {}", subsystem, what, kSubsystems));
    };
    if (!has_structure_) lacks("GRAPH", "channels, paths and NICs per channel are not known");
    if (nics_.empty()) lacks("NET", "the NICs that are used are not known");
    if (!calls_.has_calls()) lacks("COLL", "the calls are not known");
    const bool may_log_choices =
        !version_.starts_with("2.") ||
        number_in<int>(version_.substr(2, version_.find('.', 2) - 2)).value_or(99) >= 20;
    if (!calls_.has_choices() && !has_tuning_ && may_log_choices) {
      lacks("TUNING", "algorithms and protocols are not known");
    }
    for (const auto& [count, what] : {std::pair(calls_.unknown_calls(), "calls"),
                                      std::pair(calls_.unknown_choices(), "choices")}) {
      if (count == 0) continue;
      add_warning(
          m_.remarks, {.file = file_.name()},
          fmt::format("{} {} are left out: no line describes their communicator", count, what));
    }
    for (const Member& member : members) {
      for (const auto& [channel, ring] : member.rings) {
        if (ring.size() >= member.ranks) continue;
        add_warning(m_.remarks, member.where,
                    fmt::format("rings show {} of {} ranks: NCCL before 2.23 prints the first 20 "
                                "without a mark, later ones 128 characters; lines `Ring` are whole",
                                ring.size(), member.ranks));
        return;
      }
    }
  }

  /// Before 2.16 communicators have no name: those of as many ranks are one, unless one of their
  /// ranks is there twice.
  static void name_members(std::vector<Member>& members) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    std::set<std::uint32_t> ambiguous;
    for (const Member& member : members) {
      if (member.id.empty() && !seen.emplace(member.ranks, member.rank.rank).second) {
        ambiguous.insert(member.ranks);
      }
    }
    for (Member& member : members) {
      if (!member.id.empty()) continue;
      member.id = fmt::format("nranks {}", member.ranks);
      if (ambiguous.contains(member.ranks)) {
        member.id += fmt::format(" of {} in line {}", safe_name(member.process), member.where.line);
      }
    }
  }

  void add_logs(std::vector<Member>& members) {
    std::map<std::string, std::size_t> known;
    std::size_t left_out = 0;
    for (Member& member : members) {
      if (m_.nccl_logs.size() == kMaxCommunicators && !known.contains(member.id)) {
        ++left_out;
        continue;
      }
      const auto [at, is_new] = known.emplace(member.id, m_.nccl_logs.size());
      if (is_new) {
        NcclLog log{.id = member.id, .where = member.where};
        log.on.ranks = member.ranks;
        log.on.nccl_version = version_;
        log.environment.assign(environment_.begin(), environment_.end());
        m_.nccl_logs.push_back(std::move(log));
      }
      join(member, m_.nccl_logs[at->second]);
    }
    if (left_out > 0) {
      add_warning(m_.remarks, {.file = file_.name()},
                  fmt::format("has more than {} communicators: {} of their ranks are left out",
                              kMaxCommunicators, left_out));
    }
    for (NcclLog& log : m_.nccl_logs) {
      settle_hosts(log);
      say(log);
    }
  }

  void join(Member& member, NcclLog& log) {
    log.seen.push_back(member.rank);
    log.nodes = std::max(log.nodes, member.nodes);
    log.channels = std::max(log.channels, member.channels);
    log.p2p_channels = std::max(log.p2p_channels, member.p2p_channels);
    log.p2p_channels_per_peer = std::max(log.p2p_channels_per_peer, member.p2p_channels_per_peer);
    if (member.nvls) log.nvls = *member.nvls;
    HostNetwork& own = log.networks[member.rank.host];
    for (std::string* worst : {&log.worst_path, &own.worst_path}) {
      if (is_longer_path(member.worst_path, *worst)) *worst = member.worst_path;
    }
    if (const auto host = nics_.find(member.rank.host); host != nics_.end()) {
      for (const auto& [number, name] : host->second.names) {
        log.nics.insert(name);
        own.nics.insert(name);
      }
      if (host->second.sockets) {
        log.sockets = log.sockets.value_or(false) || *host->second.sockets;
        own.sockets = log.sockets;
      }
    }
    bool is_direct = member.gpu_direct.value_or(true);
    for (std::size_t i = 0; i < member.nets.size(); ++i) {
      ChannelNet& net = member.nets[i];
      is_direct = is_direct && net.is_gpu_direct;
      HostNetwork& network = log.networks[net.host];
      ++(net.is_gpu_direct ? network.direct : network.through);
      const auto& names = nics_[net.host].names;
      const auto name = names.find(member.net_devices[i]);
      if (name != names.end()) net.nic = name->second;
      log.nets.push_back(std::move(net));
    }
    if (member.gpu_direct || !member.nets.empty()) {
      log.gpu_direct = log.gpu_direct.value_or(true) && is_direct;
      own.gpu_direct = own.gpu_direct.value_or(true) && is_direct;
    }
    for (auto& [channel, ring] : member.rings) {
      if (log.rings.size() <= channel) log.rings.resize(channel + 1);
      log.rings[channel] = std::move(ring);
    }
    const auto move = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    move(log.neighbours, member.neighbours);
    move(log.costs, member.costs);
    move(log.choices, member.choices);
  }

  /// Which host a rank runs on is known where all ranks are seen.
  static void settle_hosts(NcclLog& log) {
    std::ranges::stable_sort(log.seen, {}, &NcclRank::rank);
    // Where logs of several runs were put together, ranks repeat.
    const auto is_same = [](const NcclRank& a, const NcclRank& b) { return a.rank == b.rank; };
    log.seen.erase(std::unique(log.seen.begin(), log.seen.end(), is_same), log.seen.end());
    std::map<std::string_view, std::uint32_t> numbers;
    std::vector<std::uint32_t> rank_hosts;
    for (const NcclRank& rank : log.seen) {
      const auto number = static_cast<std::uint32_t>(numbers.size());
      const auto [host, is_new] = numbers.emplace(rank.host, number);
      if (is_new) log.on.hosts.push_back(rank.host);
      rank_hosts.push_back(host->second);
    }
    if (log.seen.size() != log.on.ranks || log.seen.back().rank + 1 != log.on.ranks) return;
    log.on.rank_hosts = std::move(rank_hosts);
    if (log.nodes == 0) log.nodes = static_cast<std::uint32_t>(log.on.hosts.size());
  }

  void say(const NcclLog& log) {
    std::string text =
        fmt::format("{}: NCCL {}log: communicator of {} ranks", escaped(file_.name()),
                    version_.empty() ? "" : version_ + " ", log.on.ranks);
    if (log.nodes > 0) text += fmt::format(" on {} nodes", log.nodes);
    if (log.channels > 0) text += fmt::format(", {} channels", log.channels);
    if (!log.nics.empty()) text += fmt::format(", {} NICs", log.nics.size());
    if (!log.choices.empty()) text += fmt::format(", {} choices", log.choices.size());
    text += fmt::format(" ({} of its ranks have lines)", log.seen.size());
    m_.recognised.push_back(std::move(text));
  }

  void add_calls(Member& member) {
    if (member.calls.empty()) return;
    for (Call& call : member.calls) call.group = member.id;
    m_.calls.push_back({.rank = member.rank.rank,
                        .host = member.rank.host,
                        .source = "NCCL log",
                        .nccl_version = version_,
                        .calls = std::move(member.calls),
                        .where = member.where});
  }

  const InputFile& file_;
  Measurements m_;
  std::string version_;
  Members members_;
  CallLines calls_;
  CostTable costs_;
  std::map<std::string, HostNics> nics_;  ///< by host
  std::map<std::string, std::string> environment_;
  std::size_t warnings_ = 0;
  bool has_structure_ = false;
  bool has_tuning_ = false;
};

std::optional<std::string_view> recognise_log(const InputFile& file) {
  if (file.text().find(" NCCL INFO ") == std::string_view::npos) return {};
  return "lines with `NCCL INFO`";
}

void read_log(const InputFile& file, Measurements& measurements) {
  take(measurements, LogReader(file).read(true));
}

}  // namespace

Form nccl_log_form() {
  return {.name = "nccl-log",
          .about = "what NCCL logs of communicators, channels, NICs, calls and choices",
          .command = kSubsystems,
          .recognise = recognise_log,
          .read = read_log};
}

void read_nccl_lines(const InputFile& file, Measurements& measurements) {
  if (!recognise_log(file)) return;
  take(measurements, LogReader(file).read(false));
}

}  // namespace weft::evidence
