#pragma once

#include <string>
#include <vector>

#include "scenarios/language/schemas/document.hpp"
#include "topologies/list.hpp"

/// What the language asks of the topology of a document, whichever it is.
namespace weft::scenarios::language {

/// As the scenario spells it.
[[nodiscard]] std::string topology_name(const Document& document);

/// Why the topology takes no racks: a clause such as "which lists its hosts under fabric.nodes".
/// Null: it does.
[[nodiscard]] const char* why_no_racks(const Document& document);

[[nodiscard]] topologies::LinkRoles link_roles_of(const Document& document);

/// The racks, whether the document lists them or the topology makes them; none where the topology
/// lists its hosts. Of access links the rate is given if the document says it.
[[nodiscard]] std::vector<topologies::RackSpec> racks_of(const Document& document);

/// The hosts of a topology that names them; empty: they are numbered.
[[nodiscard]] std::vector<std::string> host_names_of(const Document& document);

/// The NIC of the first host.
[[nodiscard]] topologies::NicPart nic_of(const Document& document);

/// Where the document may name switches, with what they then are.
[[nodiscard]] std::vector<topologies::SwitchUse> switch_uses_of(const Document& document);

/// What a completed document asks for.
[[nodiscard]] topologies::TopologySpec lower_topology(const Document& document);

}  // namespace weft::scenarios::language
