#include "tools/import/cables/dot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "tools/import/parse/cable_list.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

struct DotToken {
  enum class Kind : unsigned char { kId, kMark, kEnd, kBad };
  Kind kind = Kind::kEnd;
  std::string text{};
  int line = 1;
  bool is_quoted = false;

  [[nodiscard]] bool is(std::string_view mark) const { return kind == Kind::kMark && text == mark; }
};

class DotScanner {
 public:
  explicit DotScanner(std::string_view text) : text_(text) {}

  DotToken next() {
    pass();
    DotToken token;
    token.line = line_;
    if (at_ >= text_.size()) return token;
    const char c = text_[at_];
    if (c == '"') return quoted();
    if (text_.substr(at_, 2) == "--" || text_.substr(at_, 2) == "->") {
      token.text = text_.substr(at_, 2);
      at_ += 2;
    } else if (std::string_view("{}[]=;,:").find(c) != std::string_view::npos) {
      token.text = c;
      ++at_;
    } else {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_bare(text_[at_])) ++at_;
      token.kind = begin == at_ ? DotToken::Kind::kBad : DotToken::Kind::kId;
      token.text = text_.substr(begin, std::max<std::size_t>(at_ - begin, 1));
      return token;
    }
    token.kind = DotToken::Kind::kMark;
    return token;
  }

 private:
  static bool is_bare(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
           static_cast<unsigned char>(c) >= 0x80;
  }

  void step() { line_ += text_[at_++] == '\n' ? 1 : 0; }

  void pass() {
    while (at_ < text_.size()) {
      const std::string_view two = text_.substr(at_, 2);
      if (two == "//" || text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (two == "/*") {
        const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
        while (at_ < std::min(end + 2, text_.size())) step();
      } else if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n') {
        step();
      } else {
        return;
      }
    }
  }

  DotToken quoted() {
    DotToken token{.kind = DotToken::Kind::kBad, .text = "\"", .line = line_, .is_quoted = true};
    std::string inside;
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        token.kind = DotToken::Kind::kId;
        token.text = inside;
        return token;
      }
      if (text_.substr(at_, 2) == "\\\"") ++at_;
      inside += text_[at_];
    }
    return token;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

struct DotFunction {
  std::string_view name;
  DeviceKind kind;
  std::uint32_t tier;  ///< 0: not said
};
constexpr std::array<DotFunction, 9> kDotFunctions{{{"server", DeviceKind::kServer, 0},
                                                    {"host", DeviceKind::kServer, 0},
                                                    {"leaf", DeviceKind::kSwitch, 1},
                                                    {"tor", DeviceKind::kSwitch, 1},
                                                    {"spine", DeviceKind::kSwitch, 2},
                                                    {"superspine", DeviceKind::kSwitch, 3},
                                                    {"super-spine", DeviceKind::kSwitch, 3},
                                                    {"exit", DeviceKind::kSwitch, 0},
                                                    {"switch", DeviceKind::kSwitch, 0}}};

class DotReader {
 public:
  explicit DotReader(Reading& reading)
      : reading_(reading), scanner_(reading.file.text()), cables_(reading, "line") {
    take();
  }

  std::string read() {
    if (is_word("strict")) take();
    if (is_word("digraph")) {
      reading_.warning(here(), "`digraph` and `->`: read as undirected, since cables are");
    } else if (!is_word("graph")) {
      return wrong("`graph` or `digraph` expected");
    }
    take();
    if (token_.kind == DotToken::Kind::kId) take();
    if (!token_.is("{")) return wrong("`{` expected");
    take();
    while (!token_.is("}") && !reading_.has_errors()) read_statement();
    if (reading_.has_errors()) return "";
    take();
    if (token_.kind != DotToken::Kind::kEnd) return wrong("nothing expected after the last `}`");
    finish_devices();
    if (cables_.size() == 0) reading_.error({}, "holds no cable");
    return fmt::format("{}, {}", counted(reading_.found.devices.size(), "node"),
                       counted(cables_.size(), "cable"));
  }

 private:
  void take() { token_ = scanner_.next(); }
  [[nodiscard]] bool is_word(std::string_view word) const {
    return token_.kind == DotToken::Kind::kId && !token_.is_quoted && token_.text == word;
  }
  [[nodiscard]] SourceLocation here() const {
    return reading_.file.line(static_cast<std::size_t>(token_.line));
  }
  std::string wrong(std::string_view expected) {
    if (token_.kind == DotToken::Kind::kEnd) {
      reading_.error(here(), fmt::format("the text ends here, and {}: was it cut?", expected));
    } else {
      reading_.error(here(), fmt::format("{}: {}", backquoted(token_.text), expected));
    }
    return "";
  }

  void read_statement() {
    if (token_.is(";") || token_.is(",")) return take();
    if (is_word("subgraph") || token_.is("{")) {
      wrong("subgraphs are not read: write nodes and edges alone");
      return;
    }
    if (token_.kind != DotToken::Kind::kId) {
      wrong("a node, an edge or `}` expected");
      return;
    }
    const bool is_default = is_word("node") || is_word("edge") || is_word("graph");
    const SourceLocation where = here();
    const std::string first = token_.text;
    take();
    if (token_.is("=")) {  // an attribute of the drawing
      take();
      if (token_.kind != DotToken::Kind::kId) {
        wrong("a value expected");
        return;
      }
      return take();
    }
    if (is_default || token_.is("[")) {
      const std::map<std::string, std::string> attributes = read_attributes(!is_default);
      if (!is_default) add_node(first, attributes, where);
      return;
    }
    if (token_.is(":") || token_.is("--") || token_.is("->")) return read_edge(first, where);
    add_node(first, {}, where);
  }

  std::string read_port() {
    if (!token_.is(":")) return "";
    take();
    if (token_.kind != DotToken::Kind::kId) {
      wrong("a port expected");
      return "";
    }
    std::string port = token_.text;
    take();
    return port;
  }

  void read_edge(const std::string& first, const SourceLocation& where) {
    Cable cable;
    cable.where = where;
    cable.a = {first, read_port()};
    if (reading_.has_errors()) return;
    if (!token_.is("--") && !token_.is("->")) {
      wrong("`--` expected");
      return;
    }
    take();
    if (token_.kind != DotToken::Kind::kId) {
      wrong("the other end expected");
      return;
    }
    cable.b.device = token_.text;
    take();
    cable.b.port = read_port();
    if (token_.is("--") || token_.is("->")) {
      wrong("one edge per cable: chains are not read");
      return;
    }
    if (token_.is("[")) read_attributes(false);
    for (const PortName* end : {&cable.a, &cable.b}) {
      const bool is_named = reading_.name(end->device, "a node", where).has_value();
      if (!reading_.name(end->port, fmt::format("the port of {}", backquoted(end->device)),
                         where) ||
          !is_named) {
        return;
      }
    }
    if (cable.a.device.starts_with("oob-") || cable.b.device.starts_with("oob-")) return;
    cables_.add(std::move(cable));
  }

  std::map<std::string, std::string> read_attributes(bool is_node) {
    static const std::vector<std::string> known{"function", "os",      "memory",  "cpu",
                                                "config",   "version", "storage", "label"};
    std::map<std::string, std::string> attributes;
    if (!token_.is("[")) {
      wrong("`[` expected");
      return attributes;
    }
    take();
    while (!token_.is("]")) {
      if (token_.is(",") || token_.is(";")) {
        take();
        continue;
      }
      const std::string key = token_.text;
      const SourceLocation where = here();
      if (token_.kind != DotToken::Kind::kId) {
        wrong("an attribute or `]` expected");
        return attributes;
      }
      take();
      if (!token_.is("=")) {
        wrong("`=` expected");
        return attributes;
      }
      take();
      if (token_.kind != DotToken::Kind::kId) {
        wrong("a value expected");
        return attributes;
      }
      if (is_node && std::ranges::find(known, key) == known.end()) {
        reading_.unknown("attribute", key, where, known);
      }
      attributes[key] = token_.text;
      take();
    }
    take();
    return attributes;
  }

  void add_node(const std::string& name, const std::map<std::string, std::string>& attributes,
                const SourceLocation& where) {
    if (name.starts_with("oob-") || !reading_.name(name, "a node", where)) return;
    Device device{.name = name, .kind = {}, .tier = {}, .part = {}, .where = where};
    if (const auto function = attributes.find("function"); function != attributes.end()) {
      const auto known =
          std::ranges::find(kDotFunctions, lower_case(function->second), &DotFunction::name);
      if (known == kDotFunctions.end()) {
        reading_.unknown("function", function->second, where, {});
      } else {
        device.kind = known->kind;
        if (known->tier > 0) device.tier = known->tier;
      }
    }
    const auto [at, is_new] = devices_.try_emplace(name, device);
    if (is_new) return;
    reading_.error(where, fmt::format("node {} stands twice, in lines {} and {}", backquoted(name),
                                      at->second.where.line, where.line));
  }

  void finish_devices() {
    for (auto& [name, device] : devices_) reading_.found.devices.push_back(std::move(device));
  }

  Reading& reading_;
  DotScanner scanner_;
  CableList cables_;
  DotToken token_;
  std::map<std::string, Device> devices_;
};

}  // namespace

std::optional<std::string_view> recognise_dot(const InputFile& file) {
  DotScanner scanner(file.text().substr(0, 65'536));
  DotToken token = scanner.next();
  if (token.text == "strict") token = scanner.next();
  if (token.is_quoted || (token.text != "graph" && token.text != "digraph")) return std::nullopt;
  token = scanner.next();
  if (token.kind == DotToken::Kind::kId) token = scanner.next();
  if (!token.is("{")) return std::nullopt;
  return "its first word `graph`";
}

void read_dot(const InputFile& file, Description& description) {
  Reading reading(file, description);
  const std::string contents = DotReader(reading).read();
  reading.finish("DOT", contents);
}

}  // namespace weft::import
