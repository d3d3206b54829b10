#include "scenarios/checks/odd/odd_ones.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "scenarios/checks/static_checks.hpp"
#include "topologies/routing/usable_paths.hpp"

namespace weft::scenarios {
namespace {

/// A comment that says where a value is from: it names a line of a file.
bool names_a_line(const std::string& comment) {
  for (std::size_t i = 1; i + 1 < comment.size(); ++i) {
    const bool is_number = '0' <= comment[i + 1] && comment[i + 1] <= '9';
    if (comment[i] == ':' && comment[i - 1] != ' ' && is_number) return true;
  }
  return false;
}

SourceLocation hash_location(const LoadedScenario& loaded) {
  return loaded.located({Error{{}, {.key = "fabric.hash"}}}).front().where;
}

std::string place_text(const SourceLocation& where) {
  return (where.line > 0 ? fmt::format("{}:{}: ", where.file, where.line) : "") + where.key;
}

}  // namespace

std::vector<OddOne> find_odd_ones(const Scenario& scenario, const Fabric& fabric) {
  std::vector<OddOne> found = odd_cables_of(scenario, fabric);
  for (OddOne& odd : odd_settings_of(scenario, fabric)) found.push_back(std::move(odd));
  return found;
}

std::vector<OddOne> find_odd_ones(const LoadedScenario& loaded, const Fabric& fabric) {
  std::vector<OddOne> found = find_odd_ones(loaded.scenario, fabric);
  for (OddOne& odd : found) {
    if (odd.where.key.empty()) continue;
    odd.where = loaded.located({Error{{}, odd.where}}).front().where;
    std::string comment = loaded.comment_at(odd.where.line);
    if (names_a_line(comment)) odd.from = std::move(comment);
  }
  return found;
}

std::optional<OddOne> find_polarised(const LoadedScenario& loaded, const Fabric& fabric,
                                     const Routes& routes) {
  // Going through all values of a CRC takes a millisecond per pair.
  constexpr std::size_t kPairs = 4'000;
  constexpr std::size_t kPairsByCrc = 200;
  const auto hashing = hashing_of_classes(loaded.scenario, routes.hash);
  if (!hashing || !topologies::may_polarise(hashing->hash)) return {};
  const bool is_crc = hashing->hash.type == PathHash::Type::kCrc16;
  const auto found = topologies::survey_usable_paths(
      fabric, routes, *hashing,
      topologies::representative_pairs(fabric, is_crc ? kPairsByCrc : kPairs));
  if (found.reduced == 0) return {};
  OddOne one{.text = polarisation_text(fabric, found), .where = hash_location(loaded)};
  for (const Port& port : fabric.ports_of(fabric.hosts[found.worst.first.value()])) {
    const NodeId peer = fabric.port(port.peer).node;
    if (fabric.node(peer).network == NetworkKind::kScaleOut) one.nodes = {peer};
  }
  return one;
}

std::string place_of_hash(const LoadedScenario& loaded) {
  return place_text(hash_location(loaded));
}

std::string odd_one_text(const OddOne& odd) {
  std::string place = place_text(odd.where);
  if (!odd.from.empty()) place += "; " + odd.from;
  return place.empty() ? odd.text : fmt::format("{} ({})", odd.text, place);
}

}  // namespace weft::scenarios
