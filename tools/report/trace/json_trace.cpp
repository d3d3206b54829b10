#include <string>
#include <string_view>

#include "scenarios/text/text_file.hpp"
#include "tools/report/json.hpp"
#include "tools/report/trace/trace_events.hpp"

namespace weft::report {
namespace {

void tell_name(const Json& event, TraceEvents& events) {
  if (!event.contains("args") || !event["args"].is_object()) return;
  const auto process = event.value("pid", std::int64_t{0});
  const std::string name = event["args"].value("name", std::string());
  if (event.value("name", std::string()) == "process_name") {
    events.on_process(process, name);
  } else if (event.contains("tid")) {
    events.on_thread({process, event.value("tid", std::int64_t{0})}, name);
  }
}

std::uint64_t arrow_of(const Json& event) {
  return std::stoull(event.value("bind_id", std::string("0")));
}

/// Slices, and arrivals, which are instants that arrows end at.
void tell_event(const Json& event, const std::string& kind, TraceEvents& events) {
  const auto process = event.value("pid", std::int64_t{0});
  const double begin = event.value("ts", 0.0);
  if (event.value("flow_in", false)) {
    events.on_arrival(process, begin, arrow_of(event));
    return;
  }
  if (kind != "X") return;
  const std::string name = event.value("name", std::string());
  const Json none = Json::object();
  const Json& notes = event.contains("args") ? event["args"] : none;
  const std::string culprit = notes.value("culprit", std::string());
  const std::string port = notes.value("port", std::string());
  TraceSliceRead slice{begin, begin + event.value("dur", 0.0), name, culprit, port, {}};
  if (event.value("flow_out", false)) slice.arrows = {arrow_of(event)};
  events.on_slice({process, event.value("tid", std::int64_t{0})}, slice);
}

}  // namespace

void read_json_trace(const std::filesystem::path& file, TraceEvents& events) {
  scenarios::LineReader in(file);
  while (in.next()) {
    std::string_view line = in.line();
    while (!line.empty() && (line.back() == ',' || line.back() == '\r')) line.remove_suffix(1);
    if (line.size() < 2 || line.front() != '{' || line.back() != '}') continue;
    const Json event = Json::parse(line, nullptr, false);
    if (!event.is_object()) continue;
    try {
      const std::string kind = event.value("ph", std::string());
      if (kind == "M") {
        tell_name(event, events);
      } else {
        tell_event(event, kind, events);
      }
    } catch (const std::exception&) {
      continue;  // somebody else's idea of an event
    }
  }
}

}  // namespace weft::report
