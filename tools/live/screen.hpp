#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::live {

enum class Tone : std::uint8_t { kPlain, kFaint, kStrong, kCalm, kBusy, kAlarm };

struct Piece {
  std::string text;
  Tone tone = Tone::kPlain;
};
using Line = std::vector<Piece>;

/// A terminal of which all rows are ours until it is closed. Made by a module, which alone sees
/// curses.
class Screen {
 public:
  Screen() = default;
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  virtual ~Screen() = default;

  [[nodiscard]] virtual int columns() const = 0;
  [[nodiscard]] virtual int rows() const = 0;
  /// Shows these lines from the top; what does not fit is cut.
  virtual void show(const std::vector<Line>& lines) = 0;
  /// What is to be written to the terminal to leave the screen where nobody can call the destructor
  /// any more.
  [[nodiscard]] virtual std::string leaving() const = 0;
};

/// What the module exports as `weft_open_screen`: a screen on the terminal behind a descriptor;
/// null if it is none that curses can use.
using OpenScreen = Screen* (*)(int descriptor);

}  // namespace weft::live
