#pragma once

#include <map>
#include <string>

#include "tools/evidence/nccl_log/members.hpp"

namespace weft::evidence {

/// Lines about calls, and about what NCCL chose for them.
class CallLines {
 public:
  /// `AllReduce: opCount 3 sendbuff .. count 256 datatype 7 op 0 root 0 comm 0x.. stream ..`, or
  /// `AllReduce: 1024 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..1}`; false: another line.
  bool read(const LogLine& line, const SourceLocation& where, Members& members);

  [[nodiscard]] std::size_t unknown_calls() const { return unknown_calls_; }
  [[nodiscard]] std::size_t unknown_choices() const { return unknown_choices_; }
  [[nodiscard]] bool has_calls() const { return has_calls_; }
  [[nodiscard]] bool has_choices() const { return has_choices_; }

 private:
  /// The last call of a process, whose choice is logged next.
  struct LastCall {
    std::string operation;
    std::int64_t bytes = 0;  ///< count times type
    std::int64_t size = 0;   ///< as in Call
    std::string address;
  };

  bool read_call(const LogLine& line, const SourceLocation& where, Members& members);
  bool read_choice(const LogLine& line, const SourceLocation& where, Members& members);

  std::map<std::string, LastCall, std::less<>> last_;  ///< by process
  std::size_t unknown_calls_ = 0;                      ///< of communicators that no line describes
  std::size_t unknown_choices_ = 0;                    ///< the same
  bool has_calls_ = false;
  bool has_choices_ = false;
};

}  // namespace weft::evidence
