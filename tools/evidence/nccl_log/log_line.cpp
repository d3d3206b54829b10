#include "tools/evidence/nccl_log/log_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace weft::evidence {
namespace {

/// NCCL's lines have 1,024 characters at most, and launchers add some.
constexpr std::size_t kMaxLogLine = 8192;
constexpr std::size_t kMaxTornRemarks = 10;
constexpr std::size_t kMaxHost = 255;  ///< RFC 1123

struct Marker {
  std::size_t at = 0;   ///< of what is before the text: the blank before `NCCL`
  std::size_t end = 0;  ///< where the text begins
  bool is_warning = false;
};

std::vector<Marker> markers_in(std::string_view line) {
  constexpr std::string_view kInfo = " NCCL INFO ";
  constexpr std::string_view kWarn = " NCCL WARN ";
  std::vector<Marker> markers;
  for (std::size_t at = line.find(" NCCL "); at != line.npos; at = line.find(" NCCL ", at + 1)) {
    for (const std::string_view marker : {kInfo, kWarn}) {
      if (line.substr(at).starts_with(marker)) {
        markers.push_back({at, at + marker.size(), marker == kWarn});
      }
    }
  }
  return markers;
}

/// Cuts the last word off.
std::string_view cut_word(std::string_view& text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  const std::size_t blank = text.rfind(' ');
  const std::size_t begin = blank == text.npos ? 0 : blank + 1;
  const std::string_view word = text.substr(begin);
  text = text.substr(0, begin);
  return word;
}

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

bool is_host_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

/// What stands before a marker: `host:pid:tid [0]`, in warnings also `file.cc:123`. The views are
/// of the line.
std::optional<LogLine> origin_of(std::string_view before) {
  std::string_view word = cut_word(before);
  if (!word.starts_with('[')) word = cut_word(before);
  if (!word.starts_with('[') || !word.ends_with(']')) return {};
  const std::string_view thread = cut_word(before);
  const std::size_t tid = thread.rfind(':');
  if (tid == thread.npos || tid == 0 || !is_digits(thread.substr(tid + 1))) return {};
  const std::size_t pid = thread.rfind(':', tid - 1);
  if (pid == thread.npos || !is_digits(thread.substr(pid + 1, tid - pid - 1))) return {};
  std::size_t begin = pid;
  while (begin > 0 && pid - begin < kMaxHost && is_host_letter(thread[begin - 1])) --begin;
  if (begin == pid) return {};
  return LogLine{.host = thread.substr(begin, pid - begin),
                 .process = thread.substr(begin, tid - begin),
                 .thread = thread.substr(begin)};
}

/// Of a name that is glued to what another process wrote, the part that is a host known from
/// elsewhere.
void unglue(LogLine& line, const std::set<std::string_view>& hosts) {
  if (hosts.contains(line.host)) return;
  std::size_t best = 0;
  for (std::size_t from = 1; from < line.host.size() && best == 0; ++from) {
    if (hosts.contains(line.host.substr(from))) best = from;
  }
  line.host.remove_prefix(best);
  line.process.remove_prefix(best);
  line.thread.remove_prefix(best);
}

class LineReader {
 public:
  explicit LineReader(const import::InputFile& file) : file_(file) {}

  std::vector<LogLine> read(Remarks& remarks) {
    for (std::size_t i = 0; i < file_.lines().size(); ++i) {
      const std::string_view line = file_.lines()[i];
      if (line.size() <= kMaxLogLine && line.find(" NCCL ") != line.npos) add(line, i + 1);
    }
    for (LogLine& line : torn_) {
      unglue(line, hosts_);
      lines_.push_back(line);
    }
    std::ranges::stable_sort(lines_, {}, &LogLine::number);
    for (std::size_t i = 0; i < std::min(kMaxTornRemarks, torn_.size()); ++i) {
      add_warning(remarks, file_.line(torn_[i].number),
                  "holds lines of two processes: the first one is cut and left out, the second "
                  "one is used");
    }
    if (torn_.size() > kMaxTornRemarks) {
      add_warning(remarks, file_.line(torn_[kMaxTornRemarks].number),
                  fmt::format("{} more lines hold two: of each the second one is used",
                              torn_.size() - kMaxTornRemarks));
    }
    return std::move(lines_);
  }

 private:
  void add(std::string_view line, std::size_t number) {
    const std::vector<Marker> markers = markers_in(line);
    if (markers.empty()) return;
    const Marker& last = markers.back();
    auto found = origin_of(line.substr(0, last.at));
    if (!found) return;
    found->number = number;
    found->is_warning = last.is_warning;
    found->text = line.substr(last.end);
    if (markers.size() > 1) {
      torn_.push_back(*found);
    } else {
      hosts_.insert(found->host);
      lines_.push_back(*found);
    }
  }

  const import::InputFile& file_;
  std::set<std::string_view> hosts_;
  std::vector<LogLine> lines_;
  std::vector<LogLine> torn_;
};

}  // namespace

std::vector<LogLine> read_log_lines(const import::InputFile& file, Remarks& remarks) {
  return LineReader(file).read(remarks);
}

}  // namespace weft::evidence
