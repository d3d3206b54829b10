#include "scenarios/timeline/json_format.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "scenarios/text/json_text.hpp"

namespace weft::scenarios {
namespace {

std::string quoted_text(std::string_view text) {
  return json_text(nlohmann::json(std::string(text)), -1);
}

std::string microseconds(Picoseconds t) {
  return fmt::format("{}.{:06}", t.count() / 1'000'000, t.count() % 1'000'000);
}

template <class... Args>
void append(std::string& out, fmt::format_string<Args...> format, const Args&... args) {
  fmt::vformat_to(std::back_inserter(out), format, fmt::make_format_args(args...));
}

void append_note(std::string& out, const TraceNote& note, const char* before) {
  if (note.name == nullptr) return;
  append(out, "{}\"{}\":{}", before, note.name,
         note.text.empty() ? std::to_string(note.number) : quoted_text(note.text));
}

void append_slice(std::string& out, const TraceTrack& track, const TraceSlice& slice) {
  append(out, R"(,
{{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"{}")",
         track.process, track.thread, microseconds(slice.begin),
         microseconds(slice.end - slice.begin), quoted_text(slice.name), slice.category);
}

}  // namespace

void JsonFormat::open(std::string& out) {
  if (!is_first_) return;
  out +=
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
      "{\"ph\":\"M\",\"pid\":0,\"name\":\"trace_format\",\"args\":{\"unit\":\"us\"}}";
}

void JsonFormat::add_process(std::string& out, const TraceTrack& track, std::string_view name) {
  append(out, R"(,
{{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})",
         track.process, quoted_text(name));
}

void JsonFormat::add_thread(std::string& out, const TraceTrack& track, std::string_view name) {
  append(out, R"(,
{{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})",
         track.process, track.thread, quoted_text(name));
}

void JsonFormat::slice(std::string& out, const TraceTrack& track, const TraceSlice& slice) {
  append_slice(out, track, slice);
  if (slice.arrows > 0) append(out, R"(,"bind_id":"{}","flow_out":true)", slice.first_arrow);
  if (slice.first.name != nullptr) {
    append_note(out, slice.first, ",\"args\":{");
    append_note(out, slice.second, ",");
    out += '}';
  }
  out += '}';
}

void JsonFormat::arrival(std::string& out, const TraceTrack& track, const TraceArrival& arrival) {
  append_slice(out, track,
               {.begin = arrival.time,
                .end = arrival.time,
                .name = arrival.name,
                .category = arrival.category});
  if (arrival.arrow > 0) append(out, R"(,"bind_id":"{}","flow_in":true)", arrival.first_arrow);
  out += '}';
}

void JsonFormat::value(std::string& out, const TraceTrack& track, std::string_view name,
                       Picoseconds time, std::int64_t value) {
  append(out, R"(,
{{"ph":"C","pid":{},"ts":{},"name":{},"args":{{"value":{}}}}})",
         track.process, microseconds(time), quoted_text(name), value);
}

void JsonFormat::close(std::string& out) { out += "\n]}\n"; }

}  // namespace weft::scenarios
