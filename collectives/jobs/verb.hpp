#pragma once

#include <cstdint>

#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {

/// The RDMA operation by which a job moves its messages. Data goes the same way by each: a write
/// and a send are posted where data comes from, a read where it goes to (ReadProgram).
enum class Verb : std::uint8_t { kWrite, kRead, kSend };

/// Adds the key of a specification's `verb`.
template <class Spec>
void add_verb(schema::Builder<Spec>& builder) {
  builder
      .choice("operation", &Spec::verb,
              {{Verb::kWrite, "write", "posted by who has the data"},
               {Verb::kRead, "read",
                "posted by who is to have the data: a request of 16 bytes goes ahead of each "
                "message"},
               {Verb::kSend, "send", "as many bytes as a write; `mrc` and `tcp` have no SEND"}},
              "of RDMA, by which data is moved")
      .source("what RDMA libraries of collectives use");
}

}  // namespace weft::collectives
