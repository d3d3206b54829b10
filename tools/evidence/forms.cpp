#include "tools/evidence/forms.hpp"

#include <algorithm>
#include <vector>

#include "tools/evidence/counters/counter_forms.hpp"
#include "tools/evidence/links/nvbandwidth.hpp"
#include "tools/evidence/links/pair_matrix.hpp"
#include "tools/evidence/links/perftest.hpp"
#include "tools/evidence/nccl_log/nccl_log.hpp"
#include "tools/evidence/nccl_tests/series.hpp"
#include "tools/evidence/traces/flight_recorder.hpp"
#include "tools/evidence/traces/inspector.hpp"
#include "tools/evidence/traces/kineto.hpp"
#include "tools/evidence/tuner/tuner.hpp"

namespace weft::evidence {

namespace {

/// What is surest by its content comes first: NCCL's lines stand in output of other programs, too.
std::vector<Form> all_forms() {
  std::vector<Form> all{kineto_form(), flight_recorder_form(), inspector_form(),
                        tuner_form(),  pair_matrix_form(),     nvbandwidth_form()};
  all.insert(all.end(), counter_forms().begin(), counter_forms().end());
  for (const Form& form : {nccl_tests_form(), perftest_form(), nccl_log_form()})
    all.push_back(form);
  return all;
}

}  // namespace

std::span<const Form> forms() {
  static const std::vector<Form> all = all_forms();
  return all;
}

const Form* find_form(std::string_view name) {
  const auto found = std::ranges::find(forms(), name, &Form::name);
  return found == forms().end() ? nullptr : &*found;
}

const Form* recognise(const InputFile& file) {
  const auto found = std::ranges::find_if(
      forms(), [&file](const Form& form) { return form.recognise(file).has_value(); });
  return found == forms().end() ? nullptr : &*found;
}

void read_file(const InputFile& file, const Form* form, Measurements& measurements) {
  if (form == nullptr) form = recognise(file);
  if (form == nullptr) {
    import::add_error(measurements.remarks, {.file = file.name()},
                      "is in no form of log that weft knows; `weft diagnose --help` lists them");
    return;
  }
  form->read(file, measurements);
}

}  // namespace weft::evidence
