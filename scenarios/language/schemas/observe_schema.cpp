#include <optional>

#include "scenarios/language/schemas/document.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::scenarios::language {
namespace {

constexpr const char* kFlows =
    "`job`, `job:0->3` (ranks), `job:h0->h3` (hosts), `*` on either side for any";

constexpr const char* kPorts =
    "`all`, a node (all its ports), `leaf0->spine1` (every cable of the pair) or "
    "`leaf0[3]->spine1[0]`; `*` stands for any text";

schema::Object<ObserveSpec::Queues> queues_schema() {
  using Queues = ObserveSpec::Queues;
  return schema::describe<Queues>("queues", "occupancy of egress queues over time: queues.csv")
      .words("ports", &Queues::ports, kPorts)
      .changes_output()
      .required()
      .field("period", &Queues::period, "between samples; `change`: at every change")
      .changes_output()
      .source("every change is exact")
      .at_least(1_ns)
      .special("change", std::nullopt)
      .shorthand("ports");
}

schema::Object<ObserveSpec::Marks> marks_schema() {
  using Marks = ObserveSpec::Marks;
  return schema::describe<Marks>("marks", "ECN marks of ports over time: marks.csv")
      .words("ports", &Marks::ports, kPorts)
      .changes_output()
      .required()
      .field("period", &Marks::period, "in each of which marks are counted")
      .changes_output()
      .source("as rates are sampled")
      .at_least(1_ns)
      .shorthand("ports");
}

schema::Object<ObserveSpec::Rates> rates_schema() {
  using Rates = ObserveSpec::Rates;
  return schema::describe<Rates>("rates", "rate, target, alpha and goodput of flows: rates.csv")
      .words("flows", &Rates::flows, kFlows)
      .changes_output()
      .required()
      .field("period", &Rates::period, "between samples")
      .changes_output()
      .source("some samples per rate increase of DCQCN")
      .at_least(1_ns)
      .shorthand("flows");
}

schema::Object<ObserveSpec::Packets> packets_schema() {
  using Packets = ObserveSpec::Packets;
  return schema::describe<Packets>("packets", "every hop of every data packet: packets.csv")
      .words("flows", &Packets::flows, kFlows)
      .changes_output()
      .required()
      .shorthand("flows");
}

schema::Object<ObserveSpec::Timeline> timeline_schema() {
  using Timeline = ObserveSpec::Timeline;
  return schema::describe<Timeline>(
             "timeline",
             "what ranks did when, for a viewer: computing, collectives and their steps, messages, "
             "iterations; with `blame` the critical path, with `queues`, `rates` and `pauses` "
             "those as counters")
      .choice(
          "format", &Timeline::format,
          {{Timeline::Format::kPerfetto, "perfetto", "timeline.perfetto-trace"},
           {Timeline::Format::kJson, "json", "timeline.json, larger, and read by more programs"}},
          "of the file; both open in ui.perfetto.dev")
      .changes_output()
      .source("the smaller one")
      .words("jobs", &Timeline::jobs, "names of those that are shown; empty: all")
      .changes_output()
      .source("the whole run")
      .words("ranks", &Timeline::ranks,
             "of these jobs, numbers and ranges such as `0-7`; empty: all")
      .changes_output()
      .source("the whole run")
      .field("from", &Timeline::from, "what ends before is left out")
      .changes_output()
      .source("the whole run")
      .field("to", &Timeline::to, "what begins later is left out; absent: nothing is")
      .changes_output()
      .source("the whole run")
      .field("limit", &Timeline::limit,
             "the largest size of the file: what comes later is left out, and the run says so; "
             "absent: 1GB, of json 100MB")
      .changes_output()
      .source("what viewers in a browser take")
      .at_least(Bytes(1'000'000))
      .shorthand("format");
}

}  // namespace

schema::Object<ObserveSpec> observe_schema() {
  return schema::describe<ObserveSpec>("observe", "what the results hold besides the summary")
      .field("messages", &ObserveSpec::messages,
             "write messages.csv: true or false; absent: if there are at most a million")
      .changes_output()
      .source("one line per message is cheap, hundreds of megabytes are not")
      .field("blame", &ObserveSpec::blame,
             "write blame.csv: who is to blame for the time of each iteration; runs twice")
      .changes_output()
      .source("nothing is traced unless asked for")
      .field("pauses", &ObserveSpec::pauses,
             "write pauses.csv: every pause with its port and cause")
      .changes_output()
      .source("nothing is traced unless asked for")
      .field("credits", &ObserveSpec::credits,
             "write credits.csv: every interval in which data waited for credits")
      .changes_output()
      .source("nothing is traced unless asked for")
      .object("queues", &ObserveSpec::queues, queues_schema(), "write queues.csv")
      .changes_output()
      .object("marks", &ObserveSpec::marks, marks_schema(), "write marks.csv")
      .changes_output()
      .object("rates", &ObserveSpec::rates, rates_schema(), "write rates.csv")
      .changes_output()
      .object("packets", &ObserveSpec::packets, packets_schema(), "write packets.csv")
      .changes_output()
      .object("timeline", &ObserveSpec::timeline, timeline_schema(),
              "write timeline.perfetto-trace or timeline.json")
      .changes_output();
}

}  // namespace weft::scenarios::language
