#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// `weft topo`: what a scenario's fabric is, in numbers or as a snapshot.
class TopoCommand {
 public:
  enum class Format : std::uint8_t { kAuto, kText, kDot, kSvg, kPng, kPdf, kHtml, kJson };

  explicit TopoCommand(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run();

 private:
  [[nodiscard]] int print() const;

  CLI::App* topo_;
  std::string scenario_;
  std::vector<std::string> overrides_;
  Format format_ = Format::kAuto;
  std::string output_;
  std::string highlight_;
  std::uint32_t boxes_ = 24;
};

}  // namespace weft::cli
