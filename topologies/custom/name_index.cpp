#include "topologies/custom/name_index.hpp"

#include "simcore/text/nearest.hpp"

namespace weft::topologies {

bool NameIndex::add(const std::string& name, std::uint32_t place) {
  if (!places_.emplace(name, place).second) return false;
  names_.push_back(name);
  return true;
}

const std::uint32_t* NameIndex::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &found->second;
}

std::string NameIndex::unknown(const std::string& name) const {
  return "there is no node `" + name + "`" + did_you_mean(name, names_);
}

}  // namespace weft::topologies
