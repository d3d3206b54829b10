#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collectives/jobs/job_type.hpp"
#include "collectives/traffic/sizes_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// Clients ask servers, which answer.
struct RequestsSpec {
  enum class Arrivals : std::uint8_t {
    kTogether,   ///< all clients at once
    kStaggered,  ///< each at a phase of its own
    kPoisson,
  };
  std::uint32_t clients = 1;                 ///< the first ranks; the others are servers
  std::optional<std::uint32_t> fan_out = 1;  ///< servers that are asked at once; absent: all
  Bytes request;                             ///< to each of them
  Bytes response;                            ///< of each, without `responses`
  std::optional<SizesSpec> responses{};      ///< that responses are drawn from
  Picoseconds service;                       ///< from a request's arrival to its response
  std::uint32_t rounds = 1;                  ///< of each client
  // Rounds at their times; absent: a client asks when it has all responses of the last round.
  std::optional<Picoseconds> period{};
  std::optional<double> load{};  ///< of the fuller direction of a client's access link
  Arrivals arrivals = Arrivals::kTogether;
  Picoseconds think;  ///< of a client, from the last response to the next round

  [[nodiscard]] bool is_timed() const { return period.has_value() || load.has_value(); }
};

/// A client sends a request to some servers, drawn for each of its rounds; each answers once it has
/// the request and has served it. A server serves the requests of a client one after the other,
/// those of different clients side by side. Each client has a lane of its own on all ranks.
///
/// Partition and aggregate (M. Alizadeh et al., DCTCP, SIGCOMM 2010, section 2.1) are small
/// requests to many; reads from storage small requests with large responses; writes to it the
/// reverse.
class Requests final : public JobProgram {
 public:
  using Spec = RequestsSpec;
  static constexpr bool kIsOpenLoop = false;
  [[nodiscard]] static const char* type_name(const Spec&) { return "requests"; }
  [[nodiscard]] static schema::Object<Spec> schema();
  static void read_files(Spec& spec, JobFiles& files);
  static void check(const Spec& spec, std::uint32_t ranks, Problems& problems);
  [[nodiscard]] static std::uint64_t max_connections(const Spec& spec, std::uint32_t ranks);
  [[nodiscard]] static SendBound bound(const Spec& spec, const BoundSetting& setting);
  [[nodiscard]] static bool needs_access_rates(const Spec& spec) { return spec.load.has_value(); }
  [[nodiscard]] static std::vector<Bytes> size_classes(const Spec& spec);

  /// `setting.access_rates` holds every rank's, where there is a load.
  Requests(ProgramSetting setting, const RequestsSpec& spec);

  [[nodiscard]] std::uint32_t lanes() const override { return spec_.clients; }
  [[nodiscard]] bool needs_acknowledgements() const override {
    return setting_.has_acknowledgements;
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(LanePlace place) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(LanePlace place) const override;

  /// Ranks that a client asks in a round, ascending.
  [[nodiscard]] std::vector<std::uint32_t> asked(std::uint32_t client, std::uint32_t round) const;

 private:
  class Client;
  class Server;

  [[nodiscard]] std::uint32_t servers() const { return setting_.ranks - spec_.clients; }
  [[nodiscard]] std::uint32_t fan_out() const { return spec_.fan_out.value_or(servers()); }
  [[nodiscard]] bool asks_all() const { return fan_out() == servers(); }
  /// The rounds in which a client asks a server, where they are kept.
  [[nodiscard]] std::span<const std::uint32_t> rounds_of(std::uint32_t client,
                                                         std::uint32_t server) const;
  /// The first round from `round` on in which a client asks a server; `rounds` if there is none.
  [[nodiscard]] std::uint32_t next_round(std::uint32_t client, std::uint32_t server,
                                         std::uint32_t round) const;
  void keep_rounds();
  [[nodiscard]] Bytes response_of(std::uint32_t client, std::uint32_t round,
                                  std::uint32_t server) const;
  [[nodiscard]] Picoseconds period_of(std::uint32_t client) const;

  ProgramSetting setting_;
  RequestsSpec spec_;
  /// Of a client: the rounds of its first server, of the next one and so on.
  struct Rounds {
    std::vector<std::uint32_t> first;  ///< by server, and the end
    std::vector<std::uint32_t> all;
  };
  std::vector<Rounds> rounds_;  ///< by client; empty: all servers are asked, or there are too many
};

}  // namespace weft::collectives
