#pragma once

#include <array>

#include "tools/topo/sections/section.hpp"

namespace weft::topo {

[[nodiscard]] Section roles_section(const Subject& subject);
[[nodiscard]] Section findings_section(const Subject& subject);
[[nodiscard]] Section domains_section(const Subject& subject);
[[nodiscard]] Section rails_section(const Subject& subject);
[[nodiscard]] Section host_links_section(const Subject& subject);
[[nodiscard]] Section paths_section(const Subject& subject);
[[nodiscard]] Section bisection_section(const Subject& subject);
[[nodiscard]] Section cycles_section(const Subject& subject);

/// Every section of a report, in its order: the one list.
inline constexpr std::array kSections{roles_section,      domains_section,  rails_section,
                                      host_links_section, findings_section, paths_section,
                                      bisection_section,  cycles_section};

}  // namespace weft::topo
