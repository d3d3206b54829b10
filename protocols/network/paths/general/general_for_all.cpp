#include "protocols/network/path_runner.hpp"

/// The general path in the place of every narrower one, for programs that are linked with it
/// instead of `network/paths/narrow/`: all paths give the same bits, and this one alone is compiled
/// in an eighth of the time. `weft-run`, the first program of a new checkout, is such a program.
namespace weft::protocols {

template <>
std::unique_ptr<PathRunner> make_path<PlainPath>(NetworkState& state) {
  return make_path<GeneralPath>(state);
}
template <>
std::unique_ptr<PathRunner> make_path<BufferPath>(NetworkState& state) {
  return make_path<GeneralPath>(state);
}
template <>
std::unique_ptr<PathRunner> make_path<CutThroughPath>(NetworkState& state) {
  return make_path<GeneralPath>(state);
}
template <>
std::unique_ptr<PathRunner> make_path<TelemetryPath>(NetworkState& state) {
  return make_path<GeneralPath>(state);
}
template <>
std::unique_ptr<PathRunner> make_path<FaultPath>(NetworkState& state) {
  return make_path<GeneralPath>(state);
}
template <>
std::unique_ptr<PathRunner> make_path<ContextPath>(NetworkState& state) {
  return make_path<GeneralPath>(state);
}
template <>
std::unique_ptr<PathRunner> make_path<ScaleUpPath>(NetworkState& state) {
  return make_path<GeneralPath>(state);
}
template <>
std::unique_ptr<PathRunner> make_path<SettingsPath>(NetworkState& state) {
  return make_path<GeneralPath>(state);
}
template <>
std::unique_ptr<PathRunner> make_path<TracePath>(NetworkState& state) {
  return make_path<GeneralPath>(state);
}

}  // namespace weft::protocols
