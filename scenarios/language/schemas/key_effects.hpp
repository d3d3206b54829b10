#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "simcore/schema/schema.hpp"

namespace weft::scenarios::language {

/// What follows from the value of a key.
enum class Effect : std::uint8_t {
  kResult,   ///< what is simulated, and so numbers of results
  kOutput,   ///< names, files and warnings; what is simulated is the same
  kNothing,  ///< nothing that is written: a key with one value, a sum that guards a file
};

/// What a specification's schema does not say of one of its keys. Keys that nothing is said of here
/// change results wherever they may stand. A test over all keys of all specifications
/// (tests/scenarios/effects) changes each of them and looks for what is said.
struct KeyEffect {
  const char* title = "";  ///< of the specification
  const char* key = "";
  Effect effect = Effect::kResult;
  /// Whether the value makes a difference, given the other keys of the specification; empty:
  /// always. Where it makes none it may be given, and whoever gives it is told. What else may take
  /// a key's effect away is in checks/given_key_checks.cpp.
  std::function<bool(const void*)> matters = {};
  const char* where = "";  ///< such as ``with `enabled: true` ``
  /// A part is built for so much: a scenario that names the part and says more is warned.
  bool is_rating = false;
};

[[nodiscard]] std::span<const KeyEffect> key_effects();
/// Of a key of `object`; null: it changes results.
[[nodiscard]] const KeyEffect* effect_of(const schema::AnyObject& object, const std::string& key);

}  // namespace weft::scenarios::language
