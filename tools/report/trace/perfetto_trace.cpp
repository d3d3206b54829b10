#include <fstream>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <unordered_map>

#include "scenarios/timeline/perfetto_fields.hpp"
#include "tools/report/trace/trace_events.hpp"

namespace weft::report {
namespace {

using protozero::pbf_reader;

using namespace scenarios::perfetto;  // numbers of fields, and nothing else

/// Before each packet of a file: its field, and that it is a message.
constexpr std::uint8_t kPacketTag = (kPacket << 3U) | 2U;

/// Longer packets are none that weft writes.
constexpr std::uint64_t kMaxPacket = 1U << 26U;

/// Packets of a file, one after the other.
class PacketReader {
 public:
  explicit PacketReader(const std::filesystem::path& file) : in_(file, std::ios::binary) {}

  /// False at the end of the file, and where it ends within a packet.
  bool next() {
    std::uint8_t tag = 0;
    if (!byte(tag) || tag != kPacketTag) return false;
    std::uint64_t size = 0;
    if (!varint(size) || size > kMaxPacket) return false;
    if (!fill(size)) return false;
    packet_ = {buffer_.data() + at_, size};
    at_ += size;
    return true;
  }
  [[nodiscard]] std::string_view packet() const { return packet_; }

 private:
  static constexpr std::size_t kChunk = 1U << 20U;

  /// Whether `wanted` bytes from `at_` on are in the buffer, which is filled for that.
  bool fill(std::size_t wanted) {
    if (buffer_.size() - at_ >= wanted) return true;
    buffer_.erase(0, at_);
    at_ = 0;
    while (buffer_.size() < wanted && in_) {
      const std::size_t before = buffer_.size();
      buffer_.resize(before + kChunk);
      in_.read(buffer_.data() + before, kChunk);
      buffer_.resize(before + static_cast<std::size_t>(in_.gcount()));
    }
    return buffer_.size() >= wanted;
  }
  bool byte(std::uint8_t& to) {
    if (!fill(1)) return false;
    to = static_cast<std::uint8_t>(buffer_[at_++]);
    return true;
  }
  bool varint(std::uint64_t& to) {
    std::uint8_t part = 0;
    for (std::uint32_t shift = 0; shift < 64; shift += 7) {
      if (!byte(part)) return false;
      to |= static_cast<std::uint64_t>(part & 0x7FU) << shift;
      if ((part & 0x80U) == 0) return true;
    }
    return false;
  }

  std::ifstream in_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::string_view packet_;
};

/// Texts by number; each sequence of packets has its own.
using Words = std::unordered_map<std::uint64_t, std::string>;
struct Sequence {
  Words names;
  Words note_names;
  Words note_texts;
};

std::string_view word(const Words& words, std::uint64_t number) {
  const auto found = words.find(number);
  return found == words.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view view_of(const protozero::data_view& data) { return {data.data(), data.size()}; }

class PerfettoReader {
 public:
  explicit PerfettoReader(TraceEvents& events) : events_(events) {}

  void read(std::string_view bytes) {
    pbf_reader packet(bytes.data(), bytes.size());
    std::uint64_t time = 0;
    Sequence* sequence = nullptr;
    std::string_view event;
    while (packet.next()) {
      switch (packet.tag()) {
        case kTimestamp:
          time = packet.get_uint64();
          break;
        case kSequenceId:
          sequence = &sequences_[packet.get_uint32()];
          break;
        case kInternedData:
          if (sequence != nullptr)
            intern(packet.get_message(), *sequence);
          else
            packet.skip();
          break;
        case kTrackDescriptor:
          describe(packet.get_message());
          break;
        case kTrackEvent:
          event = view_of(packet.get_view());
          break;
        default:
          packet.skip();
      }
    }
    if (!event.empty() && sequence != nullptr) {
      add_event({event.data(), event.size()}, static_cast<double>(time) * 1e-3, *sequence);
    }
  }

 private:
  struct Open {
    TraceThread thread;
    TraceSliceRead slice;
    bool is_open = false;
  };

  static void intern(pbf_reader data, Sequence& sequence) {
    while (data.next()) {
      Words* words = data.tag() == kEventNames        ? &sequence.names
                     : data.tag() == kAnnotationNames ? &sequence.note_names
                     : data.tag() == kAnnotationTexts ? &sequence.note_texts
                                                      : nullptr;
      if (words == nullptr) {
        data.skip();
        continue;
      }
      pbf_reader entry = data.get_message();
      std::uint64_t number = 0;
      std::string text;
      while (entry.next()) {
        if (entry.tag() == kInternedNumber)
          number = entry.get_uint64();
        else if (entry.tag() == kInternedText)
          text = entry.get_string();
        else
          entry.skip();
      }
      (*words)[number] = std::move(text);
    }
  }

  void describe(pbf_reader track) {
    std::uint64_t uuid = 0;
    while (track.next()) {
      switch (track.tag()) {
        case kUuid:
          uuid = track.get_uint64();
          break;
        case kProcess:
          describe_process(track.get_message());
          break;
        case kThread:
          describe_thread(track.get_message(), uuid);
          break;
        default:
          track.skip();
      }
    }
  }
  void describe_process(pbf_reader process) {
    std::int64_t number = 0;
    std::string name;
    while (process.next()) {
      if (process.tag() == kPid)
        number = process.get_int32();
      else if (process.tag() == kProcessName)
        name = process.get_string();
      else
        process.skip();
    }
    events_.on_process(number, name);
  }
  void describe_thread(pbf_reader thread, std::uint64_t uuid) {
    TraceThread numbers;
    std::string name;
    while (thread.next()) {
      switch (thread.tag()) {
        case kPid:
          numbers.first = thread.get_int32();
          break;
        case kTid:
          numbers.second = thread.get_int32();
          break;
        case kThreadName:
          name = thread.get_string();
          break;
        default:
          thread.skip();
      }
    }
    open_[uuid].thread = numbers;
    events_.on_thread(numbers, name);
  }

  void add_event(pbf_reader event, double time, const Sequence& sequence) {
    std::uint32_t type = 0;
    Open* track = nullptr;
    TraceSliceRead slice{
        .begin = time, .end = time, .name = {}, .culprit = {}, .port = {}, .arrows = {}};
    std::uint64_t ending = 0;
    while (event.next()) {
      switch (event.tag()) {
        case kType:
          type = static_cast<std::uint32_t>(event.get_enum());
          break;
        case kTrackUuid: {
          const auto found = open_.find(event.get_uint64());
          if (found == open_.end()) return;  // a counter
          track = &found->second;
          break;
        }
        case kNameIid:
          slice.name = word(sequence.names, event.get_uint64());
          break;
        case kDebugAnnotations:
          add_note(event.get_message(), sequence, slice);
          break;
        case kFlowIds:
          slice.arrows.push_back(event.get_fixed64());
          break;
        case kTerminatingFlowIds:
          ending = event.get_fixed64();
          break;
        default:
          event.skip();
      }
    }
    if (track == nullptr) return;
    if (type == kSliceBegin) {
      track->slice = std::move(slice);
      track->is_open = true;
    } else if (type == kSliceEnd && track->is_open) {
      track->slice.end = time;
      track->is_open = false;
      events_.on_slice(track->thread, track->slice);
    } else if (type == kInstant && ending > 0) {
      events_.on_arrival(track->thread.first, time, ending);
    }
  }

  static void add_note(pbf_reader note, const Sequence& sequence, TraceSliceRead& slice) {
    std::string_view name;
    std::string_view text;
    while (note.next()) {
      if (note.tag() == kAnnotationNameIid)
        name = word(sequence.note_names, note.get_uint64());
      else if (note.tag() == kStringValueIid)
        text = word(sequence.note_texts, note.get_uint64());
      else
        note.skip();
    }
    if (name == "culprit") slice.culprit = text;
    if (name == "port") slice.port = text;
  }

  TraceEvents& events_;
  std::unordered_map<std::uint32_t, Sequence> sequences_;
  std::unordered_map<std::uint64_t, Open> open_;  ///< by number of the track
};

}  // namespace

void read_perfetto_trace(const std::filesystem::path& file, TraceEvents& events) {
  PacketReader packets(file);
  PerfettoReader reader(events);
  while (packets.next()) {
    try {
      reader.read(packets.packet());
    } catch (const protozero::exception&) {
      continue;  // somebody else's idea of a packet
    }
  }
}

}  // namespace weft::report
