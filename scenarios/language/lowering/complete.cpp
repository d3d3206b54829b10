#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "collectives/jobs/list.hpp"
#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/language/lowering/placement.hpp"
#include "scenarios/language/lowering/topology.hpp"
#include "scenarios/language/yaml/source_text.hpp"
#include "simcore/base/digest.hpp"
#include "simcore/text/quoted.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::scenarios::language {
namespace {

using topologies::LinkRoles;

/// What a link of some role is unless said otherwise.
struct LinkDefaults {
  const char* cable;
  Millimetres length;
  const char* reason;
};

constexpr LinkDefaults kAccess{"copper", Millimetres(3'000), "passive copper inside a rack"};
constexpr LinkDefaults kUplink{"fibre", Millimetres(30'000), "a row of racks"};

void complete_rate(const Context& context, topologies::LinkPart& link, const std::string& path,
                   BitsPerSecond rate, const char* reason) {
  if (link.rate) return;
  link.rate = rate;
  context.provenance[child_path(path, "rate")] = reason;
}

void complete_cable(const Context& context, topologies::LinkPart& link, const std::string& path,
                    const LinkDefaults& defaults) {
  if (link.latency) return;
  if (!link.length) {
    link.length = defaults.length;
    context.provenance[child_path(path, "length")] = defaults.reason;
  }
  if (!link.cable) {
    context.reader.read_named_part(topologies::cable_part_schema(), defaults.cable,
                                   link.cable.emplace(), child_path(path, "cable"));
  }
}

/// What is not said of a cable of some role is what is said of the role.
void inherit(const Context& context, topologies::LinkPart& link, const std::string& path,
             const topologies::LinkPart& role, const std::string& role_path) {
  const auto take = [&](auto topologies::LinkPart::*member, const char* key) {
    if (link.*member || !(role.*member)) return;
    link.*member = role.*member;
    context.provenance[child_path(path, key)] = "as " + role_path;
  };
  take(&topologies::LinkPart::rate, "rate");
  if (!link.errors.given() && role.errors.given()) {
    link.errors = role.errors;
    const char* key = link.errors.frame_loss_rate ? "frame_loss_rate" : "bit_error_rate";
    context.provenance[child_path(path, key)] = "as " + role_path;
  }
  if (!link.length && !link.cable) take(&topologies::LinkPart::latency, "latency");
  if (link.latency) return;
  take(&topologies::LinkPart::length, "length");
  if (link.cable || !role.cable) return;
  link.cable = role.cable;
  for (const char* key : {".latency_per_metre", ".transceivers", ".fec"}) {
    context.provenance[child_path(path, "cable") + key] = "as " + role_path;
  }
}

/// What is not said of links above the spines is that of those below.
void complete_super_uplink(const Context& context) {
  LinksDocument& links = context.document.links;
  const std::string path = "links.super_uplink";
  if (link_roles_of(context.document) != LinkRoles::kThreeTiers) {
    if (locate(context.root, path).is_exact) {
      context.fail(path, "has no meaning here; only fabrics of three tiers have super-spines");
    }
    return;
  }
  topologies::LinkPart& link = links.super_uplink;
  inherit(context, link, path, links.uplink, "the uplinks");
  complete_cable(context, link, path, kUplink);
}

/// Cables by name have the role that their ends give them.
template <class Topology>
void complete_cables(const Context& context, Topology& topology) {
  const LinksDocument& links = context.document.links;
  for (std::size_t i = 0; i < topology.cables.size(); ++i) {
    auto& cable = topology.cables[i];
    const std::string path = element_path("fabric.cables", i);
    const bool is_access = topology.is_access(cable);
    inherit(context, cable.link, path, is_access ? links.access : links.uplink,
            is_access ? "links.access" : "links.uplink");
    complete_rate(context, cable.link, path, racks_of(context.document).front().server.nic.rate,
                  "the rate of the NIC");
    complete_cable(context, cable.link, path, is_access ? kAccess : kUplink);
  }
}

/// Without a rate, access links have that of each server's NIC.
void complete_roles(const Context& context) {
  LinksDocument& links = context.document.links;
  BitsPerSecond slowest = BitsPerSecond::max();
  BitsPerSecond fastest;
  for (const topologies::RackSpec& rack : racks_of(context.document)) {
    slowest = std::min(slowest, rack.server.nic.rate);
    fastest = std::max(fastest, rack.server.nic.rate);
  }
  const bool has_own_rates = !links.access.rate && slowest != fastest;
  if (!has_own_rates) {
    complete_rate(context, links.access, "links.access", fastest, "the rate of the NIC");
  }
  complete_rate(context, links.uplink, "links.uplink", links.access.rate.value_or(fastest),
                has_own_rates ? "the rate of the fastest NIC" : "the rate of the access links");
  complete_cable(context, links.access, "links.access", kAccess);
  complete_cable(context, links.uplink, "links.uplink", kUplink);
  complete_super_uplink(context);
}

/// Links with a role have no meaning in this topology, because of `why`.
void refuse_roles(const Context& context, const std::string& why) {
  for (const char* role : {"links.access", "links.uplink", "links.super_uplink"}) {
    if (!locate(context.root, role).is_exact) continue;
    context.fail(role,
                 "has no meaning with `topology: " + topology_name(context.document) + "`, " + why);
  }
}

/// The links that a topology lists itself.
template <class Links>
void complete_own_links(const Context& context, Links& links) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    topologies::LinkPart& link = links[i].link;
    const std::string path = element_path("fabric.links", i);
    if (!link.rate) {
      context.fail(child_path(path, "rate"), "is missing; expected a rate such as 400Gbps");
    }
    if (!link.latency && !link.length) {
      context.fail(path, "needs a latency, or a length with a cable");
      continue;
    }
    complete_cable(context, link, path, kUplink);
  }
}

void complete_links(const Context& context) {
  std::visit(
      [&]<class T>(T& topology) {
        if constexpr (T::kRoles == LinkRoles::kOwn) {
          refuse_roles(context, "which gives each link its own attributes under fabric.links");
          complete_own_links(context, topology.links);
        } else if constexpr (T::kRoles == LinkRoles::kNone) {
          refuse_roles(context, "which has no scale-out links");
        } else {
          complete_roles(context);
          if constexpr (requires { topology.cables; }) complete_cables(context, topology);
        }
      },
      context.document.fabric.topology);
}

/// `ranks: 8` means the first eight hosts, while `ranks: [8]` means host 8: the range says the
/// first without the form of the file.
void complete_ranks(const Context& context, RanksDocument& ranks, const std::string& path) {
  const Located hosts = locate(context.root, path + ".hosts");
  if (ranks.random && hosts.is_exact) {
    context.fail(path, "has both hosts and random; one of them is needed");
  }
  if (ranks.random) ranks.hosts.clear();
  if (!hosts.is_exact || ranks.hosts.size() != 1) return;
  const Node* node = &context.root;
  for (const PathStep& step : parse_path(path + ".hosts")) {
    node = step.is_index ? &node->items[step.index] : node->find(step.key);
  }
  std::string& word = ranks.hosts.front();
  const bool is_count = node->kind == Node::Kind::kScalar && !word.empty() &&
                        std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c); });
  if (!is_count) return;
  const std::size_t digit = word.find_first_not_of('0');
  if (digit == std::string::npos) {
    context.fail(path, "is 0; a job needs ranks");
    return;
  }
  if (word.size() - digit > 9) {
    context.fail(path, backquoted(word) + " is more hosts than any fabric has");
    return;
  }
  word = "0-" + std::to_string(std::stoul(word) - 1);
}

/// The files of one job.
class FilesOfJob final : public collectives::JobFiles {
 public:
  FilesOfJob(const Context& context, std::size_t index)
      : context_(context),
        index_(index),
        path_(element_path("jobs", index)),
        traffic_class_(context.document.jobs[index].traffic_class) {}

  std::optional<File> read(const std::string& key, const std::string& path) override {
    std::error_code error;
    const std::filesystem::path file =
        std::filesystem::weakly_canonical(std::filesystem::absolute(context_.folder / path), error);
    Result<std::string> text = read_text_file(file, kMaxCsvBytes);
    if (!text.ok()) {
      fail(key, "`" + file.string() + "`: " + text.errors().front().message);
      return std::nullopt;
    }
    std::string digest = sha256_hex(text.value());
    return File{file.string(), std::move(text).value(), std::move(digest)};
  }
  [[nodiscard]] bool is_given(const std::string& key) const override {
    return locate(context_.root, child_path(path_, key)).is_exact;
  }
  void fail(const std::string& key, std::string message) override {
    context_.fail(child_path(path_, key), std::move(message));
  }
  void fail(Errors errors) override {
    for (Error& error : errors) context_.diagnostics.add(std::move(error));
  }
  void note(const std::string& key, const std::string& source) override {
    context_.provenance[child_path(path_, key)] = source;
  }
  [[nodiscard]] const std::string& traffic_class() const override { return traffic_class_; }
  [[nodiscard]] std::variant<std::uint32_t, std::string> rank_on(const std::string& host) override {
    if (!ranks_) ranks_.emplace(context_.document, index_);
    return ranks_->on(host);
  }

 private:
  const Context& context_;
  std::size_t index_;
  std::string path_;
  const std::string& traffic_class_;
  std::optional<RanksByHost> ranks_;  ///< once somebody asks
};

void complete_jobs(const Context& context) {
  check_code_points(context);
  for (std::size_t i = 0; i < context.document.jobs.size(); ++i) {
    JobDocument& job = context.document.jobs[i];
    const std::string path = element_path("jobs", i);
    complete_ranks(context, job.ranks, child_path(path, "ranks"));
    complete_class(context, job, path);
    FilesOfJob files(context, i);
    collectives::read_files(job.kind, files);
  }
}

/// Whether the servers are where the topology wants them.
bool has_servers(const Context& context) {
  const Document& document = context.document;
  const char* const why_none = why_no_racks(document);
  if (why_none == nullptr && document.racks.empty()) {
    context.fail("racks",
                 "is missing; this fabric needs racks, such as "
                 "{count: 4, servers: 8, server: host-400g}");
    return false;
  }
  if (why_none != nullptr && !document.racks.empty()) {
    context.fail("racks",
                 "has no meaning with `topology: " + topology_name(document) + "`, " + why_none);
    return false;
  }
  return true;
}

}  // namespace

void complete(const Context& context) {
  if (!has_servers(context)) return;
  complete_links(context);
  check_link_layers(context);
  complete_changes(context);
  complete_jobs(context);
  doubt_parts(context);
}

}  // namespace weft::scenarios::language
