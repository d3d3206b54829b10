#include "simcore/engine/lp_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace weft {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();

/// Where a logical process without hosts may stand: between the outermost that are below it.
struct Span {
  double first = kNowhere;
  double last = -kNowhere;
  std::uint32_t lp = 0;

  [[nodiscard]] bool is_as(const Span& other) const {
    return first == other.first && last == other.last;
  }
  auto operator<=>(const Span&) const = default;
};

class Positions {
 public:
  Positions(const Fabric& fabric, const LpPlan& plan)
      : fabric_(fabric), plan_(plan), position_(plan.lp_count, kNowhere) {
    std::vector<std::uint32_t> placed;
    for (std::uint32_t lp = 0; lp < plan.lp_count; ++lp) {
      if (!has_host(lp)) continue;
      position_[lp] = static_cast<double>(placed.size());
      placed.push_back(lp);
    }
    while (!placed.empty()) placed = place_above(placed);
  }

  [[nodiscard]] double operator[](std::uint32_t lp) const { return position_[lp]; }

 private:
  [[nodiscard]] bool has_host(std::uint32_t lp) const {
    return std::ranges::any_of(plan_.ports_of_lp[lp], [&](PortId port) {
      return fabric_.node(fabric_.port(port).node).kind == NodeKind::kHost;
    });
  }
  [[nodiscard]] std::uint32_t across(PortId port) const {
    return plan_.lp_of_node[fabric_.peer_node(port).value()];
  }
  [[nodiscard]] Span span_of(std::uint32_t lp) const {
    Span span{.lp = lp};
    for (const PortId port : plan_.ports_of_lp[lp]) {
      const double position = position_[across(port)];
      if (position == kNowhere) continue;
      span.first = std::min(span.first, position);
      span.last = std::max(span.last, position);
    }
    return span;
  }

  /// Places what is next to those that were placed last, and returns it.
  std::vector<std::uint32_t> place_above(const std::vector<std::uint32_t>& placed) {
    std::vector<std::uint32_t> above;
    for (const std::uint32_t lp : placed) {
      for (const PortId port : plan_.ports_of_lp[lp]) {
        if (position_[across(port)] == kNowhere) above.push_back(across(port));
      }
    }
    std::ranges::sort(above);
    above.erase(std::unique(above.begin(), above.end()), above.end());
    std::vector<Span> spans;
    spans.reserve(above.size());
    for (const std::uint32_t lp : above) spans.push_back(span_of(lp));
    std::ranges::sort(spans);
    for (std::size_t i = 0; i < spans.size();) {
      std::size_t end = i;
      while (end < spans.size() && spans[end].is_as(spans[i])) ++end;
      const double step = (spans[i].last - spans[i].first + 1) / static_cast<double>(end - i);
      double position = spans[i].first - 0.5 + step / 2;
      for (; i < end; ++i, position += step) position_[spans[i].lp] = position;
    }
    return above;
  }

  const Fabric& fabric_;
  const LpPlan& plan_;
  std::vector<double> position_;
};

}  // namespace

void put_neighbours_together(LpPlan& plan, const Fabric& fabric) {
  const Positions positions(fabric, plan);
  std::vector<std::uint32_t> order(plan.lp_count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t lp) { return positions[lp]; });
  std::vector<std::uint32_t> number(plan.lp_count);
  std::vector<std::vector<PortId>> ports_of_lp(plan.lp_count);
  for (std::uint32_t i = 0; i < plan.lp_count; ++i) {
    number[order[i]] = i;
    ports_of_lp[i] = std::move(plan.ports_of_lp[order[i]]);
  }
  plan.ports_of_lp = std::move(ports_of_lp);
  for (std::uint32_t& lp : plan.lp_of_node) lp = number[lp];
}

}  // namespace weft
