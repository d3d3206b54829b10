#pragma once

#include <fmt/format.h>

#include <string>

#include "simcore/base/random.hpp"

namespace weft::testing {

/// The text of a random job with sizes, times or members by chance, one of whose classes `c0`,
/// `c1`, ... it has, if there are any. Its draws are its own, so that the rest of a scenario does
/// not depend on it.
class RandomTrafficJob {
 public:
  explicit RandomTrafficJob(std::uint64_t seed) : random_(seed, Purpose::kTestScenario, 9) {}

  /// With one client at most ranks have one lane each.
  std::string text(std::uint64_t hosts, std::uint64_t classes, bool has_clients) {
    max_clients_ = has_clients ? hosts - 1 : 1;
    std::string yaml = fmt::format("  - {{name: traffic, start: {}us, ", below(20));
    if (classes > 0) yaml += fmt::format("class: c{}, ", below(classes));
    switch (below(3)) {
      case 0:
        return yaml + open_loop();
      case 1:
        return yaml + incast(hosts);
      default:
        return yaml + requests(hosts);
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.below(counter_++, n); }
  template <std::size_t N>
  const char* one_of(const char* const (&choices)[N]) {
    return choices[below(N)];
  }

  /// Small ones: flows of websearch take too long.
  const char* sizes() { return one_of({"fb-hadoop", "alistorage"}); }

  std::string open_loop() {
    std::string yaml =
        fmt::format("type: open-loop, sizes: {}, load: 0.{}, stop: 20us", sizes(), 1 + below(8));
    if (below(2) == 0) {
      yaml += fmt::format(", arrivals: on-off, on: {}us, off: {}us", 1 + below(10), 1 + below(10));
    }
    return yaml + "}\n";
  }

  std::string incast(std::uint64_t hosts) {
    std::string yaml =
        fmt::format("type: incast, size: {}B, rounds: {}, ", 1 + below(50'000), 1 + below(5));
    yaml += below(2) == 0 ? fmt::format("period: {}us", 10 + below(20))
                          : fmt::format("load: 0.{}", 1 + below(8));
    if (below(2) == 0) {
      yaml += fmt::format(", members: random, senders: {}", 1 + below(hosts - 1));
    }
    return yaml + fmt::format(", jitter: {}us}}\n", below(5));
  }

  std::string requests(std::uint64_t hosts) {
    const std::uint64_t clients = 1 + below(max_clients_);
    std::string yaml = fmt::format("type: requests, clients: {}, request: {}B, rounds: {}, ",
                                   clients, 1 + below(20'000), 1 + below(4));
    yaml += below(2) == 0 ? fmt::format("response: {}B", 1 + below(20'000))
                          : fmt::format("responses: {}", sizes());
    if (below(2) == 0) {
      yaml += fmt::format(", fan_out: {}", 1 + below(hosts - clients));
    } else if (below(2) == 0) {
      yaml += ", fan_out: all";
    }
    if (below(2) == 0) yaml += fmt::format(", service: {}us", below(5));
    switch (below(3)) {
      case 0:
        return yaml + fmt::format(", think: {}us}}\n", below(5));
      case 1:
        return yaml + fmt::format(", period: {}us, arrivals: {}}}\n", 1 + below(20), arrivals());
      default:
        return yaml + fmt::format(", load: 0.{}, arrivals: {}}}\n", 1 + below(8), arrivals());
    }
  }
  const char* arrivals() { return one_of({"together", "staggered", "poisson"}); }

  RandomStream random_;
  std::uint64_t counter_ = 0;
  std::uint64_t max_clients_ = 1;
};

}  // namespace weft::testing
