#pragma once

#include <stdexcept>

/// Claims about the program itself; what users get wrong is a Result. There are two kinds:
///
/// - `WEFT_CHECK(condition, sentence)` is made in every build. It is for what is asked at most once
///   per message: when a run is set up, when a job posts, wakes or is told something, when results
///   are worked out. All of them together take about 20 instructions per message, none per packet.
/// - `assert` is made where NDEBUG is not defined: in debug builds, which run the tests, too. It is
///   for what is asked for each packet, event or random number.
#define WEFT_CHECK(condition, sentence) \
  ((condition) ? static_cast<void>(0)   \
               : ::weft::fail_check(sentence, #condition, __FILE_NAME__, __LINE__))

namespace weft {

/// What a claim about the program that does not hold ends: a defect of weft, not a result. It
/// leaves the run in which it was found, on whatever thread, and that run cannot continue; others
/// in the process do. `what()` begins with `broken invariant: `.
class BrokenInvariant : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws a BrokenInvariant that says what does not hold, and where.
[[noreturn]] void fail_check(const char* sentence, const char* condition, const char* file,
                             int line);

}  // namespace weft
