#include "protocols/network/path_runner.hpp"

/// The general path in the place of every narrower one, for programs that are linked with it
/// instead of `network/paths/narrow/`: all paths give the same bits, and this one alone is compiled
/// in an eighth of the time. `weft-run`, the first program of a new checkout, is such a program.
namespace weft::protocols {

extern template std::unique_ptr<PathRunner> make_path<GeneralPath>(NetworkState& state);

template <class Path>
std::unique_ptr<PathRunner> make_path(NetworkState& state) {
  return make_path<GeneralPath>(state);
}

template std::unique_ptr<PathRunner> make_path<PlainPath>(NetworkState& state);
template std::unique_ptr<PathRunner> make_path<BufferPath>(NetworkState& state);
template std::unique_ptr<PathRunner> make_path<CutThroughPath>(NetworkState& state);
template std::unique_ptr<PathRunner> make_path<TelemetryPath>(NetworkState& state);
template std::unique_ptr<PathRunner> make_path<FaultPath>(NetworkState& state);
template std::unique_ptr<PathRunner> make_path<ContextPath>(NetworkState& state);
template std::unique_ptr<PathRunner> make_path<ScaleUpPath>(NetworkState& state);
template std::unique_ptr<PathRunner> make_path<SettingsPath>(NetworkState& state);
template std::unique_ptr<PathRunner> make_path<TracePath>(NetworkState& state);

}  // namespace weft::protocols
