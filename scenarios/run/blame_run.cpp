#include "scenarios/run/blame_run.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "scenarios/blame/blame_sums.hpp"
#include "scenarios/blame/packet_walk.hpp"
#include "scenarios/ideal/connection_transports.hpp"
#include "scenarios/run/network_options.hpp"
#include "scenarios/run/run_monitor.hpp"

namespace weft::scenarios {
namespace {

using protocols::PacketNetwork;

/// A path that a message is part of.
struct Use {
  std::size_t path = 0;
  Picoseconds from;
  Picoseconds until;
};

/// Messages of all paths, each once, by the time of their delivery.
class PathMessages {
 public:
  PathMessages(const Experiment& e, const std::vector<JobPath>& paths) {
    const ConnectionTransports transports(e.scenario, e.fabric, e.routes, e.workload);
    std::map<std::tuple<Picoseconds, protocols::QueuePairId, std::uint32_t>, std::size_t> place_of;
    std::vector<std::pair<PathMessage, std::vector<Use>>> found;
    for (std::size_t p = 0; p < paths.size(); ++p) {
      for (const PathMessage& m : paths[p].messages) {
        const bool is_made_by_chips =
            e.workload.connections()[m.connection.value()].kind != Connection::Kind::kUnicast;
        if (is_made_by_chips) continue;
        const auto [place, is_new] = place_of.try_emplace(
            {m.message.delivered, m.message.queue_pair, m.message.last_sequence}, found.size());
        if (is_new) found.push_back({m, {}});
        found[place->second].second.push_back({p, m.from, m.until});
      }
    }
    messages.reserve(found.size());
    for (const auto& [key, place] : place_of) {
      const PathMessage& m = found[place].first;
      const std::int64_t packets = packets_of(m.message.bytes, transports.of(m.connection).framing);
      messages.push_back(m);
      first_sequences.push_back(m.message.last_sequence - static_cast<std::uint32_t>(packets - 1));
      uses.push_back(std::move(found[place].second));
    }
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

  std::vector<PathMessage> messages;
  std::vector<std::uint32_t> first_sequences;
  std::vector<std::vector<Use>> uses;
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

/// Of what was found, the part that a path needs.
void add_part(const JobPath& path, const Use& use, const std::vector<Charge>& charges,
              BlameSums& sums) {
  for (Charge charge : charges) {
    charge.begin = std::max(charge.begin, use.from);
    charge.end = std::min(charge.end, use.until);
    if (charge.begin < charge.end) sums.add(use.path, path, charge);
  }
}

/// False: it was stopped.
bool run_again(const Experiment& e, const PathMessages& wanted, const BlameRun& how,
               PacketWalk& walk) {
  PacketNetwork::Options options = network_options(e);
  options.parallelism = how.parallelism;
  options.observation.messages = wanted.watched();
  options.message_trace_sink = [&walk](std::span<const protocols::TraceRecord> records,
                                       Picoseconds until) { walk.add(records, until); };
  PacketNetwork* again = nullptr;
  options.on_many_messages = [&again] { again->take_ended_messages([](const auto&) {}); };
  PacketNetwork network(e.fabric, e.routes, options, e.workload.process_hosts(),
                        e.workload.connections(), e.workload.groups());
  again = &network;
  walk.set_network(network);
  collectives::Executor executor(e.workload, collectives::Executor::Spans::kNotKept);
  network.start(executor);
  RunMonitor monitor(e, network);
  const auto observer = [&](Picoseconds now, std::uint64_t packet_hops) {
    return !how.progress || how.progress(monitor.look(now, packet_hops));
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

/// Messages of paths that are not looked at packet by packet, if `is_wanted` holds; `split(message,
/// queueing, parts)` says what queueing was.
template <class IsWanted, class Split>
void add_by_ideal(const std::vector<JobPath>& paths, IdealTimes& ideals, IsWanted is_wanted,
                  Split split, BlameSums& sums) {
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const JobPath& path = paths[p];
    for (const PathMessage& m : path.messages) {
      if (!is_wanted(m)) continue;
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
                        .culprit = culprit_name(e, results, c.culprit),
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

void find_blame_by_ideal(const Experiment& e, const std::vector<JobPath>& paths, IdealTimes& ideals,
                         const FluidSharers& sharers, Timeline* timeline, Results& results) {
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

void find_blame(const Experiment& e, const std::vector<JobPath>& paths, IdealTimes& ideals,
                const BlameRun& how, Results& results) {
  if (results.outcome == Outcome::kInterrupted) return;
  BlameSums sums;
  if (how.timeline != nullptr) sums.keep(paths.size());
  add_charges(paths, sums);
  add_by_ideal(
      paths, ideals,
      [&e](const PathMessage& m) {
        return e.workload.connections()[m.connection.value()].kind != Connection::Kind::kUnicast;
      },
      [](const PathMessage&, const Charge& queueing, std::vector<Charge>& parts) {
        parts.push_back(queueing);
      },
      sums);
  const PathMessages wanted(e, paths);
  if (!wanted.messages.empty()) {
    const PauseRoots roots(results);
    PacketWalk walk(
        e, wanted.messages, wanted.first_sequences,
        [&roots](const protocols::PauseInterval& pause) { return roots.of(pause); },
        [&](std::size_t message, const std::vector<Charge>& charges) {
          for (const Use& use : wanted.uses[message]) {
            add_part(paths[use.path], use, charges, sums);
          }
        });
    if (!run_again(e, wanted, how, walk)) {
      results.outcome = Outcome::kInterrupted;
      return;
    }
  }
  end_blame(e, paths, sums, how.timeline, results);
}

}  // namespace weft::scenarios
