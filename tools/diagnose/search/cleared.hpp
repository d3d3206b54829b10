#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/diagnose/model/evidence_points.hpp"
#include "tools/diagnose/model/places.hpp"
#include "tools/diagnose/search/search.hpp"

namespace weft::diagnose {

/// What a run that is as expected says is not to blame.
struct Cleared {
  std::string by{};                   ///< the curve
  std::vector<std::string> places{};  ///< servers of which all NICs are cleared, NICs, leaves
  double value = 1;                   ///< the part of their rate at which they cannot be
  double longer = 1;  ///< times as long as measured that run would have taken with it
  std::string text{};
};

/// Takes out of `fits` what cannot be: a part that carries a fraction of its rate would have made a
/// run slower that used it, and that run is as expected. Its bytes alone say so, or two sizes (of
/// pairs one) that are faster than the closed form by more than weft's own error. Returned are
/// places that are out, where others of their kind are possible. `fits` are in their order.
[[nodiscard]] std::vector<Cleared> take_out_cleared(std::vector<Fit>& fits,
                                                    const EvidencePoints& evidence,
                                                    const Places& places);

}  // namespace weft::diagnose
