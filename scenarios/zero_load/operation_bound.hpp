#pragma once

#include <string>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "collectives/spec/rank_layout.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::scenarios {

/// What a collective takes at least, by any algorithm.
struct OperationBound {
  Picoseconds time;
  std::string set_by;  ///< the tightest cut, such as `links of h3`; empty: nothing need cross any
};

/// For every cut, the payload that must cross it over the payload rate of its links (into a host at
/// most what its NICs take in), the largest. With several iterations that is what all of them need
/// as far as they may overlap (operation_bound.cpp), with what is computed before each. Cuts are:
/// all links of a rank; what joins the ranks of a scale-up domain to others; what joins those below
/// a leaf to others. Latencies, acknowledgements and headers of the last packet are left out.
///
/// What must cross a cut that parts m of n ranks from the others, each way, of a vector of S bytes:
/// all-reduce S (the others need the sum of these, and these that of the others), and over all
/// ranks or domains together 2 (n-1) S, since a sum that is made at one of them is not made at
/// another (P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations", JPDC 69, 2009, section 3); where scale-up switches reduce, ranks send and take S
/// + S/n. All-gather: m S/n out, (n-m) S/n in; reduce-scatter the same turned round; broadcast S
/// from the root's side, reduce S to it; gather and scatter the parts of the other side; all-to-all
/// what ranks have for each other. `spec` is settled: its matrix is there.
[[nodiscard]] OperationBound operation_bound(const Scenario& scenario, const Fabric& fabric,
                                             const collectives::CollectiveSpec& spec,
                                             const JobSpec& job,
                                             const collectives::RankLayout& layout);

}  // namespace weft::scenarios
