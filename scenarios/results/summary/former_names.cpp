#include "scenarios/results/summary/former_names.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "simcore/text/quoted.hpp"

namespace weft::scenarios {
namespace {

using nlohmann::ordered_json;

/// The path of a result in the release before, and its last key now.
struct Renamed {
  std::string_view former;
  std::string_view key;
};

/// The next release drops these.
constexpr std::array<Renamed, 17> kRenamed{{
    {"cells", "logical_processes"},
    {"reuse.components", "gpu_sets"},
    {"reuse.phases", "epochs"},
    {"reuse.phases_simulated", "epochs_simulated"},
    {"reuse.phases_ended_otherwise", "epochs_ended_otherwise"},
    {"reuse.rail_phases", "rail_epochs"},
    {"reuse.rail_phases_simulated", "rail_epochs_simulated"},
    {"reuse.phase_packet_hops", "epoch_packet_hops"},
    {"reuse.phase_packet_hops_simulated", "epoch_packet_hops_simulated"},
    {"reuse.leaps", "skips"},
    {"reuse.periods_leapt", "periods_skipped"},
    {"reuse.packet_hops_leapt", "packet_hops_skipped"},
    {"periods.rounds_left_out", "rounds_skipped"},
    {"periods.iterations_left_out", "iterations_skipped"},
    {"periods.left_out_seconds", "skipped_seconds"},
    {"critical_path_seconds.left_out", "skipped"},
    {"path_left_out_s", "path_skipped_s"},
}};

/// The list `collectives` puts the index of a row before its keys; a key of the root has nothing
/// before it.
bool is_at(std::string_view path, std::string_view former) {
  if (path == former) return true;
  return former.starts_with("critical_path_seconds.") && path.ends_with(former) &&
         path[path.size() - former.size() - 1] == '.';
}

void rename_within(ordered_json& value, const std::string& path) {
  if (value.is_array()) {
    for (ordered_json& item : value) rename_within(item, path);
  }
  if (!value.is_object()) return;
  ordered_json renamed = ordered_json::object();
  for (auto& [key, inner] : value.items()) {
    const std::string here = path.empty() ? key : path + "." + key;
    rename_within(inner, here);
    const std::string now = current_result_name(here);
    renamed[path.empty() ? now : now.substr(path.size() + 1)] = std::move(inner);
  }
  value = std::move(renamed);
}

}  // namespace

std::string current_result_name(std::string name) {
  for (const Renamed& one : kRenamed) {
    if (!is_at(name, one.former)) continue;
    const std::size_t last = name.rfind('.');
    name.replace(last == std::string::npos ? 0 : last + 1, std::string::npos, one.key);
    return name;
  }
  return name;
}

void rename_former_results(ordered_json& summary) { rename_within(summary, ""); }

std::string former_result_warning(const std::string& name) {
  const std::string now = current_result_name(name);
  if (now == name) return {};
  return "the result " + backquoted(name) + " is called " + backquoted(now) +
         " now; the next release does not know the former name";
}

}  // namespace weft::scenarios
