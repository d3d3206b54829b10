#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// Servers, switches and the cables between them by number, with names for what is found.
struct Cabling {
  struct Server {
    std::string name;               ///< empty: its NICs have names of their own
    std::vector<std::string> nics;  ///< in the order in which servers have them
  };
  struct Switch {
    std::string name;
    std::uint32_t tier = 0;  ///< 1: servers are attached to it
  };
  struct End {
    bool is_server = false;
    std::size_t device = 0;
    std::size_t nic = 0;  ///< of a server
  };
  /// A server, if there is one, is at `a`.
  struct Cable {
    End a;
    End b;
    BitsPerSecond rate{};  ///< 0: it is not known
    std::string rate_from{};
  };
  std::vector<Server> servers;
  std::vector<Switch> switches;
  std::vector<Cable> cables;

  [[nodiscard]] std::string name_of(const End& end) const;
};

/// A cable or NIC that is not as its likes are.
struct OddCable {
  std::string text;
  std::vector<std::size_t> cables;  ///< that it is about; none: one is missing
  std::vector<Cabling::End> ends;   ///< what stands out beside the cables
};

/// Cables that are missing, slow or at the wrong leaf, of a fabric that is regular but for them.
[[nodiscard]] std::vector<OddCable> find_odd_cables(const Cabling& cabling);

}  // namespace weft::scenarios
