#include "protocols/network/path_runner.hpp"

namespace weft::protocols {

std::unique_ptr<PathRunner> choose_path(NetworkState& state, Features extra) {
  Features needed = state.constants.needs();
  needed.add(extra);
  return PacketPaths::choose(needed, [&]<class Path>() { return make_path<Path>(state); });
}

}  // namespace weft::protocols
