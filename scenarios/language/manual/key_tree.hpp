#pragma once

#include <string>
#include <vector>

#include "simcore/schema/schema.hpp"

namespace weft::scenarios::language {

struct KeyNode;

/// Keys that an object has with one value of its tag.
struct KeyVariant {
  const schema::Alternative* alternative = nullptr;
  std::vector<KeyNode> keys;
};

/// A key, and those inside of it, with its default as a file would have it.
struct KeyNode {
  std::string path;  ///< such as `jobs[0].ranks.order`, as `--set` takes it
  const schema::Field* field = nullptr;
  std::string value;  ///< empty: none, or one that follows from others
  std::vector<KeyNode> keys;
  std::vector<KeyVariant> variants;  ///< of a map with a tag
};

/// All keys of `object`, whose standard value is `standard`: that is changed on the way, as every
/// variant is checked. The nodes point into `object`.
[[nodiscard]] KeyNode key_tree(const schema::AnyObject& object, void* standard,
                               const std::string& prefix = {});

}  // namespace weft::scenarios::language
