#pragma once

#include <filesystem>
#include <string>

#include "simcore/result.hpp"

namespace weft::scenarios {

/// The folder of a run's results, which appears complete or not at all: everything is written to a
/// folder beside it that takes its place at the end. An existing folder is replaced only if it
/// holds nothing but the results of an earlier run. What was not published is removed.
class ResultFolder {
 public:
  /// Creates the folder beside `target`.
  [[nodiscard]] static Result<ResultFolder> create(const std::filesystem::path& target);
  ~ResultFolder();
  ResultFolder(ResultFolder&& other) noexcept;
  ResultFolder& operator=(ResultFolder&&) = delete;

  /// Where to write files until they are published.
  [[nodiscard]] const std::filesystem::path& partial() const { return partial_; }
  /// Puts everything in its place. Once.
  [[nodiscard]] Errors publish();
  /// An error about these results.
  [[nodiscard]] Error error(const std::string& reason) const;

 private:
  ResultFolder(std::filesystem::path given, std::filesystem::path target);

  std::filesystem::path given_;    ///< as the user named it
  std::filesystem::path target_;   ///< absolute
  std::filesystem::path partial_;  ///< empty once published or moved from
};

/// What would stop results from being written to `folder`, to be asked before a long run: a folder
/// in the way that is not weft's, or a place that cannot be written.
[[nodiscard]] Errors check_output_folder(const std::filesystem::path& folder);

/// Why writing failed, as far as a stream can tell.
inline constexpr const char* kCannotWrite = "the disk is full or the folder cannot be written";

}  // namespace weft::scenarios
