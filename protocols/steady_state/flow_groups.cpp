#include "protocols/steady_state/flow_groups.hpp"

#include <algorithm>

#include "protocols/steady_state/prediction.hpp"
#include "protocols/steady_state/state_visitor.hpp"
#include "simcore/fabric/path.hpp"

namespace weft::protocols {

std::optional<Picoseconds> FlowGroups::find(Picoseconds now, Picoseconds until, Picoseconds min) {
  Picoseconds end = std::min({until, now + kLongestWindow, next_job_event(lp_)});
  parent_.assign(s_.ports.size(), PortId::none());
  if (end - now < min || !join_by_messages(now, min, end)) return std::nullopt;
  join_by_ports();
  number();
  if (count() < 2) return std::nullopt;
  if (s_.old_packets.is_check_due(end)) s_.old_packets.check(s_, now, end, true);
  if (!s_.old_packets.empty()) return std::nullopt;
  return end;
}

const std::vector<PortId>& FlowGroups::paths_of(const SenderState& sender) {
  paths_.resize(s_.senders.all_whole().size());
  std::vector<PortId>& path = paths_[s_.senders.queue_pair_of(sender).value()];
  if (path.empty()) path = find_paths(sender);
  return path;
}

std::optional<PortId> FlowGroups::egress(PortId in, HostId to, std::uint32_t entropy) const {
  const PortState& port = s_.ports[in.value()];
  const SwitchState& sw = s_.switches[port.owner];
  const auto hops = sw.routes->next_hops(SwitchId(port.owner), to);
  if (hops.empty()) return std::nullopt;
  const auto n = static_cast<std::uint32_t>(hops.size());
  const std::uint32_t choice = sw.is_scale_up ? (port.index - sw.first_port) % n
                                              : s_.routes.hash.choose(sw.hash_seed, entropy, n);
  return PortId(sw.first_port + hops[choice]);
}

std::optional<PortId> FlowGroups::add_path(PortId port, HostId to, std::uint32_t entropy,
                                           std::vector<PortId>& links) const {
  for (std::size_t steps = 0; steps < kMaxPathLinks; ++steps) {
    links.push_back(link_of(port));
    const PortId in = s_.fabric.port(port).peer;
    const PortState& state = s_.ports[in.value()];
    if (state.owner_is_host) return state.host() == to ? std::optional(in) : std::nullopt;
    const std::optional<PortId> next = egress(in, to, entropy);
    if (!next) return std::nullopt;
    port = *next;
  }
  return std::nullopt;
}

// Answers leave by the port by which what they answer came in.
std::vector<PortId> FlowGroups::find_paths(const SenderState& sender) const {
  const ReceiverState& receiver = s_.receivers[receiver_of(s_.senders.queue_pair_of(sender))];
  std::vector<PortId> links;
  for (const std::uint16_t local : sender.local_ports()) {
    const PortId first(sender.first_port + local);
    const auto last = add_path(first, sender.destination, sender.entropy, links);
    if (!last || !add_path(*last, sender.host, receiver.ack_entropy, links)) return {};
  }
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

bool FlowGroups::join_by_messages(Picoseconds now, Picoseconds min, Picoseconds& end) {
  for (const SenderState& sender : s_.senders.all_whole()) {
    if (!has_work(sender)) continue;
    end = std::min(end, earliest_end(s_, sender, now));
    if (sender.has_outstanding()) end = std::min(end, sender.deadline);
    if (end - now < min) return false;
    const std::vector<PortId>& path = paths_of(sender);
    if (path.empty()) return false;
    for (const PortId link : path) join(link, path.front());
  }
  return true;
}

void FlowGroups::join_by_ports() {
  for (std::uint32_t p = 0; p < s_.ports.size(); ++p) {
    const PortId link = link_of(PortId(p));
    if (parent_[link].is_none() && !is_idle(s_, s_.ports[p])) join(link, link);
  }
}

void FlowGroups::number() {
  all_.clear();
  flow_group_of_link_.assign(s_.ports.size(), kNone);
  for (std::uint32_t p = 0; p < s_.ports.size(); ++p) {
    const PortId link = link_of(PortId(p));
    if (parent_[link].is_none()) continue;
    std::uint32_t& of_root = flow_group_of_link_[root_of(link)];
    if (of_root == kNone) {
      of_root = count();
      all_.emplace_back();
    }
    flow_group_of_link_[link] = of_root;
    all_[of_root].part.ports.push_back(p);
  }
  for (const SenderState& sender : s_.senders.all_whole()) {
    if (!has_work(sender)) continue;
    const std::uint32_t flow_group = flow_group_of(PortId(sender.port()));
    all_[flow_group].part.queue_pairs.push_back(s_.senders.queue_pair_of(sender));
  }
}

PortId FlowGroups::root_of(PortId link) {
  while (parent_[link] != link) {
    parent_[link] = parent_[parent_[link]];
    link = parent_[link];
  }
  return link;
}

void FlowGroups::join(PortId a, PortId b) {
  for (const PortId link : {a, b}) {
    if (parent_[link].is_none()) parent_[link] = link;
  }
  parent_[root_of(a)] = root_of(b);
}

std::uint32_t FlowGroups::flow_group_of(const CalendarEvent& event) const {
  const bool is_of_sender = static_cast<EventType>(event.type) == EventType::kRetransmit;
  return flow_group_of(
      PortId(is_of_sender ? s_.senders[QueuePairId(event.target)].port() : event.target));
}

void FlowGroups::set_aside_all() {
  lp_.calendar.change([this](std::vector<CalendarEvent>& events) {
    std::erase_if(events, [this](const CalendarEvent& event) {
      if (is_of_job(event)) return false;
      all_[flow_group_of(event)].calendar.push_back(event);
      return true;
    });
  });
  for (std::uint32_t flow_group = 0; flow_group < count(); ++flow_group) set_aside(flow_group);
}

void FlowGroups::set_aside(std::uint32_t flow_group) {
  FlowGroup& it = all_[flow_group];
  for (const std::uint32_t p : it.part.ports) {
    const std::uint32_t local = s_.ports[p].local;
    for (const std::uint32_t source : {local, lp_.port_count() + local}) {
      const std::uint64_t key = lp_.next.key(source);
      if (key == WinnerTree::kNone) continue;
      it.keys.emplace_back(source, key);
      lp_.next.remove(source);
    }
  }
  lp_.calendar.change([&it](std::vector<CalendarEvent>& events) {
    std::erase_if(events, [&it](const CalendarEvent& event) {
      if (!is_of_job(event)) it.calendar.push_back(event);
      return !is_of_job(event);
    });
  });
}

void FlowGroups::put_back(std::uint32_t flow_group) {
  FlowGroup& it = all_[flow_group];
  for (const auto& [source, key] : it.keys) lp_.next.update(source, key);
  lp_.calendar.change([&it](std::vector<CalendarEvent>& events) {
    events.insert(events.end(), it.calendar.begin(), it.calendar.end());
  });
  it.keys.clear();
  it.calendar.clear();
}

}  // namespace weft::protocols
