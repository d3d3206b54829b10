// The terminal by ncurses. This folder alone sees it: its macros have names such as `clear`.

#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <memory>

#include "tools/live/curses/leaving_text.hpp"
#include "tools/live/screen.hpp"

// Last: it defines words as macros.
#include <curses.h>

namespace weft::live {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

constexpr short kCalmPair = 1;
constexpr short kBusyPair = 2;
constexpr short kAlarmPair = 3;

class CursesScreen final : public Screen {
 public:
  CursesScreen(File in, File out, SCREEN* screen)
      : in_(std::move(in)), out_(std::move(out)), screen_(screen) {
    ::curs_set(0);
    ::cbreak();
    ::noecho();
    ::nodelay(stdscr, TRUE);
    ::keypad(stdscr, TRUE);  // so that a new size is heard of
    has_colour_ = ::has_colors();
    if (has_colour_) {
      ::start_color();
      ::use_default_colors();
      ::init_pair(kCalmPair, COLOR_GREEN, -1);
      ::init_pair(kBusyPair, COLOR_YELLOW, -1);
      ::init_pair(kAlarmPair, COLOR_RED, -1);
    }
  }
  ~CursesScreen() override {
    ::flushinp();
    ::endwin();
    ::delscreen(screen_);
  }

  [[nodiscard]] int columns() const override { return COLS; }
  [[nodiscard]] int rows() const override { return LINES; }
  [[nodiscard]] std::string leaving() const override { return leaving_text(); }

  void show(const std::vector<Line>& lines) override {
    while (::getch() != ERR) {
    }  // a new size among it; what was typed is nothing to us
    ::erase();
    const int count = std::min(LINES, static_cast<int>(lines.size()));
    for (int row = 0; row < count; ++row) {
      ::move(row, 0);
      for (const Piece& piece : lines[static_cast<std::size_t>(row)]) put(row, piece);
    }
    ::refresh();
  }

 private:
  void put(int row, const Piece& piece) {
    int y = 0;
    int x = 0;
    getyx(stdscr, y, x);
    if (y != row || x >= COLS) return;  // the line is full
    const int attributes = attributes_of(piece.tone);
    ::attron(attributes);
    // As many bytes as columns at most: the end of the row is not written over.
    ::addnstr(piece.text.c_str(), std::min(static_cast<int>(piece.text.size()), COLS - x));
    ::attroff(attributes);
  }

  [[nodiscard]] int attributes_of(Tone tone) const {
    const auto colour = [this](short pair) {
      return has_colour_ ? static_cast<int>(COLOR_PAIR(pair)) : 0;
    };
    switch (tone) {
      case Tone::kPlain:
        return 0;
      case Tone::kFaint:
        return static_cast<int>(A_DIM);
      case Tone::kStrong:
        return static_cast<int>(A_BOLD);
      case Tone::kCalm:
        return colour(kCalmPair);
      case Tone::kBusy:
        return colour(kBusyPair);
      case Tone::kAlarm:
        return static_cast<int>(A_BOLD) | colour(kAlarmPair);
    }
    return 0;
  }

  File in_;
  File out_;
  SCREEN* screen_;
  bool has_colour_ = false;
};

}  // namespace
}  // namespace weft::live

extern "C" __attribute__((visibility("default"))) weft::live::Screen* weft_open_screen(
    int descriptor) {
  using namespace weft::live;  // NOLINT: what the module is for
  std::setlocale(LC_CTYPE, "");
  // Keys are read from the same terminal, whatever standard input is.
  File in(::fdopen(::dup(descriptor), "r"));
  File out(::fdopen(::dup(descriptor), "w"));
  if (!in || !out) return nullptr;
  SCREEN* screen = ::newterm(nullptr, out.get(), in.get());
  if (screen == nullptr) return nullptr;
  return new CursesScreen(std::move(in), std::move(out), screen);
}
