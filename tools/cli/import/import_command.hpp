#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/import/cluster/cluster.hpp"
#include "tools/import/facts/format.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::cli {

/// `weft import`: a scenario from what operators hold of their cluster.
class ImportCommand {
 public:
  explicit ImportCommand(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run();

 private:
  [[nodiscard]] bool read_options();
  /// Gives `--format` to the files whose form is not known by their content, or to the only one.
  [[nodiscard]] bool name_format(std::vector<const import::Format*>& named);
  [[nodiscard]] bool read_files(import::Description& description);
  [[nodiscard]] int write(import::Cluster& cluster, const import::Description& description);
  [[nodiscard]] int write_copies(const import::Cluster& cluster);
  [[nodiscard]] bool is_stream() const;

  CLI::App* import_;
  std::vector<std::string> paths_;
  std::vector<import::InputFile> files_;
  import::JoinOptions options_;
  std::string format_;
  std::string rate_;
  std::string out_;
  std::string copies_;
  bool anonymises_ = false;
  bool collects_ = false;
  bool lists_ = false;
};

}  // namespace weft::cli
