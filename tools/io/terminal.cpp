#include "tools/io/terminal.hpp"

#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "simcore/base/escape.hpp"
#include "tools/io/colour.hpp"

namespace weft {
namespace {

void put(std::string_view text, std::FILE* where) {
  std::string shown = escaped_lines(text);
  if (has_colours(::fileno(where))) shown = coloured(shown);
  std::fwrite(shown.data(), 1, shown.size(), where);
}

}  // namespace

void print(std::string_view text) { put(text, stdout); }

void print_error_text(std::string_view text) { put(text, stderr); }

bool has_no_reader(int descriptor) {
  pollfd pipe{descriptor, POLLOUT, 0};
  return ::poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

void complain(std::string_view text) { put("weft: " + escaped(text) + "\n", stderr); }

void print_errors(const Errors& errors) {
  for (const Error& error : errors) put(escaped(error.to_string()) + "\n", stderr);
  const auto count = std::ranges::count_if(
      errors, [](const Error& error) { return !error.message.starts_with(' '); });
  if (count > 1) put(std::to_string(count) + " errors\n", stderr);
}

}  // namespace weft
