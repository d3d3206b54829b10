#include "tools/report/data/fabric_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "protocols/config/transports/list.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "tools/topo/highlight.hpp"
#include "tools/topo/picture.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::report {
namespace {

/// Ways that are looked up, of fabrics where that takes a moment.
constexpr std::size_t kMaxPaths = 60;
constexpr std::size_t kMaxPortsOfPath = 400;

double tenths(double value) { return std::round(value * 10) / 10; }

/// A picture whose y grows downwards.
class Drawing {
 public:
  Drawing(const Fabric& fabric, const topo::PictureOptions& options)
      : fabric_(fabric), picture_(topo::draw_picture(fabric, options)) {
    for (const auto& box : picture_.boxes) {
      left_ = std::min(left_, box.centre.x - box.width / 2);
      right_ = std::max(right_, box.centre.x + box.width / 2);
      top_ = std::max(top_, box.centre.y + box.height / 2);
      bottom_ = std::min(bottom_, box.centre.y - box.height / 2);
    }
    for (std::size_t i = 0; i < picture_.lines.size(); ++i) {
      const auto& line = picture_.lines[i];
      lines_[ends(line.from, line.to)] = static_cast<std::int64_t>(i);
    }
    // A cell comes after the box that it lies in.
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i) {
      const auto& box = picture_.boxes[i];
      for (const NodeId node : box.nodes) {
        box_of_[node.value()] = static_cast<std::int64_t>(i);
        if (!box.id.empty()) id_of_[node.value()] = box.id;
      }
    }
  }

  [[nodiscard]] Json size() const {
    return {{"width", tenths(right_ - left_)}, {"height", tenths(top_ - bottom_)}};
  }

  [[nodiscard]] Json boxes() const {
    Json list = Json::array();
    for (const auto& box : picture_.boxes) {
      Json one{{"x", tenths(box.centre.x - box.width / 2 - left_)},
               {"y", tenths(top_ - box.centre.y - box.height / 2)},
               {"w", tenths(box.width)},
               {"h", tenths(box.height)},
               {"text", box.text},
               {"font", box.font}};
      if (!box.tooltip.empty()) one["title"] = box.tooltip;
      if (!box.nodes.empty()) one["nodes"] = box.nodes.size();
      if (box.is_stack) one["stack"] = true;
      if (box.is_marked) one["marked"] = true;
      if (box.nodes.empty() && box.pen > 0) one["frame"] = true;
      list.push_back(std::move(one));
    }
    return list;
  }

  /// By box the names of its nodes.
  [[nodiscard]] Json names() const {
    Json list = Json::array();
    for (const auto& box : picture_.boxes) {
      Json own = Json::array();
      for (const NodeId node : box.nodes) own.push_back(fabric_.node(node).name);
      list.push_back(std::move(own));
    }
    return list;
  }

  /// By line the numbers of the boxes at its ends.
  [[nodiscard]] Json line_ends() const {
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i) {
      if (!picture_.boxes[i].id.empty()) numbers[picture_.boxes[i].id] = i;
    }
    Json list = Json::array();
    for (const auto& line : picture_.lines) {
      list.push_back({numbers.at(line.from), numbers.at(line.to)});
    }
    return list;
  }

  [[nodiscard]] Json lines() const {
    Json list = Json::array();
    for (const auto& line : picture_.lines) {
      Json curve = Json::array();
      for (const auto& point : line.curve) {
        curve.push_back(tenths(point.x - left_));
        curve.push_back(tenths(top_ - point.y));
      }
      Json one{{"curve", curve}, {"pen", tenths(line.pen)}, {"title", line.tooltip}};
      if (line.is_dashed) one["slow"] = true;
      if (line.is_marked) one["marked"] = true;
      list.push_back(std::move(one));
    }
    return list;
  }

  /// By port of the results: its line, and the boxes of its two ends; -1: not drawn.
  [[nodiscard]] Json places(const PortData& ports) const {
    std::vector<std::int64_t> flat(3 * ports.names.size(), -1);
    for (std::uint32_t i = 0; i < fabric_.ports.size(); ++i) {
      const auto row = ports.numbers.find(fabric_.port_name(PortId(i)));
      if (row == ports.numbers.end()) continue;
      const auto own = fabric_.port(PortId(i)).node.value();
      const auto peer = fabric_.peer_node(PortId(i)).value();
      std::int64_t* place = flat.data() + std::size_t{3} * row->second;
      if (id_of_.contains(own) && id_of_.contains(peer)) {
        const auto line = lines_.find(ends(id_of_.at(own), id_of_.at(peer)));
        if (line != lines_.end()) place[0] = line->second;
      }
      if (box_of_.contains(own)) place[1] = box_of_.at(own);
      if (box_of_.contains(peer)) place[2] = box_of_.at(peer);
    }
    return flat;
  }

 private:
  static std::pair<std::string, std::string> ends(const std::string& a, const std::string& b) {
    return a < b ? std::pair(a, b) : std::pair(b, a);
  }

  const Fabric& fabric_;
  topo::Picture picture_;
  double left_ = 0;
  double right_ = 0;
  double top_ = 0;
  double bottom_ = 0;
  std::map<std::pair<std::string, std::string>, std::int64_t> lines_;
  std::unordered_map<std::uint32_t, std::int64_t> box_of_;
  std::unordered_map<std::uint32_t, std::string> id_of_;
};

/// Whether all messages of two hosts take one path: a queue pair each, and a path per flow.
bool takes_one_path(const scenarios::Scenario& scenario) {
  const bool is_single = std::ranges::all_of(scenario.transports(), [](const auto& transport) {
    const protocols::TransportTraits traits = protocols::traits_of(transport);
    return traits.queue_pairs == 1 && traits.has_fixed_entropy();
  });
  const bool is_by_flow = scenario.switches.load_balancing.type == protocols::LoadBalancing::kFlow;
  return is_single && is_by_flow && scenario.faults.empty();
}

/// The ports on the ways between two hosts, by their numbers in the results. One queue pair per
/// connection and a path per flow: the one way that its messages took.
Json way_json(const Fabric& fabric, const Routes& routes, const scenarios::Scenario& scenario,
              const PortData& ports, const TailMessage& message, bool is_one) {
  const std::string pair =
      std::to_string(message.source_host) + ":" + std::to_string(message.destination_host);
  const auto found =
      topo::find_highlight(fabric, routes, scenario.seed, is_one ? pair + ":0" : pair);
  Json list = Json::array();
  if (!found) return list;
  for (const PortId port : found.value().ports) {
    const auto row = ports.numbers.find(fabric.port_name(port));
    if (row != ports.numbers.end() && list.size() < kMaxPortsOfPath) list.push_back(row->second);
  }
  return list;
}

/// Names of the two hosts of each message.
Json hosts_json(const Fabric& fabric, const std::vector<TailMessage>& tail) {
  Json list = Json::array();
  const auto name = [&](std::uint32_t host) {
    return host < fabric.hosts.size() ? fabric.host(HostId(host)).name : std::string();
  };
  for (const TailMessage& m : tail) {
    list.push_back({name(m.source_host), name(m.destination_host)});
  }
  return list;
}

/// Names of the hosts of each scale-up domain: what stands in one server or rack.
Json domains_json(const Fabric& fabric) {
  std::map<std::int32_t, Json> domains;
  for (const NodeId id : fabric.hosts) {
    const Node& node = fabric.node(id);
    if (node.domain >= 0)
      domains.try_emplace(node.domain, Json::array()).first->second.push_back(node.name);
  }
  Json list = Json::array();
  for (auto& [number, names] : domains) list.push_back(std::move(names));
  return list;
}

std::string reason_of(const Errors& errors) {
  return errors.empty() ? std::string("unknown") : errors.front().to_string();
}

}  // namespace

Json drawing_json(const Fabric& fabric, const topo::PictureOptions& options) {
  const Drawing drawing(fabric, options);
  Json json = drawing.size();
  json["name"] = options.name;
  json["boxes"] = drawing.boxes();
  json["lines"] = drawing.lines();
  json["names"] = drawing.names();
  json["ends"] = drawing.line_ends();
  Json marks = Json::array();
  for (const topo::Mark& mark : options.marks) {
    Json nodes = Json::array();
    for (const NodeId node : mark.nodes) nodes.push_back(fabric.node(node).name);
    for (const PortId port : mark.ports) {
      nodes.push_back(fabric.node(fabric.port(port).node).name);
    }
    marks.push_back({{"nodes", std::move(nodes)}, {"words", mark.text}});
  }
  if (!marks.empty()) json["marks"] = std::move(marks);
  return json;
}

Json fabric_json(const std::filesystem::path& folder, const PortData& ports,
                 const std::vector<TailMessage>& tail) {
  const auto loaded = scenarios::load_scenario(folder / "resolved.yaml");
  if (!loaded) return {{"reason", reason_of(loaded.errors())}};
  const scenarios::Scenario& scenario = loaded.value().scenario;
  const auto fabric = scenarios::build_scenario_fabric(scenario);
  if (!fabric) return {{"reason", reason_of(fabric.errors())}};
  const Drawing drawing(fabric.value(), {.name = scenario.name});
  Json json = drawing.size();
  json["boxes"] = drawing.boxes();
  json["lines"] = drawing.lines();
  json["places"] = drawing.places(ports);
  json["hosts"] = hosts_json(fabric.value(), tail);
  json["domains"] = domains_json(fabric.value());
  const auto routes = topologies::build_routes(fabric.value(), scenario.topology);
  if (!routes) return json;
  const bool is_one = takes_one_path(scenario);
  json["one_way"] = is_one;
  Json ways = Json::array();
  for (std::size_t i = 0; i < std::min(tail.size(), kMaxPaths); ++i) {
    ways.push_back(way_json(fabric.value(), routes.value(), scenario, ports, tail[i], is_one));
  }
  json["ways"] = std::move(ways);
  return json;
}

}  // namespace weft::report
