#include "scenarios/session/fluid_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "scenarios/columns/bytes.hpp"
#include "scenarios/language/yaml/node.hpp"
#include "simcore/base/module.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace weft::scenarios {
namespace {

using language::Node;

/// Where the program has its end of the socket.
constexpr int kSocket = 3;
constexpr int kPollMilliseconds = 50;
constexpr std::uint64_t kMaxFrame = std::uint64_t{1} << 36U;

/// What a frame holds: progress, the record of the run, or why there is none; to the program, what
/// to do, and that it is to stop.
enum class Frame : std::uint8_t { kRequest, kStop, kProgress, kRecord, kFailure };

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

/// False: the other end is gone. Without a signal for that, which a host may not expect.
bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive_all(int from, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(from, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send_frame(int to, Frame kind, const std::string& content) {
  std::string head;
  ByteWriter out(head);
  out.add(kind);
  out.add(static_cast<std::uint64_t>(content.size()));
  return send_all(to, head) && send_all(to, content);
}

bool receive_frame(int from, Frame& kind, std::string& content) {
  std::array<char, sizeof(Frame) + sizeof(std::uint64_t)> head{};
  if (!receive_all(from, head.data(), head.size())) return false;
  ByteReader in(std::string_view(head.data(), head.size()));
  std::uint64_t size = 0;
  in.read(kind);
  in.read(size);
  if (size > kMaxFrame) return false;
  content.resize(size);
  return receive_all(from, content.data(), size);
}

/// Whether something can be received before long, the end included.
bool can_be_received(int from, int milliseconds) {
  pollfd waits{.fd = from, .events = POLLIN, .revents = 0};
  return ::poll(&waits, 1, milliseconds) > 0;
}

void add_node(ByteWriter& out, const Node& node) {
  out.add(node.kind);
  out.add(node.mark.line);
  out.add(node.mark.column);
  out.add(node.mark.is_default);
  out.add(node.source);
  out.add(node.text);
  out.add(static_cast<std::uint64_t>(node.items.size()));
  for (const Node& item : node.items) add_node(out, item);
  out.add(static_cast<std::uint64_t>(node.entries.size()));
  for (const Node::Entry& entry : node.entries) {
    out.add(entry.key);
    out.add(entry.key_mark.line);
    out.add(entry.key_mark.column);
    add_node(out, entry.value);
  }
}

void read_node(ByteReader& in, Node& node) {
  in.read(node.kind);
  in.read(node.mark.line);
  in.read(node.mark.column);
  in.read(node.mark.is_default);
  in.read(node.source);
  in.read(node.text);
  std::uint64_t count = 0;
  in.read(count);
  while (count-- > 0 && !in.has_failed()) read_node(in, node.items.emplace_back());
  in.read(count);
  while (count-- > 0 && !in.has_failed()) {
    Node::Entry& entry = node.entries.emplace_back();
    in.read(entry.key);
    in.read(entry.key_mark.line);
    in.read(entry.key_mark.column);
    read_node(in, entry.value);
  }
}

/// Calls `visit` with every member of a request that is sent.
template <class Request, class Visit>
void for_each_request_member(Request& r, Visit visit) {
  visit(r.is_isolated);
  visit(r.version);
  visit(r.invocation.command_line);
  visit(r.invocation.scenario_file);
  visit(r.invocation.overrides);
  visit(r.invocation.without);
}

std::string request_bytes(const ScenarioTemplate& scenario,
                          const std::vector<std::string>& overrides, const RunRequest& request) {
  std::string bytes;
  ByteWriter out(bytes);
  add_node(out, scenario.root());
  out.add(scenario.filename().string());
  out.add(overrides);
  for_each_request_member(request, [&](const auto& member) { out.add(member); });
  out.add(static_cast<std::int8_t>(request.keeps_messages ? *request.keeps_messages : -1));
  out.add(request.folder.string());
  return bytes;
}

std::string failure_bytes(const Failure& failure) {
  std::string bytes;
  ByteWriter out(bytes);
  out.add(failure.kind);
  out.add(static_cast<std::uint64_t>(failure.errors.size()));
  for (const Error& error : failure.errors) {
    out.add(error.message);
    out.add(error.where.file);
    out.add(error.where.line);
    out.add(error.where.column);
    out.add(error.where.key);
  }
  return bytes;
}

Failure failure_from(std::string_view bytes) {
  Failure failure;
  ByteReader in(bytes);
  std::uint64_t errors = 0;
  in.read(failure.kind);
  in.read(errors);
  while (errors-- > 0 && !in.has_failed()) {
    Error& error = failure.errors.emplace_back();
    in.read(error.message);
    in.read(error.where.file);
    in.read(error.where.line);
    in.read(error.where.column);
    in.read(error.where.key);
  }
  return failure;
}

Failure lost(const std::string& message) {
  return {Failure::Kind::kRun, {Error{.message = message}}};
}

/// A program that runs, until it is waited for.
class Child {
 public:
  ~Child() {
    if (process_ < 0) return;
    ::kill(process_, SIGKILL);
    static_cast<void>(wait());
  }
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// With `socket` as its kSocket and without an output. The system's reason if it cannot.
  [[nodiscard]] std::string spawn(const std::string& program, int socket) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, socket, kSocket);
    std::string name = program;
    std::array<char*, 2> arguments{name.data(), nullptr};
    const int error =
        ::posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return {};
    process_ = -1;
    return std::strerror(error);
  }
  /// Its status when it has ended.
  [[nodiscard]] int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  pid_t process_ = -1;
};

/// Reads frames until the run there is over. Nothing: the program is gone.
std::optional<std::variant<RunRecord, Failure>> follow(int socket,
                                                       const ProgressObserver& observer) {
  Progress now;
  bool is_stopped = false;
  Frame kind{};
  std::string content;
  for (;;) {
    // It is asked while nothing comes, too: who watches may want to stop before the first message.
    if (!is_stopped && observer && !observer(now)) {
      is_stopped = true;
      if (!send_frame(socket, Frame::kStop, {})) return {};
    }
    if (!can_be_received(socket, kPollMilliseconds)) continue;
    if (!receive_frame(socket, kind, content)) return {};
    if (kind == Frame::kFailure) return failure_from(content);
    if (kind == Frame::kRecord) {
      auto record = record_from_bytes(content);
      if (!record) return Failure{Failure::Kind::kDefect, record.errors()};
      return std::move(record).value();
    }
    ByteReader in(content);
    std::int64_t time = 0;
    double done = 0;
    in.read(time);
    in.read(now.count);
    in.read(done);
    in.read(now.is_last);
    now.now = Picoseconds(time);
    now.done = done < 0 ? std::nullopt : std::optional(done);
  }
}

/// What the program does with a request.
std::variant<RunRecord, Failure> run_request(std::string_view bytes) {
  Node root;
  std::string filename;
  std::vector<std::string> overrides;
  RunRequest request;
  std::int8_t keeps = -1;
  std::string folder;
  ByteReader in(bytes);
  read_node(in, root);
  in.read(filename);
  in.read(overrides);
  for_each_request_member(request, [&](auto& member) { in.read(member); });
  in.read(keeps);
  in.read(folder);
  if (in.has_failed()) return lost("the program for the fluid engine is of another version");
  if (keeps >= 0) request.keeps_messages = keeps != 0;
  request.folder = folder;
  request.is_fluid = true;
  const auto loaded = ScenarioTemplate(std::move(root), filename).load(overrides);
  if (!loaded) return Failure{Failure::Kind::kScenario, loaded.errors()};
  auto session = open_session(loaded.value());
  if (!session) return Failure{Failure::Kind::kScenario, session.errors()};
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kBetween{kPollMilliseconds};
  Clock::time_point told{};
  bool is_stopped = false;
  return perform(session.value(), request, [&](const Progress& progress) {
    const Clock::time_point now = Clock::now();
    if (!progress.is_last && now - told < kBetween) return !is_stopped;
    told = now;
    std::string content;
    ByteWriter out(content);
    out.add(progress.now.count());
    out.add(progress.count);
    out.add(progress.done.value_or(-1));
    out.add(progress.is_last);
    // Whatever can be received is a stop, or the end of who asked.
    is_stopped |= !send_frame(kSocket, Frame::kProgress, content) || can_be_received(kSocket, 0);
    return !is_stopped;
  });
}

}  // namespace

std::variant<RunRecord, Failure> perform_elsewhere(const ScenarioTemplate& scenario,
                                                   const std::vector<std::string>& overrides,
                                                   const RunRequest& request,
                                                   const ProgressObserver& observer) {
  const auto program = found_beside(kFluidProgram);
  if (!program) return Failure{Failure::Kind::kRun, program.errors()};
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return lost(std::string("no socket for the fluid engine: ") + std::strerror(errno));
  }
  const Descriptor mine(ends[0]);
  Descriptor its(ends[1]);
  Child child;
  if (const std::string reason = child.spawn(program.value(), its.number()); !reason.empty()) {
    return lost(program.value() + ", which runs the fluid engine, cannot be started: " + reason);
  }
  its.close();
  std::optional<std::variant<RunRecord, Failure>> result;
  if (send_frame(mine.number(), Frame::kRequest, request_bytes(scenario, overrides, request))) {
    result = follow(mine.number(), observer);
  }
  if (result) return std::move(*result);
  const int status = child.wait();
  return lost(WIFSIGNALED(status)
                  ? "the fluid engine ended by signal " + std::to_string(WTERMSIG(status))
                  : "the fluid engine ended with code " + std::to_string(WEXITSTATUS(status)));
}

int serve_fluid_run() {
  // A terminal's Ctrl-C reaches everybody; who asked for the run decides what it means.
  ::signal(SIGINT, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Frame kind{};
  std::string content;
  if (!receive_frame(kSocket, kind, content) || kind != Frame::kRequest) return 2;
  const std::variant<RunRecord, Failure> result = run_request(content);
  const auto* record = std::get_if<RunRecord>(&result);
  const bool is_sent = record != nullptr ? send_frame(kSocket, Frame::kRecord, bytes_of(*record))
                                         : send_frame(kSocket, Frame::kFailure,
                                                      failure_bytes(std::get<Failure>(result)));
  return is_sent ? 0 : 1;
}

}  // namespace weft::scenarios
