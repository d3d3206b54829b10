#include "protocols/network/path_runner_impl.hpp"

namespace weft::protocols {

template std::unique_ptr<PathRunner> make_path<PlainPath>(NetworkState& state);

}  // namespace weft::protocols
