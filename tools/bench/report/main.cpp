// Prints what tools/bench/run has measured, compares two such files, or checks one against the
// multiples of the calibration row that are expected.

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/bench/report/rows.hpp"

namespace weft::bench {
namespace {

constexpr const char* kUsage =
    "usage: weft_bench_report show FILE\n"
    "       weft_bench_report compare FIRST SECOND\n"
    "       weft_bench_report check FILE REFERENCE      exit code 1: more than twice as slow\n"
    "       weft_bench_report reference FILE            prints a REFERENCE\n";

/// A run that takes this many times its part of the calibration row has become slower.
constexpr double kTooSlow = 2;

bool begins_with(const std::string& text, const char* prefix) {
  return text.compare(0, std::strlen(prefix), prefix) == 0;
}

std::string value_text(const Sample* sample, double unit, const char* form = "{:.1f}") {
  return sample == nullptr ? "-" : fmt::format(fmt::runtime(form), sample->median() / unit);
}

std::string spread_text(const Sample& sample, double unit = 1) {
  return fmt::format("{:.1f} [{:.1f} .. {:.1f}]", sample.median() / unit, sample.min() / unit,
                     sample.max() / unit);
}

/// Calls visit(name) for every row whose name begins with `prefix`, shorter names first.
template <class Visit>
void each(const Rows& rows, const char* prefix, Visit visit) {
  std::vector<std::string> names;
  for (const auto& [name, values] : rows.samples) {
    if (begins_with(name, prefix)) names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.substr(0, a.rfind('/')) == b.substr(0, b.rfind('/')) && a.size() < b.size();
  });
  for (const std::string& name : names) visit(name);
}

void show_rates(const Rows& rows) {
  const double calibration = rows.calibration();
  fmt::print("\n{:<28} {:>26} {:>8} {:>11} {:>11}\n", "permutation", "ns per packet-hop (cpu)",
             "x calib.", "state/host", "rss/host");
  each(rows, "permutation/", [&](const std::string& name) {
    const Sample& ns = *rows.find(name, "ns_per_hop");
    fmt::print("{:<28} {:>26} {:>8} {:>8} kB {:>8} kB\n", name.substr(12), spread_text(ns),
               calibration > 0 ? fmt::format("{:.2f}", ns.median() / calibration) : "-",
               value_text(rows.find(name, "state_bytes_per_host"), 1e3),
               value_text(rows.find(name, "resident_bytes_per_host"), 1e3));
  });
}

void show_features(const Rows& rows) {
  const Sample* base = rows.find("feature/nothing", "ns_per_hop");
  if (base == nullptr) return;
  fmt::print("\n{:<28} {:>26} {:>9}\n", "feature (512 hosts)", "ns per packet-hop (cpu)", "adds");
  each(rows, "feature/", [&](const std::string& name) {
    const Sample* ns = rows.find(name, "ns_per_hop");
    if (ns == nullptr) return;
    fmt::print("{:<28} {:>26} {:>+9.1f}\n", name.substr(8), spread_text(*ns),
               ns->median() - base->median());
  });
  if (const Sample* add = rows.find("feature/histogram_add", kTime)) {
    fmt::print("recording one latency takes {:.1f} ns\n", add->median());
  }
}

void show_scaling(const Rows& rows) {
  fmt::print("\n{:<36} {:>8} {:>8} {:>22}\n", "scaling (wall)", "copies", "threads",
             "threads / copies");
  each(rows, "scaling/", [&](const std::string& name) {
    const Sample& of = *rows.find(name, "of_copies");
    fmt::print("{:<36} {:>8} {:>8} {:>22}\n", name.substr(8),
               value_text(rows.find(name, "copies_scaling"), 1, "{:.2f}x"),
               value_text(rows.find(name, "threads_scaling"), 1, "{:.2f}x"),
               fmt::format("{:.2f} [{:.2f} .. {:.2f}]", of.median(), of.min(), of.max()));
  });
}

void show_builds(const Rows& rows) {
  fmt::print("\n{:<28} {:>8} {:>26} {:>11}\n", "fabric and routes", "hosts", "ms (cpu)",
             "rss/host");
  each(rows, "build/", [&](const std::string& name) {
    fmt::print("{:<28} {:>8} {:>26} {:>8} kB\n", name.substr(6),
               value_text(rows.find(name, "hosts"), 1, "{:.0f}"),
               spread_text(*rows.find(name, kTime), 1e6),
               value_text(rows.find(name, "resident_bytes_per_host"), 1e3));
  });
}

void show_jobs(const Rows& rows) {
  fmt::print("\n{:<36} {:>9} {:>12} {:>10} {:>13} {:>13}\n", "job", "wall s", "mln hops/s",
             "ns/hop", "simulated us", "bandwidth us");
  each(rows, "job/", [&](const std::string& name) {
    fmt::print("{:<36} {:>9} {:>12} {:>10} {:>13} {:>13}\n", name.substr(4),
               value_text(rows.find(name, kTime), 1e9, "{:.2f}"),
               value_text(rows.find(name, "million_hops_per_second"), 1, "{:.2f}"),
               value_text(rows.find(name, "ns_per_hop"), 1),
               value_text(rows.find(name, "simulated_us"), 1),
               value_text(rows.find(name, "bound_us"), 1));
  });
}

void show_startup(const Rows& rows) {
  fmt::print("\n{:<36} {:>26} {:>9}\n", "before the first packet", "ms (cpu)", "us/GPU");
  each(rows, "startup/", [&](const std::string& name) {
    fmt::print("{:<36} {:>26} {:>9}\n", name.substr(8), spread_text(*rows.find(name, kTime), 1e6),
               value_text(rows.find(name, "us_per_gpu"), 1));
  });
}

void show(const Rows& rows) {
  fmt::print("measured {} on {}, load average at the start {}\n", rows.date, rows.machine,
             rows.load);
  each(rows, "Calibration/", [&](const std::string& name) {
    fmt::print("{:<36} {} ns\n", name, spread_text(*rows.find(name, kTime)));
  });
  show_rates(rows);
  show_scaling(rows);
  show_features(rows);
  show_builds(rows);
  show_jobs(rows);
  show_startup(rows);
}

void compare(const Rows& first, const Rows& second) {
  const double machine = first.calibration() > 0 && second.calibration() > 0
                             ? second.calibration() / first.calibration()
                             : 1;
  fmt::print("ratios are second over first; the machine of the second was {:.2f} times as slow\n",
             machine);
  fmt::print("{:<40} {:>12} {:>12} {:>22} {:>12}\n", "row", "first", "second", "ratio [spread]",
             "/ machine");
  each(first, "", [&](const std::string& name) {
    const std::string value = main_value(first, name);
    const Sample* a = first.find(name, value);
    const Sample* b = second.find(name, value);
    if (a == nullptr || b == nullptr) return;
    const double ratio = b->median() / a->median();
    const bool is_time = value != "of_copies";
    fmt::print(
        "{:<40} {:>12.4g} {:>12.4g} {:>22} {:>12}\n", name, a->median(), b->median(),
        fmt::format("{:.2f} [{:.2f} .. {:.2f}]", ratio, b->min() / a->max(), b->max() / a->min()),
        is_time ? fmt::format("{:.2f}", ratio / machine) : "-");
  });
}

/// Rows that are checked: times of what runs often, as multiples of the calibration row.
std::map<std::string, double> multiples(const Rows& rows) {
  std::map<std::string, double> all;
  for (const auto& [name, values] : rows.samples) {
    if (begins_with(name, "Calibration/") || begins_with(name, "scaling/")) continue;
    all[name] = rows.find(name, main_value(rows, name))->median() / rows.calibration();
  }
  return all;
}

int check(const Rows& rows, const std::string& reference_path) {
  nlohmann::json reference;
  try {
    std::ifstream in(reference_path);
    reference = nlohmann::json::parse(in);
  } catch (const nlohmann::json::exception& error) {
    std::fprintf(stderr, "%s: %s\n", reference_path.c_str(), error.what());
    return 2;
  }
  int slow = 0;
  int checked = 0;
  for (const auto& [name, multiple] : multiples(rows)) {
    if (!reference.contains(name)) continue;
    ++checked;
    const double ratio = multiple / reference.at(name).get<double>();
    const bool is_slow = ratio > kTooSlow;
    slow += is_slow ? 1 : 0;
    fmt::print("{:<36} {:>8.3g} x calibration, {:.2f} of the reference{}\n", name, multiple, ratio,
               is_slow ? ": TOO SLOW" : "");
  }
  if (checked == 0) {
    std::fprintf(stderr, "no row of the reference was measured\n");
    return 2;
  }
  return slow > 0 ? 1 : 0;
}

int print_reference(const Rows& rows) {
  nlohmann::ordered_json reference;
  for (const auto& [name, multiple] : multiples(rows)) {
    reference[name] = nlohmann::json::parse(fmt::format("{:.3g}", multiple));
  }
  fmt::print("{}\n", reference.dump(2));
  return 0;
}

int run(const std::vector<std::string>& words) {
  const std::string command = words.empty() ? "" : words[0];
  const bool takes_two = command == "compare" || command == "check";
  if ((command != "show" && command != "reference" && !takes_two) ||
      words.size() != (takes_two ? 3U : 2U)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const auto rows = read_rows(words[1]);
  if (!rows) return 2;
  if (rows->calibration() <= 0 && command != "show" && command != "compare") {
    std::fprintf(stderr, "%s holds no calibration row\n", words[1].c_str());
    return 2;
  }
  if (command == "check") return check(*rows, words[2]);
  if (command == "reference") return print_reference(*rows);
  if (command == "show") {
    show(*rows);
    return 0;
  }
  const auto second = read_rows(words[2]);
  if (!second) return 2;
  compare(*rows, *second);
  return 0;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) { return weft::bench::run({argv + 1, argv + argc}); }
