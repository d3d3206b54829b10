#include "protocols/observation/message_watch.hpp"

#include <algorithm>
#include <tuple>

namespace weft::protocols {

void MessageWatch::build(std::span<const WatchedMessage> messages,
                         const IdVector<QueuePairId, HostId>& hosts, const Fabric& fabric) {
  std::vector<WatchedMessage> sorted(messages.begin(), messages.end());
  std::ranges::sort(sorted, {}, [](const WatchedMessage& m) {
    return std::tuple(m.queue_pair, m.first_sequence);
  });
  first_.assign(hosts.size() + 1, 0);
  ranges_.reserve(sorted.size());
  windows_.resize(fabric.hosts.size());
  for (const WatchedMessage& m : sorted) {
    ++first_[m.queue_pair.value() + 1];
    ranges_.push_back({m.first_sequence, m.last_sequence});
    windows_[hosts[m.queue_pair]].push_back({m.posted, m.delivered});
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  build_blocks();
  for (std::vector<Window>& windows : windows_) {
    std::ranges::sort(windows, {}, &Window::begin);
    std::vector<Window> apart;
    for (const Window& w : windows) {
      if (apart.empty() || apart.back().end < w.begin) {
        apart.push_back(w);
      } else {
        apart.back().end = std::max(apart.back().end, w.end);
      }
    }
    windows = std::move(apart);
  }
  window_.assign(fabric.hosts.size(), 0);
  losses_.resize(hosts.size());
  ports_.resize(fabric.ports.size());
  owners_ = fabric.link_owners();
  if (fabric.has_shared_links()) find_hosts_of_links(fabric);
}

void MessageWatch::find_hosts_of_links(const Fabric& fabric) {
  hosts_of_link_.resize(fabric.ports.size());
  for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
    if (fabric.ports[p].shared_link == 0) continue;
    const Node& node = fabric.node(fabric.ports[p].node);
    std::vector<HostId>& known = hosts_of_link_[owners_[p].value()];
    if (node.kind == NodeKind::kHost) known.emplace_back(node.index);
  }
}

void MessageWatch::build_blocks() {
  first_block_.assign(1, 0);
  first_block_.reserve(first_.size());
  for (std::size_t qp = 0; qp + 1 < first_.size(); ++qp) {
    std::uint32_t range = first_[qp];
    const std::uint32_t end = first_[qp + 1];
    if (range != end) {
      const std::uint32_t blocks = (ranges_[end - 1].last >> kBlockShift) + 1;
      for (std::uint32_t block = 0; block <= blocks; ++block) {
        const std::uint64_t begin = std::uint64_t{block} << kBlockShift;
        while (range + 1 < end && ranges_[range + 1].first <= begin) ++range;
        last_before_.push_back(range);
      }
    }
    first_block_.push_back(static_cast<std::uint32_t>(last_before_.size()));
  }
}

bool MessageWatch::is_sending(HostId host, Picoseconds now) {
  const std::vector<Window>& windows = windows_[host];
  std::uint32_t& at = window_[host];
  while (at < windows.size() && windows[at].end < now) ++at;
  return at < windows.size() && windows[at].begin <= now;
}

}  // namespace weft::protocols
