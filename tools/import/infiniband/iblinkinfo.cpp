#include "tools/import/infiniband/iblinkinfo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/infiniband/lanes.hpp"
#include "tools/import/infiniband/link_ends.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

/// The last two numbers before `[`: of `0xguid 10 1[  ]` 10 and 1.
struct LidAndPort {
  std::string lid;
  std::uint64_t port = 0;
};

std::optional<LidAndPort> lid_and_port(std::string_view text) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> words = words_of(text.substr(0, bracket));
  if (words.size() < 2 || words.size() > 3) return std::nullopt;
  const auto lid = parse_unsigned(words[words.size() - 2]);
  const auto port = parse_unsigned(words.back());
  if (!lid || !port || *lid > 0xFFFFFFFF || *port == 0 || *port > 1024) return std::nullopt;
  return LidAndPort{fmt::format("lid {}", *lid), *port};
}

/// `4X 106.25 Gbps Active/ LinkUp`
struct LinkState {
  std::string_view width;
  std::string_view speed;
};

class IblinkinfoReader {
 public:
  explicit IblinkinfoReader(Reading& reading) : reading_(reading), ends_(reading) {}

  void read() {
    const auto& lines = reading_.file.lines();
    for (number_ = 1; number_ <= lines.size(); ++number_) {
      const std::string_view text = trimmed(lines[number_ - 1]);
      if (text.empty() || text.starts_with("#")) continue;
      if (text.starts_with("Switch:") || text.starts_with("CA:") || text.starts_with("Router:")) {
        read_head(text);
      } else if (text.find("==(") != std::string_view::npos) {
        read_link(text);
      } else {
        wrong(text);
      }
    }
    reading_.check_last_line();
    describe_peers();
    ends_.join(false);
  }
  [[nodiscard]] std::string contents() const { return ends_.contents(); }

 private:
  [[nodiscard]] SourceLocation here() const { return reading_.file.line(number_); }

  void wrong(std::string_view text) {
    reading_.error(here(), fmt::format("{} is not as iblinkinfo prints it: was the line cut?",
                                       backquoted(text)));
  }

  /// `Switch: 0xguid leaf01:` or `CA: gpu01 mlx5_0:`
  void read_head(std::string_view text) {
    is_switch_ = text.starts_with("Switch:");
    has_head_ = true;
    std::string_view name = trimmed(text.substr(text.find(':') + 1));
    if (!name.ends_with(':')) return wrong(text);
    name.remove_suffix(1);
    if (is_switch_) {
      const std::size_t blank = std::min(name.find(' '), name.size());
      if (!parse_hex(name.substr(0, blank))) return wrong(text);
      name = trimmed(name.substr(blank));
    }
    name_ = name;
  }

  void read_link(std::string_view text) {
    const std::size_t open = text.find("==(");
    const std::size_t close = text.find(")==>");
    const std::size_t quote = text.find('"', std::min(close, text.size()));
    const std::size_t end_quote = text.rfind('"');
    if (close == std::string_view::npos || quote == std::string_view::npos || end_quote <= quote ||
        open > close || !text.ends_with(')')) {
      return wrong(text);
    }
    const std::string_view state = text.substr(open + 3, close - open - 3);
    if (!has_head_) return reading_.error(here(), "a port before the first switch or NIC");
    const auto near = lid_and_port(text.substr(0, open));
    if (!near) return wrong(text);
    add_node(near->lid, name_, is_switch_);
    if (state.find("Down/") != std::string_view::npos) return;
    const auto far = lid_and_port(text.substr(close + 4, quote - close - 4));
    const std::optional<LinkState> link = read_state(state);
    if (!far || !link) return wrong(text);
    const auto rate = infiniband_rate(link->width, link->speed);
    if (!rate) {
      reading_.error(here(), fmt::format("{} {} is no width and speed such as `4X 106.25`",
                                         backquoted(link->width), backquoted(link->speed)));
      return;
    }
    const std::string_view peer = text.substr(quote + 1, end_quote - quote - 1);
    peers_.try_emplace(far->lid, Peer{std::string(peer), here()});
    LinkEnds::End end{.peer = {far->lid, far->port},
                      .rate = *rate,
                      .full_rate = {},
                      .degraded = {},
                      .where = here()};
    read_messages(text.substr(end_quote + 1), *link, end);
    ends_.add_end({near->lid, near->port}, std::move(end));
  }

  static std::optional<LinkState> read_state(std::string_view state) {
    const std::vector<std::string_view> words = words_of(state);
    if (words.size() < 4 || words[2] != "Gbps" || !words[3].starts_with("Active/")) {
      return std::nullopt;
    }
    return LinkState{words[0], words[1]};
  }

  /// `( Could be 4X )`, `( Could be 106.25 Gbps )`: what both ends are able to.
  void read_messages(std::string_view text, const LinkState& link, LinkEnds::End& end) {
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos) return wrong(text);
    const std::vector<std::string_view> words =
        words_of(text.substr(open + 1, text.size() - open - 2));
    LinkState full = link;
    std::string could;
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
      if (words[i] != "Could" || words[i + 1] != "be") continue;
      const std::string_view value = words[i + 2];
      (value.ends_with('X') ? full.width : full.speed) = value;
      could += could.empty() ? std::string(value) : fmt::format(" {}", value);
    }
    if (could.empty()) {
      if (!words.empty()) {
        reading_.warning(here(), fmt::format("the message {} is not read", backquoted(text)));
      }
      return;
    }
    end.full_rate = infiniband_rate(full.width, full.speed);
    if (!end.full_rate) {
      reading_.error(here(), fmt::format("{} is no width or speed: `4X` or `106.25` expected",
                                         backquoted(could)));
      return;
    }
    const std::string_view runs = full.width != link.width ? link.width : link.speed;
    end.degraded = fmt::format("runs {}, could be {}", runs, could);
  }

  void add_node(const std::string& lid, std::string_view name, bool is_switch) {
    const auto [known, is_new] = names_.try_emplace(lid, name);
    if (!is_new) {
      if (known->second != name) {
        reading_.error(here(), fmt::format("{} is {} here and {} before", lid, backquoted(name),
                                           backquoted(known->second)));
      }
      return;
    }
    LinkEnds::Node node;
    node.where = here();
    if (is_switch) node.ports = 1024;
    ends_.add_node(lid, name, is_switch, std::move(node));
  }

  /// Peers without lines of their own are NICs (--switches-only); those with lines are called
  /// alike.
  void describe_peers() {
    for (const auto& [lid, peer] : peers_) {
      const auto known = names_.find(lid);
      if (known == names_.end()) {
        LinkEnds::Node node;
        node.where = peer.where;
        ends_.add_node(lid, peer.name, false, std::move(node));
      } else if (known->second != peer.name) {
        reading_.error(peer.where,
                       fmt::format("{} is called {} here and {} where it is listed", lid,
                                   backquoted(peer.name), backquoted(known->second)));
      }
    }
  }

  struct Peer {
    std::string name;
    SourceLocation where{};
  };

  Reading& reading_;
  LinkEnds ends_;
  std::size_t number_ = 0;
  std::string name_;
  bool is_switch_ = false;
  bool has_head_ = false;
  std::map<std::string, std::string> names_;  ///< by lid, of listed nodes
  std::map<std::string, Peer> peers_;         ///< by lid
};

}  // namespace

std::optional<std::string_view> recognise_iblinkinfo(const InputFile& file) {
  constexpr std::size_t kLooksAt = 200;
  const auto& lines = file.lines();
  const std::size_t end = std::min(lines.size(), kLooksAt);
  for (std::size_t i = 0; i < end; ++i) {
    if (lines[i].find("==(") == std::string_view::npos) continue;
    if (lines[i].find(")==>") != std::string_view::npos) return "its links `==( ... )==>`";
  }
  return std::nullopt;
}

void read_iblinkinfo(const InputFile& file, Description& description) {
  Reading reading(file, description);
  IblinkinfoReader reader(reading);
  reader.read();
  reading.finish("iblinkinfo", reader.contents());
}

}  // namespace weft::import
