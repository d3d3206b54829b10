#pragma once

#include <string>

#include "scenarios/language/yaml/node.hpp"
#include "scenarios/language/yaml/reader.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::scenarios::language {

/// How much the text says besides the values.
struct WriteStyle {
  bool comments = true;  ///< `# default: <source>` behind what the file does not give
};

/// `object` as YAML that reads back as the same value, with every key written out. `root` is what
/// the file gave, as the reader left it.
[[nodiscard]] std::string write_yaml(const schema::AnyObject& object, const void* value,
                                     const Node& root, const Provenance& provenance,
                                     const WriteStyle& style);
template <class T>
[[nodiscard]] std::string write_yaml(const schema::Object<T>& object, const T& value,
                                     const Node& root, const Provenance& provenance,
                                     const WriteStyle& style) {
  return write_yaml(object.any(), &value, root, provenance, style);
}

}  // namespace weft::scenarios::language
