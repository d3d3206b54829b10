#include "tools/import/cluster/join_cables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "simcore/base/escape.hpp"
#include "tools/import/cluster/join_names.hpp"
#include "tools/import/source/natural_order.hpp"

namespace weft::import {
namespace {

struct PortOrder {
  bool operator()(const PortName& x, const PortName& y) const {
    const NaturalOrder less;
    if (x.device != y.device) return less(x.device, y.device);
    return less(x.port, y.port);
  }
};

struct PairOrder {
  bool operator()(const std::pair<PortName, PortName>& x,
                  const std::pair<PortName, PortName>& y) const {
    const PortOrder less;
    if (x.first != y.first) return less(x.first, y.first);
    return less(x.second, y.second);
  }
};

auto place_key(const SourceLocation& where) { return std::tie(where.file, where.line, where.key); }

using ByPair = std::map<std::pair<PortName, PortName>, JoinedCable, PairOrder>;

ByPair group(const Description& description) {
  ByPair pairs;
  const PortOrder less;
  for (const Cable& cable : description.cables) {
    const bool is_in_order = less(cable.a, cable.b);
    const PortName& first = is_in_order ? cable.a : cable.b;
    const PortName& second = is_in_order ? cable.b : cable.a;
    JoinedCable& joined = pairs[{first, second}];
    joined.a = first;
    joined.b = second;
    joined.said.push_back(&cable);
  }
  for (auto& [pair, joined] : pairs) {
    std::ranges::sort(joined.said, [](const Cable* x, const Cable* y) {
      if (x->known_by != y->known_by) return x->known_by < y->known_by;
      return place_key(x->where) < place_key(y->where);
    });
  }
  return pairs;
}

std::string pair_text(const PortName& a, const PortName& b) {
  return escaped(a.to_string()) + " to " + escaped(b.to_string());
}

/// Beyond these, files are of different fabrics.
constexpr std::size_t kMaxSwaps = 1'000;
/// More cables that a list does not have are counted.
constexpr std::size_t kMaxUnlisted = 10;

/// Picks, of cables that share a port, those that are known best.
class Chooser {
 public:
  Chooser(Description& description, ByPair pairs)
      : description_(description), pairs_(std::move(pairs)) {}

  std::vector<JoinedCable> choose() {
    std::vector<const JoinedCable*> order;
    for (const auto& [pair, joined] : pairs_) order.push_back(&joined);
    std::ranges::stable_sort(order, {}, [](const JoinedCable* cable) { return cable->known_by(); });
    for (const JoinedCable* cable : order) take(*cable);
    name_swaps();
    find_seers();
    for (const JoinedCable* cable : order) name_unseen(*cable);
    name_unlisted(order);
    std::vector<JoinedCable> chosen;
    for (const auto& [pair, joined] : pairs_) {
      if (chosen_.contains(&joined)) chosen.push_back(joined);
    }
    return chosen;
  }

 private:
  void take(const JoinedCable& cable) {
    const JoinedCable* other = at(cable.a);
    if (other == nullptr) other = at(cable.b);
    if (other == nullptr) {
      taken_[cable.a] = taken_[cable.b] = &cable;
      chosen_.insert(&cable);
      return;
    }
    if (other->known_by() == cable.known_by()) {
      add_error(
          description_.remarks, cable.said.front()->where,
          fmt::format("{}: {} says {}; a port has one cable", pair_text(cable.a, cable.b),
                      short_place(other->said.front()->where), pair_text(other->a, other->b)));
      return;
    }
    refused_.emplace_back(&cable, other);
  }

  [[nodiscard]] const JoinedCable* at(const PortName& port) const {
    const auto found = taken_.find(port);
    return found == taken_.end() ? nullptr : found->second;
  }

  /// Two cables of one device that are said to be the other way round are named together.
  void name_swaps() {
    std::set<const JoinedCable*> named;
    const bool are_few = refused_.size() <= kMaxSwaps;  // every one is held against every other
    for (const auto& [cable, instead] : refused_) {
      if (named.contains(cable) || !are_few) continue;
      for (const auto& [second, instead_of_second] : refused_) {
        if (second == cable || named.contains(second)) continue;
        const PortName* x = shared(*cable, *instead);
        const PortName* y = shared(*second, *instead_of_second);
        if (x == nullptr || y == nullptr || x->device != y->device) continue;
        if (other_end(*instead, *x) != other_end(*second, *y) ||
            other_end(*instead_of_second, *y) != other_end(*cable, *x)) {
          continue;
        }
        add_finding(description_.remarks, instead->said.front()->where,
                    fmt::format("{} and {} of {} are swapped against {}: {} is what is seen",
                                escaped(x->port), escaped(y->port), escaped(x->device),
                                short_place(cable->said.front()->where),
                                pair_text(instead->a, instead->b)));
        named.insert(cable);
        named.insert(second);
        break;
      }
    }
    for (const auto& [cable, instead] : refused_) {
      if (named.contains(cable)) continue;
      add_finding(description_.remarks, cable->said.front()->where,
                  fmt::format("{} is not what is cabled: {} says {}", pair_text(cable->a, cable->b),
                              short_place(instead->said.front()->where),
                              pair_text(instead->a, instead->b)));
    }
    for (const auto& [cable, instead] : refused_) handled_.insert(cable);
  }

  static const PortName* shared(const JoinedCable& x, const JoinedCable& y) {
    if (x.a == y.a || x.a == y.b) return &x.a;
    if (x.b == y.a || x.b == y.b) return &x.b;
    return nullptr;
  }
  static const PortName& other_end(const JoinedCable& cable, const PortName& port) {
    return cable.a == port ? cable.b : cable.a;
  }

  /// A device that sees neighbours on other ports sees nobody on this one.
  void name_unseen(const JoinedCable& cable) {
    if (cable.known_by() == Knowledge::kSeen || handled_.contains(&cable)) return;
    for (const PortName& port : {cable.a, cable.b}) {
      const auto seer = seers_.find(port.device);
      if (seer == seers_.end()) continue;
      add_warning(description_.remarks, seer->second,
                  fmt::format("{} is in {}, but {} sees nobody there", escaped(port.to_string()),
                              short_place(cable.said.front()->where), escaped(port.device)));
      return;
    }
  }

  /// A list that names other cables of both devices does not have one that is seen or configured.
  void name_unlisted(const std::vector<const JoinedCable*>& order) {
    std::map<std::string, std::set<std::string>> lists;  // by file: devices
    std::set<PortName, PortOrder> listed;
    for (const Cable& cable : description_.cables) {
      if (cable.known_by != Knowledge::kDocumented) continue;
      lists[cable.where.file].insert({cable.a.device, cable.b.device});
      listed.insert({cable.a, cable.b});
    }
    std::size_t count = 0;
    for (const JoinedCable* cable : order) {
      if (cable->said.back()->known_by == Knowledge::kDocumented) continue;
      if (listed.contains(cable->a) || listed.contains(cable->b)) continue;
      const auto list = std::ranges::find_if(lists, [cable](const auto& one) {
        return one.second.contains(cable->a.device) && one.second.contains(cable->b.device);
      });
      if (list == lists.end() || ++count > kMaxUnlisted) continue;
      add_warning(description_.remarks, cable->said.front()->where,
                  fmt::format("{} is not in {}, which has other cables of both",
                              pair_text(cable->a, cable->b), escaped(list->first)));
    }
    if (count > kMaxUnlisted) {
      add_warning(description_.remarks, {},
                  fmt::format("{} more cables are in no list that has others of both devices",
                              count - kMaxUnlisted));
    }
  }

  /// Devices whose own view is among the files: the first end of what they see.
  void find_seers() {
    for (const Cable& cable : description_.cables) {
      if (cable.known_by == Knowledge::kSeen) seers_.emplace(cable.a.device, cable.where);
    }
  }

  Description& description_;
  ByPair pairs_;
  std::map<PortName, const JoinedCable*, PortOrder> taken_;
  std::set<const JoinedCable*> chosen_;
  std::set<const JoinedCable*> handled_;
  std::vector<std::pair<const JoinedCable*, const JoinedCable*>> refused_;
  std::map<std::string, SourceLocation> seers_;
};

}  // namespace

std::vector<JoinedCable> join_cables(Description& description) {
  return Chooser(description, group(description)).choose();
}

}  // namespace weft::import
