#include <memory>
#include <string>
#include <vector>

#include "tools/cli/begin/new_command.hpp"
#include "tools/cli/catalogue_commands.hpp"
#include "tools/cli/collective/collective_commands.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/compare/compare_command.hpp"
#include "tools/cli/deploy/deploy_command.hpp"
#include "tools/cli/diagnose/diagnose_commands.hpp"
#include "tools/cli/explain/explain_command.hpp"
#include "tools/cli/import/import_command.hpp"
#include "tools/cli/manual/manual_commands.hpp"
#include "tools/cli/report/report_command.hpp"
#include "tools/cli/run/run_command.hpp"
#include "tools/cli/scenario/estimate_command.hpp"
#include "tools/cli/scenario/scenario_commands.hpp"
#include "tools/cli/scenario/topo_command.hpp"
#include "tools/cli/sweep_commands.hpp"
#include "tools/cli/validate/validate_command.hpp"
#include "tools/cli/version.hpp"
#include "tools/sweep/run/mpi_link.hpp"

namespace weft::cli {
namespace {

/// In the order in which help lists them.
class AllCommands final : public Commands {
 public:
  explicit AllCommands(CLI::App& app)
      : begin_(app),
        import_(app),
        run_(app),
        scenario_(app),
        estimate_(app),
        validate_(app),
        explain_(app),
        compare_(app),
        report_(app),
        topo_(app),
        collectives_(app),
        deploy_(app),
        diagnose_(app),
        sweeps_(app),
        catalogue_(app),
        manual_(app) {
    app.set_version_flag("--version", version_text(sweep::mpi_support()));
  }

  [[nodiscard]] int dispatch(const std::vector<std::string>& command_line) override {
    catalogue_.use_catalogue();
    if (const auto code = begin_.run()) return *code;
    if (const auto code = import_.run()) return *code;
    if (const auto code = run_.run(command_line)) return *code;
    if (const auto code = scenario_.run()) return *code;
    if (const auto code = estimate_.run()) return *code;
    if (const auto code = validate_.run()) return *code;
    if (const auto code = explain_.run()) return *code;
    if (const auto code = compare_.run()) return *code;
    if (const auto code = report_.run()) return *code;
    if (const auto code = topo_.run()) return *code;
    if (const auto code = collectives_.run()) return *code;
    if (const auto code = deploy_.run()) return *code;
    if (const auto code = diagnose_.run()) return *code;
    if (const auto code = sweeps_.run()) return *code;
    if (const auto code = catalogue_.run()) return *code;
    if (const auto code = manual_.run()) return *code;
    return kBadInput;
  }

 private:
  NewCommand begin_;
  ImportCommand import_;
  RunCommand run_;
  ScenarioCommands scenario_;
  EstimateCommand estimate_;
  ValidateCommand validate_;
  ExplainCommand explain_;
  CompareCommand compare_;
  ReportCommand report_;
  TopoCommand topo_;
  CollectiveCommands collectives_;
  DeployCommand deploy_;
  DiagnoseCommands diagnose_;
  SweepCommands sweeps_;
  CatalogueCommands catalogue_;
  ManualCommands manual_;
};

}  // namespace

std::unique_ptr<Commands> make_commands(CLI::App& app) {
  return std::make_unique<AllCommands>(app);
}

}  // namespace weft::cli
