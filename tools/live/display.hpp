#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/live/screen.hpp"

/// What runs and sweeps show of themselves while they run, by `--live`.
namespace weft::live {

/// What there is to see, put together only when it is shown.
struct View {
  /// The lines that fit into `rows` rows of `columns` columns.
  std::function<std::vector<Line>(int columns, int rows)> picture;
  std::function<std::string()> sentence;
};

/// A screen where standard error is a terminal that this process may use; otherwise (a file or a
/// pipe, TERM=dumb, NO_COLOR, a job in the background) a line on standard error now and then, and
/// one at the end.
///
/// While there is a screen, standard error is kept, and written when it is gone. Whatever ends the
/// process then, signals and aborts included, first leaves the screen.
class Display {
 public:
  Display();
  ~Display();
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  /// Shows the view if it is time; `is_last`: anyway.
  void update(const View& view, bool is_last = false);

 private:
  using Clock = std::chrono::steady_clock;

  std::unique_ptr<Screen> screen_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
};

/// Leaves the screen, if there is one, by what signal handlers may do.
void leave_screen() noexcept;

/// Text at the left or right end of a field of `columns` columns; cut if it is longer.
[[nodiscard]] std::string left(const std::string& text, std::size_t columns);
[[nodiscard]] std::string right(const std::string& text, std::size_t columns);
/// `[#####     ]`, for a share from 0 to 1.
[[nodiscard]] std::string bar(double share, std::size_t columns);
/// Wall time: `12 s`, `3 min 04 s`, `2 h 10 min`.
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace weft::live
