#include <utility>
#include <vector>

#include "protocols/config/switch_schema.hpp"
#include "protocols/config/transports/list.hpp"
#include "scenarios/language/schemas/document.hpp"
#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::scenarios::language {
namespace {

schema::Object<topologies::RackSpec> racks_schema() {
  return schema::describe<topologies::RackSpec>("racks", "racks alike, side by side")
      .field("count", &topologies::RackSpec::count, "how many")
      .required()
      .range(1, kMaxHosts)
      .field("servers", &topologies::RackSpec::servers, "servers per rack")
      .required()
      .range(1, kMaxHosts)
      .object("server", &topologies::RackSpec::server, topologies::server_part_schema(),
              "what each server is")
      .source("400 Gbps per host")
      .default_part("host-400g");
}

schema::Object<PxnSpec> pxn_schema() {
  return schema::describe<PxnSpec>("rail forwarding",
                                   "GPUs forward what their domain sends to their rail")
      .field("enabled", &PxnSpec::enabled,
             "whether a message to another domain and rail goes through a GPU of the sender's "
             "domain that is on the receiver's rail")
      .source("every message leaves by the NIC of its own GPU")
      .field("chunk", &PxnSpec::chunk, "what a GPU forwards at a time")
      .matters_if([](const PxnSpec& pxn) { return pxn.enabled; }, "with `enabled: true`")
      .source("NCCL sends through the network in chunks of 128 KiB (NCCL_P2P_NET_CHUNKSIZE)")
      .at_least(1_KiB)
      .at_most(1_GiB)
      .shorthand("enabled");
}

schema::Object<ReuseSpec> reuse_schema() {
  return schema::describe<ReuseSpec>("reuse", "what is not simulated again")
      .choice(
          "mode", &ReuseSpec::mode,
          {{Reuse::kOff, "off", "everything is simulated"},
           {Reuse::kOn, "on",
            "calls that begin alike are simulated once: inside servers, and between them on rails"},
           {Reuse::kVerify, "verify",
            "everything is simulated and compared with what would have been taken"},
           {Reuse::kAudit, "audit",
            "everything is simulated, and says how often epochs begin alike and end alike"}},
          "whether calls that begin alike are simulated again; results do not depend on it")
      .changes_output()
      .source("results are the same to the bit")
      .choice(
          "periods", &ReuseSpec::periods,
          {{Periods::kSimulated, "simulated", "all of them are"},
           {Periods::kApproximate, "approximate",
            "those that follow three alike ones are skipped, and count with their time"}},
          "what becomes of rounds of a long call and iterations of a job; results depend on it, "
          "and say so")
      .source("results are exact")
      .field("tolerance", &ReuseSpec::tolerance,
             "of approximate periods: by which part of the shortest one the longest may be longer, "
             "over all ranks and channels and three in a row")
      .matters_if([](const ReuseSpec& reuse) { return reuse.periods == Periods::kApproximate; },
                  "with `periods: approximate`")
      .source("below what models of hardware are good for")
      .within({.low = 0, .high = 0.5})
      .shorthand("mode");
}

schema::Object<RunSpec> run_schema() {
  return schema::describe<RunSpec>("run", "how long and how the simulation runs")
      .field("warmup", &RunSpec::warmup, "statistics count from then on")
      .source("everything counts")
      .field("until", &RunSpec::until, "the run stops there at the latest, which is no failure")
      .source("until every job is done")
      .at_least(1_ps)
      .special("none", std::nullopt)
      .field("control_latency", &RunSpec::control_latency,
             "of job control between hosts; bounds the lookahead")
      .source("the order of a small message between hosts")
      .at_least(1_ns)
      .choice("partition", &RunSpec::partition,
              {{LpPlan::Cut::kAuto, "auto", "the one that is expected to cost least"},
               {LpPlan::Cut::kOne, "one", "the whole fabric is one logical process"},
               {LpPlan::Cut::kUplinks, "uplinks", "links between scale-out switches are cut"},
               {LpPlan::Cut::kAccess, "access",
                "all scale-out links are cut, and scale-up domains stay whole"},
               {LpPlan::Cut::kFinest, "finest", "every link with a latency is cut"}},
              "how the fabric is cut into logical processes; results do not depend on it")
      .formerly("cells")
      .changes_output()
      .source("the fastest")
      .object("reuse", &RunSpec::reuse, reuse_schema(),
              "whether what was simulated once is simulated again");
}

schema::Object<Document> describe_document(LinkLayer layer) {
  return schema::describe<Document>("weft scenario", "one experiment on one fabric")
      .constant("weft", "1", "version of the scenario language")
      .changes_nothing()
      .source("the only version")
      .field("name", &Document::name, "letters, digits and . _ - ; names the results")
      .changes_output()
      .required()
      .field("seed", &Document::seed, "of everything random")
      .source("any number serves; results depend on it")
      .objects("racks", &Document::racks, racks_schema(),
               "the servers, unless `fabric` has them; several kinds of racks as a list, in order")
      .source("none")
      .or_one()
      .object("links", &Document::links, links_schema(), "cables by role")
      .object("fabric", &Document::fabric, fabric_schema(layer), "topology and switches")
      .required()
      .object("transport", &Document::transport, protocols::transport_schema(layer),
              "how hosts send messages")
      .source("what GPU clusters on Ethernet run")
      .object("pxn", &Document::pxn, pxn_schema(),
              "forwarding from rail to rail inside scale-up domains, as NCCL's PXN does")
      .objects("jobs", &Document::jobs, job_schema(layer), "what the hosts do")
      .required()
      .not_empty()
      .objects("faults", &Document::faults, fault_schema(), "what goes wrong, and when")
      .source("nothing goes wrong")
      .object("run", &Document::run, run_schema(), "how long and how the simulation runs")
      .object("observe", &Document::observe, observe_schema(), "what the results hold")
      .changes_output();
}

}  // namespace

Document standard_document(LinkLayer layer) {
  Document document;
  document.fabric.policies = protocols::standard_switches(layer);
  document.transport = protocols::standard_transport(layer);
  return document;
}

const schema::Object<Document>& document_schema(LinkLayer layer) {
  static const schema::Object<Document> ethernet = describe_document(LinkLayer::kEthernet);
  if (layer == LinkLayer::kEthernet) return ethernet;
  static const schema::Object<Document> infiniband = describe_document(LinkLayer::kInfiniBand);
  return infiniband;
}

}  // namespace weft::scenarios::language
