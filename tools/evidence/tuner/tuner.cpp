#include "tools/evidence/tuner/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/evidence/text.hpp"

/// Of NVIDIA/nccl, plugins/tuner/example, 2.28.3 to 2.30.7: the first rule that matches wins, names
/// that it does not know become all-reduce, ring and simple without a word, and what no rule
/// matches runs on one channel.
namespace weft::evidence {
namespace {

constexpr std::size_t kMaxRuleLine = 255;
constexpr std::size_t kMaxFindings = 40;
constexpr std::int64_t kMaxBytes = std::numeric_limits<std::int64_t>::max();

constexpr std::array<std::string_view, 5> kCollectives{"broadcast", "reduce", "allgather",
                                                       "reducescatter", "allreduce"};
constexpr std::array<std::string_view, 7> kAlgorithms{
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, 3> kProtocols{"ll", "ll128", "simple"};

/// A rule as the plugin reads it.
struct TunerRule {
  std::string collective{};
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::string machine{};  ///< nodes, ranks and what else limits it, as written
  std::size_t line = 0;
};

std::string known_names(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string nearest_of(std::string_view name, std::span<const std::string_view> names) {
  const std::vector<std::string> candidates(names.begin(), names.end());
  return did_you_mean(name, candidates);
}

class TunerReader {
 public:
  explicit TunerReader(const InputFile& file) : file_(file) {}

  Measurements read() {
    for (const std::string_view line : file_.lines()) {
      ++line_;
      const std::string_view text = trimmed(line);
      if (!text.empty() && !text.starts_with('#')) read_rule(text);
    }
    check_order();
    check_coverage();
    if (findings_ > kMaxFindings) {
      add_finding(m_.remarks, {.file = file_.name()},
                  fmt::format("{} more rules are not what they seem", findings_ - kMaxFindings));
    }
    m_.recognised.push_back(
        fmt::format("{}: rules of an NCCL tuner: {}", escaped(file_.name()), rules_.size()));
    return std::move(m_);
  }

 private:
  void finding(std::size_t line, std::string text) {
    if (++findings_ <= kMaxFindings) add_finding(m_.remarks, file_.line(line), std::move(text));
  }

  void read_rule(std::string_view text) {
    const std::vector<std::string_view> cells = split_at(text, ',');
    if (text.size() > kMaxRuleLine) {
      return finding(line_, fmt::format("has {} characters: the plugin reads {} of a line",
                                        text.size(), kMaxRuleLine));
    }
    constexpr std::size_t kMinCells = 8;
    constexpr std::size_t kMaxCells = 10;
    if (cells.size() < kMinCells || cells.size() > kMaxCells) {
      return add_warning(m_.remarks, file_.line(line_),
                         fmt::format("has {} fields, expected 8 to 10 (collective_type, min_bytes, "
                                     "max_bytes, algorithm, protocol, channels, nNodes, nRanks[, "
                                     "numPipeOps[, regBuff]]): the plugin ignores it",
                                     cells.size()));
    }
    if (cells[0] == "collective_type") {
      return finding(line_,
                     "is a header without `#` before it, which becomes a rule: of all-reduce, "
                     "sizes 0 to 0; put `#` before it");
    }
    check_name(cells[0], kCollectives, "collective", "allreduce");
    check_name(cells[3], kAlgorithms, "algorithm", "ring");
    check_name(cells[4], kProtocols, "protocol", "simple");
    check_channels(cells[5]);
    const auto min = number_in<std::int64_t>(cells[1]);
    const auto max = number_in<std::int64_t>(cells[2]);
    if (!min || !max || *min < 0 || *max < *min) {
      return finding(line_, fmt::format("has the sizes {} to {}: no size is in that range",
                                        backquoted(cells[1]), backquoted(cells[2])));
    }
    TunerRule rule{.collective = "allreduce", .min = *min, .max = *max, .line = line_};
    if (std::ranges::find(kCollectives, cells[0]) != kCollectives.end()) {
      rule.collective = cells[0];
    }
    for (std::size_t i = 6; i < cells.size(); ++i) {
      if (!number_in<std::int64_t>(cells[i])) {
        return finding(line_, backquoted(cells[i]) + " is no whole number");
      }
      rule.machine += (rule.machine.empty() ? "" : ",") + std::string(cells[i]);
    }
    rules_.push_back(std::move(rule));
  }

  void check_name(std::string_view name, std::span<const std::string_view> known, const char* what,
                  const char* instead) {
    if (std::ranges::find(known, name) != known.end()) return;
    finding(line_, fmt::format("{} {} is not known and becomes {} without a word{}; known: {}",
                               what, backquoted(name), instead,
                               findings_ < kMaxSuggestions ? nearest_of(name, known) : "",
                               known_names(known)));
  }

  void check_channels(std::string_view word) {
    const auto channels = number_in<int>(word);
    constexpr int max_channels = 64;
    if (channels && *channels >= 1 && *channels <= max_channels) return;
    finding(line_, fmt::format("channels {}: {} leaves one channel; give a number from 1 to 64",
                               backquoted(word),
                               channels == -1 ? "-1, against the plugin's own page," : "it"));
  }

  /// By collective and machine; the first rule that matches wins.
  using Group = std::vector<const TunerRule*>;

  [[nodiscard]] std::map<std::pair<std::string, std::string>, Group> groups() const {
    std::map<std::pair<std::string, std::string>, Group> groups;
    for (const TunerRule& rule : rules_) groups[{rule.collective, rule.machine}].push_back(&rule);
    return groups;
  }

  /// Rules whose sizes earlier ones have.
  void check_order() {
    for (const auto& [key, group] : groups()) {
      std::map<std::int64_t, std::int64_t> covered;  // disjoint, from first to last
      for (const TunerRule* rule : group) {
        auto at = covered.upper_bound(rule->min);
        if (at != covered.begin() && std::prev(at)->second >= rule->max) {
          finding(rule->line, fmt::format("is never used: earlier rules have sizes {} to {} of {}",
                                          rule->min, rule->max, rule->collective));
          continue;
        }
        cover(covered, *rule);
      }
    }
  }

  static void cover(std::map<std::int64_t, std::int64_t>& covered, const TunerRule& rule) {
    std::int64_t first = rule.min;
    std::int64_t last = rule.max;
    auto at = covered.upper_bound(last == kMaxBytes ? last : last + 1);
    while (at != covered.begin()) {
      const auto before = std::prev(at);
      const bool touches = before->second == kMaxBytes || before->second + 1 >= first;
      if (!touches) break;
      first = std::min(first, before->first);
      last = std::max(last, before->second);
      at = covered.erase(before);
    }
    covered[first] = last;
  }

  /// Sizes and collectives that no rule has.
  void check_coverage() {
    if (rules_.empty()) {
      return add_warning(m_.remarks, {.file = file_.name()}, "has no rule that the plugin can use");
    }
    std::map<std::string, bool> has;
    for (const auto& [key, group] : groups()) {
      has[key.first] = true;
      std::map<std::int64_t, std::int64_t> covered;
      for (const TunerRule* rule : group) cover(covered, *rule);
      std::int64_t gap = 0;
      if (covered.begin()->first == 0) gap = covered.begin()->second;
      if (gap == kMaxBytes) continue;
      if (covered.begin()->first == 0) ++gap;
      finding(group.back()->line,
              fmt::format("{} of {} bytes{} matches no rule (nNodes,nRanks {}) and runs on one "
                          "channel: cover all sizes up to {}",
                          key.first, gap, covered.size() == 1 ? " and more" : "", key.second,
                          kMaxBytes));
    }
    std::string missing;
    for (const std::string_view name : kCollectives) {
      if (!has.contains(std::string(name))) {
        missing += (missing.empty() ? "" : ", ") + std::string(name);
      }
    }
    if (!missing.empty()) {
      add_finding(
          m_.remarks, {.file = file_.name()},
          fmt::format("has no rule for {}: what no rule matches runs on one channel", missing));
    }
  }

  const InputFile& file_;
  Measurements m_;
  std::vector<TunerRule> rules_;
  std::size_t line_ = 0;
  std::size_t findings_ = 0;
};

std::optional<std::string_view> recognise_tuner(const InputFile& file) {
  constexpr std::string_view kHeader = "collective_type,min_bytes,max_bytes";
  constexpr std::size_t kMaxLooked = 64;  // lines; files of rules begin with rules
  for (std::size_t i = 0; i < std::min(kMaxLooked, file.lines().size()); ++i) {
    std::string_view text = trimmed(file.lines()[i]);
    const bool is_comment = text.starts_with('#');
    if (is_comment) text = trimmed(text.substr(1));
    if (text.starts_with(kHeader)) return "columns `collective_type,min_bytes,max_bytes`";
    if (is_comment || text.size() > kMaxRuleLine) continue;
    const std::vector<std::string_view> cells = split_at(text, ',');
    const bool is_rule = cells.size() >= 8 && number_in<std::int64_t>(cells[1]) &&
                         number_in<std::int64_t>(cells[2]) &&
                         std::ranges::find(kProtocols, cells[4]) != kProtocols.end();
    if (is_rule) return "rules of a collective, sizes, algorithm, protocol and channels";
  }
  return {};
}

void read_tuner(const InputFile& file, Measurements& measurements) {
  take(measurements, TunerReader(file).read());
}

}  // namespace

Form tuner_form() {
  return {.name = "tuner",
          .about = "rules for NCCL's tuner plugin (NCCL_TUNER_CONFIG_FILE), which are checked",
          .command = "the file that NCCL_TUNER_CONFIG_FILE names",
          .recognise = recognise_tuner,
          .read = read_tuner};
}

}  // namespace weft::evidence
