#include "scenarios/results/record.hpp"

namespace weft::scenarios {

FieldReference field_reference(const std::string& path, std::string meaning) {
  FieldReference field{path, unit_of(path), std::move(meaning)};
  std::ranges::replace(field.name, '/', '.');
  if (field.unit.empty()) field.unit = unit_of(path.substr(0, path.rfind('/')));
  return field;
}

std::vector<FieldReference> reference_within(const std::string& name, std::string meaning,
                                             const std::vector<FieldReference>& fields) {
  std::vector<FieldReference> all{{name, unit_of(name), std::move(meaning)}};
  for (const FieldReference& field : fields) {
    all.push_back({name + "." + field.name, field.unit, field.meaning});
    if (field.unit.empty()) all.back().unit = unit_of(name);
  }
  return all;
}

}  // namespace weft::scenarios
