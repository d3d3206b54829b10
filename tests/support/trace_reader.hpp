#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

/// Traces as a viewer reads them, written from the descriptions of their formats and without what
/// writes them: protocol buffers byte by byte (protobuf.dev, "Encoding"), and Perfetto's messages
/// by the numbers of their fields (protos/perfetto/trace).
namespace weft::testing {

/// What a viewer shows. Times in nanoseconds.
struct ReadTrace {
  using Track = std::pair<std::string, std::string>;  ///< names of a process and of its thread
  struct Slice {
    std::string name;
    std::string category;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::map<std::string, std::string> notes;
    auto operator<=>(const Slice&) const = default;
  };
  struct End {
    Track track;
    std::int64_t time = 0;
    auto operator<=>(const End&) const = default;
  };
  struct Arrow {
    std::vector<End> from;
    std::vector<End> to;
  };
  std::map<Track, std::vector<Slice>> slices;  ///< by begin
  std::map<std::string, Arrow> arrows;
  std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> counters;

  [[nodiscard]] std::vector<std::pair<Track, Slice>> of_category(const std::string& name) const {
    std::vector<std::pair<Track, Slice>> all;
    for (const auto& [track, list] : slices) {
      for (const Slice& s : list) {
        if (s.category == name) all.emplace_back(track, s);
      }
    }
    return all;
  }
  /// From where to where, each once or more often.
  [[nodiscard]] std::multiset<std::pair<End, End>> pairs() const {
    std::multiset<std::pair<End, End>> all;
    for (const auto& [id, arrow] : arrows) {
      for (const End& to : arrow.to) all.insert({arrow.from.at(0), to});
    }
    return all;
  }
};

/// A message of protocol buffers: its fields in their order.
class WireMessage {
 public:
  struct Field {
    std::uint32_t number = 0;
    std::uint64_t value = 0;  ///< of integers
    std::string_view bytes;   ///< of texts and messages
  };
  explicit WireMessage(std::string_view bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
      const std::uint64_t key = varint(bytes, at);
      Field field{.number = static_cast<std::uint32_t>(key >> 3U), .bytes = {}};
      switch (key & 7U) {
        case 0:
          field.value = varint(bytes, at);
          break;
        case 1:
          if (bytes.size() - at < 8) throw std::runtime_error("fixed64 is cut");
          for (std::size_t i = 0; i < 8; ++i) {
            field.value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
          }
          at += 8;
          break;
        case 2: {
          const std::uint64_t length = varint(bytes, at);
          if (length > bytes.size() - at) throw std::runtime_error("a field is cut");
          field.bytes = bytes.substr(at, length);
          at += length;
          break;
        }
        default:
          throw std::runtime_error("a wire type that nobody writes");
      }
      fields.push_back(field);
    }
  }
  [[nodiscard]] std::vector<Field> all(std::uint32_t number) const {
    std::vector<Field> found;
    for (const Field& f : fields) {
      if (f.number == number) found.push_back(f);
    }
    return found;
  }
  /// The only field of a number; nothing in it if there is none.
  [[nodiscard]] Field one(std::uint32_t number) const {
    const std::vector<Field> found = all(number);
    if (found.size() > 1) throw std::runtime_error("a field comes twice");
    return found.empty() ? Field{} : found.front();
  }
  [[nodiscard]] bool has(std::uint32_t number) const { return !all(number).empty(); }

  std::vector<Field> fields;

 private:
  static std::uint64_t varint(std::string_view bytes, std::size_t& at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at >= bytes.size()) throw std::runtime_error("a number is cut");
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("a number of more than ten bytes");
  }
};

/// Reads Perfetto's format. What a viewer could not make sense of is a failure of the test: a track
/// that was not described, a word that was not said, an end without a begin and a begin without an
/// end, slices that do not nest.
class PerfettoReader {
 public:
  [[nodiscard]] static ReadTrace read(const std::string& bytes) {
    PerfettoReader reader;
    for (const WireMessage::Field& f : WireMessage(bytes).fields) {
      EXPECT_EQ(f.number, 1U) << "a trace is packets";
      reader.take(WireMessage(f.bytes));
    }
    reader.put_together();
    return std::move(reader.trace_);
  }

 private:
  struct Track {
    std::string name;
    std::uint64_t parent = 0;
    bool is_counter = false;
  };
  struct Event {
    std::int64_t time = 0;
    std::uint64_t type = 0;
    std::uint64_t track = 0;
    std::string name;
    std::string category;
    std::int64_t value = 0;
    std::map<std::string, std::string> notes;
    std::vector<std::uint64_t> begins;
    std::vector<std::uint64_t> ends;
  };
  using Words = std::map<std::uint64_t, std::string>;
  struct Sequence {
    bool is_cleared = false;
    std::map<std::uint32_t, Words> words;  ///< by the field of InternedData
  };

  void take(const WireMessage& packet) {
    const std::uint64_t id = packet.one(10).value;
    EXPECT_GT(id, 0U) << "every packet is of a sequence";
    Sequence& sequence = sequences_[id];
    const std::uint64_t flags = packet.one(13).value;
    if ((flags & 1U) != 0) sequence = {.is_cleared = true, .words = {}};
    EXPECT_TRUE((flags & 2U) == 0 || sequence.is_cleared);
    if (packet.has(12)) {
      for (const WireMessage::Field& f : WireMessage(packet.one(12).bytes).fields) {
        const WireMessage entry(f.bytes);
        const bool is_new = sequence.words[f.number]
                                .emplace(entry.one(1).value, std::string(entry.one(2).bytes))
                                .second;
        EXPECT_TRUE(is_new) << "a word has one number";
      }
    }
    if (packet.has(60)) describe(WireMessage(packet.one(60).bytes));
    if (!packet.has(11)) return;
    const auto word = [&](std::uint32_t field, std::uint64_t number) -> std::string {
      const auto found = sequence.words[field].find(number);
      if (found == sequence.words[field].end()) throw std::runtime_error("a word was not said");
      return found->second;
    };
    const WireMessage e(packet.one(11).bytes);
    Event& event = events_.emplace_back();
    event.time = static_cast<std::int64_t>(packet.one(8).value);
    event.type = e.one(9).value;
    event.track = e.one(11).value;
    event.value = static_cast<std::int64_t>(e.one(30).value);
    if (e.has(10)) event.name = word(2, e.one(10).value);
    if (e.has(3)) event.category = word(1, e.one(3).value);
    for (const WireMessage::Field& f : e.all(4)) {
      const WireMessage note(f.bytes);
      event.notes[word(3, note.one(1).value)] =
          note.has(17) ? word(29, note.one(17).value) : std::to_string(note.one(4).value);
    }
    for (const WireMessage::Field& f : e.all(47)) event.begins.push_back(f.value);
    for (const WireMessage::Field& f : e.all(48)) event.ends.push_back(f.value);
  }

  void describe(const WireMessage& descriptor) {
    Track track{.name = {}, .parent = descriptor.one(5).value, .is_counter = descriptor.has(8)};
    if (descriptor.has(3)) {
      const WireMessage process(descriptor.one(3).bytes);
      track.name = process.one(6).bytes;
      EXPECT_TRUE(processes_.insert(process.one(1).value).second) << "a process is described once";
    } else if (descriptor.has(4)) {
      const WireMessage thread(descriptor.one(4).bytes);
      track.name = thread.one(5).bytes;
      EXPECT_TRUE(processes_.contains(thread.one(1).value)) << "a thread is of a process";
      EXPECT_TRUE(threads_.insert(thread.one(2).value).second)
          << "threads have numbers of their own";
    } else {
      track.name = descriptor.one(2).bytes;
    }
    EXPECT_TRUE(tracks_.emplace(descriptor.one(1).value, track).second);
  }

  void put_together() {
    // As viewers sort: by time, and at one time in the order of the file.
    std::ranges::stable_sort(events_, {}, &Event::time);
    std::map<std::uint64_t, std::vector<ReadTrace::Slice>> open;
    for (const Event& e : events_) {
      const auto found = tracks_.find(e.track);
      if (found == tracks_.end()) throw std::runtime_error("a track was not described");
      const Track& track = found->second;
      const ReadTrace::Track names{tracks_[track.parent].name, track.name};
      for (const std::uint64_t id : e.begins) {
        trace_.arrows[std::to_string(id)].from.push_back({names, e.time});
      }
      for (const std::uint64_t id : e.ends) {
        trace_.arrows[std::to_string(id)].to.push_back({names, e.time});
      }
      std::vector<ReadTrace::Slice>& stack = open[e.track];
      switch (e.type) {
        case 1:
          stack.push_back({e.name, e.category, e.time, -1, e.notes});
          EXPECT_EQ(stack.size(), 1U) << "slices of a track do not overlap: " << names.first << ", "
                                      << names.second << " at " << e.time;
          break;
        case 2:
          ASSERT_FALSE(stack.empty()) << "an end without a begin: " << names.second;
          stack.back().end = e.time;
          trace_.slices[names].push_back(stack.back());
          stack.pop_back();
          break;
        case 3:
          trace_.slices[names].push_back({e.name, e.category, e.time, e.time, e.notes});
          break;
        case 4:
          EXPECT_TRUE(track.is_counter);
          trace_.counters[track.name].emplace_back(e.time, e.value);
          break;
        default:
          ADD_FAILURE() << "an event of type " << e.type;
      }
    }
    for (const auto& [track, stack] : open) {
      EXPECT_TRUE(stack.empty()) << "a begin without an end: " << tracks_[track].name;
    }
  }

  std::map<std::uint64_t, Sequence> sequences_;
  std::map<std::uint64_t, Track> tracks_;
  std::set<std::uint64_t> processes_;
  std::set<std::uint64_t> threads_;
  std::vector<Event> events_;
  ReadTrace trace_;
};

/// Reads Chrome's format; times are cut to nanoseconds.
inline ReadTrace read_json_trace(const std::string& text) {
  ReadTrace trace;
  const auto json = nlohmann::json::parse(text);
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> threads;
  for (const auto& e : json.at("traceEvents")) {
    if (e.at("ph") != "M" || !e.at("args").contains("name")) continue;
    const std::string name = e.at("args").at("name");
    if (e.at("name") == "process_name") processes[e.at("pid")] = name;
    if (e.at("name") == "thread_name") threads[{e.at("pid"), e.at("tid")}] = name;
  }
  const auto picoseconds = [](const nlohmann::json& us) {
    return std::llround(us.get<double>() * 1e6);
  };
  for (const auto& e : json.at("traceEvents")) {
    const std::string phase = e.at("ph");
    if (phase == "C") {
      trace.counters[e.at("name")].emplace_back(picoseconds(e.at("ts")) / 1000,
                                                e.at("args").at("value").get<std::int64_t>());
    }
    if (phase != "X") continue;
    const ReadTrace::Track track{processes.at(e.at("pid")), threads.at({e.at("pid"), e.at("tid")})};
    const std::int64_t begin = picoseconds(e.at("ts"));
    const std::int64_t end = begin + picoseconds(e.at("dur"));
    ReadTrace::Slice slice{e.at("name"), e.at("cat"), begin / 1000, end / 1000, {}};
    if (e.contains("args")) {
      for (const auto& [key, value] : e.at("args").items()) {
        slice.notes[key] = value.is_string() ? value.get<std::string>() : value.dump();
      }
    }
    trace.slices[track].push_back(slice);
    if (e.contains("flow_out")) trace.arrows[e.at("bind_id")].from.push_back({track, begin / 1000});
    if (e.contains("flow_in")) trace.arrows[e.at("bind_id")].to.push_back({track, begin / 1000});
  }
  return trace;
}

}  // namespace weft::testing
