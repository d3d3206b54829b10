#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scenarios/results/table.hpp"
#include "scenarios/results/value.hpp"

namespace weft::scenarios {

/// What the reference says of a column, or of a field of summary.json.
struct FieldReference {
  std::string name;
  std::string unit;
  std::string meaning;
};

/// Of a key or a path of keys. The unit is what its last word says, or else the one before.
[[nodiscard]] FieldReference field_reference(const std::string& path, std::string meaning);

/// JSON of a field that is left out.
[[nodiscard]] inline nlohmann::ordered_json absent() {
  return nlohmann::ordered_json::value_t::discarded;
}

/// A field of summary.json: declared once, where its value comes from.
template <class Row>
struct Field {
  /// `get(row)` gives a Value, or what one can be made of; or JSON, such as `absent()`.
  template <class Get>
  Field(std::string name_in, std::string meaning, Get get) : name(std::move(name_in)) {
    reference.push_back(field_reference(name, std::move(meaning)));
    json = [get = std::move(get)](const Row& row) -> nlohmann::ordered_json {
      if constexpr (std::same_as<std::invoke_result_t<Get, const Row&>, nlohmann::ordered_json>) {
        return get(row);
      } else {
        return Value(get(row)).json();
      }
    };
  }
  Field(std::string name_in, std::vector<FieldReference> reference_in,
        std::function<nlohmann::ordered_json(const Row& row)> json_in)
      : name(std::move(name_in)), reference(std::move(reference_in)), json(std::move(json_in)) {}

  std::string name;  ///< its key, or a path of keys as in `path/late`
  std::vector<FieldReference> reference;
  std::function<nlohmann::ordered_json(const Row& row)> json;
};

/// Scalar results that belong together. They are sums over what tables hold or what a run cost: no
/// part of digests.
template <class Row>
struct Record {
  std::vector<Field<Row>> fields;

  [[nodiscard]] nlohmann::ordered_json json(const Row& row) const {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const Field<Row>& field : fields) {
      nlohmann::ordered_json value = field.json(row);
      if (value.is_discarded()) continue;
      object[nlohmann::ordered_json::json_pointer("/" + field.name)] = std::move(value);
    }
    return object;
  }
  [[nodiscard]] std::vector<FieldReference> reference() const {
    std::vector<FieldReference> all;
    for (const Field<Row>& field : fields) {
      all.insert(all.end(), field.reference.begin(), field.reference.end());
    }
    return all;
  }
};

/// The columns of a table that summary.json has, as fields.
template <class Row>
[[nodiscard]] std::vector<Field<Row>> fields_of(const Table<Row>& table) {
  std::vector<Field<Row>> fields;
  for (const Column<Row>& column : table.columns) {
    if (column.key == nullptr) continue;
    fields.emplace_back(column.key, column.meaning, column.value);
  }
  return fields;
}

/// What the reference says of fields within a field that means this.
[[nodiscard]] std::vector<FieldReference> reference_within(
    const std::string& name, std::string meaning, const std::vector<FieldReference>& fields);
template <class Item>
[[nodiscard]] std::vector<FieldReference> reference_of(const std::string& name, std::string meaning,
                                                       const Record<Item>& record) {
  return reference_within(name, std::move(meaning), record.reference());
}

/// A field that is an object. `get(row)` points to what the record takes, or gives an optional of
/// it; the field is left out where there is nothing. The record outlives the field.
template <class Row, class Item, class Get>
[[nodiscard]] Field<Row> object(const std::string& name, std::string meaning,
                                const Record<Item>& record, Get get) {
  return {name, reference_of(name, std::move(meaning), record), [&record, get](const Row& row) {
            const auto item = get(row);
            return item ? record.json(*item) : absent();
          }};
}

/// A field that is a list of objects: the same for all of them, in an optional.
template <class Row, class Item, class Get>
[[nodiscard]] Field<Row> list(const std::string& name, std::string meaning,
                              const Record<Item>& record, Get get) {
  return {name, reference_of(name + "[]", std::move(meaning), record),
          [&record, get](const Row& row) {
            const auto items = get(row);
            if (!items) return absent();
            nlohmann::ordered_json array = nlohmann::ordered_json::array();
            for (const Item& item : *items) array.push_back(record.json(item));
            return array;
          }};
}

/// The first of them, where a list is cut.
template <class T>
[[nodiscard]] std::span<const T> at_most(const std::vector<T>& all, std::size_t max) {
  return std::span(all).first(std::min(all.size(), max));
}

}  // namespace weft::scenarios
