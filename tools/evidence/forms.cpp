#include "tools/evidence/forms.hpp"

#include <algorithm>
#include <vector>

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

std::span<const Form> forms() {
  // What is surest by its content comes first: NCCL's lines stand in output of other programs, too.
  static const std::vector<Form> kForms{
      kineto_form(),     flight_recorder_form(), inspector_form(),
      tuner_form(),      pair_matrix_form(),     nvbandwidth_form(),
      nccl_tests_form(), perftest_form(),        nccl_log_form()};
  return kForms;
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
