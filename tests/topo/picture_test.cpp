#include "tools/topo/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/topo/fabrics.hpp"
#include "tools/topo/dot.hpp"
#include "tools/topo/highlight.hpp"
#include "tools/topo/outline.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using topo::Outline;
using topo::Picture;

constexpr std::uint32_t kBoxes = 24;

bool has_graphviz() { return std::system("dot -V >/dev/null 2>&1") == 0; }

std::uint64_t links_within_boxes(const Fabric& fabric, const Outline& outline) {
  std::vector<std::size_t> box_of(fabric.nodes.size());
  for (std::size_t b = 0; b < outline.boxes.size(); ++b) {
    for (const NodeId id : outline.boxes[b].nodes) box_of[id.value()] = b;
  }
  std::uint64_t links = 0;
  for (const Port& port : fabric.ports) {
    const NodeId peer = fabric.port(port.peer).node;
    if (port.node < peer && box_of[port.node.value()] == box_of[peer.value()]) ++links;
  }
  return links;
}

TEST(Outline, HoldsEveryNodeAndEveryLinkOnce) {
  for (const auto& [name, spec] : all_fabrics()) {
    const Network net(spec);
    const Outline outline = topo::outline_of(net.fabric, kBoxes, nullptr);
    std::set<NodeId> nodes;
    std::size_t count = 0;
    for (const Outline::Box& box : outline.boxes) {
      nodes.insert(box.nodes.begin(), box.nodes.end());
      count += box.nodes.size();
    }
    EXPECT_EQ(nodes.size(), net.fabric.nodes.size()) << name;
    EXPECT_EQ(count, nodes.size()) << name;
    std::uint64_t links = links_within_boxes(net.fabric, outline);
    for (const Outline::Bundle& bundle : outline.bundles) links += bundle.links;
    EXPECT_EQ(2 * links, net.fabric.ports.size()) << name;
  }
}

TEST(Outline, ShowsEverySwitchOfSmallFabricsAndFoldsLargeOnes) {
  const auto boxes = [](const TopologySpec& spec, std::uint32_t max) {
    return topo::outline_of(Network(spec).fabric, max, nullptr).boxes.size();
  };
  EXPECT_EQ(boxes(topologies::leaf_spine(2, 3, 2), kBoxes), 10U);
  EXPECT_EQ(boxes(topologies::leaf_spine(8, 8, 4), kBoxes), 8U + 8 + 4);
  // Up to 36 racks side by side, with a box for their hosts and one for their leaf, and 36 spines.
  for (const std::uint32_t racks : {36U, 37U, 64U, 500U}) {
    EXPECT_LE(boxes(topologies::leaf_spine(racks, 30, 32), kBoxes), 3U * 36) << racks;
  }
  EXPECT_LE(boxes(topologies::fat_tree(16), kBoxes), 5U * 36);
  EXPECT_LT(boxes(topologies::leaf_spine(64, 30, 32), 4),
            boxes(topologies::leaf_spine(64, 30, 32), kBoxes));
  EXPECT_EQ(boxes(topologies::leaf_spine(64, 30, 32), 64), 64U + 64 + 32);
}

// 72 GPUs are one box of cells, 18 NVSwitches are boxes, and 18 bundles of 72 carry 1,296 links.
TEST(Outline, Nvl72IsDrawnInBundles) {
  const Network net(lone_nvl72());
  const Outline outline = topo::outline_of(net.fabric, kBoxes, nullptr);
  ASSERT_EQ(outline.boxes.size(), 19U);
  EXPECT_TRUE(outline.boxes[0].has_cells);
  EXPECT_EQ(outline.boxes[0].nodes.size(), 72U);
  ASSERT_EQ(outline.bundles.size(), 18U);
  for (const Outline::Bundle& bundle : outline.bundles) EXPECT_EQ(bundle.links, 72U);
  ASSERT_EQ(outline.frames.size(), 1U);
  EXPECT_EQ(outline.frames[0].caption, "domain 0");
}

// Eight domains: in each, GPUs of a rail are one box, for they are attached to the same leaf and
// NVSwitches.
TEST(Outline, SuperpodGroupsGpusByRail) {
  const Outline outline = topo::outline_of(Network(superpod()).fabric, kBoxes, nullptr);
  EXPECT_EQ(outline.frames.size(), 8U);
  std::size_t hosts = 0;
  for (const Outline::Box& box : outline.boxes) {
    if (outline.roles.roles[box.role].kind != NodeKind::kHost) continue;
    ++hosts;
    EXPECT_EQ(box.nodes.size(), 18U);
  }
  EXPECT_EQ(hosts, 32U);
}

// Both ends, both leaves, all spines; 1 + 4 + 4 + 1 bundles.
TEST(Outline, HighlightsThePathsOfAPair) {
  const Network net(topologies::leaf_spine(8, 8, 4));
  const auto highlight = topo::find_highlight(net.fabric, net.routes, 1, "h0:63");
  ASSERT_TRUE(highlight.ok());
  const Outline outline = topo::outline_of(net.fabric, kBoxes, &highlight.value());
  std::size_t boxes = 0;
  std::size_t bundles = 0;
  for (const Outline::Box& box : outline.boxes) {
    if (!box.is_highlighted) continue;
    ++boxes;
    EXPECT_EQ(box.nodes.size(), 1U);
  }
  for (const Outline::Bundle& bundle : outline.bundles) bundles += bundle.is_highlighted ? 1 : 0;
  EXPECT_EQ(boxes, 2U + 2 + 4);
  EXPECT_EQ(bundles, 10U);
}

// Racks in the middle are folded, but not that of a highlighted host.
TEST(Outline, KeepsHighlightedHostsOfFoldedRacks) {
  const Network net(topologies::leaf_spine(64, 30, 32));
  const auto highlight = topo::find_highlight(net.fabric, net.routes, 1, "h0:h1000");
  ASSERT_TRUE(highlight.ok());
  const Outline outline = topo::outline_of(net.fabric, kBoxes, &highlight.value());
  const auto is_it = [&](const Outline::Box& box) {
    return box.nodes.size() == 1 && net.fabric.node(box.nodes[0]).name == "h1000";
  };
  EXPECT_TRUE(std::ranges::any_of(outline.boxes, is_it));
}

TEST(Highlight, OneQueuePairTakesOneOfThePaths) {
  const Network net(topologies::leaf_spine(8, 8, 4));
  const auto all = topo::find_highlight(net.fabric, net.routes, 1, "h0:h63");
  std::set<PortId> used;
  for (int pair = 0; pair < 40; ++pair) {
    const auto one =
        topo::find_highlight(net.fabric, net.routes, 1, "h0:h63:" + std::to_string(pair));
    ASSERT_TRUE(one.ok());
    EXPECT_EQ(one.value().ports.size(), 4U);
    used.insert(one.value().ports.begin(), one.value().ports.end());
  }
  // 40 of them find all four spines, but for 4 * (3/4)^40 = 4e-5.
  EXPECT_EQ(std::vector<PortId>(used.begin(), used.end()), all.value().ports);
}

// Within a domain by each of the 18 NVSwitches, not by the NICs.
TEST(Highlight, PairsOfADomainTakeItsSwitches) {
  const Network net(superpod());
  const auto found = topo::find_highlight(net.fabric, net.routes, 1, "0:71");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().ports.size(), 36U);
  EXPECT_THAT(found.value().caption, HasSubstr("18 paths of 2 links"));
}

TEST(Highlight, SaysWhatIsWrong) {
  const Network net(topologies::leaf_spine(2, 2, 1));
  const auto message = [&](const std::string& text) {
    const auto found = topo::find_highlight(net.fabric, net.routes, 1, text);
    return found.ok() ? std::string() : found.errors().front().message;
  };
  EXPECT_THAT(message("h0"), HasSubstr("FROM:TO"));
  EXPECT_THAT(message("h0:h1:2:3"), HasSubstr("FROM:TO"));
  EXPECT_THAT(message("h0:h00"), HasSubstr("did you mean"));
  EXPECT_THAT(message("h0:7"), HasSubstr("numbered 0 to 3"));
  EXPECT_THAT(message("h1:1"), HasSubstr("itself"));
  EXPECT_THAT(message("h0:h1:x"), HasSubstr("queue pair"));
  EXPECT_THAT(message(":"), HasSubstr("not a host"));
}

/// The caption that begins with `kind`, and all that were drawn alone.
std::vector<std::string> captions_of(const Outline& outline, const std::string& kind) {
  std::vector<std::string> found;
  for (const Outline::Frame& frame : outline.frames) {
    if (frame.caption.find(kind) != std::string::npos) found.push_back(frame.caption);
  }
  return found;
}

// 2 NVL72 and 16 HGX domains, and racks 6 to 8 of 16 hosts: what is put together is of one kind,
// and counted as such.
TEST(Outline, MixedRacksAreCountedByKind) {
  const Network net(mixed_racks());
  const Outline outline = topo::outline_of(net.fabric, kBoxes, nullptr);
  EXPECT_THAT(captions_of(outline, "domain"),
              ::testing::ElementsAre("domain 0", "domain 1", "domain 2", "15 domains: 3 to 17"));
  for (const Outline::Frame& frame : outline.frames) {
    std::set<std::uint32_t> hosts;
    for (const std::uint32_t box : frame.boxes) {
      const topologies::Role& role = outline.roles.roles[outline.boxes[box].role];
      if (role.kind == NodeKind::kHost) hosts.insert(outline.boxes[box].role);
    }
    EXPECT_LE(hosts.size(), 1U) << frame.caption << ": GPUs and hosts without are not one";
  }
}

// NVLinks of 200 Gbps are what HGX servers have: beside an NVL72 they are not slow.
TEST(Picture, LinksOfOtherServersAreNotSlow) {
  const Picture picture = topo::draw_picture(Network(mixed_racks()).fabric, {.name = "mixed"});
  for (const Picture::Line& line : picture.lines) EXPECT_FALSE(line.is_dashed) << line.tooltip;
}

// Servers with one NIC are all on rail 0; those of HGX servers are on eight.
TEST(Picture, OnlyHostsOfSeveralRailsAreCalledByTheirRail) {
  TopologySpec spec = topologies::clos({topologies::racks_of(16, 4, topologies::hgx_h100()),
                                        topologies::racks_of(30, 16, topologies::server(0, 1))},
                                       4);
  const Picture picture = topo::draw_picture(Network(spec).fabric, {.name = "mixed"});
  std::set<std::string> of_gpus;
  for (const Picture::Box& box : picture.boxes) {
    if (box.text.empty()) continue;
    if (box.text[0].ends_with(" hosts")) {
      EXPECT_EQ(box.text.size(), 1U) << box.text[0];
    }
    if (box.text[0].ends_with(" GPUs") && box.is_stack) of_gpus.insert(box.text.back());
  }
  EXPECT_EQ(of_gpus.size(), 8U);
}

/// Texts without a border: captions, and labels of lines.
std::vector<Picture::Box> texts_of(const Picture& picture) {
  std::vector<Picture::Box> texts;
  for (const Picture::Box& box : picture.boxes) {
    if (box.id.empty() && box.pen == 0) texts.push_back(box);
  }
  return texts;
}

bool overlap(const Picture::Box& a, const Picture::Box& b) {
  constexpr double kTolerance = 0.5;
  return std::abs(a.centre.x - b.centre.x) + kTolerance < (a.width + b.width) / 2 &&
         std::abs(a.centre.y - b.centre.y) + kTolerance < (a.height + b.height) / 2;
}

TEST(Picture, BoxesDoNotOverlap) {
  for (const auto& [name, spec] : all_fabrics()) {
    const Picture picture =
        topo::draw_picture(Network(spec).fabric, {.name = name, .max_boxes = kBoxes});
    for (const Picture::Box& a : picture.boxes) {
      if (a.id.empty()) continue;
      EXPECT_GT(a.width, 5) << name;
      for (const Picture::Box& b : picture.boxes) {
        if (&a == &b || b.id.empty()) continue;
        ASSERT_FALSE(overlap(a, b)) << name << ": " << a.id << " and " << b.id;
      }
    }
  }
}

TEST(Picture, LabelsDoNotLieOverOneAnother) {
  for (const auto& [name, spec] : all_fabrics()) {
    const Picture picture =
        topo::draw_picture(Network(spec).fabric, {.name = name, .max_boxes = kBoxes});
    const std::vector<Picture::Box> texts = texts_of(picture);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        ASSERT_FALSE(overlap(texts[i], texts[j]))
            << name << ": " << texts[i].text[0] << " and " << texts[j].text[0];
      }
    }
  }
}

TEST(Picture, CaptionsOfLinksNameWhatTheyJoin) {
  const Picture picture = topo::draw_picture(Network(mixed_racks()).fabric, {.name = "mixed"});
  std::set<std::string> lines;
  for (const Picture::Box& box : texts_of(picture)) lines.insert(box.text.begin(), box.text.end());
  EXPECT_THAT(lines, ::testing::IsSupersetOf({"272 GPUs", "48 hosts", "GPU - leaf: 272 x 400 Gbps",
                                              "host - leaf: 48 x 400 Gbps",
                                              "leaf - spine: 36 x 400 Gbps"}));
}

// Every line joins boxes that exist, and ends at their borders.
TEST(Picture, LinesMeetTheirBoxes) {
  for (const auto& [name, spec] : all_fabrics()) {
    const Picture picture =
        topo::draw_picture(Network(spec).fabric, {.name = name, .max_boxes = kBoxes});
    const auto expect_meeting = [&, &name = name](const std::string& id, topo::Point end) {
      const auto box = std::ranges::find(picture.boxes, id, &Picture::Box::id);
      ASSERT_NE(box, picture.boxes.end()) << name << ": " << id;
      constexpr double kStackBorder = 4.5;
      EXPECT_LE(std::abs(end.x - box->centre.x), box->width / 2 + kStackBorder) << name << id;
      EXPECT_LE(std::abs(end.y - box->centre.y), box->height / 2 + kStackBorder) << name << id;
    };
    for (const Picture::Line& line : picture.lines) {
      expect_meeting(line.from, line.curve.front());
      expect_meeting(line.to, line.curve.back());
    }
  }
}

TEST(Picture, SlowLinksStandOut) {
  topologies::CustomSpec spec;
  spec.nodes = {topologies::host("a"), topologies::host("b"), topologies::host("c"),
                topologies::switch_of_tier("tor", 1)};
  spec.links = {topologies::link("a", "tor"), topologies::link("b", "tor"),
                topologies::link("c", "tor", 1, 25_Gbps)};
  const Picture picture = topo::draw_picture(Network(spec).fabric, {.name = "slow"});
  std::size_t dashed = 0;
  for (const Picture::Line& line : picture.lines) {
    if (!line.is_dashed) continue;
    ++dashed;
    EXPECT_EQ(line.from, "c");
  }
  EXPECT_EQ(dashed, 1U);
}

// A marked cable and a marked switch are orange, say why, and stand in a list above; nothing else
// is.
TEST(Picture, MarksStandOut) {
  topologies::CustomSpec spec;
  spec.nodes = {topologies::host("a"), topologies::host("b"), topologies::host("c"),
                topologies::switch_of_tier("tor", 1)};
  spec.links = {topologies::link("a", "tor"), topologies::link("b", "tor"),
                topologies::link("c", "tor")};
  const Network net(spec);
  topo::PictureOptions options{.name = "marked"};
  options.marks = {{{}, {net.fabric.node(net.fabric.hosts[1]).first_port}, "b is slow"},
                   {{net.fabric.switches[0]}, {}, "tor differs"}};
  const Picture picture = topo::draw_picture(net.fabric, options);
  for (const Picture::Line& line : picture.lines) {
    EXPECT_EQ(line.is_marked, line.from == "b");
    EXPECT_EQ(std::string(line.colour) == "#e8590c", line.from == "b");
    EXPECT_EQ(line.tooltip.find("b is slow") != std::string::npos, line.from == "b");
  }
  std::size_t listed = 0;
  for (const Picture::Box& box : picture.boxes) {
    EXPECT_EQ(box.is_marked, box.id == "tor") << box.id;
    EXPECT_EQ(std::string(box.border) == "#e8590c", box.id == "tor");
    if (box.text == std::vector<std::string>{"b is slow", "tor differs"}) ++listed;
  }
  EXPECT_EQ(listed, 1U);
  options.lists_marks = false;
  for (const Picture::Box& box : topo::draw_picture(net.fabric, options).boxes) {
    EXPECT_TRUE(box.text.empty() || box.text.front() != "b is slow");
  }
}

// Where many switches are one box, it stands out if one of them does.
TEST(Picture, ABoxOfSeveralIsMarkedForOneOfThem) {
  const Network net(superpod());
  const NodeId middle = net.fabric.switches[net.fabric.switches.size() / 2];
  topo::PictureOptions options{.name = "large", .max_boxes = 8};
  options.marks = {{{middle}, {net.fabric.node(middle).first_port}, "odd"}};
  std::size_t boxes = 0;
  for (const Picture::Box& box : topo::draw_picture(net.fabric, options).boxes) {
    boxes += box.is_marked ? 1 : 0;
  }
  EXPECT_EQ(boxes, 1U);
}

TEST(Dot, QuotesNames) {
  Picture picture;
  Picture::Box box;
  box.text = {"a\"b\\c"};
  box.id = "x\"y";
  picture.boxes.push_back(std::move(box));
  const std::string dot = topo::dot_text(picture);
  EXPECT_THAT(dot, HasSubstr("\"x\\\"y\""));
  EXPECT_THAT(dot, HasSubstr("label=\"a\\\"b\\\\c\""));
}

// Drawings do not grow with the fabric; the bound is far above the measured tenths of a second and
// far below the minutes that Graphviz's own layouts take.
TEST(Dot, GraphvizDrawsEveryFabricWithinSeconds) {
  if (!has_graphviz()) GTEST_SKIP() << "Graphviz (dot) is not installed";
  for (const auto& [name, spec] : all_fabrics()) {
    const Network net(spec);
    const auto begin = std::chrono::steady_clock::now();
    const auto svg = topo::render(
        topo::dot_text(topo::draw_picture(net.fabric, {.name = name, .max_boxes = kBoxes})), "svg");
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(svg.ok()) << name << ": " << svg.errors().front().message;
    for (const std::string& text :
         {std::string("<svg"), ">" + net.fabric.nodes.back().name + "<"}) {
      // Graphviz writes hyphens as entities.
      const bool is_there = svg.value().find(text.substr(0, text.find('-'))) != std::string::npos;
      EXPECT_TRUE(is_there) << name << " without " << text;
    }
    EXPECT_LT(seconds.count(), 20) << name;
  }
}

TEST(Dot, GraphvizRefusesWhatIsNotDot) {
  if (!has_graphviz()) GTEST_SKIP() << "Graphviz (dot) is not installed";
  const auto svg = topo::render("graph { this is not", "svg");
  ASSERT_FALSE(svg.ok());
  EXPECT_THAT(svg.errors().front().message, HasSubstr("Graphviz failed"));
}

}  // namespace
}  // namespace weft::testing
