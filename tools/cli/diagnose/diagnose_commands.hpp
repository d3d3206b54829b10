#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/diagnose/diagnosis.hpp"
#include "tools/diagnose/model/simulator.hpp"

namespace weft::cli {

/// `weft expect`: what a cluster should reach. `weft diagnose`: who is to blame that it does not.
class DiagnoseCommands {
 public:
  explicit DiagnoseCommands(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run();

 private:
  void add_expect(CLI::App& app);
  void add_diagnose(CLI::App& app);
  [[nodiscard]] int expect() const;
  [[nodiscard]] int diagnose() const;
  /// What was found, printed and as a page.
  [[nodiscard]] int write_page(const diagnose::Simulator& cluster,
                               const diagnose::Diagnosis& diagnosis) const;

  CLI::App* expect_ = nullptr;
  CLI::App* diagnose_ = nullptr;
  std::string scenario_;
  std::vector<std::string> overrides_;
  bool is_json_ = false;
  // Of `expect`:
  std::string operations_ = "all-reduce";
  std::string sizes_ = "1KiB,64KiB,1MiB,16MiB,64MiB,256MiB";
  std::string pair_size_ = "256MiB";
  std::uint32_t ranks_ = 0;           ///< 0: all
  std::vector<std::string> servers_;  ///< empty: all
  bool has_pairs_ = false;
  bool is_as_found_ = false;
  // Of `diagnose`:
  std::vector<std::string> evidence_;
  std::vector<std::string> baseline_;
  std::string page_;  ///< file; empty: none
};

}  // namespace weft::cli
