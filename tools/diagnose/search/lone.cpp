#include "tools/diagnose/search/lone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "tools/diagnose/model/matching.hpp"

namespace weft::diagnose {
namespace {

using collectives::Operation;

double slower_by(const Point& point) { return point.measured_us / point.expected_us - 1; }

/// The largest size of a curve over sizes.
std::optional<std::size_t> largest_of(const EvidencePoints& evidence, std::uint32_t curve) {
  std::optional<std::size_t> largest;
  for (std::size_t i = 0; i < evidence.points.size(); ++i) {
    const Point& point = evidence.points[i];
    if (point.curve != curve) continue;
    if (!largest || point.bytes > evidence.points[*largest].bytes) largest = i;
  }
  return largest;
}

/// Curves over sizes on the same servers, with their largest sizes.
struct Largest {
  std::uint32_t curve = 0;
  std::size_t point = 0;
  bool is_beyond = false;
};

std::vector<Largest> largest_on(const EvidencePoints& evidence,
                                const std::vector<std::uint32_t>& servers) {
  std::vector<Largest> all;
  for (std::uint32_t c = 0; c < evidence.curves.size(); ++c) {
    const Curve& curve = evidence.curves[c];
    if (curve.is_matrix || !std::ranges::is_permutation(curve.servers, servers)) continue;
    const auto point = largest_of(evidence, c);
    if (!point) continue;
    const Point& p = evidence.points[*point];
    all.push_back({c, *point, slower_by(p) > p.band});
  }
  return all;
}

/// A repeated run of that size is within its band.
bool is_contradicted(const EvidencePoints& evidence, const std::vector<Largest>& all,
                     const Largest& one) {
  const auto& own = evidence.curves[one.curve].call;
  for (const Largest& other : all) {
    const auto& call = evidence.curves[other.curve].call;
    const bool is_same = other.curve != one.curve && own && call &&
                         call->operation == own->operation &&
                         evidence.points[other.point].bytes == evidence.points[one.point].bytes;
    if (is_same && !other.is_beyond) return true;
  }
  return false;
}

}  // namespace

void add_lone_findings(const EvidencePoints& evidence, std::vector<Anomaly>& all) {
  const auto is_known = [&all](std::size_t point) {
    return std::ranges::any_of(all, [point](const Anomaly& anomaly) {
      return std::ranges::find(anomaly.points, point) != anomaly.points.end();
    });
  };
  std::vector<Anomaly> found;
  for (std::uint32_t c = 0; c < evidence.curves.size(); ++c) {
    const Curve& curve = evidence.curves[c];
    if (curve.is_matrix) continue;
    const std::vector<Largest> same = largest_on(evidence, curve.servers);
    const auto own = std::ranges::find(same, c, &Largest::curve);
    if (own == same.end() || !own->is_beyond || is_known(own->point)) continue;
    bool is_far = false;
    std::vector<std::string> others;
    for (const Largest& one : same) {
      if (!one.is_beyond) continue;
      const Point& point = evidence.points[one.point];
      is_far |= slower_by(point) > 2 * point.band;
      if (one.curve != c) others.push_back(evidence.curves[one.curve].name);
    }
    if (!is_far || others.empty() || is_contradicted(evidence, same, *own)) continue;
    const Point& point = evidence.points[own->point];
    found.push_back({fmt::format("{}: {} bytes, the largest size alone, take {:.2f} times as long "
                                 "as expected (±{:.0f} %); {} {}",
                                 curve.name, point.bytes, 1 + slower_by(point), 100 * point.band,
                                 names_text(others), others.size() == 1 ? "agrees" : "agree"),
                     c,
                     {own->point}});
  }
  all.insert(all.end(), found.begin(), found.end());
}

std::string repeating_command(const Curve& curve, std::int64_t bytes) {
  static const std::map<Operation, const char*> programs{
      {Operation::kAllReduce, "all_reduce_perf"},
      {Operation::kAllGather, "all_gather_perf"},
      {Operation::kReduceScatter, "reduce_scatter_perf"},
      {Operation::kAllToAll, "alltoall_perf"},
      {Operation::kSendReceive, "sendrecv_perf"},
      {Operation::kBroadcast, "broadcast_perf"},
      {Operation::kReduce, "reduce_perf"},
      {Operation::kGather, "gather_perf"},
      {Operation::kScatter, "scatter_perf"}};
  if (!curve.call) return {};
  const auto program = programs.find(curve.call->operation);
  if (program == programs.end()) return {};
  std::string size = fmt::format("{}", bytes);
  for (const auto& [shift, unit] :
       {std::pair(30U, 'G'), std::pair(20U, 'M'), std::pair(10U, 'K')}) {
    const std::int64_t one = std::int64_t{1} << shift;
    if (bytes < one || bytes % one != 0) continue;
    size = fmt::format("{}{}", bytes / one, unit);
    break;
  }
  return fmt::format("{} -b {} -e {} -n 100", program->second, size, size);
}

}  // namespace weft::diagnose
