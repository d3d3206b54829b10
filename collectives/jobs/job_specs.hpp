#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "simcore/base/units.hpp"

/// What a job does, as the scenario states it. Ranks are numbers within the job, 0 .. n-1.
namespace weft::collectives {

/// All ranks but one send to that one at once.
struct IncastSpec {
  std::uint32_t receiver = 0;
  Bytes size;  ///< per sender and round
  std::uint32_t rounds = 1;
  Picoseconds jitter;  ///< each sender starts a round uniformly within it
};

/// Every rank sends one message to another rank; every rank receives one.
struct PermutationSpec {
  Bytes size;
  Picoseconds jitter;
};

struct MessagesSpec {
  struct Message {
    Picoseconds start;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Bytes size;
  };
  std::vector<Message> list;
};

/// Messages to uniformly random other ranks at a given load.
struct OpenLoopSpec {
  enum class Arrivals : std::uint8_t { kPoisson, kConstant };
  Bytes size;
  double load = 0.5;  ///< payload, as a fraction of the sender's access rate
  Arrivals arrivals = Arrivals::kPoisson;
  Picoseconds stop;  ///< no arrivals from then on, counted from the job's start
};

using JobKind =
    std::variant<IncastSpec, PermutationSpec, MessagesSpec, OpenLoopSpec, CollectiveSpec>;

}  // namespace weft::collectives
