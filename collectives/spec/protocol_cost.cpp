#include "collectives/spec/protocol_cost.hpp"

namespace weft::collectives {

ProtocolCost protocol_cost(Protocol protocol) {
  switch (protocol) {
    case Protocol::kLl:
      return {4, 8, {}};
    case Protocol::kLl128:
      return {120, 128, Picoseconds(1'300'000)};
    case Protocol::kSimple:
      return {1, 1, Picoseconds(2'800'000)};
    case Protocol::kNone:
      break;
  }
  return {};
}

}  // namespace weft::collectives
