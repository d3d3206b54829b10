#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/checks/limits/spread_traffic.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {
namespace {

using collectives::IncastSpec;
using collectives::OpenLoopSpec;
using collectives::RequestsSpec;
using collectives::SizesSpec;

/// More destinations times ports of switches take longer than a check may.
constexpr double kMaxSteps = 20e6;
/// More pairs of ranks, likewise.
constexpr double kMaxPairs = 600e3;

/// Messages of one size or of a distribution.
struct MeanMessage {
  double payload = 0;  ///< bytes
  double wire = 0;     ///< with the headers of its packets
  double answers = 0;  ///< wire bytes of its ACKs
};

double number_of(Bytes bytes) { return static_cast<double>(bytes.count()); }

MeanMessage mean_of(Bytes size, const Framing& framing) {
  MeanMessage mean{number_of(size), number_of(wire_bytes(size, framing)), 0};
  const double packets = std::ceil(number_of(size) / number_of(framing.payload));
  mean.answers = std::ceil(packets / framing.ack_every) * number_of(framing.ack_size);
  return mean;
}

/// Thousandths of a distribution stand for all of it.
MeanMessage mean_of(const SizesSpec& sizes, const Framing& framing) {
  constexpr std::int64_t kSamples = 1000;
  MeanMessage sum;
  for (std::int64_t i = 1; i <= kSamples; ++i) {
    const Bytes size = sizes.table.quantile(collectives::SizeDistribution::kWhole / kSamples * i);
    const MeanMessage one = mean_of(std::max(size, 1_B), framing);
    sum.payload += one.payload / kSamples;
    sum.wire += one.wire / kSamples;
    sum.answers += one.answers / kSamples;
  }
  return sum;
}

/// What a job offers for a while, whatever becomes of it.
struct Offer {
  std::string name;
  const char* remedy = "";  ///< what to change
  Picoseconds from;
  Picoseconds until;
  std::vector<double> by_port;  ///< bits per second
};

class LoadChecks {
 public:
  LoadChecks(const Experiment& e, StaticFindings& findings)
      : e_(e), findings_(findings), access_(access_rates(e.fabric)) {}

  void run() {
    for (const JobSpec& job : e_.scenario.jobs) {
      check_sizes(job);
      // When a job begins that waits for others nobody knows before the run: it counts by itself.
      if (std::optional<Offer> offer = offer_of(job)) {
        const bool is_too_much = warn({&*offer});
        if (!is_too_much && job.after.empty()) offers_.push_back(std::move(*offer));
      }
    }
    for (const Offer& begins : offers_) {
      std::vector<const Offer*> together;
      for (const Offer& other : offers_) {
        if (other.from <= begins.from && begins.from < other.until) together.push_back(&other);
      }
      if (together.size() > 1 && warn(together)) return;
    }
  }

  /// Of what a job offers for a while, what the link that is asked for most is asked for, in parts
  /// of what it carries.
  [[nodiscard]] double load_of(const JobSpec& job) {
    const std::optional<Offer> offer = offer_of(job);
    return offer ? max_asked({&*offer}).part : 0;
  }

 private:
  struct Asked {
    double part = 0;  ///< of what the link carries
    PortId where{};
  };
  [[nodiscard]] Asked max_asked(const std::vector<const Offer*>& offers) const {
    Asked max;
    for (std::size_t p = 0; p < e_.fabric.ports.size(); ++p) {
      double asked = 0;
      for (const Offer* offer : offers) asked += offer->by_port[p];
      const double part = asked / static_cast<double>(e_.fabric.ports[p].rate.count());
      if (part > max.part) max = {part, PortId(p)};
    }
    return max;
  }

  /// Warns where some link is asked for more than it carries.
  bool warn(const std::vector<const Offer*>& offers) {
    const Asked max = max_asked(offers);
    constexpr double kRounding = 1e-6;
    if (max.part <= 1 + kRounding) return false;
    std::string names;
    for (const Offer* offer : offers) names += (names.empty() ? "" : ", ") + offer->name;
    findings_.warnings.push_back(fmt::format(
        "{} {} for {:.2f} times what it carries, headers and ACKs included: queues and "
        "times of messages then grow until the end, and say nothing of the fabric; {}",
        offers.size() > 1 ? "jobs " + names + " together ask" : "job " + names + " asks",
        e_.fabric.port_name(max.where), max.part, offers.front()->remedy));
    return true;
  }

  /// Messages that a rank sends another, and what answers them.
  void add(SpreadTraffic& traffic, const JobSpec& job, std::size_t from, std::size_t to,
           double messages_per_second, const MeanMessage& message) {
    traffic.add(job.ranks[from], job.ranks[to], messages_per_second * message.wire * 8);
    if (message.answers == 0) return;
    traffic.add(job.ranks[to], job.ranks[from], messages_per_second * message.answers * 8);
  }

  [[nodiscard]] double access(const JobSpec& job, std::size_t rank) const {
    return static_cast<double>(access_[job.ranks[rank].value()].count()) / 8;
  }

  void offer(const JobSpec& job, const OpenLoopSpec& spec, const Framing& framing,
             SpreadTraffic& traffic) {
    const MeanMessage message =
        spec.sizes ? mean_of(*spec.sizes, framing) : mean_of(spec.size, framing);
    const std::size_t n = job.ranks.size();
    for (std::size_t from = 0; from < n; ++from) {
      const double each = spec.load * access(job, from) / message.payload;
      for (std::size_t to = 0; to < n; ++to) {
        if (to == from) continue;
        const bool reads = spec.verb == collectives::Verb::kRead;
        add(traffic, job, reads ? to : from, reads ? from : to, each / static_cast<double>(n - 1),
            message);
      }
    }
  }

  void offer(const JobSpec& job, const IncastSpec& spec, const Framing& framing,
             SpreadTraffic& traffic) {
    const MeanMessage message = mean_of(spec.size, framing);
    const std::size_t n = job.ranks.size();
    const double senders = spec.senders.value_or(static_cast<std::uint32_t>(n - 1));
    const double rounds = 1 / round_time(job, spec);
    for (std::size_t to = 0; to < n; ++to) {
      if (!spec.draws_members() && to != spec.receiver) continue;
      const double here = spec.draws_members() ? rounds / static_cast<double>(n) : rounds;
      for (std::size_t from = 0; from < n; ++from) {
        if (from == to) continue;
        add(traffic, job, from, to, here * senders / static_cast<double>(n - 1), message);
      }
    }
  }

  void offer(const JobSpec& job, const RequestsSpec& spec, const Framing& framing,
             SpreadTraffic& traffic) {
    const MeanMessage request = mean_of(spec.request, framing);
    const MeanMessage response =
        spec.responses ? mean_of(*spec.responses, framing) : mean_of(spec.response, framing);
    const double servers = static_cast<double>(job.ranks.size()) - spec.clients;
    const double asked = spec.fan_out ? *spec.fan_out : servers;
    for (std::size_t client = 0; client < spec.clients; ++client) {
      const double rounds = 1 / round_time(job, spec, client);
      for (std::size_t server = spec.clients; server < job.ranks.size(); ++server) {
        add(traffic, job, client, server, rounds * asked / servers, request);
        add(traffic, job, server, client, rounds * asked / servers, response);
      }
    }
  }

  // Seconds from one round to the next, of jobs whose rounds come whatever becomes of them.
  [[nodiscard]] double round_time(const JobSpec& job, const IncastSpec& spec) const {
    if (spec.period) return to_seconds(*spec.period);
    double rate = 0;
    for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
      if (spec.draws_members() || rank == spec.receiver) rate += access(job, rank);
    }
    const double senders = spec.senders.value_or(static_cast<std::uint32_t>(job.ranks.size() - 1));
    return senders * number_of(spec.size) / (*spec.load * rate);
  }
  [[nodiscard]] double round_time(const JobSpec& job, const RequestsSpec& spec,
                                  std::size_t client) const {
    if (spec.period) return to_seconds(*spec.period);
    const double servers = static_cast<double>(job.ranks.size()) - spec.clients;
    const double response =
        spec.responses ? static_cast<double>(spec.responses->table.mean_in_thousandths()) / 1000
                       : number_of(spec.response);
    const double asked = spec.fan_out ? *spec.fan_out : servers;
    return asked * std::max(number_of(spec.request), response) / (*spec.load * access(job, client));
  }

  [[nodiscard]] static Picoseconds times(std::uint32_t rounds, double seconds) {
    constexpr double kMax = 1e6;  // seconds; no run is as long
    return Picoseconds(std::llround(std::min(rounds * seconds, kMax) * 1e12));
  }

  struct Span {
    Picoseconds length;
    const char* remedy;
  };
  /// For how long it lasts; nothing: it waits for what it sends, or does so once.
  [[nodiscard]] std::optional<Span> span_of(const JobSpec& job) const {
    if (const auto* spec = std::get_if<OpenLoopSpec>(&job.kind)) {
      return Span{spec->stop, "lower its load"};
    }
    if (const auto* spec = std::get_if<IncastSpec>(&job.kind)) {
      if (!spec->is_periodic() || spec->rounds < 2) return std::nullopt;
      return Span{times(spec->rounds, round_time(job, *spec)),
                  spec->load ? "lower its load" : "lengthen its period"};
    }
    if (const auto* spec = std::get_if<RequestsSpec>(&job.kind)) {
      if (!spec->is_timed() || spec->rounds < 2) return std::nullopt;
      return Span{times(spec->rounds, round_time(job, *spec, 0)),
                  spec->load ? "lower its load" : "lengthen its period"};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Offer> offer_of(const JobSpec& job) {
    const std::optional<Span> span = span_of(job);
    const auto ranks = static_cast<double>(job.ranks.size());
    if (!span || ranks * ranks > kMaxPairs) return std::nullopt;
    if (spread_steps(e_.fabric, job.ranks.size()) > kMaxSteps) return std::nullopt;
    SpreadTraffic traffic(e_.fabric, e_.routes);
    const Framing framing = framing_of(e_.scenario, job.transport);
    std::visit(
        [&](const auto& spec) {
          if constexpr (requires { offer(job, spec, framing, traffic); }) {
            offer(job, spec, framing, traffic);
          }
        },
        job.kind);
    return Offer{job.name, span->remedy, job.start, job.start + span->length, traffic.by_port()};
  }

  /// Files of sizes that were written in kilobytes, or packets, are read as bytes.
  void check_sizes(const JobSpec& job) {
    const SizesSpec* sizes = nullptr;
    const char* key = "sizes";
    if (const auto* spec = std::get_if<OpenLoopSpec>(&job.kind); spec != nullptr && spec->sizes) {
      sizes = &*spec->sizes;
    }
    if (const auto* spec = std::get_if<RequestsSpec>(&job.kind);
        spec != nullptr && spec->responses) {
      sizes = &*spec->responses;
      key = "responses";
    }
    if (sizes == nullptr || sizes->sha256.empty()) return;  // not from a file
    const Framing framing = framing_of(e_.scenario, job.transport);
    const double mean = static_cast<double>(sizes->table.mean_in_thousandths()) / 1000;
    if (mean >= number_of(framing.payload)) return;
    findings_.warnings.push_back(fmt::format(
        "the `{}` of job {} have a mean of {} and reach to {}: a file gives them in bytes, and the "
        "mean is less than a packet; if it was written in KB or packets, multiply",
        key, job.name, format_bytes(mean), format_bytes(number_of(sizes->table.largest()))));
  }

  const Experiment& e_;
  StaticFindings& findings_;
  std::vector<BitsPerSecond> access_;
  std::vector<Offer> offers_;
};

}  // namespace

void check_loads(const Experiment& experiment, StaticFindings& findings) {
  LoadChecks(experiment, findings).run();
}

double offered_load(const Experiment& experiment, std::size_t job) {
  StaticFindings none;
  return LoadChecks(experiment, none).load_of(experiment.scenario.jobs[job]);
}

}  // namespace weft::scenarios
