#include "tools/import/infiniband/ibnetdiscover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/infiniband/lanes.hpp"
#include "tools/import/infiniband/link_ends.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

std::optional<std::string> switch_part(std::uint64_t device) {
  if (device == 0xd2f0) return "quantum";
  if (device == 0xd2f2) return "quantum-2";
  if (device == 0xd2f4) return "quantum-3";
  return std::nullopt;
}

/// Takes parts of a line from its front.
class LinePieces {
 public:
  explicit LinePieces(std::string_view line) : rest_(line) {}

  void pass_blanks() {
    rest_ = rest_.substr(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }
  [[nodiscard]] bool take(std::string_view text) {
    pass_blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  /// What stands between two marks, of which the first comes now.
  [[nodiscard]] std::optional<std::string_view> between(char open, char close) {
    pass_blanks();
    if (rest_.empty() || rest_.front() != open) return std::nullopt;
    const std::size_t end = rest_.find(close, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

class IbnetdiscoverReader {
 public:
  explicit IbnetdiscoverReader(Reading& reading) : reading_(reading), ends_(reading) {}

  void read() {
    const auto& lines = reading_.file.lines();
    for (number_ = 1; number_ <= lines.size(); ++number_) read_line(lines[number_ - 1]);
    if (unknown_speeds_ > 0) {
      reading_.error(first_unknown_,
                     fmt::format("speed `???` of {}: the tool does not know it; use "
                                 "a newer one, or iblinkinfo",
                                 counted(unknown_speeds_, "port")));
    }
    reading_.check_last_line();
    ends_.join(true);
  }
  [[nodiscard]] std::string contents() const { return ends_.contents(); }

 private:
  [[nodiscard]] SourceLocation here() const { return reading_.file.line(number_); }

  void read_line(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with("#")) return;
    if (text.starts_with("[")) {
      read_port(text);
    } else if (text.starts_with("Switch") || text.starts_with("Ca") || text.starts_with("Rt")) {
      read_node(text);
    } else {
      read_property(text);
    }
  }

  void read_property(std::string_view text) {
    static const std::vector<std::string> known{"vendid",     "devid",  "sysimgguid",
                                                "switchguid", "caguid", "rtguid"};
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    if (equals == std::string_view::npos) {
      reading_.error(here(), fmt::format("{} is no line of ibnetdiscover", backquoted(text)));
      return;
    }
    if (std::ranges::find(known, key) == known.end()) {
      reading_.unknown("property", key, here(), known);
      return;
    }
    const std::string_view value = text.substr(equals + 1);
    const std::optional<std::uint64_t> id = parse_hex(value.substr(0, value.find('(')));
    if (!id) {
      reading_.error(here(), fmt::format("{}: a hexadecimal number expected", backquoted(text)));
    } else if (key == "devid") {
      device_id_ = *id;
    }
  }

  void read_node(std::string_view text) {
    LinePieces pieces(text);
    const bool is_switch = pieces.take("Switch");
    if (!is_switch && !pieces.take("Ca") && !pieces.take("Rt")) return wrong_line(text);
    pieces.pass_blanks();
    const std::string_view count = pieces.rest().substr(0, pieces.rest().find_first_of(" \t"));
    const std::optional<std::uint64_t> ports = parse_unsigned(count);
    if (!ports || *ports == 0 || *ports > 1024 || !pieces.take(count)) return wrong_line(text);
    const auto id = pieces.between('"', '"');
    const bool has_mark = pieces.take("#");
    const auto name = pieces.between('"', '"');
    if (!id || id->empty() || !has_mark || !name) return wrong_line(text);
    node_ = *id;
    ports_ = *ports;
    LinkEnds::Node node;
    node.ports = static_cast<std::uint32_t>(*ports);
    node.where = here();
    if (is_switch) node.part = switch_part(device_id_);
    ends_.add_node(node_, *name, is_switch, std::move(node));
    device_id_ = 0;
  }

  void wrong_line(std::string_view text) {
    reading_.error(here(), fmt::format("{} is not as ibnetdiscover prints it: was the line cut?",
                                       backquoted(text)));
  }

  /// `[1] "H-guid"[1](portguid) # "name" lid 12 4xNDR`
  void read_port(std::string_view text) {
    LinePieces pieces(text);
    const auto port = parse_unsigned(pieces.between('[', ']').value_or(""));
    static_cast<void>(pieces.between('[', ']'));  // the number on the case: [ext 3]
    static_cast<void>(pieces.between('(', ')'));  // the GUID of a port of a NIC
    const auto peer = pieces.between('"', '"');
    const auto peer_port = parse_unsigned(pieces.between('[', ']').value_or(""));
    if (!port || !peer || peer->empty() || !peer_port) return wrong_line(text);
    if (node_.empty()) {
      reading_.error(here(), "a port before the first switch or NIC: the beginning is missing");
      return;
    }
    if (*port == 0 || *port > ports_) {
      reading_.error(here(), fmt::format("port {} of a node of {} ports", *port, ports_));
      return;
    }
    const std::size_t mark = pieces.rest().find('#');
    if (mark == std::string_view::npos) return wrong_line(text);
    const std::string_view comment = pieces.rest().substr(mark);
    const std::optional<BitsPerSecond> rate = read_speed(comment, text);
    if (!rate) return;
    ends_.add_end({node_, *port}, {.peer = {std::string(*peer), *peer_port},
                                   .rate = *rate,
                                   .full_rate = {},
                                   .degraded = {},
                                   .where = here()});
  }

  /// The last word that begins with lanes: `4xNDR`.
  std::optional<BitsPerSecond> read_speed(std::string_view comment, std::string_view line) {
    const std::string_view after = comment.substr(std::min(comment.rfind('"'), comment.size()));
    for (const std::string_view word : words_of(after)) {
      const std::size_t x = word.find('x');
      if (x == std::string_view::npos || !parse_unsigned(word.substr(0, x))) continue;
      if (word.substr(x + 1) == "???") {
        if (unknown_speeds_++ == 0) first_unknown_ = here();
        return std::nullopt;
      }
      if (const auto rate = infiniband_rate(word.substr(0, x + 1), word.substr(x + 1))) return rate;
      reading_.error(here(), fmt::format("{} is no width and speed such as `4xNDR` (SDR, DDR, QDR, "
                                         "FDR10, FDR, EDR, HDR, NDR, XDR)",
                                         backquoted(word)));
      return std::nullopt;
    }
    wrong_line(line);
    return std::nullopt;
  }

  Reading& reading_;
  LinkEnds ends_;
  std::size_t number_ = 0;
  std::string node_;
  std::uint64_t ports_ = 0;
  std::uint64_t device_id_ = 0;
  std::size_t unknown_speeds_ = 0;
  SourceLocation first_unknown_;
};

}  // namespace

std::optional<std::string_view> recognise_ibnetdiscover(const InputFile& file) {
  constexpr std::size_t kLooksAt = 200;
  const auto& lines = file.lines();
  const std::size_t end = std::min(lines.size(), kLooksAt);
  for (std::size_t i = 0; i < end; ++i) {
    if (lines[i].starts_with("switchguid=0x") || lines[i].starts_with("caguid=0x")) {
      return "its lines `switchguid=` or `caguid=`";
    }
  }
  return std::nullopt;
}

void read_ibnetdiscover(const InputFile& file, Description& description) {
  Reading reading(file, description);
  IbnetdiscoverReader reader(reading);
  reader.read();
  reading.finish("ibnetdiscover", reader.contents());
}

}  // namespace weft::import
