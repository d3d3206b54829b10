#pragma once

#include <functional>
#include <vector>

/// Runs that are measured in processes of their own: each with a heap of its own, so that rows do
/// not see each other's memory, and several at once where that is the question.
namespace weft::bench {

/// What one run took. Trivially copyable: it comes through a pipe.
struct Measured {
  double wall = 0;         ///< seconds
  double cpu = 0;          ///< seconds of processor time, all threads
  double hops = 0;         ///< packet-hops
  double state_bytes = 0;  ///< what the network says it holds
  double resident_bytes =
      0;                 ///< peak of the process beyond what it had before the fabric was built
  double simulated = 0;  ///< seconds
  double bound = 0;      ///< seconds: the time that bandwidth alone allows; 0: not asked
};

/// Builds what is to be run, and returns what runs and describes it. `wall` and `cpu` are taken
/// around that call, `resident_bytes` after it.
using Run = std::function<Measured()>;
using Prepare = std::function<Run()>;

/// Runs `copies` of it at once, in processes that have all been prepared before the first starts.
/// Ends the program if one of them dies.
[[nodiscard]] std::vector<Measured> measure(const Prepare& prepare, unsigned copies = 1);

}  // namespace weft::bench
