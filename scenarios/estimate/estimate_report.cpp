#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "scenarios/estimate/scenario_estimate.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

using collectives::EstimateTerm;
using collectives::MemoryUse;
using nlohmann::ordered_json;

constexpr double kTera = 1e12;

double as_double(Bytes bytes) { return static_cast<double>(bytes.count()); }

std::string terms_text(const collectives::StepEstimate& step) {
  TextTable table({"term", "all", "exposed", "of the step"});
  for (const EstimateTerm& term : step.terms) {
    if (term.seconds <= 0 && term.exposed <= 0) continue;
    const double share = step.seconds > 0 ? term.exposed / step.seconds * 100 : 0;
    table.add({std::string(term.name), format_time(term.seconds), format_time(term.exposed),
               fmt::format("{:.1f}%", share)});
  }
  table.add({"step", "", format_time(step.seconds), ""});
  return table.to_string("  ");
}

std::string sent_text(const std::vector<SentBytes>& sent) {
  if (sent.empty()) return {};
  TextTable table({"sent per step by all ranks", "inside domains", "between servers"});
  SentBytes sum;
  for (const SentBytes& s : sent) {
    table.add({std::string(s.what), format_bytes(s.inside), format_bytes(s.between)});
    sum.inside += s.inside;
    sum.between += s.between;
  }
  if (sent.size() > 1) table.add({"sum", format_bytes(sum.inside), format_bytes(sum.between)});
  return table.to_string("  ");
}

std::string memory_text(const TrainingEstimate& e) {
  const MemoryUse& use = e.memory;
  TextTable table({"memory of a GPU", "bytes"});
  const auto add = [&table](const char* name, Bytes bytes) {
    if (bytes > Bytes(0)) table.add({name, format_bytes(as_double(bytes))});
  };
  add("parameters", use.parameters);
  add("gradients", use.gradients);
  add("optimizer", use.optimizer);
  add("gathered", use.gathered);
  add("activations", use.activations);
  add("sum", use.total());
  const double share = as_double(use.total()) / as_double(e.memory_available) * 100;
  return table.to_string("  ") +
         fmt::format(
             "  {}: {:.0f}% of the {} that the GPU has (pipeline rank {}, which needs most)\n",
             e.fits() ? "fits" : "DOES NOT FIT", share, format_bytes(as_double(e.memory_available)),
             e.memory_rank);
}

/// Of a step whose price is known.
double dollars_per_million_tokens(const collectives::StepEstimate& step) {
  return *step.dollars / (step.tokens_per_second * step.seconds) * 1e6;
}

std::string training_text(const TrainingEstimate& e) {
  const collectives::StepEstimate& step = e.step;
  std::string text = terms_text(step);
  text += fmt::format(
      "  {}, {} tokens/s, {:.1f} model TFLOP/s per GPU, MFU {:.1f}%, HFU "
      "{:.1f}%\n",
      counted(static_cast<std::int64_t>(step.micro_batches), "micro-batch", "micro-batches"),
      format_count(std::llround(step.tokens_per_second)), step.flops_per_rank / kTera,
      step.mfu * 100, step.hfu * 100);
  if (step.dollars) {
    text += fmt::format("  a step costs {}, a million tokens {}\n", format_dollars(*step.dollars),
                        format_dollars(dollars_per_million_tokens(step)));
  }
  text += fmt::format("  communication to computation {:.3f}: {}\n", step.ratio,
                      name_of(collectives::ratio_class(step.ratio)));
  return text + sent_text(e.sent) + memory_text(e);
}

std::string ideal_text(const JobEstimate& job) {
  if (!job.ideal) return {};
  const double each = job.ideal->seconds / static_cast<double>(job.iterations);
  return fmt::format("  task by task, where no message meets another: {}{}, set by {}\n",
                     format_time(each), job.iterations > 1 ? " an iteration" : "",
                     job.ideal->set_by);
}

std::string notes_text(const JobEstimate& job) {
  std::string text;
  for (const std::string& note : job.notes) text += "  note: " + note + "\n";
  return text;
}

std::string job_text(const JobEstimate& job) {
  std::string text = fmt::format("{}: {}, {} ranks", escaped(job.name), job.type, job.ranks);
  if (job.training) {
    if (job.iterations > 1) text += fmt::format(", {} iterations", job.iterations);
    return text + "\n" + training_text(*job.training) + notes_text(job) + ideal_text(job);
  }
  if (job.collective_seconds) {
    return text +
           fmt::format(": one takes {} by the cost model\n", format_time(*job.collective_seconds)) +
           notes_text(job) + ideal_text(job);
  }
  return text + ": estimates are of training jobs and collectives; `weft run` says more\n" +
         ideal_text(job);
}

std::string run_text(const RunForecast& run) {
  if (run.refused.empty()) {
    return "a run takes about " + forecast_text(run.forecast) + "\n";
  }
  std::string text = "a run by packets is refused:\n";
  for (const Error& error : run.refused) text += "  " + escaped(error.message) + "\n";
  return text;
}

ordered_json training_json(const TrainingEstimate& e) {
  const collectives::StepEstimate& step = e.step;
  ordered_json object;
  object["step_seconds"] = step.seconds;
  for (const EstimateTerm& term : step.terms) {
    object["terms"][std::string(term.name)] = {{"seconds", term.seconds},
                                               {"exposed", term.exposed}};
  }
  object["micro_batches"] = step.micro_batches;
  object["tokens_per_second"] = step.tokens_per_second;
  object["model_tflops_per_gpu"] = step.flops_per_rank / kTera;
  object["model_tflops_per_gpu_full_attention"] = step.flops_full_attention / kTera;
  object["mfu"] = step.mfu;
  object["hfu"] = step.hfu;
  if (step.dollars) {
    object["dollars_per_step"] = *step.dollars;
    object["dollars_per_million_tokens"] = dollars_per_million_tokens(step);
  }
  object["communication_to_computation"] = step.ratio;
  object["communication_class"] = std::string(name_of(collectives::ratio_class(step.ratio)));
  object["sent_bytes"] = ordered_json::object();
  for (const SentBytes& s : e.sent) {
    object["sent_bytes"][std::string(s.what)] = {{"inside_domains", s.inside},
                                                 {"between_servers", s.between}};
  }
  object["memory_bytes"] = {
      {"parameters", e.memory.parameters.count()},   {"gradients", e.memory.gradients.count()},
      {"optimizer", e.memory.optimizer.count()},     {"gathered", e.memory.gathered.count()},
      {"activations", e.memory.activations.count()}, {"total", e.memory.total().count()},
      {"available", e.memory_available.count()}};
  object["fits_memory"] = e.fits();
  return object;
}

}  // namespace

std::string estimate_text(const ScenarioEstimate& estimate) {
  std::string text;
  for (const JobEstimate& job : estimate.jobs) {
    text += (text.empty() ? "" : "\n") + job_text(job);
  }
  if (estimate.run) text += "\n" + run_text(*estimate.run);
  return text;
}

ordered_json estimate_json(const ScenarioEstimate& estimate) {
  ordered_json object;
  object["scenario"] = estimate.name;
  object["jobs"] = ordered_json::array();
  for (const JobEstimate& job : estimate.jobs) {
    ordered_json entry{{"name", job.name}, {"type", job.type}, {"ranks", job.ranks}};
    if (job.training) {
      entry["iterations"] = job.iterations;
      entry.update(training_json(*job.training));
    }
    if (job.collective_seconds) entry["collective_seconds"] = *job.collective_seconds;
    if (job.ideal) {
      entry["ideal_seconds"] = job.ideal->seconds;
      entry["ideal_set_by"] = job.ideal->set_by;
    }
    if (!job.notes.empty()) entry["notes"] = job.notes;
    object["jobs"].push_back(std::move(entry));
  }
  if (!estimate.run) return object;
  if (estimate.run->refused.empty()) {
    const Forecast& forecast = estimate.run->forecast;
    object["run"] = {{"packet_hops", forecast.packet_hops},
                     {"seconds", forecast.seconds},
                     {"least_packet_hops", forecast.min_hops},
                     {"least_seconds", forecast.min_seconds},
                     {"memory_bytes", forecast.memory}};
  } else {
    for (const Error& error : estimate.run->refused) {
      object["run"]["refused"].push_back(error.message);
    }
  }
  return object;
}

}  // namespace weft::scenarios
