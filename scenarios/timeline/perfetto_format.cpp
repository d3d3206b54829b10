#include "scenarios/timeline/perfetto_format.hpp"

#include <array>
#include <protozero/pbf_writer.hpp>

#include "scenarios/timeline/perfetto_fields.hpp"

namespace weft::scenarios {
namespace {

using protozero::pbf_writer;

using namespace perfetto;  // numbers of fields, and nothing else

std::uint64_t nanoseconds(Picoseconds t) { return static_cast<std::uint64_t>(t.count() / 1000); }

void add_text(pbf_writer& to, std::uint32_t field, std::string_view text) {
  to.add_string(field, text.data(), text.size());
}

}  // namespace

PerfettoFormat::PerfettoFormat(std::uint32_t sequence)
    : sequence_(sequence),
      categories_{kEventCategories},
      names_{kEventNames},
      note_names_{kAnnotationNames},
      note_texts_{kAnnotationTexts} {}

std::uint64_t PerfettoFormat::number_of(Words& words, std::string_view word,
                                        std::string& interned) {
  const auto [found, is_new] =
      words.numbers.try_emplace(std::string(word), words.numbers.size() + 1);
  if (is_new) {
    pbf_writer data(interned);
    pbf_writer entry(data, words.field);
    entry.add_uint64(kInternedNumber, found->second);
    add_text(entry, kInternedText, word);
  }
  return found->second;
}

PerfettoFormat::Note PerfettoFormat::words_of(const TraceNote& note, std::string& interned) {
  if (note.name == nullptr) return {};
  Note of{.name = number_of(note_names_, note.name, interned), .number = note.number};
  if (!note.text.empty()) of.text = number_of(note_texts_, note.text, interned);
  return of;
}

template <class Fill>
void PerfettoFormat::packet(std::string& out, Fill fill) const {
  pbf_writer trace(out);
  pbf_writer packet(trace, kPacket);
  packet.add_uint32(kSequenceId, sequence_);
  fill(packet);
}

void PerfettoFormat::open(std::string& out) {
  packet(out, [](pbf_writer& p) { p.add_uint32(kSequenceFlags, kStateCleared); });
}

void PerfettoFormat::add_process(std::string& out, const TraceTrack& track, std::string_view name) {
  packet(out, [&](pbf_writer& p) {
    pbf_writer descriptor(p, kTrackDescriptor);
    descriptor.add_uint64(kUuid, track.id);
    pbf_writer process(descriptor, kProcess);
    process.add_int32(kPid, track.process);
    add_text(process, kProcessName, name);
  });
}

void PerfettoFormat::add_thread(std::string& out, const TraceTrack& track, std::string_view name) {
  packet(out, [&](pbf_writer& p) {
    pbf_writer descriptor(p, kTrackDescriptor);
    descriptor.add_uint64(kUuid, track.id);
    descriptor.add_uint64(kParentUuid, track.parent);
    pbf_writer thread(descriptor, kThread);
    thread.add_int32(kPid, track.process);
    thread.add_int32(kTid, track.thread);
    add_text(thread, kThreadName, name);
  });
}

void PerfettoFormat::add_counter(std::string& out, const TraceTrack& track, std::string_view name,
                                 bool is_of_bytes) {
  packet(out, [&](pbf_writer& p) {
    pbf_writer descriptor(p, kTrackDescriptor);
    descriptor.add_uint64(kUuid, track.id);
    descriptor.add_uint64(kParentUuid, track.parent);
    add_text(descriptor, kTrackName, name);
    pbf_writer counter(descriptor, kCounter);
    counter.add_enum(kUnit, is_of_bytes ? kUnitBytes : kUnitCount);
  });
}

template <class Fill>
void PerfettoFormat::named_event(std::string& out, const TraceTrack& track, Picoseconds time,
                                 std::uint32_t type, std::string_view name, const char* category,
                                 std::string& interned, Fill fill) {
  const std::uint64_t of_category = number_of(categories_, category, interned);
  const std::uint64_t of_name = number_of(names_, name, interned);
  packet(out, [&](pbf_writer& p) {
    p.add_uint64(kTimestamp, nanoseconds(time));
    p.add_uint32(kSequenceFlags, kNeedsState);
    if (!interned.empty()) p.add_message(kInternedData, interned);
    pbf_writer event(p, kTrackEvent);
    event.add_uint32(kType, type);
    event.add_uint64(kTrackUuid, track.id);
    event.add_uint64(kCategoryIids, of_category);
    event.add_uint64(kNameIid, of_name);
    fill(event);
  });
}

void PerfettoFormat::slice(std::string& out, const TraceTrack& track, const TraceSlice& slice) {
  std::string interned;
  const std::array<Note, 2> notes{words_of(slice.first, interned),
                                  words_of(slice.second, interned)};
  const auto fill = [&](pbf_writer& event) {
    for (const Note& note : notes) {
      if (note.name == 0) continue;
      pbf_writer annotation(event, kDebugAnnotations);
      annotation.add_uint64(kAnnotationNameIid, note.name);
      if (note.text == 0) {
        annotation.add_int64(kIntValue, note.number);
      } else {
        annotation.add_uint64(kStringValueIid, note.text);
      }
    }
    for (std::uint32_t i = 0; i < slice.arrows; ++i) {
      event.add_fixed64(kFlowIds, slice.first_arrow + i);
    }
  };
  named_event(out, track, slice.begin, kSliceBegin, slice.name, slice.category, interned, fill);
  packet(out, [&](pbf_writer& p) {
    p.add_uint64(kTimestamp, nanoseconds(slice.end));
    pbf_writer event(p, kTrackEvent);
    event.add_uint32(kType, kSliceEnd);
    event.add_uint64(kTrackUuid, track.id);
  });
}

void PerfettoFormat::arrival(std::string& out, const TraceTrack& track,
                             const TraceArrival& arrival) {
  std::string interned;
  const auto fill = [&](pbf_writer& event) {
    if (arrival.arrow > 0) event.add_fixed64(kTerminatingFlowIds, arrival.arrow);
  };
  named_event(out, track, arrival.time, kInstant, arrival.name, arrival.category, interned, fill);
}

void PerfettoFormat::value(std::string& out, const TraceTrack& track, std::string_view /*name*/,
                           Picoseconds time, std::int64_t value) {
  packet(out, [&](pbf_writer& p) {
    p.add_uint64(kTimestamp, nanoseconds(time));
    pbf_writer event(p, kTrackEvent);
    event.add_uint32(kType, kCounterType);
    event.add_uint64(kTrackUuid, track.id);
    event.add_int64(kCounterValue, value);
  });
}

}  // namespace weft::scenarios
