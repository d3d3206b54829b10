#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"
#include "tools/import/source/natural_order.hpp"
#include "tools/import/source/remark.hpp"

namespace weft::import {

struct EcnSettings {
  Stated<Bytes> kmin{};
  Stated<Bytes> kmax{};
  Stated<double> pmax{};  ///< 0 to 1
  bool drops = false;     ///< WRED without ECN: it drops where it would mark
};

/// Of a priority group: what is set aside, and when it pauses.
struct BufferSettings {
  Stated<Bytes> reserved{};
  std::optional<Stated<double>> alpha{};  ///< dynamic threshold
  std::optional<Stated<Bytes>>
      threshold{};                          ///< static; no limit where it reaches the shared buffer
  std::optional<Stated<Bytes>> headroom{};  ///< none: the group is lossy
  std::optional<Stated<Bytes>> xon{};       ///< resumes at the larger of this and xon_offset's
  std::optional<Stated<Bytes>> xon_offset{};
  bool trims = false;  ///< what is over the threshold is cut to its header, not dropped
  SourceLocation where{};
};

/// The classes of all code points, each with the place that maps it.
using CodePoints = std::map<std::uint32_t, Stated<std::uint32_t>>;

/// One class of traffic on one port, from its code points to its queue.
struct ClassSettings {
  std::set<std::uint32_t> dscps{};  ///< empty: the file does not say
  std::uint32_t traffic_class = 0;
  std::uint32_t priority = 0;  ///< IEEE 802.1p, as PFC names it: of the pauses that are sent for it
  std::uint32_t queue = 0;
  /// The queue that a received pause of `priority` stops; none: the file has no such map.
  std::optional<std::uint32_t> paused_queue{};
  bool pfc = false;  ///< the port honours and sends pauses of this priority
  /// None: the file does not say, or says that only the switch knows.
  std::optional<BufferSettings> ingress{};
  std::optional<EcnSettings> ecn{};
  bool is_strict = false;
  std::optional<Stated<std::uint32_t>> weight{};
  std::optional<Stated<Bytes>> egress_reserved{};
  std::optional<Stated<double>> egress_alpha{};
  std::optional<Stated<Bytes>> egress_threshold{};  ///< static; as of BufferSettings
  std::optional<Stated<Bytes>> mtu{};               ///< of this class alone
  std::shared_ptr<const CodePoints> code_points{};  ///< where they are mapped; null: nowhere
  SourceLocation where{};
};

/// Cuts a pause that lasts too long.
struct PfcWatchdog {
  Picoseconds detection_time{};
  Picoseconds restoration_time{};
  std::optional<Picoseconds> poll{};  ///< how often it looks
  std::string action{};               ///< `drop`, `forward` or `alert`
  SourceLocation where{};
};

struct SwitchPort {
  std::optional<std::string> alias{};
  std::optional<Stated<BitsPerSecond>> rate{};
  std::optional<Stated<Bytes>> mtu{};
  std::optional<Stated<std::string>> fec{};           ///< `rs`, `fc`, `none` or `auto`
  std::optional<Stated<Millimetres>> cable_length{};  ///< the class that its headroom is for
  bool is_up = true;
  /// Priorities with PFC, whether a class uses them or not; none: the file does not say.
  std::optional<Stated<std::set<std::uint32_t>>> pfc{};
  /// Priority groups that headroom is set aside for, whether a class uses them or not.
  std::set<std::uint32_t> lossless_groups{};
  std::optional<Stated<std::set<std::uint32_t>>> watched{};  ///< priorities of the watchdog
  std::optional<PfcWatchdog> watchdog{};
  std::vector<ClassSettings> classes{};  ///< by ascending queue; empty: the file does not say
  SourceLocation where{};
};

/// What one switch was told.
struct SwitchSettings {
  std::optional<std::string> name{};  ///< none: the file does not say whose settings they are
  std::optional<std::string> part{};  ///< of the catalogue
  std::optional<Stated<std::string>> hardware{};  ///< in the vendor's words
  std::optional<std::uint32_t> tier{};
  std::optional<Stated<Bytes>> buffer{};         ///< that all ports share, of ingress
  std::optional<Stated<Bytes>> egress_buffer{};  ///< that all ports share, of lossless egress
  std::optional<Stated<Bytes>> headroom_pool{};  ///< that the headroom of all ports is taken from
  std::map<std::string, SwitchPort, NaturalOrder> ports{};
  std::vector<ClassSettings> classes{};   ///< of all ports, where a file speaks of no port
  std::optional<PfcWatchdog> watchdog{};  ///< of its first port that has one
  /// Whether the file says of ports how their classes are treated: a port without is a gap then.
  bool has_port_classes = false;
  SourceLocation where{};
};

}  // namespace weft::import
