#include "tools/cli/run/load.hpp"

#include <fmt/format.h>

#include <utility>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "simcore/base/log.hpp"
#include "tools/cli/output.hpp"
#include "tools/io/terminal.hpp"
#include "tools/sweep/language/load_sweep.hpp"

namespace weft::cli {

std::optional<Loaded> load(const std::string& path, const std::vector<std::string>& overrides) {
  if (sweep::is_sweep_file(path)) {
    complain(path + " is a sweep: `weft sweep " + path + "` runs it");
    return {};
  }
  auto loaded = scenarios::load_scenario(path, overrides);
  if (!loaded) {
    print_errors(loaded.errors());
    return {};
  }
  auto session = scenarios::open_session(std::move(loaded).value());
  if (!session) {
    print_errors(session.errors());
    return {};
  }
  const scenarios::Experiment& e = session.value().experiment;
  log_info(fmt::format("{}: {} hosts, {} switches, {} connections", path, e.fabric.hosts.size(),
                       e.fabric.switches.size(), e.workload.connections().size()));
  return Loaded{std::move(session).value()};
}

}  // namespace weft::cli
