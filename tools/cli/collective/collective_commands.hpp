#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

namespace weft::cli {

/// `weft schedule` and `weft bench-collective`: their options and what runs them.
class CollectiveCommands {
 public:
  explicit CollectiveCommands(CLI::App& app);
  ~CollectiveCommands();
  CollectiveCommands(const CollectiveCommands&) = delete;
  CollectiveCommands& operator=(const CollectiveCommands&) = delete;

  /// The exit code of the command that was given; nothing if it is none of these.
  [[nodiscard]] std::optional<int> run();

 private:
  struct Options;

  void add_schedule(CLI::App& app);
  void add_bench(CLI::App& app);

  std::unique_ptr<Options> options_;
  CLI::App* schedule_ = nullptr;
  CLI::App* bench_ = nullptr;
};

}  // namespace weft::cli
