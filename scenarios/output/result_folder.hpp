#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// In every folder of results: only a folder that has it is written to again.
inline constexpr const char* kResultMark = ".weft-results";

/// Conditions that a run was to fulfil (`weft run --expect`), and whether it does.
inline constexpr const char* kExpectationsFile = "expectations.json";

/// The folder of a run's results. They are written elsewhere first: a new folder appears complete
/// or not at all; in an existing one, which stays the folder that it is (a link, a mount point,
/// somebody's working directory), the files of an earlier run are replaced one by one within a
/// moment, summary.json last. A folder is existing results only if it carries weft's mark and holds
/// nothing but weft's files. What was neither published nor kept is removed.
class ResultFolder {
 public:
  /// Whether a run came to its end or somebody stopped it.
  enum class State : std::uint8_t { kWhole, kInterrupted };

  /// Asked every few milliseconds; without one, there is no end to waiting.
  using Continues = std::function<bool()>;

  /// Creates the folder to write to.
  [[nodiscard]] static Result<ResultFolder> create(const std::filesystem::path& target);
  ~ResultFolder();
  ResultFolder(ResultFolder&& other) noexcept;
  ResultFolder& operator=(ResultFolder&&) = delete;

  /// Where to write files until they are published.
  [[nodiscard]] const std::filesystem::path& partial() const { return partial_; }
  /// Puts everything in its place. Once. Where that fails, it stays in a folder that the error
  /// names. Another run may be at the same: `continues` is asked while that is waited for, and
  /// false ends the waiting.
  [[nodiscard]] Errors publish(State state = State::kWhole, const Continues& continues = {});
  /// Leaves everything where it is, and says where. Once.
  [[nodiscard]] std::filesystem::path keep();
  /// Whether there are results of a run that came to its end.
  [[nodiscard]] bool has_whole_results() const;
  /// An error about these results.
  [[nodiscard]] Error error(const std::string& reason) const;

 private:
  ResultFolder(std::filesystem::path given, std::filesystem::path target,
               std::filesystem::path partial);

  [[nodiscard]] std::string put_in_place(State state, const Continues& continues) const;
  [[nodiscard]] std::string move_files(const Continues& continues) const;

  std::filesystem::path given_;    ///< as the user named it
  std::filesystem::path target_;   ///< absolute, links resolved
  std::filesystem::path partial_;  ///< beside `target_`, or in it; empty once published or kept
};

/// What would stop results from being written to `folder`, to be asked before a long run: a folder
/// in the way that is not weft's, or a place that cannot be written.
[[nodiscard]] Errors check_output_folder(const std::filesystem::path& folder);

/// Whether a folder has results of a run that came to its end.
[[nodiscard]] bool has_whole_results(const std::filesystem::path& folder);

/// Why writing failed, as far as a stream can tell.
inline constexpr const char* kCannotWrite = "the disk is full or the folder cannot be written";

}  // namespace weft::scenarios
