#include "tools/io/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

#include "scenarios/output/partial_path.hpp"
#include "tools/io/terminal.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

Error output_error(const fs::path& path, const std::string& reason) {
  return {"cannot be written: " + reason, {path.string(), 0, 0, {}}};
}

/// The descriptor of this process that a path stands for, as /dev/stdout does: an ordinary file
/// behind it is in use and may only be continued.
std::optional<std::string> descriptor_of(const fs::path& path) {
  std::error_code none;
  for (const fs::path& at : {path, fs::read_symlink(path, none)}) {
    const fs::path folder = at.parent_path();
    if (folder == "/dev/fd" || folder == "/proc/self/fd") return at.filename().string();
  }
  return std::nullopt;
}

/// What a text is, as far as its first character tells: pages and pictures, JSON, anything else.
enum class Form : std::uint8_t { kNothing, kMarkup, kJson, kOther };

Form form_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  char first = 0;
  if (!(in >> first)) return Form::kNothing;  // skips white space
  if (first == '<') return Form::kMarkup;
  return first == '{' || first == '[' ? Form::kJson : Form::kOther;
}

/// Nothing that weft writes over a file is YAML, which is what people write for it.
bool is_of_the_user(const fs::path& target, const fs::path& text) {
  std::error_code error;
  if (!fs::is_regular_file(target, error)) return false;
  const Form before = form_of(target);
  if (before == Form::kNothing) return false;
  const std::string suffix = target.extension().string();
  return suffix == ".yaml" || suffix == ".yml" || before != form_of(text);
}

/// What keeps this kind of file from being written.
std::string refusal(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "it is a folder; a file is expected";
    case fs::file_type::block:
      return "it is a disk";
    case fs::file_type::socket:
      return "it is a socket";
    default:
      return {};
  }
}

}  // namespace

OutputFile::OutputFile(fs::path given, std::ostream& stream)
    : given_(std::move(given)), stream_(&stream) {}

OutputFile::OutputFile(fs::path given, std::unique_ptr<std::ofstream> own)
    : given_(std::move(given)), own_(std::move(own)), stream_(own_.get()) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : given_(std::move(other.given_)),
      target_(std::move(other.target_)),
      partial_(std::exchange(other.partial_, fs::path())),
      own_(std::move(other.own_)),
      stream_(other.stream_) {}

OutputFile::~OutputFile() {
  if (partial_.empty()) return;
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

Result<OutputFile> OutputFile::open(const fs::path& path) {
  if (path.empty() || is_dash(path)) return OutputFile({}, std::cout);
  const auto descriptor = descriptor_of(path);
  if (descriptor == "1") return OutputFile(path, std::cout);
  if (descriptor == "2") return OutputFile(path, std::cerr);
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::none) return output_error(path, error.message());
  if (type == fs::file_type::not_found) {
    if (fs::is_symlink(fs::symlink_status(path, error))) {
      return output_error(path, "it is a link to nothing");
    }
    return beside(path, path);
  }
  if (const std::string reason = refusal(type); !reason.empty()) return output_error(path, reason);
  if (type == fs::file_type::regular && !descriptor) {
    const fs::path target = fs::canonical(path, error);
    return error ? Result<OutputFile>(output_error(path, error.message())) : beside(path, target);
  }
  auto through = std::make_unique<std::ofstream>(path, std::ios::binary | std::ios::app);
  if (!through->is_open()) return output_error(path, std::strerror(errno));
  return OutputFile(path, std::move(through));
}

Result<OutputFile> OutputFile::beside(const fs::path& given, const fs::path& target) {
  fs::path partial;
  int made = -1;
  // Of our own making, never what somebody put there for us.
  for (int attempt = 0; made < 0; ++attempt) {
    partial = scenarios::partial_path(target, attempt);
    made = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made < 0 && errno != EEXIST) return output_error(given, std::strerror(errno));
  }
  ::close(made);
  OutputFile file(given, std::make_unique<std::ofstream>(partial, std::ios::binary));
  file.target_ = target;
  file.partial_ = partial;
  if (!file.own_->is_open()) return output_error(given, std::strerror(errno));
  std::error_code error;
  const fs::file_status before = fs::status(target, error);
  if (fs::exists(before)) fs::permissions(partial, before.permissions(), error);
  return file;
}

Errors OutputFile::commit() {
  Errors errors = finish();
  return errors.empty() ? take_place() : errors;
}

Errors OutputFile::commit_all(std::vector<OutputFile>& files) {
  Errors errors;
  for (OutputFile& file : files) {
    const Errors own = file.finish();
    errors.insert(errors.end(), own.begin(), own.end());
  }
  for (OutputFile& file : files) {
    if (errors.empty()) errors = file.take_place();
  }
  return errors;
}

Errors OutputFile::finish() {
  stream_->flush();
  if (own_) own_->close();
  if (stream_ == &std::cout && has_no_reader(STDOUT_FILENO)) return {};
  if (!stream_->good()) return {failure("the disk is full or nobody reads it")};
  if (!partial_.empty() && is_of_the_user(target_, partial_)) {
    return {failure("it is there already and holds something else; remove it, or name another")};
  }
  return {};
}

Errors OutputFile::take_place() {
  if (partial_.empty()) return {};
  std::error_code error;
  fs::rename(partial_, target_, error);
  const fs::path partial = std::exchange(partial_, fs::path());
  if (!error) return {};
  return {failure(error.message() + "; it is kept in " + partial.string())};
}

Error OutputFile::failure(const std::string& reason) const {
  return given_.empty() ? Error{"standard output cannot be written: " + reason}
                        : output_error(given_, reason);
}

bool is_dash(const fs::path& path) { return path == "-"; }

Errors write_output(const fs::path& path, std::string_view text) {
  Result<OutputFile> file = OutputFile::open(path);
  if (!file.ok()) return file.errors();
  file.value().stream() << text;
  return file.value().commit();
}

}  // namespace weft
