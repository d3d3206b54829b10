#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::cli {

/// Questions on a terminal, each asked until the answer will do. Nothing but Enter takes what
/// stands in brackets. Where the input ends, so do the questions: no answer is made up.
class Questions {
 public:
  /// A sentence that says what is wrong with an answer; empty: nothing.
  using Check = std::function<std::string(const std::string& answer)>;

  /// Each puts the answer into its last argument, which has what Enter stands for before.
  void ask(const std::string& question, const Check& check, std::string& answer);
  void ask_number(const std::string& question, double min, double max,
                  const std::function<std::string(double)>& check, double& number);
  void ask_count(const std::string& question, std::uint32_t min, std::uint32_t max,
                 std::uint32_t& number);
  /// One of these words, in small letters or large; the beginning that only one of them has will
  /// do.
  void ask_word(const std::string& question, const std::vector<std::string>& words,
                std::string& word);

  /// The input ended before an answer.
  [[nodiscard]] bool has_ended() const { return has_ended_; }

 private:
  bool has_ended_ = false;
};

}  // namespace weft::cli
