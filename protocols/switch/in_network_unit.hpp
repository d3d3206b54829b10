#pragma once

#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/link/incident_log.hpp"
#include "protocols/link/link_control.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// What a switch of a scale-up domain does besides forwarding: it adds up contributions and
/// repeats data for all members of a group (protocols/state/in_network.hpp). `Switch` queues what
/// it makes.
template <class Path, class Switch>
class InNetworkUnit {
 public:
  InNetworkUnit(NetworkState& state, Switch& owner)
      : s_(state), switch_(owner), control_(state), scheduler_(state) {}

  /// A packet that scale-up switches reduce or repeat.
  void take(const Here& here, const Packet& packet, PortState& in) {
    ++here.worker.sums.packets_delivered;  // to the scale-up switch
    if ((packet.flow & kReduceFlow) != 0) {
      add_up(here, packet, in);
    } else {
      repeat(here, packet, in);
    }
  }

  /// A packet that the scale-up switch made has left.
  void release_pending(const Here& here, std::uint32_t at, std::uint32_t pending) {
    if (pending == kNothingPending) return;
    const CopyTable::Original* original = s_.copies[at].remove_copy(pending - pending_original(0));
    if (original == nullptr) return;
    PortState& in = s_.ports[s_.switches[at].first_port + original->ingress];
    const ClassId c = class_of(original->packet);
    const std::int32_t blocks = scheduler_.blocks(c, original->packet.wire_size());
    s_.account(in, c).bytes -= blocks * s_.constants.of_class[c].block;
    control_.grant(here, in, c, blocks);
  }

  /// Whether the newest packet that waits in `queue` of scale-up switch `at` can stand for `copy`,
  /// too, which owes `pending`: then the queue has it.
  [[nodiscard]] bool coalesce(const Here& here, std::uint32_t at, ClassQueue& queue,
                              const Packet& copy, std::uint32_t pending) const {
    if (pending < pending_original(0) || queue.packets.empty()) return false;
    if (!s_.copies[at].coalesce(queue.packets.back(), copy, pending - pending_original(0)))
      return false;
    queue.account(here.now);
    queue.packets.coalesce(copy.wire_size());
    return true;
  }
  /// Whether the oldest packet of `queue` is a copy that stands for others.
  [[nodiscard]] static bool is_coalesced(const ClassQueue& queue) {
    const Packet& oldest = queue.packets.front();
    return queue.packets.coalesced() > 0 && is_copy(oldest) && CopyTable::followers(oldest) > 0;
  }
  /// Takes that copy; the next one is the oldest then.
  [[nodiscard]] Packet expand(std::uint32_t at, ClassQueue& queue) const {
    const Packet oldest = queue.packets.front();
    queue.packets.expand(s_.copies[at].follower(oldest));
    return oldest;
  }

 private:
  /// The last contribution of all members completes the sum, which goes to its owner. Contributions
  /// need no buffer: they are added as they come.
  void add_up(const Here& here, const Packet& packet, PortState& in) {
    const ClassId c = class_of(packet);
    control_.grant(here, in, c, scheduler_.blocks(c, packet.wire_size()));
    const SendingEnd& sender = s_.senders[queue_pair_of(packet)];
    Reduction& reduction = s_.reduction_of(sender);
    const std::vector<HostId>& members = s_.groups[reduction.group].by_host;
    const std::uint32_t place = reduction.place_of(packet.sequence);
    reduction.counts.add(place);
    if (reduction.counts[place] < members.size()) return;
    reduction.counts.clear(place);
    const std::uint32_t link = reduction.link_of(packet.sequence);
    Packet sum = packet;
    sum.flow = flow_of(reduction.receiver, packet.flow & kSizeClassFlow);
    set_sent_stamp(sum, static_cast<std::uint64_t>(here.now.count()));
    emit(here, in.owner, sum, reduction.owner, link, kNothingPending);
    for (std::uint32_t m = 0; m < members.size(); ++m) {
      Packet word = packet;
      word.flow = flow_of(QueuePairId(reduction.first_queue_pair.value() + m), kReduceFlow);
      word.size = s_.constants.transports[sender.transport].ack_size;
      word.set_type(packet_type(PacketKind::kAck, c));
      word.flags = 0;
      emit(here, in.owner, word, members[m], link, kNothingPending);
    }
  }

  void repeat(const Here& here, const Packet& packet, PortState& in) {
    const ClassId c = class_of(packet);
    const SenderState& sender = s_.senders.whole(queue_pair_of(packet));
    const Multicast& multicast = s_.multicasts[sender.in_network_index()];
    const std::uint32_t ingress = in.index - s_.switches[in.owner].first_port;
    s_.account(in, c).bytes +=
        scheduler_.blocks(c, packet.wire_size()) * s_.constants.of_class[c].block;
    const std::vector<HostId>& members = s_.members_of(multicast);
    const std::uint32_t first = flow_of(multicast.first_receiver, packet.flow & kSizeClassFlow);
    Packet copy = packet;
    copy.flow = first;
    const std::uint32_t place =
        s_.copies[in.owner].add({.packet = copy,
                                 .copies = static_cast<std::uint32_t>(members.size()),
                                 .ingress = static_cast<std::uint16_t>(ingress),
                                 .chain = chain_of(in.owner, ingress, members.front())});
    for (std::uint32_t m = 0; m < members.size(); ++m) {
      copy.flow = first + m;
      // Links of a GPU to this scale-up switch lie side by side: by the same one of them as it
      // came.
      emit(here, in.owner, copy, members[m], ingress, pending_original(place));
    }
  }

  /// By which of the links of a member the original came, and its copies go.
  [[nodiscard]] std::uint8_t chain_of(std::uint32_t at, std::uint32_t ingress,
                                      HostId member) const {
    const auto links = s_.switches[at].routes->next_hops(SwitchId(at), member);
    if (links.size() < 2) return 0;
    return static_cast<std::uint8_t>(ingress % links.size() % CopyTable::kChains);
  }

  /// Queues a packet that the scale-up switch made for `host`, by one of its links to the host.
  void emit(const Here& here, std::uint32_t at, Packet packet, HostId host, std::uint32_t link,
            std::uint32_t pending) {
    SwitchState& sw = s_.switches[at];
    packet.set_destination(host.value());
    const auto links = sw.routes->next_hops(SwitchId(at), host);
    ++here.worker.sums.packets_injected;
    // What is reduced or multicast has no other path than the links of this scale-up switch.
    PortState* out =
        links.empty() ? nullptr : &s_.ports[sw.first_port + links[link % links.size()]];
    if (out == nullptr || out->is_down) {
      IncidentLog(s_).lose_to_fault(
          here, out == nullptr ? s_.ports[sw.first_port] : *out, packet,
          out == nullptr ? PortIncident::Kind::kUnreached : PortIncident::Kind::kOutage);
      ++here.worker.sums.packets_dropped;
      release_pending(here, at, pending);
      return;
    }
    switch_.send_later(here, *out, sw, packet, pending);
  }

  NetworkState& s_;
  Switch& switch_;
  LinkControl control_;
  ClassScheduler<Path> scheduler_;
};

}  // namespace weft::protocols
