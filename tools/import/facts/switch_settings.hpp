#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"
#include "tools/import/source/natural_order.hpp"
#include "tools/import/source/remark.hpp"

namespace weft::import {

struct EcnSettings {
  Stated<Bytes> kmin;
  Stated<Bytes> kmax;
  Stated<double> pmax;  ///< 0 to 1
  bool drops = false;   ///< WRED without ECN: it drops where it would mark
};

/// Of a priority group: what is set aside, and when it pauses.
struct BufferSettings {
  Stated<Bytes> reserved{};
  std::optional<Stated<double>> alpha;     ///< dynamic threshold
  std::optional<Stated<Bytes>> threshold;  ///< static threshold
  std::optional<Stated<Bytes>> headroom;   ///< none: the group is lossy
  std::optional<Stated<Bytes>> xon_offset;
};

/// One class of traffic on one port, from its code points to its queue.
struct ClassSettings {
  std::set<std::uint32_t> dscps;
  std::uint32_t priority = 0;  ///< IEEE 802.1p, as PFC names it
  std::uint32_t queue = 0;
  bool pfc = false;  ///< the port honours and sends pauses of this priority
  std::optional<BufferSettings> ingress;
  std::optional<EcnSettings> ecn;
  bool is_strict = false;
  std::optional<Stated<std::uint32_t>> weight;
  std::optional<Stated<Bytes>> egress_reserved;
  std::optional<Stated<double>> egress_alpha;
  SourceLocation where{};
};

struct SwitchPort {
  std::optional<std::string> alias;
  std::optional<Stated<BitsPerSecond>> rate;
  std::optional<Stated<Bytes>> mtu;
  std::optional<Stated<Millimetres>> cable_length;  ///< the class that its headroom is for
  bool is_up = true;
  std::vector<ClassSettings> classes;  ///< by ascending queue; empty: the file does not say
  SourceLocation where{};
};

struct PfcWatchdog {
  Picoseconds detection_time{};
  Picoseconds restoration_time{};
  std::string action;  ///< `drop`, `forward` or `alert`
};

/// What one switch was told.
struct SwitchSettings {
  std::optional<std::string> name;  ///< none: the file does not say whose settings they are
  std::optional<std::string> part;  ///< of the catalogue
  std::optional<Stated<std::string>> hardware;  ///< in the vendor's words
  std::optional<std::uint32_t> tier;
  std::optional<Stated<Bytes>> buffer;         ///< that all ports share
  std::optional<Stated<Bytes>> headroom_pool;  ///< that the headroom of all ports is taken from
  std::map<std::string, SwitchPort, NaturalOrder> ports;
  std::vector<ClassSettings> classes;  ///< of all ports, where a file speaks of no port
  std::optional<PfcWatchdog> watchdog;
  SourceLocation where{};
};

}  // namespace weft::import
