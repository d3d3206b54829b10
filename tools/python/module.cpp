#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/api/weft.hpp"

/// `weft._weft`: the facade, as Python calls it. What of it is for people stands in the package
/// `weft`; here are only the calls, and views of memory.
namespace weft::python {
namespace {

namespace py = pybind11;
using api::Document;

const char* name_of(api::ErrorKind kind) {
  switch (kind) {
    case api::ErrorKind::kScenario:
      return "scenario";
    case api::ErrorKind::kRun:
      return "run";
    case api::ErrorKind::kMemory:
      return "memory";
    case api::ErrorKind::kDefect:
      return "defect";
    case api::ErrorKind::kCallback:
      break;
  }
  return "callback";
}

const char* name_of(api::ColumnType type) {
  switch (type) {
    case api::ColumnType::kFlag:
      return "flag";
    case api::ColumnType::kInteger:
      return "integer";
    case api::ColumnType::kTime:
      return "time";
    case api::ColumnType::kNumber:
      return "number";
    case api::ColumnType::kText:
      break;
  }
  return "text";
}

/// Raises the exception that weft.errors makes of them.
[[noreturn]] void raise(const api::Errors& errors) {
  py::list all;
  for (const api::Error& e : errors) {
    all.append(py::make_tuple(name_of(e.kind), e.message, e.file, e.line, e.column, e.key,
                              e.suggestion, e.to_string()));
  }
  const py::object error = py::module_::import("weft.errors").attr("_error_of")(all);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

/// The value, or an exception. What takes time to find it has run without the interpreter's lock.
template <class T>
T value_of(api::Result<T> result) {
  if (!result) raise(result.errors());
  return std::move(result).value();
}

template <class Work>
auto unlocked(const Work& work) {
  const py::gil_scoped_release unlock;
  return work();
}

/// What Python has of a YAML file: dict, list or tuple, str, bool, int, float, None.
Document document_of(const py::handle& value) {
  if (value.is_none()) return {};
  if (py::isinstance<py::dict>(value)) {
    Document map = Document::map();
    for (const auto& [key, inner] : py::reinterpret_borrow<py::dict>(value)) {
      if (!py::isinstance<py::str>(key)) throw py::type_error("keys of a scenario are str");
      map[std::string(py::str(key))] = document_of(inner);
    }
    return map;
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    Document list = Document::list();
    for (const py::handle item : py::reinterpret_borrow<py::sequence>(value)) {
      list.push_back(document_of(item));
    }
    return list;
  }
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::str>(value)) return std::string(py::str(value));
  if (py::isinstance<py::int_>(value)) return std::string(py::str(value));
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  // Numbers of NumPy say themselves what they are in Python.
  if (py::hasattr(value, "item")) return document_of(value.attr("item")());
  throw py::type_error("a scenario is made of dict, list, str, bool, int, float and None, not of " +
                       std::string(py::str(py::type::handle_of(value).attr("__name__"))));
}

/// A view of memory that `owner` keeps, which nobody can write to.
template <class T>
py::array view_of(std::span<const T> values, const py::dtype& type, const py::handle& owner) {
  py::array array(type, {values.size()}, {sizeof(T)}, values.data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

py::object values_of(const api::Column& c, const py::handle& owner) {
  switch (c.type) {
    case api::ColumnType::kFlag:
      return view_of(c.flags, py::dtype::of<bool>(), owner);
    case api::ColumnType::kInteger:
    case api::ColumnType::kTime:
      return view_of(c.integers, py::dtype::of<std::int64_t>(), owner);
    case api::ColumnType::kNumber:
      return view_of(c.numbers, py::dtype::of<double>(), owner);
    case api::ColumnType::kText:
      break;
  }
  return view_of(c.codes, py::dtype::of<std::int32_t>(), owner);
}

py::dict declaration_of(const api::Column& c) {
  using namespace pybind11::literals;  // NOLINT: `_a` is found nowhere else
  return py::dict("name"_a = c.name, "csv_name"_a = c.csv_name, "unit"_a = c.unit,
                  "meaning"_a = c.meaning, "type"_a = name_of(c.type),
                  "may_be_missing"_a = c.may_be_missing);
}

/// A column with its values: views, and the words of texts.
py::dict column_of(const api::Column& c, const py::handle& owner) {
  py::dict column = declaration_of(c);
  column["values"] = values_of(c, owner);
  column["missing"] = c.missing.empty()
                          ? py::object(py::none())
                          : py::object(view_of(c.missing, py::dtype::of<bool>(), owner));
  if (c.type == api::ColumnType::kText) {
    column["words"] = std::vector<std::string>(c.words.begin(), c.words.end());
  }
  return column;
}

py::dict declaration_of(const api::Table& table) {
  using namespace pybind11::literals;  // NOLINT: `_a` is found nowhere else
  py::list columns;
  for (const api::Column& c : table.columns) columns.append(declaration_of(c));
  return py::dict("name"_a = table.name, "file"_a = table.file, "holds"_a = table.holds,
                  "columns"_a = columns);
}

/// Looks after a run from Python: signals, and the caller's function.
class Watcher {
 public:
  explicit Watcher(std::optional<py::function> progress) : progress_(std::move(progress)) {}

  /// Called without the interpreter's lock; false: stop. A function of Python is asked ten times a
  /// second, and at the end.
  [[nodiscard]] bool operator()(const api::Progress& now) {
    if (error_) return false;
    constexpr std::chrono::milliseconds kBetween{100};
    const auto time = std::chrono::steady_clock::now();
    if (time - asked_ < kBetween && !now.is_last) return continues_;
    asked_ = time;
    const py::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (progress_) continues_ = ask(now);
    } catch (py::error_already_set& error) {
      error_ = std::move(error);
      return false;
    }
    return continues_;
  }

  /// What the function, or a signal, raised.
  [[nodiscard]] std::optional<py::error_already_set>& error() { return error_; }

 private:
  [[nodiscard]] bool ask(const api::Progress& now) {
    using namespace pybind11::literals;  // NOLINT: `_a` is found nowhere else
    const py::object answer =
        (*progress_)(py::dict("now_ps"_a = now.now_ps, "count"_a = now.count, "done"_a = now.done,
                              "in_flight"_a = now.in_flight, "stall"_a = now.stall,
                              "stage"_a = now.stage, "is_last"_a = now.is_last));
    return !answer.is(py::bool_(false));
  }

  std::optional<py::function> progress_;
  std::optional<py::error_already_set> error_;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
  bool continues_ = true;
};

api::Results run(const api::Scenario& scenario, const std::string& engine, std::uint32_t threads,
                 std::optional<py::function> progress, const std::string& folder, bool isolated,
                 std::optional<bool> messages, std::optional<std::int64_t> memory_limit) {
  Watcher watcher(std::move(progress));
  const api::RunOptions options{
      .engine = engine == "fluid" ? api::Engine::kFluid : api::Engine::kPacket,
      .threads = threads,
      .progress = [&watcher](const api::Progress& now) { return watcher(now); },
      .folder = folder,
      .isolated = isolated,
      .messages = messages,
      .memory_limit = memory_limit};
  api::Result<api::Results> results = unlocked([&] { return scenario.run(options); });
  if (!watcher.error()) return value_of(std::move(results));
  if (results && watcher.error()->matches(PyExc_KeyboardInterrupt)) {
    // What is complete by then goes with the exception.
    const py::object error =
        py::module_::import("weft.errors").attr("_interrupted_of")(std::move(results).value());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    throw py::error_already_set();
  }
  throw std::move(*watcher.error());
}

void bind_results(py::module_& m) {
  py::class_<api::Results>(m, "Results")
      .def_property_readonly("scenario", &api::Results::scenario)
      .def_property_readonly("engine", &api::Results::engine)
      .def_property_readonly("outcome", &api::Results::outcome)
      .def_property_readonly("is_success", &api::Results::is_success)
      .def_property_readonly("explanation", &api::Results::explanation)
      .def_property_readonly("warnings", &api::Results::warnings)
      .def_property_readonly("seed", &api::Results::seed)
      .def_property_readonly("simulated_ps", &api::Results::simulated_ps)
      .def_property_readonly("wall_seconds", &api::Results::wall_seconds)
      .def_property_readonly("threads", &api::Results::threads)
      .def_property_readonly("packet_hops", &api::Results::packet_hops)
      .def_property_readonly("digest", &api::Results::digest)
      .def_property_readonly("scenario_digest", &api::Results::scenario_digest)
      .def_property_readonly("resolved_yaml", &api::Results::resolved_yaml)
      .def_property_readonly("summary", &api::Results::summary)
      .def_property_readonly("summary_json", &api::Results::summary_json)
      .def_property_readonly("folder", &api::Results::folder)
      .def("table_names",
           [](const api::Results& results) {
             std::vector<std::string> names;
             for (const api::Table& table : results.tables()) names.push_back(table.name);
             return names;
           })
      .def("rows",
           [](const api::Results& results, const std::string& name) {
             const api::Table* const table = results.table(name);
             if (table == nullptr) throw py::key_error(name);
             return table->rows;
           })
      .def("columns",
           [](const py::object& self, const std::string& name) {
             const api::Table* const table = self.cast<const api::Results&>().table(name);
             if (table == nullptr) throw py::key_error(name);
             py::list columns;
             for (const api::Column& c : table->columns) columns.append(column_of(c, self));
             return columns;
           })
      .def("explain",
           [](const api::Results& results, std::size_t lines) {
             return value_of(unlocked([&] { return results.explain(lines); }));
           })
      .def("write",
           [](const api::Results& results, const std::string& folder) {
             return value_of(unlocked([&] { return results.write(folder); }));
           })
      .def("to_bytes",
           [](const api::Results& results) {
             return py::bytes(unlocked([&] { return results.to_bytes(); }));
           })
      .def_static("from_bytes", [](const py::bytes& bytes) {
        const std::string text = bytes;
        return value_of(unlocked([&] { return api::Results::from_bytes(text); }));
      });
}

void bind_scenario(py::module_& m) {
  using namespace pybind11::literals;  // NOLINT: `_a` is found nowhere else
  py::class_<api::Scenario>(m, "Scenario")
      .def_static("from_file",
                  [](const std::string& path) { return value_of(api::Scenario::from_file(path)); })
      .def_static("from_text",
                  [](const std::string& text, const std::string& filename) {
                    return value_of(api::Scenario::from_text(text, filename));
                  })
      .def_static("from_document",
                  [](const py::dict& document) {
                    return value_of(api::Scenario::from_document(document_of(document)));
                  })
      .def("copy", [](const api::Scenario& scenario) { return scenario; })
      .def("set", [](api::Scenario& scenario, const std::string& path,
                     const std::string& value) { scenario.set(path, value); })
      .def("changes", &api::Scenario::changes)
      .def("check",
           [](const api::Scenario& scenario) {
             const api::Check c = value_of(unlocked([&] { return scenario.check(); }));
             return py::dict(
                 "name"_a = c.name, "hosts"_a = c.hosts, "switches"_a = c.switches,
                 "jobs"_a = c.jobs, "ranks"_a = c.ranks, "connections"_a = c.connections,
                 "logical_processes"_a = c.logical_processes, "lookahead_ps"_a = c.lookahead_ps,
                 "packet_hops"_a = c.packet_hops, "messages"_a = c.messages,
                 "seconds"_a = c.seconds, "memory_bytes"_a = c.memory_bytes,
                 "warnings"_a = c.warnings, "text"_a = c.text);
           })
      .def("estimate",
           [](const api::Scenario& scenario, bool runs, bool ideal) {
             const api::Estimate e = value_of(
                 unlocked([&] { return scenario.estimate({.run = runs, .ideal = ideal}); }));
             return py::make_tuple(e.text, e.json);
           })
      .def("to_yaml",
           [](const api::Scenario& scenario) {
             return value_of(unlocked([&] { return scenario.to_yaml(); }));
           })
      .def("run", &run);
}

}  // namespace
}  // namespace weft::python

PYBIND11_MODULE(_weft, m) {
  using namespace weft::python;  // NOLINT: the module is this file
  m.doc() = "The facade of weft; use the package `weft`.";
  m.def("version", &weft::api::version);
  m.def("declared_tables", [] {
    py::list tables;
    for (const weft::api::Table& table : weft::api::declared_tables()) {
      tables.append(declaration_of(table));
    }
    return tables;
  });
  m.def("scenario_schema", [] { return value_of(weft::api::scenario_schema()); });
  m.def("explain_difference", [](const weft::api::Results& first, const weft::api::Results& second,
                                 std::size_t lines) {
    return value_of(unlocked([&] { return weft::api::explain_difference(first, second, lines); }));
  });
  m.def("explain_folder", [](const std::string& folder, std::size_t lines) {
    return value_of(unlocked([&] { return weft::api::explain_folder(folder, lines); }));
  });
  m.def("compare_folders", [](const std::vector<std::string>& folders) {
    const auto comparison = value_of(unlocked([&] { return weft::api::compare_folders(folders); }));
    return py::make_tuple(comparison.text, comparison.json, comparison.has_differences);
  });
  bind_results(m);
  bind_scenario(m);
}
