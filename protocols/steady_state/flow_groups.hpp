#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "protocols/state/network_state.hpp"
#include "protocols/steady_state/live_part.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/engine/event_calendar.hpp"
#include "simcore/engine/logical_process.hpp"

namespace weft::protocols {

/// Independent flow groups of a network of one logical process. The links of a group carry the
/// messages under way, and their ACKs, that share links; nothing passes between two groups until a
/// message is posted. Where each packet has a known path, and flow control is by credits of each
/// link, other links matter to none of them. So each group behaves as if it were alone, and they
/// can be simulated one after the other up to the same time.
class FlowGroups {
 public:
  /// Both must outlive it; the network can recur (`can_recur`).
  FlowGroups(NetworkState& state, LogicalProcess& lp) : s_(state), lp_(lp) {}

  /// Finds them again. Returns a time, at most `until`, before which no message begins or ends on
  /// any, and none is checked; nothing if there are fewer than two, or it may be so within
  /// `min`.
  [[nodiscard]] std::optional<Picoseconds> find(Picoseconds now, Picoseconds until,
                                                Picoseconds min);
  /// How many were found.
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(all_.size()); }
  [[nodiscard]] const LivePart& operator[](std::uint32_t flow_group) const {
    return all_[flow_group].part;
  }

  // While one is simulated, nothing happens on the others:
  /// Sets aside what is to happen, except for what processes asked for.
  void set_aside_all();
  /// Where all others are.
  void set_aside(std::uint32_t flow_group);
  void put_back(std::uint32_t flow_group);

 private:
  static constexpr std::uint32_t kNone = ~0U;

  struct FlowGroup {
    LivePart part;
    // What is to happen there, set aside:
    std::vector<std::pair<std::uint32_t, std::uint64_t>> keys;  ///< by source in the tree
    std::vector<CalendarEvent> calendar;
  };

  /// The links that a queue pair's packets and their ACKs take, each by one of its ports; empty:
  /// they are not known.
  [[nodiscard]] const std::vector<PortId>& paths_of(const SenderState& sender);
  [[nodiscard]] std::vector<PortId> find_paths(const SenderState& sender) const;
  /// Adds the links from a port on; returns by which port they come in there, if they do.
  std::optional<PortId> add_path(PortId port, HostId to, std::uint32_t entropy,
                                 std::vector<PortId>& links) const;
  /// By which port of a switch a packet leaves that came in by `in`, as SwitchModel decides where
  /// paths are fixed.
  [[nodiscard]] std::optional<PortId> egress(PortId in, HostId to, std::uint32_t entropy) const;
  /// Joins links by messages, and has `end` be no later than the first of them can end; false: it
  /// may be within `min`.
  bool join_by_messages(Picoseconds now, Picoseconds min, Picoseconds& end);
  void join_by_ports();
  void number();
  [[nodiscard]] PortId root_of(PortId link);
  /// Both are live from now on.
  void join(PortId a, PortId b);
  [[nodiscard]] PortId link_of(PortId port) const {
    return std::min(port, s_.fabric.port(port).peer);
  }
  /// Of a link that nothing is under way on: the first, where it does not matter.
  [[nodiscard]] std::uint32_t flow_group_of(PortId port) const {
    const std::uint32_t flow_group = flow_group_of_link_[link_of(port)];
    return flow_group == kNone ? 0 : flow_group;
  }
  [[nodiscard]] std::uint32_t flow_group_of(const CalendarEvent& event) const;

  NetworkState& s_;
  LogicalProcess& lp_;
  std::vector<std::vector<PortId>> paths_;  ///< by queue pair, once they were asked for
  IdVector<PortId, PortId>
      parent_;  ///< by link, towards the root of its flow group; none: not live
  IdVector<PortId, std::uint32_t> flow_group_of_link_;
  std::vector<FlowGroup> all_;
};

}  // namespace weft::protocols
