// `weft-run`: a part of `weft` that a new checkout has sooner, since three tenths of what is to be
// compiled are commands that a run does not need.

#include <memory>
#include <string>
#include <vector>

#include "tools/cli/catalogue_commands.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/run/run_command.hpp"
#include "tools/cli/version.hpp"

namespace weft::cli {
namespace {

class RunAlone final : public Commands {
 public:
  explicit RunAlone(CLI::App& app) : run_(app), catalogue_(app) {
    app.name("weft-run");
    app.description("weft-run: the command `run` of weft, which is built sooner than all of it.");
    app.footer("\nAll commands: build `weft` (`ninja -C build weft`), then `weft --help`.\n");
    app.set_version_flag("--version", version_text("the command `run` alone"));
  }

  [[nodiscard]] int dispatch(const std::vector<std::string>& command_line) override {
    catalogue_.use_catalogue();
    if (const auto code = run_.run(command_line)) return *code;
    if (const auto code = catalogue_.run()) return *code;
    return kBadInput;
  }

 private:
  RunCommand run_;
  CatalogueCommands catalogue_;
};

}  // namespace

std::unique_ptr<Commands> make_commands(CLI::App& app) { return std::make_unique<RunAlone>(app); }

}  // namespace weft::cli
