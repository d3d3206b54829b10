#include "scenarios/run/blame_run.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "scenarios/blame/blame_sums.hpp"
#include "scenarios/blame/packet_walk.hpp"
#include "scenarios/blame/reactions.hpp"
#include "scenarios/run/network_options.hpp"
#include "scenarios/run/run_monitor.hpp"
#include "scenarios/zero_load/connection_transports.hpp"

namespace weft::scenarios {
namespace {

using protocols::PacketNetwork;

/// A path that a message is part of, and the part that it needs.
struct Use {
  std::size_t path = 0;
  Picoseconds from;
  Picoseconds until;
  const Detour* detour = nullptr;  ///< by which it is on the path; null: in the run's own network
};

/// Messages whose packets are to be checked in one network, each once, by the time of their
/// delivery.
class PathMessages {
 public:
  void add(const PathMessage& m, const Use& use) {
    Found& found = found_[{m.message.delivered, m.message.queue_pair, m.message.last_sequence}];
    if (found.uses.empty()) found.message = m;
    found.uses.push_back(use);
  }
  /// All are added.
  void sort() {
    for (auto& [key, of] : found_) {
      messages.push_back(of.message);
      first_sequences.push_back(of.message.message.first_sequence);
      uses.push_back(std::move(of.uses));
    }
    found_.clear();
  }

  [[nodiscard]] std::vector<protocols::WatchedMessage> watched() const {
    std::vector<protocols::WatchedMessage> all;
    all.reserve(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const MessageLog::Message& m = messages[i].message;
      all.push_back({.queue_pair = m.queue_pair,
                     .first_sequence = first_sequences[i],
                     .last_sequence = m.last_sequence,
                     .posted = m.posted,
                     .delivered = m.delivered});
    }
    return all;
  }

  struct Found {
    PathMessage message;
    std::vector<Use> uses;
  };
  std::vector<PathMessage> messages;
  std::vector<std::uint32_t> first_sequences;
  std::vector<std::vector<Use>> uses;

 private:
  std::map<std::tuple<Picoseconds, protocols::QueuePairId, std::uint32_t>, Found> found_;
};

bool is_unicast(const collectives::Workload& workload, ConnectionId connection) {
  return workload.connections()[connection.value()].kind == Connection::Kind::kUnicast;
}

/// Those of all paths, but for what scale-up switches make.
class AllPathMessages {
 public:
  AllPathMessages(const Experiment& e, const std::vector<JobPath>& paths) {
    for (std::size_t p = 0; p < paths.size(); ++p) {
      for (const PathMessage& m : paths[p].messages) {
        if (is_unicast(e.workload, m.connection)) of_run.add(m, {p, m.from, m.until});
      }
      for (const std::unique_ptr<Detour>& detour : paths[p].detours) {
        for (const PathMessage& m : detour->messages) {
          if (!is_unicast(detour->network().workload(), m.connection)) continue;
          apart[&detour->network()].add(m, {p, m.from, m.until, detour.get()});
        }
      }
    }
    of_run.sort();
    for (auto& [network, messages] : apart) messages.sort();
  }

  PathMessages of_run;
  std::map<const NetworkApart*, PathMessages> apart;
};

/// The storms of a run that is over, by their pauses.
class PauseRoots {
 public:
  explicit PauseRoots(const Results& results) {
    const PauseReport& report = results.pauses;
    for (std::size_t i = 0; i < report.pauses.size(); ++i) {
      const std::uint32_t storm = report.analysis.storm_of[i];
      if (storm != protocols::kNoIndex) storms_[key(report.pauses[i])] = storm;
    }
  }
  /// The root of the storm; where that is not known, the port that the pause was blamed on.
  [[nodiscard]] Culprit of(const protocols::PauseInterval& pause) const {
    if (const auto storm = storms_.find(key(pause)); storm != storms_.end()) {
      return Culprit::storm(storm->second);
    }
    return Culprit::port(pause.cause.is_none() ? pause.port : pause.cause);
  }

 private:
  using Key = std::tuple<std::uint32_t, ClassId, Picoseconds>;
  [[nodiscard]] static Key key(const protocols::PauseInterval& pause) {
    return {pause.port.value(), pause.traffic_class, pause.start};
  }
  std::map<Key, std::uint32_t> storms_;
};

/// Of what was found of a message, the part that a path needs.
void add_part(const std::vector<JobPath>& paths, const Use& use, const std::vector<Charge>& charges,
              BlameSums& sums, Reactions& reactions) {
  for (Charge charge : charges) {
    charge.begin = std::max(charge.begin, use.from);
    charge.end = std::min(charge.end, use.until);
    if (charge.begin >= charge.end) continue;
    if (use.detour != nullptr) {
      charge = use.detour->in_whole(charge);
    } else {
      reactions.add(paths[use.path].job, charge);
    }
    sums.add(use.path, paths[use.path], charge);
  }
}

/// What is found of messages goes to the paths that they are on.
PacketWalk make_walk(const PacketWalk::Surroundings& around, const PathMessages& wanted,
                     const std::vector<JobPath>& paths, PacketWalk::RootOf root_of, BlameSums& sums,
                     Reactions& reactions) {
  return {around, wanted.messages, wanted.first_sequences, std::move(root_of),
          [&](std::size_t message, const std::vector<Charge>& charges) {
            for (const Use& use : wanted.uses[message]) {
              add_part(paths, use, charges, sums, reactions);
            }
          }};
}

void watch(const NetworkApart& apart, const PathMessages& wanted, const std::vector<JobPath>& paths,
           BlameSums& sums) {
  const auto root_of = [](const protocols::PauseInterval& pause) {
    return Culprit::port(pause.port);  // there are none
  };
  Reactions none;
  PacketWalk walk =
      make_walk({apart.fabric(), apart.workload(), {}}, wanted, paths, root_of, sums, none);
  apart.watch(
      wanted.watched(),
      [&walk](std::span<const protocols::TraceRecord> records, Picoseconds until) {
        walk.add(records, until);
      },
      [&walk](const PacketNetwork& network) { walk.set_network(network); });
  walk.finish();
}

/// False: it was stopped.
bool run_again(const Experiment& e, const PathMessages& wanted, const BlameRun& how,
               PacketWalk& walk) {
  PacketNetwork::Options options = network_options(e, how.mode);
  options.parallelism = how.parallelism;
  options.observation.messages = wanted.watched();
  options.message_trace_sink = [&walk](std::span<const protocols::TraceRecord> records,
                                       Picoseconds until) { walk.add(records, until); };
  const std::unique_ptr<RunPart> part = how.part();
  if (part != nullptr) part->configure(options);
  PacketNetwork* again = nullptr;
  options.on_many_messages = [&again] { again->take_ended_messages([](const auto&) {}); };
  PacketNetwork network(e.fabric, e.routes, options, e.workload.process_hosts(),
                        e.workload.connections(), e.workload.groups());
  again = &network;
  walk.set_network(network);
  collectives::Executor executor(e.workload, collectives::Executor::Spans::kNotKept);
  RunMonitor monitor(e, how.mode, network);
  if (part != nullptr) {
    part->start(network, executor);
    monitor.follow(*part);
  }
  network.start(executor);
  const auto observer = [&](Picoseconds now, std::uint64_t packet_hops) {
    return !how.progress || how.progress(monitor.poll(now, packet_hops));
  };
  // Nothing after the last message is asked for.
  const Picoseconds last = wanted.messages.back().message.delivered + Picoseconds(1);
  const auto status = network.run_until(last, observer);
  network.end_observation();
  walk.finish();
  return status != PacketNetwork::Status::kInterrupted;
}

/// What paths have besides messages.
void add_charges(const std::vector<JobPath>& paths, BlameSums& sums) {
  for (std::size_t p = 0; p < paths.size(); ++p) {
    for (const Charge& charge : paths[p].charges) sums.add(p, paths[p], charge);
  }
}

/// Messages of paths that are not checked packet by packet, if `is_wanted` holds; `split(message,
/// queueing, parts)` says what queueing was.
template <class IsWanted, class Split>
void add_by_ideal(const std::vector<JobPath>& paths, ZeroLoadTimes& ideals, IsWanted is_wanted,
                  Split split, BlameSums& sums) {
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const JobPath& path = paths[p];
    std::vector<PathMessage> messages;
    std::ranges::copy_if(path.messages, std::back_inserter(messages), is_wanted);
    for (const std::unique_ptr<Detour>& detour : path.detours) {
      for (const PathMessage& m : detour->messages) {
        const PathMessage whole = detour->in_whole(m);
        if (is_wanted(whole)) messages.push_back(whole);
      }
    }
    for (const PathMessage& m : messages) {
      std::vector<Charge> charges;
      charge_by_ideal(m, ideals, path.job, charges);
      std::vector<Charge> parts;
      for (const Charge& charge : charges) {
        if (charge.cause == Cause::kQueueing) {
          split(m, charge, parts);
        } else {
          parts.push_back(charge);
        }
      }
      for (const Charge& part : parts) sums.add(p, path, part);
    }
  }
}

void show_paths(const Experiment& e, const std::vector<JobPath>& paths, BlameSums& sums,
                const Results& results, Timeline& timeline) {
  for (std::size_t p = 0; p < paths.size(); ++p) {
    std::vector<PathPiece> pieces;
    for (const Charge& c : sums.take_charges(p)) {
      pieces.push_back({.begin = c.begin,
                        .end = c.end,
                        .cause = cause_name(c.cause),
                        .culprit = culprit_name_of(e, results, c.cause, c.culprit),
                        .port = c.port.is_none() ? std::string() : e.fabric.port_name(c.port)});
    }
    timeline.add_path(paths[p].job, paths[p].iteration, pieces);
  }
}

void end_blame(const Experiment& e, const std::vector<JobPath>& paths, BlameSums& sums,
               Timeline* timeline, Results& results) {
  results.blame = sums.rows(e, results);
  results.has_blame = true;
  if (timeline != nullptr) show_paths(e, paths, sums, results, *timeline);
}

}  // namespace

void find_blame_by_ideal(const Experiment& e, const std::vector<JobPath>& paths,
                         ZeroLoadTimes& ideals, const FluidSharers& sharers, Timeline* timeline,
                         Results& results) {
  if (results.outcome == Outcome::kInterrupted) return;
  BlameSums sums;
  if (timeline != nullptr) sums.keep(paths.size());
  add_charges(paths, sums);
  add_by_ideal(
      paths, ideals, [](const PathMessage&) { return true; },
      [&sharers](const PathMessage& m, const Charge& queueing, std::vector<Charge>& parts) {
        sharers.split(m, queueing, parts);
      },
      sums);
  end_blame(e, paths, sums, timeline, results);
}

void find_blame(const Experiment& e, const std::vector<JobPath>& paths, ZeroLoadTimes& ideals,
                const BlameRun& how, Results& results) {
  if (results.outcome == Outcome::kInterrupted) return;
  BlameSums sums;
  if (how.timeline != nullptr) sums.keep(paths.size());
  add_charges(paths, sums);
  add_by_ideal(
      paths, ideals, [&e](const PathMessage& m) { return !is_unicast(e.workload, m.connection); },
      [](const PathMessage&, const Charge& queueing, std::vector<Charge>& parts) {
        parts.push_back(queueing);
      },
      sums);
  const AllPathMessages wanted(e, paths);
  for (const auto& [network, messages] : wanted.apart) watch(*network, messages, paths, sums);
  if (!wanted.of_run.messages.empty()) {
    const PauseRoots roots(results);
    Reactions reactions;
    const bool has_input_queues =
        e.scenario.switches.queueing == protocols::SwitchConfig::Queueing::kInput;
    PacketWalk walk = make_walk(
        {e.fabric, e.workload, e.faults, has_input_queues, e.scenario.switches.link_retry.enabled},
        wanted.of_run, paths,
        [&roots](const protocols::PauseInterval& pause) { return roots.of(pause); }, sums,
        reactions);
    // Inputs that queue are no queues that mark.
    if (!has_input_queues) {
      walk.on_held_back([&](std::size_t message, const std::vector<PortId>& queues) {
        reactions.add_queues(wanted.of_run.messages[message].connection, queues);
      });
    }
    if (!run_again(e, wanted.of_run, how, walk)) {
      results.outcome = Outcome::kInterrupted;
      return;
    }
    results.reactions = reactions.rows(e, results, walk);
  }
  end_blame(e, paths, sums, how.timeline, results);
}

}  // namespace weft::scenarios
