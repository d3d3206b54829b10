#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "scenarios/timeline/trace_format.hpp"

namespace weft::scenarios {

/// Perfetto's own format: messages of protocol buffers, each a packet of `perfetto.protos.Trace`.
/// Times are cut to nanoseconds, the finest that it has. A slice is two packets, its begin and its
/// end; a name is written once and then goes by its number.
///
/// Files of several of these, one after the other, are one trace if their `sequence`s differ.
class PerfettoFormat final : public TraceFormat {
 public:
  /// `sequence`: above 0.
  explicit PerfettoFormat(std::uint32_t sequence);

  void open(std::string& out) override;
  void add_process(std::string& out, const TraceTrack& track, std::string_view name) override;
  void add_thread(std::string& out, const TraceTrack& track, std::string_view name) override;
  void add_counter(std::string& out, const TraceTrack& track, std::string_view name,
                   bool is_of_bytes) override;
  void slice(std::string& out, const TraceTrack& track, const TraceSlice& slice) override;
  void arrival(std::string& out, const TraceTrack& track, const TraceArrival& arrival) override;
  void value(std::string& out, const TraceTrack& track, std::string_view name, Picoseconds time,
             std::int64_t value) override;
  void close(std::string& /*out*/) override {}

 private:
  /// Words of a kind, which go by their numbers once they were said.
  struct Words {
    std::uint32_t field = 0;  ///< where they are said
    std::unordered_map<std::string, std::uint64_t> numbers{};
  };
  /// The number of a word; where it is new, it is said in `interned`.
  [[nodiscard]] static std::uint64_t number_of(Words& words, std::string_view word,
                                               std::string& interned);
  /// What goes by numbers in a note.
  struct Note {
    std::uint64_t name = 0;  ///< 0: there is none
    std::uint64_t text = 0;  ///< 0: it has a number
    std::int64_t number = 0;
  };
  [[nodiscard]] Note words_of(const TraceNote& note, std::string& interned);
  template <class Fill>
  void packet(std::string& out, Fill fill) const;
  /// Of a slice's begin or of an arrival; `fill(event)` adds what else there is.
  template <class Fill>
  void named_event(std::string& out, const TraceTrack& track, Picoseconds time, std::uint32_t type,
                   std::string_view name, const char* category, std::string& interned, Fill fill);

  std::uint32_t sequence_;
  Words categories_;
  Words names_;
  Words note_names_;
  Words note_texts_;
};

}  // namespace weft::scenarios
