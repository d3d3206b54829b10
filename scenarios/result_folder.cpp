#include "scenarios/result_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 13> kFiles{
    "summary.json", "jobs.csv",        "messages.csv", "ports.csv",  "classes.csv",
    "victims.csv",  "collectives.csv", "pauses.csv",   "queues.csv", "credits.csv",
    "rates.csv",    "packets.csv",     "resolved.yaml"};

/// Whether a folder holds the results of a run and nothing else, so that it may be replaced.
bool holds_only_results(const fs::path& folder, std::string& other) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (std::find(kFiles.begin(), kFiles.end(), name) == kFiles.end()) {
      other = name;
      return false;
    }
  }
  return !error;
}

Error write_error(const fs::path& path, const std::string& reason) {
  return {.message = "cannot write results: " + reason, .where = {.file = path.string()}};
}

}  // namespace

Errors check_output_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) return {write_error(folder, "there is a file of that name")};
    std::string other;
    if (!holds_only_results(folder, other)) {
      return {write_error(
          folder, "the folder holds something else (" + other + "); choose another with --out")};
    }
  }
  // The nearest folder that exists must let us create entries.
  fs::path above = fs::absolute(folder, error).lexically_normal();
  if (above.filename().empty()) above = above.parent_path();
  above = above.parent_path();
  while (!above.empty() && above != above.root_path() && !fs::exists(above, error)) {
    above = above.parent_path();
  }
  if (!fs::is_directory(above, error)) {
    return {write_error(folder, above.string() + " is not a folder")};
  }
  if (::access(above.c_str(), W_OK | X_OK) != 0) {
    return {write_error(folder, "no permission to write in " + above.string())};
  }
  return {};
}

ResultFolder::ResultFolder(fs::path given, fs::path target)
    : given_(std::move(given)),
      target_(std::move(target)),
      partial_(target_.string() + ".partial." + std::to_string(::getpid())) {}

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
  std::error_code error;
  fs::path absolute = fs::absolute(target, error).lexically_normal();
  if (absolute.filename().empty()) absolute = absolute.parent_path();
  ResultFolder folder(target, absolute);
  fs::remove_all(folder.partial_, error);
  fs::create_directories(folder.partial_, error);
  if (error) return folder.error(error.message());
  return folder;
}

Errors ResultFolder::publish() {
  std::error_code error;
  const fs::path previous = target_.string() + ".previous." + std::to_string(::getpid());
  if (fs::exists(target_, error)) {
    fs::rename(target_, previous, error);
    if (error) return {this->error(error.message())};
  }
  fs::rename(partial_, target_, error);
  if (error) {
    std::error_code ignored;
    fs::rename(previous, target_, ignored);
    return {this->error(error.message())};
  }
  partial_.clear();
  fs::remove_all(previous, error);
  return {};
}

Error ResultFolder::error(const std::string& reason) const { return write_error(given_, reason); }

}  // namespace weft::scenarios
