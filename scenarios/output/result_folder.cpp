#include "scenarios/output/result_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "scenarios/output/partial_path.hpp"
#include "scenarios/results/reference.hpp"
#include "scenarios/results/tables/messages_table.hpp"
#include "scenarios/text/zstd_stream.hpp"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSummary = "summary.json";
/// All that a run may write, in the order in which it is replaced: the mark first, what makes it
/// results last.
const std::vector<std::string>& result_files() {
  static const std::vector<std::string> files = [] {
    std::vector<std::string> all{kResultMark};
    for (const TableReference& table : result_reference()) all.push_back(table.file);
    all.push_back(MessagesTable::declaration().file + std::string(kPacked));
    for (const char* trace : {"queues.csv", "marks.csv", "credits.csv", "rates.csv", "packets.csv",
                              "timeline.perfetto-trace", "timeline.json"}) {
      all.emplace_back(trace);
    }
    all.emplace_back("resolved.yaml");
    all.emplace_back(kExpectationsFile);
    all.emplace_back(kSummary);
    return all;
  }();
  return files;
}

constexpr const char* kWholeText = "weft: results of a run that came to its end\n";
constexpr const char* kInterruptedText = "weft: results of a run that was interrupted\n";

Error write_error(const fs::path& path, const std::string& reason) {
  return {.message = "cannot write results: " + reason, .where = {.file = path.string()}};
}

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(fs::symlink_status(path, none));
}

/// Of an existing folder: what in it keeps results from being put there; empty if nothing does.
std::string obstacle_in(const fs::path& folder) {
  std::error_code error;
  std::string known;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (is_partial_name(name)) continue;
    const auto& files = result_files();
    if (std::ranges::find(files, name) == files.end() || !is_file(entry.path())) {
      return "the folder holds something else (" + name + "); choose another with --out";
    }
    known = name;
  }
  if (error) return error.message();
  if (known.empty() || is_file(folder / kResultMark)) return {};
  return "the folder holds a file of that name (" + known + ") but not weft's mark (" +
         kResultMark + "), so it may be somebody else's; choose another with --out, or remove it";
}

/// An absolute path without links and without a slash at its end.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) whole = fs::absolute(path, error).lexically_normal();
  return whole.filename().empty() ? whole.parent_path() : whole;
}

/// What keeps results from `folder`.
std::string obstacle(const fs::path& folder) {
  std::error_code error;
  const fs::file_status own = fs::symlink_status(folder, error);
  if (own.type() == fs::file_type::none) return error.message();
  const fs::file_status status = fs::status(folder, error);
  if (fs::is_symlink(own) && !fs::exists(status)) return "it is a link to nothing";
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) return "there is a file of that name";
    if (std::string reason = obstacle_in(folder); !reason.empty()) return reason;
  }
  // The nearest folder that exists must let us create entries.
  fs::path above = resolved(folder);
  while (!above.empty() && above != above.root_path() && !fs::exists(above, error)) {
    above = above.parent_path();
  }
  if (!fs::is_directory(above, error)) return above.string() + " is not a folder";
  if (::access(above.c_str(), W_OK | X_OK) != 0) {
    return "no permission to write in " + above.string();
  }
  return {};
}

/// Keeps a second run out that publishes to the same folder at the same moment.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// False: somebody else has it, and there was no time to wait. Whoever has it may be no run of
  /// weft, and keep it: so nothing here is blocked in the kernel, where a signal does not reach it.
  [[nodiscard]] bool take(const ResultFolder::Continues& continues) const {
    constexpr std::chrono::milliseconds kBetween{20};
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return true;  // the file system has no locks
      if (continues && !continues()) return false;
      std::this_thread::sleep_for(kBetween);
    }
    return true;
  }

 private:
  int descriptor_;
};

}  // namespace

Errors check_output_folder(const fs::path& folder) {
  const std::string reason = obstacle(folder);
  return reason.empty() ? Errors{} : Errors{write_error(folder, reason)};
}

ResultFolder::ResultFolder(fs::path given, fs::path target, fs::path partial)
    : given_(std::move(given)), target_(std::move(target)), partial_(std::move(partial)) {}

ResultFolder::ResultFolder(ResultFolder&& other) noexcept
    : given_(std::move(other.given_)),
      target_(std::move(other.target_)),
      partial_(std::exchange(other.partial_, fs::path())) {}

ResultFolder::~ResultFolder() {
  if (partial_.empty()) return;
  std::error_code ignored;
  fs::remove_all(partial_, ignored);
}

Result<ResultFolder> ResultFolder::create(const fs::path& target) {
  if (Errors errors = check_output_folder(target); !errors.empty()) return errors;
  const fs::path whole = resolved(target);
  std::error_code error;
  const bool is_there = fs::is_directory(whole, error);
  if (!is_there) fs::create_directories(whole.parent_path(), error);
  if (error) return write_error(target, error.message());
  // In an existing folder, files can be moved to their places wherever it lies.
  for (int attempt = 0;; ++attempt) {
    const fs::path partial = partial_path(is_there ? whole / "results" : whole, attempt);
    if (fs::create_directory(partial, error)) return ResultFolder(target, whole, partial);
    if (error) return write_error(target, error.message());
  }
}

Errors ResultFolder::publish(State state, const Continues& continues) {
  const std::string reason = put_in_place(state, continues);
  const fs::path partial = keep();
  if (reason.empty()) return {};
  return {error(reason + "; they are kept in " + partial.string())};
}

/// Why not, or nothing.
std::string ResultFolder::put_in_place(State state, const Continues& continues) const {
  std::ofstream mark(partial_ / kResultMark, std::ios::binary);
  mark << (state == State::kWhole ? kWholeText : kInterruptedText);
  mark.close();
  if (!mark.good()) return kCannotWrite;
  std::error_code error;
  fs::rename(partial_, target_, error);
  if (!error) return {};
  const std::string reason = error.message();
  return fs::is_directory(target_, error) ? move_files(continues) : reason;
}

/// Into an existing folder. Why not, or nothing.
std::string ResultFolder::move_files(const Continues& continues) const {
  const FolderLock lock(target_);
  if (!lock.take(continues)) return "another program has locked the folder";
  if (std::string reason = obstacle(target_); !reason.empty()) return reason;
  std::error_code error;
  // Without a summary, a folder is no results: none is there while there are files of two runs.
  fs::remove(target_ / kSummary, error);
  for (const std::string& name : result_files()) {
    if (is_file(partial_ / name)) {
      fs::rename(partial_ / name, target_ / name, error);
    } else {
      fs::remove(target_ / name, error);
    }
    if (error) return error.message();
  }
  fs::remove(partial_, error);
  return {};
}

fs::path ResultFolder::keep() { return std::exchange(partial_, fs::path()); }

bool has_whole_results(const fs::path& folder) {
  if (!is_file(folder / kSummary) || !is_file(folder / kResultMark)) return false;
  std::ifstream mark(folder / kResultMark, std::ios::binary);
  std::string line;
  return std::getline(mark, line) && line + "\n" == kWholeText;
}

bool ResultFolder::has_whole_results() const { return scenarios::has_whole_results(target_); }

Error ResultFolder::error(const std::string& reason) const { return write_error(given_, reason); }

}  // namespace weft::scenarios
