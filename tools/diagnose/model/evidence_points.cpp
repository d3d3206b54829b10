#include "tools/diagnose/model/evidence_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tools/diagnose/model/band.hpp"
#include "tools/diagnose/model/gpu_names.hpp"
#include "tools/diagnose/model/matching.hpp"
#include "tools/evidence/joined_calls.hpp"
#include "tools/import/source/natural_order.hpp"

namespace weft::diagnose {
namespace {

using collectives::Operation;
using evidence::Measurements;
using evidence::PairSeries;
using evidence::Series;

/// All of a matrix is off together by what the model is off; one pair differs from others that are
/// alike by what runs repeat with.
const double kMatrixLevel = std::log(1.25);
/// Below 0.9 of a NIC's rate perftest has a finding.
const double kWireLevel = -std::log(0.9);
constexpr double kMatrixTolerance = 0.05;
const double kCurveLevel = std::log(1.10);
/// Of the same cluster on another day.
const double kBaselineLevel = std::log(1.02);
constexpr double kHighestTolerance = 0.25;
/// Headers of a packet of RoCE of 4096 bytes.
constexpr double kWireShare = 0.98;
constexpr std::int64_t kUsualPairBytes = std::int64_t{1} << 30U;

double baseline_band(std::int64_t bytes) {
  if (bytes > kMiddleBytes) return 0.10;
  return bytes > kSmallBytes ? 0.15 : 0.25;
}

bool is_perftest(const std::string& operation) {
  return operation == "write-bw" || operation == "read-bw" || operation == "send-bw";
}

std::string name_of_series(const Series& series) {
  std::string name = series.operation;
  if (series.on.ranks > 0) name += fmt::format(" of {} ranks", series.on.ranks);
  if (series.in_place) name += ", in place";
  return name;
}

std::optional<Operation> comparable(const Series& series) {
  const auto operation = collectives::operation_named(series.operation);
  if (!operation || *operation == Operation::kAllToAllV || *operation == Operation::kBarrier) {
    return {};
  }
  return operation;
}

/// Builds the points of one set of measurements.
/// As nccl-tests defines it, by operation and ranks.
double bus_factor_of(const Run& run) {
  return run.algorithm_bandwidth > 0 ? run.bus_bandwidth / run.algorithm_bandwidth : 1;
}

class Builder {
 public:
  Builder(Simulator& healthy, const Measurements* baseline, ServersInOrder in_order)
      : healthy_(healthy),
        places_(healthy.places()),
        baseline_(baseline),
        in_order_(std::move(in_order)) {}

  void add(const Series& series) {
    const std::string name = name_of_series(series);
    const auto operation = comparable(series);
    if (!operation) return leave_out(name, "weft does not simulate it");
    if (series.groups > 1) return leave_out(name, "several groups ran at the same time");
    if (series.is_upper_bound)
      return leave_out(name, "one rank alone: it may have waited for others");
    const auto ranks = matched_ranks(places_, in_order_, series.on, name, result_.remarks);
    if (!ranks) return refuse(ranks.errors());
    if (ranks.value().hosts.size() < 2) return leave_out(name, "one rank has nobody to talk to");
    Call call{.operation = *operation, .hosts = ranks.value().hosts};
    const auto number = static_cast<std::uint32_t>(result_.curves.size());
    const Series* before = before_of(series);
    result_.curves.push_back({.name = own_name(name, series, ranks.value()),
                              .level = before == nullptr ? kCurveLevel : kBaselineLevel,
                              .is_matrix = false,
                              .servers = ranks.value().servers,
                              .call = call,
                              .is_guess = ranks.value().is_guess});
    for (const evidence::MeasuredTime& time : series.times) {
      if (time.time_us <= 0 || time.bytes <= 0) continue;
      call.size = Bytes(time.bytes);
      const auto run = healthy_.run(call);
      if (!run) return refuse(run.errors());
      if (!is_of_these_gpus(series, run.value(), name)) return;
      for (const std::string& warning : run.value().warnings) say_once(result_.warnings, warning);
      if (series.type.ends_with("int8") && run.value().algorithm.starts_with("nvls")) {
        say_once(result_.remarks, fmt::format("{}: NVLS adds no {}, and weft's times are of floats "
                                              "by NVLS: sizes of NVLS are not compared",
                                              name, series.type));
        continue;
      }
      add_time(time, run.value(), number, *operation, before);
    }
  }

  void add(const PairSeries& pairs) {
    if (pairs.values.empty()) return;
    if (is_perftest(pairs.operation)) return add_wire(pairs);
    const auto operation = collectives::operation_named(pairs.operation);
    if (!operation || *operation == Operation::kAllToAllV || *operation == Operation::kBarrier) {
      return leave_out(pairs.operation + " between pairs",
                       "it is not between servers by a collective");
    }
    add_collective_pairs(pairs, *operation);
  }

  [[nodiscard]] Result<EvidencePoints> finish() && {
    if (!errors_.empty()) return errors_;
    free_levels();
    const protocols::PacketFormat format =
        protocols::traits_of(healthy_.scenario().transport).format;
    result_.payload = static_cast<double>(format.payload.count());
    result_.header = static_cast<double>(format.header.count());
    return std::move(result_);
  }

 private:
  void leave_out(const std::string& name, const std::string& why) {
    say_once(result_.remarks, name + " is not compared: " + why);
  }
  void refuse(const Errors& errors) {
    for (const Error& error : errors) {
      const auto same = [&](const Error& e) { return e.message == error.message; };
      if (std::ranges::none_of(errors_, same)) errors_.push_back(error);
    }
  }

  /// Curves of other servers, of another type or reduction, and repeated runs are told apart.
  /// `series` outlives this.
  [[nodiscard]] std::string own_name(std::string name, const Series& series,
                                     const MatchedRanks& ranks) {
    if (!ranks.is_guess && ranks.servers.size() < places_.servers.size()) {
      std::vector<std::string> servers;
      for (const std::uint32_t s : ranks.servers) servers.push_back(places_.servers[s].name);
      name += " on " + names_text(servers);
    }
    const auto is_known = [this](const std::string& text) {
      return std::ranges::find(result_.curves, text, &Curve::name) != result_.curves.end();
    };
    const auto first = firsts_.emplace(name, &series).first->second;
    for (const auto& [own, other] :
         {std::pair(series.type, first->type), std::pair(series.reduction, first->reduction)}) {
      if (own != other && !own.empty()) name += ", " + own;
    }
    if (!is_known(name)) return name;
    int run = 2;
    while (is_known(fmt::format("{}, run {}", name, run))) ++run;
    return fmt::format("{}, run {}", name, run);
  }

  bool is_of_these_gpus(const Series& series, const Run& run, const std::string& name) {
    if (series.on.gpu.empty() || !run.gpus) return true;
    const auto measured = gpu_generation_of(series.on.gpu);
    if (measured == run.gpus) return true;
    refuse({Error{fmt::format("{} is of `{}`, and the cluster's GPUs are {}: another machine", name,
                              series.on.gpu, generation_text(*run.gpus))}});
    return false;
  }

  /// The same curve when all was well.
  [[nodiscard]] const Series* before_of(const Series& series) const {
    if (baseline_ == nullptr) return nullptr;
    const Series* found = nullptr;
    for (const Series& before : baseline_->series) {
      if (before.operation != series.operation || before.in_place != series.in_place ||
          before.type != series.type || before.on.ranks != series.on.ranks) {
        continue;
      }
      if (before.on.hosts == series.on.hosts) return &before;
      if (found == nullptr) found = &before;
    }
    return found;
  }

  void add_time(const evidence::MeasuredTime& time, const Run& run, std::uint32_t curve,
                Operation operation, const Series* before) {
    Point point{.curve = curve,
                .operation = name_of(operation),
                .bytes = time.bytes,
                .measured_us = time.time_us,
                .expected_us = run.time_us,
                .busy_us = run.busy_us,
                .bus_factor = bus_factor_of(run)};
    const auto& servers = result_.curves[curve].servers;
    for (const std::uint32_t server : servers) {
      point.crosses_uplinks |= places_.crosses_uplinks(servers.front(), server);
    }
    const bool hashes = healthy_.hashes_flows() && point.crosses_uplinks;
    const BandOf of{.has_several_servers = servers.size() > 1, .hashes_flows = hashes};
    point.band = band_of(operation, time.bytes, of);
    if (hashes && time.bytes > kSmallBytes) point.band_of_hashing = kCollisionsBand;
    if (before != nullptr) {
      const auto same =
          std::ranges::find(before->times, time.bytes, &evidence::MeasuredTime::bytes);
      if (same == before->times.end()) return;
      point.expected_us = same->time_us;
      point.band = baseline_band(time.bytes);
      point.band_of_hashing = 0;
    }
    // A hypothesis is asked for the shape of a curve, in which most errors are smaller.
    point.tolerance = std::log1p(std::min(point.band, kHighestTolerance));
    set_nic(point);
    result_.points.push_back(std::move(point));
  }

  void set_nic(Point& point) const {
    double highest = 0;
    for (const NicPlace& nic : places_.nics) {
      const double busy = point.busy_us[nic.resource];
      if (busy <= highest) continue;
      highest = busy;
      point.nic_gigabytes = static_cast<double>(nic.rate.count()) / 8e9;
      point.bytes_per_nic = busy * point.nic_gigabytes * 1e3;
    }
  }

  [[nodiscard]] std::optional<std::vector<std::uint32_t>> servers_of(const PairSeries& pairs,
                                                                     const std::string& name) {
    std::vector<std::string> hosts;
    for (const evidence::PairValue& value : pairs.values) {
      for (const std::string& host : {value.from, value.to}) {
        if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(host);
      }
    }
    std::ranges::sort(hosts, import::NaturalOrder());
    auto servers = matched_servers(places_, in_order_, hosts, name, result_.remarks);
    if (!servers) {
      refuse(servers.errors());
      return {};
    }
    pair_hosts_ = std::move(hosts);
    return std::move(servers).value();
  }

  [[nodiscard]] std::uint32_t server_of(const std::string& host,
                                        const std::vector<std::uint32_t>& servers) const {
    const auto at = std::ranges::find(pair_hosts_, host);
    return servers[static_cast<std::size_t>(at - pair_hosts_.begin())];
  }

  void add_wire(const PairSeries& pairs) {
    const std::string name = fmt::format("{} {}", pairs.operation,
                                         pairs.nic    ? "of " + *pairs.nic
                                         : pairs.rail ? fmt::format("of rail {}", *pairs.rail)
                                                      : "");
    if (pairs.values.front().from.empty()) return;  // of one NIC: what findings are for
    if (!pairs.nic && !pairs.rail) return leave_out(name, "it does not say of which NICs it is");
    if (pairs.bytes > 0 && pairs.bytes < kMinWireBytes) {
      return leave_out(name + " in messages below 64 KiB",
                       "their number limits them, and not the NIC's rate");
    }
    const auto servers = servers_of(pairs, name);
    if (!servers) return;
    const auto number = static_cast<std::uint32_t>(result_.curves.size());
    result_.curves.push_back(
        {.name = name, .level = kWireLevel, .is_matrix = true, .servers = *servers, .call = {}});
    for (const evidence::PairValue& value : pairs.values) {
      const std::uint32_t a = server_of(value.from, *servers);
      const std::uint32_t b = server_of(value.to, *servers);
      const auto x = places_.nic_of(a, pairs.nic.value_or(""), pairs.rail);
      const auto y = places_.nic_of(b, pairs.nic.value_or(""), pairs.rail);
      if (a == b || value.gigabytes_per_second <= 0) continue;
      if (!x || !y) {
        return refuse({Error{fmt::format("{}: {} has no such NIC; it has {}", name,
                                         places_.servers[x ? b : a].name,
                                         places_.servers[x ? b : a].nics.size())}});
      }
      add_wire_value(pairs, value, number, *x, *y);
    }
  }

  void add_wire_value(const PairSeries& pairs, const evidence::PairValue& value,
                      std::uint32_t curve, std::uint32_t x, std::uint32_t y) {
    const NicPlace& one = places_.nics[x];
    const NicPlace& other = places_.nics[y];
    const auto bytes = static_cast<double>(pairs.bytes > 0 ? pairs.bytes : kSmallBytes);
    const double rate =
        static_cast<double>(std::min(one.rate, other.rate).count()) / 8e6;  // bytes/us
    Point point{.curve = curve,
                .operation = pairs.operation,
                .bytes = static_cast<std::int64_t>(bytes),
                .measured_us = bytes / (value.gigabytes_per_second * 1e3),
                .expected_us = bytes / (rate * kWireShare),
                .tolerance = kMatrixTolerance,
                .band = 0.10,
                .busy_us = std::vector<double>(places_.resources.size()),
                .crosses_uplinks = one.leaf != other.leaf,
                .pair = {{one.server, other.server}},
                .is_wire = true};
    const auto& own = places_.servers[one.server].nics;
    point.rail = static_cast<std::uint32_t>(std::ranges::find(own, x) - own.begin());
    point.busy_us[one.resource] = point.busy_us[other.resource] = point.expected_us;
    // `read` fetches, the others bring.
    point.receiver = pairs.operation == "read-bw" ? one.resource : other.resource;
    if (point.crosses_uplinks) {
      for (const std::uint32_t leaf : {one.leaf, other.leaf})
        point.busy_us[leaf] = uplinks_us(point, one, leaf);
    }
    set_nic(point);
    result_.points.push_back(std::move(point));
  }

  /// One flow is spread over all uplinks, or keeps to one of them.
  [[nodiscard]] double uplinks_us(const Point& point, const NicPlace& nic,
                                  std::uint32_t leaf) const {
    const auto all = static_cast<double>(places_.resources[leaf].rate.count());
    if (healthy_.hashes_flows() || all <= 0) return 0;
    return point.expected_us * static_cast<double>(nic.rate.count()) / all;
  }

  /// A run of two servers that stands for all pairs whose paths are alike.
  [[nodiscard]] std::optional<Point> pair_point(Operation operation, std::int64_t bytes,
                                                std::uint32_t a, std::uint32_t b) {
    const auto first =
        first_alike_
            .emplace(fmt::format("{} {} {}", name_of(operation), bytes, places_.relation(a, b)),
                     std::pair(a, b))
            .first->second;
    Call call{.operation = operation, .size = Bytes(bytes)};
    for (const std::uint32_t s : {first.first, first.second}) {
      const auto& hosts = places_.servers[s].hosts;
      call.hosts.insert(call.hosts.end(), hosts.begin(), hosts.end());
    }
    const auto run = healthy_.run(call);
    if (!run) {
      refuse(run.errors());
      return {};
    }
    for (const std::string& warning : run.value().warnings) say_once(result_.warnings, warning);
    Point point{.operation = name_of(operation),
                .bytes = bytes,
                .expected_us = run.value().time_us,
                .tolerance = kMatrixTolerance,
                .band = 0.10,
                .busy_us = std::vector<double>(places_.resources.size()),
                .crosses_uplinks = places_.crosses_uplinks(a, b),
                .pair = {{a, b}},
                .bus_factor = bus_factor_of(run.value())};
    move_load(run.value().busy_us, first.first, a, point);
    move_load(run.value().busy_us, first.second, b, point);
    set_nic(point);
    expected_bus_ = run.value().bus_bandwidth;
    return point;
  }

  void move_load(const std::vector<double>& busy, std::uint32_t from, std::uint32_t to,
                 Point& point) const {
    const ServerPlace& source = places_.servers[from];
    const ServerPlace& target = places_.servers[to];
    point.busy_us[target.scale_up] = busy[source.scale_up];
    for (std::size_t i = 0; i < std::min(source.nics.size(), target.nics.size()); ++i) {
      const NicPlace& x = places_.nics[source.nics[i]];
      const NicPlace& y = places_.nics[target.nics[i]];
      point.busy_us[y.resource] = busy[x.resource];
      point.busy_us[y.leaf] = std::max(point.busy_us[y.leaf], busy[x.leaf]);
    }
  }

  void add_collective_pairs(const PairSeries& pairs, Operation operation) {
    const std::int64_t bytes = pairs.bytes > 0 ? pairs.bytes : kUsualPairBytes;
    const std::string name = fmt::format("{} of pairs of servers", pairs.operation);
    if (pairs.bytes == 0) {
      say_once(result_.remarks, name + " does not say its size: 1 GiB is taken");
    }
    const auto servers = servers_of(pairs, name);
    if (!servers) return;
    const auto number = static_cast<std::uint32_t>(result_.curves.size());
    result_.curves.push_back({.name = name,
                              .level = kMatrixLevel,
                              .is_matrix = true,
                              .servers = *servers,
                              .call = Call{.operation = operation}});
    for (const evidence::PairValue& value : pairs.values) {
      const std::uint32_t a = server_of(value.from, *servers);
      const std::uint32_t b = server_of(value.to, *servers);
      if (a == b || value.gigabytes_per_second <= 0) continue;
      auto point = pair_point(operation, bytes, a, b);
      if (!point) return;
      point->curve = number;
      point->measured_us = point->expected_us * expected_bus_ / value.gigabytes_per_second;
      result_.points.push_back(std::move(*point));
    }
  }

  /// A matrix that is faster than weft expects is compared with itself alone.
  void free_levels() {
    for (std::uint32_t c = 0; c < result_.curves.size(); ++c) {
      Curve& curve = result_.curves[c];
      if (!curve.is_matrix) continue;
      double lowest = 0;
      for (const Point& point : result_.points) {
        if (point.curve != c) continue;
        lowest = std::min(lowest, std::log(point.measured_us / point.expected_us));
      }
      if (lowest > -curve.level) continue;
      curve.is_relative = true;
      say_once(result_.remarks,
               fmt::format("{} is up to {:.0f} % faster than weft expects: its pairs are compared "
                           "with each other alone",
                           curve.name, 100 * std::expm1(-lowest)));
      for (Point& point : result_.points) {
        if (point.curve == c) point.expected_us *= std::exp(lowest);
      }
    }
  }

  Simulator& healthy_;
  const Places& places_;
  const Measurements* baseline_;
  ServersInOrder in_order_;
  std::map<std::string, const Series*> firsts_;  // by name of a curve
  EvidencePoints result_;
  Errors errors_;
  std::vector<std::string> pair_hosts_;
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> first_alike_;
  double expected_bus_ = 0;
};

/// Out of place where both were measured.
bool has_twin_out_of_place(const Series& series, const std::vector<Series>& all) {
  return series.in_place && std::ranges::any_of(all, [&](const Series& other) {
           return !other.in_place && other.operation == series.operation &&
                  other.type == series.type && other.on.ranks == series.on.ranks;
         });
}

}  // namespace

double Point::bottleneck_us() const {
  return busy_us.empty() ? 0 : *std::ranges::max_element(busy_us);
}

Result<EvidencePoints> evidence_points(Simulator& healthy, const Measurements& measured,
                                       const Measurements* baseline) {
  std::vector<Series> all = measured.series;
  const auto joined = evidence::join_calls(measured.calls);
  const auto of_calls = evidence::series_of_calls(joined, measured.calls);
  all.insert(all.end(), of_calls.begin(), of_calls.end());
  Builder builder(healthy, baseline,
                  servers_in_order(healthy.places(), hosts_of(all, measured.pairs)));
  for (const Series& series : all) {
    if (!has_twin_out_of_place(series, all)) builder.add(series);
  }
  for (const PairSeries& pairs : measured.pairs) builder.add(pairs);
  return std::move(builder).finish();
}

}  // namespace weft::diagnose
