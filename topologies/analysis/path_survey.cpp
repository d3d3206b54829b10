#include "topologies/analysis/path_survey.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "topologies/analysis/network_view.hpp"
#include "topologies/assembly/assembler.hpp"

namespace weft::topologies {
namespace {

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

/// Shortest paths from the hosts of one site to every switch, and their numbers.
class Spread {
 public:
  explicit Spread(const NetworkView& view)
      : view_(view), links_(view.switch_count(), kFar), paths_(view.switch_count(), 0) {}

  void start_at(const NetworkView::Site& site) {
    for (const std::uint32_t at : reached_) links_[at] = kFar;
    reached_.clear();
    for (const NetworkView::Bundle& up : site.uplinks) reach(up, 1, 1);
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const std::uint32_t at = reached_[i];
      if (links_[at] > 1 && view_.is_nic(SwitchId(at))) continue;
      for (const NetworkView::Bundle& bundle : view_.bundles_of(SwitchId(at))) {
        reach(bundle, links_[at] + 1, paths_[at]);
      }
    }
  }
  /// Links to the hosts of a site and the number of paths; kFar where there is none.
  [[nodiscard]] std::pair<std::uint32_t, std::uint64_t> to(const NetworkView::Site& site) const {
    std::pair<std::uint32_t, std::uint64_t> result{kFar, 0};
    for (const NetworkView::Bundle& up : site.uplinks) {
      if (links_[up.to] == kFar || links_[up.to] + 1 > result.first) continue;
      if (links_[up.to] + 1 < result.first) result = {links_[up.to] + 1, 0};
      result.second = saturating_sum(result.second, saturating_product(paths_[up.to], up.links));
    }
    return result;
  }

 private:
  void reach(const NetworkView::Bundle& over, std::uint32_t links, std::uint64_t paths_before) {
    if (links_[over.to] == kFar) {
      links_[over.to] = links;
      paths_[over.to] = 0;
      reached_.push_back(over.to);
    }
    if (links_[over.to] != links) return;
    paths_[over.to] = saturating_sum(paths_[over.to], saturating_product(paths_before, over.links));
  }

  const NetworkView& view_;
  std::vector<std::uint32_t> links_;  ///< by SwitchId
  std::vector<std::uint64_t> paths_;
  std::vector<std::uint32_t> reached_;  ///< by distance
};

/// How many hosts of each site each scale-up domain has.
class DomainSites {
 public:
  struct Share {
    std::uint32_t site_or_domain;
    std::uint64_t hosts;
  };
  DomainSites(const Fabric& fabric, const NetworkView& view) : of_site_(view.sites().size()) {
    for (std::uint32_t s = 0; s < view.sites().size(); ++s) {
      std::map<std::int32_t, std::uint64_t> domains;
      for (const HostId host : view.sites()[s].hosts) ++domains[fabric.host(host).domain];
      for (const auto& [domain, hosts] : domains) {
        if (domain < 0) continue;
        of_site_[s].push_back({static_cast<std::uint32_t>(domain), hosts});
        of_domain_[static_cast<std::uint32_t>(domain)].push_back({s, hosts});
      }
    }
  }
  /// Ordered pairs of a host of `site` and another host of its domain, by the other's site.
  [[nodiscard]] std::vector<Share> pairs_within_domains(std::uint32_t site) const {
    std::map<std::uint32_t, std::uint64_t> pairs;
    for (const Share& own : of_site_[site]) {
      for (const Share& other : of_domain_.at(own.site_or_domain)) {
        const std::uint64_t self = other.site_or_domain == site ? 1 : 0;
        pairs[other.site_or_domain] += own.hosts * (other.hosts - self);
      }
    }
    std::vector<Share> result;
    for (const auto& [to, count] : pairs) {
      if (count > 0) result.push_back({to, count});
    }
    return result;
  }

 private:
  std::vector<std::vector<Share>> of_site_;
  std::unordered_map<std::uint32_t, std::vector<Share>> of_domain_;
};

class Surveyor {
 public:
  Surveyor(const Fabric& fabric, PathSurvey& survey) : fabric_(fabric), survey_(survey) {}

  void scale_up(const NetworkView& view) {
    Spread spread(view);
    const DomainSites domains(fabric_, view);
    for (std::uint32_t from = 0; from < view.sites().size(); ++from) {
      const auto shares = domains.pairs_within_domains(from);
      if (shares.empty()) continue;
      spread.start_at(view.sites()[from]);
      for (const auto& [to, pairs] : shares) {
        count(view, spread, from, to, pairs, true);
      }
    }
    flush(2);  // each pair was seen from both ends
  }

  void scale_out(const NetworkView& view, std::uint32_t stride) {
    Spread spread(view);
    const DomainSites domains(fabric_, view);
    const auto& sites = view.sites();
    std::vector<std::uint64_t> within(sites.size(), 0);
    for (std::uint32_t from = 0; from < sites.size(); from += stride) {
      const auto shares = domains.pairs_within_domains(from);
      for (const auto& [to, pairs] : shares) within[to] = pairs;
      spread.start_at(sites[from]);
      for (std::uint32_t to = 0; to < sites.size(); ++to) {
        const std::uint64_t self = to == from ? 1 : 0;
        const std::uint64_t all = sites[from].hosts.size() * (sites[to].hosts.size() - self);
        if (all > within[to]) count(view, spread, from, to, all - within[to], false);
      }
      for (const auto& [to, pairs] : shares) within[to] = 0;
    }
    flush(stride == 1 ? 2 : 1);
  }

 private:
  void count(const NetworkView& view, const Spread& spread, std::uint32_t from, std::uint32_t to,
             std::uint64_t ordered_pairs, bool same_domain) {
    const auto [links, paths] = spread.to(view.sites()[to]);
    if (links == kFar) {
      unconnected_ += ordered_pairs;
      return;
    }
    PathClass& entry = classes_[links];
    if (entry.pairs == 0) {
      entry = {view.network(), links, 0, paths, paths, HostId::none(), HostId::none()};
      name_pair(view.sites()[from], view.sites()[to], same_domain, entry);
    }
    entry.pairs += ordered_pairs;
    entry.fewest_paths = std::min(entry.fewest_paths, paths);
    entry.max_paths = std::max(entry.max_paths, paths);
  }

  void name_pair(const NetworkView::Site& from, const NetworkView::Site& to, bool same_domain,
                 PathClass& entry) const {
    for (const HostId a : from.hosts) {
      for (const HostId b : to.hosts) {
        const std::int32_t domain = fabric_.host(a).domain;
        const bool is_same = domain >= 0 && domain == fabric_.host(b).domain;
        if (a == b || is_same != same_domain) continue;
        entry.from = a;
        entry.to = b;
        return;
      }
    }
  }

  void flush(std::uint64_t divisor) {
    for (auto& [links, entry] : classes_) {
      entry.pairs /= divisor;
      survey_.classes.push_back(entry);
    }
    classes_.clear();
    survey_.unconnected_pairs += unconnected_ / divisor;
    unconnected_ = 0;
  }

  const Fabric& fabric_;
  PathSurvey& survey_;
  std::map<std::uint32_t, PathClass> classes_;
  std::uint64_t unconnected_ = 0;
};

}  // namespace

std::uint32_t PathSurvey::diameter(NetworkKind network) const {
  std::uint32_t longest = 0;
  for (const PathClass& entry : classes) {
    if (entry.network == network) longest = std::max(longest, entry.links);
  }
  return longest;
}

PathSurvey survey_paths(const Fabric& fabric, std::uint64_t work_limit) {
  PathSurvey survey;
  const NetworkView scale_out(fabric, NetworkKind::kScaleOut);
  const std::uint64_t sites = scale_out.sites().size();
  const std::uint64_t work = saturating_product(sites, scale_out.bundle_count() + sites);
  const std::uint64_t stride = work / std::max<std::uint64_t>(1, work_limit) + 1;
  survey.is_complete = stride == 1;
  Surveyor surveyor(fabric, survey);
  const bool has_domains =
      std::ranges::any_of(fabric.hosts, [&](NodeId id) { return fabric.node(id).domain >= 0; });
  if (has_domains) surveyor.scale_up(NetworkView(fabric, NetworkKind::kScaleUp));
  surveyor.scale_out(scale_out, static_cast<std::uint32_t>(stride));
  return survey;
}

}  // namespace weft::topologies
