#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "collectives/runtime/retiring_log.hpp"
#include "collectives/steps/step.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// A time that a lane of a collective spent on something. The times of a lane from the begin to the
/// end of an iteration are covered by its spans without gaps.
struct Span {
  enum class Kind : std::uint8_t {
    kReceive,          ///< waiting for a message; `connection` and `ordinal` say which
    kLane,             ///< waiting for another lane of the rank, number `ordinal`
    kAcknowledgement,  ///< waiting until a message of `connection` was acknowledged
    kControlEvent,     ///< waiting for control events, the last of which came from rank `ordinal`
    kWork,             ///< see `work`
  };
  Picoseconds begin;
  Picoseconds end;
  Kind kind = Kind::kWork;
  Step::Work work = Step::Work::kOther;
  ConnectionId connection;
  /// Which of the messages that the connection delivered it is. Of a relayed message it is the last
  /// chunk, on the second leg.
  std::uint32_t ordinal = 0;
  std::uint32_t chunks = 0;  ///< of a relayed message
};

/// The spans of a lane in order, but for those that are forgotten: twenty bytes each, for there is
/// one for every message and more.
class SpanLog {
 public:
  /// `span` begins where the last one ended or later.
  void add(const Span& span) {
    if (log_.empty() || log_.back().end() != span.begin) {
      log_.push_back(Entry(span.begin, Entry::kNoKind, {}, {}, 0));
    }
    if (span.chunks > 0) {
      log_.push_back(Entry(span.begin, Entry::kNoKind, {}, {}, span.chunks));
    }
    log_.push_back(Entry(span.end, static_cast<std::uint8_t>(span.kind), span.work, span.connection,
                         span.ordinal));
  }
  /// The last one that ended at `now` or before, if it is known.
  [[nodiscard]] std::optional<Span> last(Picoseconds now) const {
    std::size_t i = log_.partition_point([now](const Entry& e) { return e.end() <= now; });
    while (i > log_.first() && !log_[i - 1].is_span()) --i;
    if (i <= log_.first() + 1) return {};  // it has no begin
    return span_at(i - 1);
  }
  /// Visits those from one time to another.
  template <class Visit>
  void for_each(Picoseconds from, Picoseconds until, Visit visit) const {
    std::size_t i = log_.partition_point([from](const Entry& e) { return e.end() < from; });
    for (i = std::max(i, log_.first() + 1); i < log_.size() && log_[i].end() <= until; ++i) {
      if (log_[i].is_span() && log_[i - 1].end() >= from) visit(span_at(i));
    }
  }
  /// Forgets those that ended before this time.
  void forget_before(Picoseconds time) {
    const std::size_t i = log_.partition_point([time](const Entry& e) { return e.end() < time; });
    // The one before says when the next one began.
    if (i > log_.first()) log_.forget_before(i - 1);
  }

 private:
  /// The end of a span; or, of no kind, where one begins that does not begin with the end of
  /// another, or how many chunks the next one waited for.
  class Entry {
   public:
    static constexpr std::uint8_t kNoKind = 0xff;

    Entry() = default;
    Entry(Picoseconds end, std::uint8_t kind, Step::Work work, ConnectionId connection,
          std::uint32_t number)
        : end_low_(static_cast<std::uint32_t>(end.count())),
          end_high_(static_cast<std::uint32_t>(end.count() >> 32U)),
          connection_(connection.value()),
          number_(number),
          kind_(kind),
          work_(work) {}

    [[nodiscard]] Picoseconds end() const {
      return Picoseconds(static_cast<std::int64_t>(std::uint64_t{end_high_} << 32U | end_low_));
    }
    [[nodiscard]] bool is_span() const { return kind_ != kNoKind; }
    [[nodiscard]] Span::Kind kind() const { return static_cast<Span::Kind>(kind_); }
    [[nodiscard]] Step::Work work() const { return work_; }
    [[nodiscard]] ConnectionId connection() const { return ConnectionId(connection_); }
    [[nodiscard]] std::uint32_t number() const { return number_; }

   private:
    std::uint32_t end_low_ = 0;
    std::uint32_t end_high_ = 0;
    std::uint32_t connection_ = 0;
    std::uint32_t number_ = 0;
    std::uint8_t kind_ = kNoKind;
    Step::Work work_ = Step::Work::kOther;
  };
  static_assert(sizeof(Entry) == 20);

  [[nodiscard]] Span span_at(std::size_t i) const {
    const Entry& entry = log_[i];
    const Entry& before = log_[i - 1];
    return {.begin = before.end(),
            .end = entry.end(),
            .kind = entry.kind(),
            .work = entry.work(),
            .connection = entry.connection(),
            .ordinal = entry.number(),
            .chunks = before.is_span() ? 0 : before.number()};
  }

  RetiringLog<Entry> log_;
};

}  // namespace weft::collectives
