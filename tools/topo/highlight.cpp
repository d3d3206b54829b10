#include "tools/topo/highlight.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/text/format.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/text/nearest.hpp"
#include "topologies/analysis/pair_paths.hpp"
#include "topologies/analysis/roles.hpp"

namespace weft::topo {
namespace {

constexpr std::size_t kMaxListedLinks = 200;
/// Names to look for near ones: more would take seconds.
constexpr std::size_t kMaxCandidates = 10'000;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

Error wrong(std::string message) { return {"--highlight: " + std::move(message), {}}; }

Result<HostId> find_host(const Fabric& fabric, const std::string& text) {
  for (std::size_t i = 0; i < fabric.hosts.size(); ++i) {
    if (fabric.host(HostId(i)).name == text) return HostId(i);
  }
  const std::optional<std::uint32_t> index = number(text);
  if (index && *index < fabric.hosts.size()) return HostId(*index);
  if (index) {
    return wrong(fmt::format("there is no host {}; hosts are numbered 0 to {}", text,
                             fabric.hosts.size() - 1));
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < fabric.hosts.size() && i < kMaxCandidates; ++i) {
    names.push_back(fabric.host(HostId(i)).name);
  }
  return wrong(fmt::format("`{}` is not a host; there are {}{}", text, listing(names),
                           did_you_mean(text, names)));
}

/// At most three parts; host names may not hold colons.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

Result<Highlight> find_highlight(const Fabric& fabric, const Routes& routes, std::uint64_t seed,
                                 const std::string& text) {
  const std::vector<std::string> parts = split(text);
  if (parts.size() != 2 && parts.size() != 3) {
    return wrong(fmt::format("`{}` is not FROM:TO or FROM:TO:N", text));
  }
  const Result<HostId> from = find_host(fabric, parts[0]);
  if (!from) return from.errors();
  const Result<HostId> to = find_host(fabric, parts[1]);
  if (!to) return to.errors();
  if (from.value() == to.value()) return wrong("from a host to itself there are no links");
  const std::string pair = fabric.host(from.value()).name + " to " + fabric.host(to.value()).name;
  Highlight highlight{from.value(), to.value(), {}, {}};
  if (parts.size() == 2) {
    topologies::PairPaths paths = topologies::pair_paths(fabric, routes, from.value(), to.value());
    if (paths.links == 0) return wrong("there is no path from " + pair);
    highlight.caption =
        fmt::format("{}: {} path{} of {}", pair,
                    scenarios::format_count(static_cast<std::int64_t>(paths.paths)),
                    paths.paths == 1 ? "" : "s", topologies::counted(paths.links, "link"));
    highlight.ports = std::move(paths.ports);
    return highlight;
  }
  const std::optional<std::uint32_t> queue_pair = number(parts[2]);
  if (!queue_pair) return wrong(fmt::format("`{}` is not the number of a queue pair", parts[2]));
  const std::uint32_t entropy =
      flow_entropy(from.value(), to.value(), queue_pair_number(0, *queue_pair));
  highlight.ports = flow_path(fabric, routes, seed, from.value(), to.value(), entropy);
  if (highlight.ports.empty()) return wrong("there is no path from " + pair);
  highlight.caption = fmt::format("{}, queue pair {}: {}", pair, *queue_pair,
                                  topologies::counted(highlight.ports.size(), "link"));
  return highlight;
}

std::string highlight_text(const Fabric& fabric, const Highlight& highlight) {
  std::string text = "\n  " + highlight.caption + "\n";
  for (std::size_t i = 0; i < highlight.ports.size() && i < kMaxListedLinks; ++i) {
    const PortId port = highlight.ports[i];
    text +=
        fmt::format("    {}  {}\n", fabric.port_name(port),
                    scenarios::format_rate(static_cast<double>(fabric.port(port).rate.count())));
  }
  if (highlight.ports.size() > kMaxListedLinks) {
    text += fmt::format("    and {} more\n", highlight.ports.size() - kMaxListedLinks);
  }
  return text;
}

}  // namespace weft::topo
