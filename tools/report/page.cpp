#include "tools/report/page.hpp"

#include <fmt/format.h>

#include <system_error>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/text/json_text.hpp"
#include "simcore/base/escape.hpp"
#include "tools/report/data/blame_data.hpp"
#include "tools/report/data/fabric_data.hpp"
#include "tools/report/data/run_data.hpp"
#include "tools/report/data/sweep_data.hpp"
#include "tools/report/page_text.hpp"

namespace weft::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRuns = 16;

bool is_sweep(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path / "sweep.db", ignored) ||
         (path.extension() == ".db" && fs::is_regular_file(path, ignored));
}

/// As much of each as fits a page of all of them.
Bounds bounds_for(std::size_t runs) {
  const Bounds one;
  if (runs == 1) return one;
  return {.ports = one.ports / runs, .tail = 30, .slices = one.slices / runs};
}

/// What the run took longer than the first one, where both know whom to blame.
void add_difference(const fs::path& first, const fs::path& folder, Json& run) {
  if (!run.contains("blame") || !fs::exists(first / "blame.csv")) return;
  const auto a = scenarios::read_blame(first);
  const auto b = scenarios::read_blame(folder);
  if (a && b) run["difference"] = blame_difference(a.value(), b.value());
}

Result<Json> data_of(const std::vector<fs::path>& folders) {
  Json data{{"format", 1}, {"version", WEFT_VERSION}};
  Errors errors;
  for (const fs::path& folder : folders) {
    if (!is_sweep(folder)) continue;
    if (folders.size() > 1) {
      return Error{"is a sweep; a page is of one sweep or of runs", {.file = folder.string()}};
    }
    auto sweep = sweep_json(folder);
    if (!sweep) return sweep.errors();
    data["sweep"] = std::move(sweep).value();
    return data;
  }
  if (folders.size() > kMaxRuns) {
    return Error{fmt::format("{} folders; a page shows {} at most", folders.size(), kMaxRuns)};
  }
  data["runs"] = Json::array();
  for (const fs::path& folder : folders) {
    auto run = run_json(folder, bounds_for(folders.size()));
    if (!run) {
      errors.insert(errors.end(), run.errors().begin(), run.errors().end());
    } else {
      if (!data["runs"].empty()) add_difference(folders.front(), folder, run.value());
      data["runs"].push_back(std::move(run).value());
    }
  }
  if (!errors.empty()) return errors;
  return data;
}

/// Nothing in it acts on HTML.
std::string safe_text(const Json& data) {
  const std::string text = scenarios::json_text(data, -1);
  std::string safe;
  safe.reserve(text.size() + text.size() / 50);
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

Result<std::string> page_data(const std::vector<fs::path>& folders,
                              const nlohmann::ordered_json& expectations) {
  auto data = data_of(folders);
  if (!data) return data.errors();
  Json& all = data.value();
  if (!expectations.empty()) {
    (folders.size() == 1 ? all["runs"][0] : all)["expectations"] = expectations;
  }
  return safe_text(all);
}

std::string topo_page_data(const Fabric& fabric, const topo::PictureOptions& options) {
  return safe_text(
      {{"format", 1}, {"version", WEFT_VERSION}, {"topo", drawing_json(fabric, options)}});
}

std::string diagnosis_page_data(const nlohmann::ordered_json& diagnosis, const Fabric& fabric,
                                const topo::PictureOptions& options) {
  return safe_text({{"format", 1},
                    {"version", WEFT_VERSION},
                    {"diagnosis", diagnosis},
                    {"topo", drawing_json(fabric, options)}});
}

void write_page(std::ostream& out, const std::string& title, const std::string& data) {
  out << kFirstLine
      << "\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n"
         "<title>"
      << xml_escaped(title) << "</title>\n<style>" << page_style() << "</style></head>\n<body>"
      << "<noscript>This page needs JavaScript; it loads nothing from elsewhere.</noscript>\n"
         "<script type=\"application/json\" id=\"data\">"
      << data << "</script>\n<script>" << page_script() << "</script></body></html>\n";
}

}  // namespace weft::report
