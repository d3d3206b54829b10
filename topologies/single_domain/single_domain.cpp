#include "topologies/single_domain/single_domain.hpp"

#include <utility>

#include "simcore/schema/schema_builder.hpp"
#include "topologies/assembly/assembler.hpp"
#include "topologies/assembly/servers.hpp"

namespace weft::topologies {

schema::Object<SingleDomain> SingleDomain::schema() {
  return schema::describe<SingleDomain>("single-domain",
                                        "a scale-up domain alone: one server, without its NICs");
}

SingleDomainSpec SingleDomain::specification(const FabricParts& parts) const {
  SingleDomainSpec spec{parts.racks, parts.routing};
  for (RackSpec& rack : spec.racks) {
    if (rack.server.gpus > 0) rack.server.nics = rack.server.rails = 0;
  }
  return spec;
}

Result<Fabric> build(const SingleDomainSpec& spec) {
  const Servers servers(spec.racks);
  Errors errors = servers.check("racks");
  for (const RackSpec& rack : spec.racks) {
    if (rack.server.nics == 0) continue;
    errors.push_back(error_at("racks",
                              "the servers have NICs, and there is nothing to join them; "
                              "set `nics: 0`, or name a topology"));
    break;
  }
  if (errors.empty()) {
    check_size(servers.hosts(), saturating_product(2, servers.inner_cables()), errors);
  }
  if (!errors.empty()) return errors;
  Assembler assembler;
  static_cast<void>(servers.add_to(assembler));
  return std::move(assembler).finish();
}

}  // namespace weft::topologies
