#include "scenarios/results/tables/reactions/reactions_table.hpp"

#include <optional>
#include <string>

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

const Table<ReactionRow>& ReactionsTable::declaration() {
  using Row = ReactionRow;
  static const Table<Row> table{
      "reactions.csv",
      "a queue that congestion control reacted to when it held a job back",
      {{"job", "that was held back", [](const Row& r) { return r.job.name; }, "job"},
       {"port", "on the path of its queue pairs, which marked most, or else had the longest queue",
        [](const Row& r) { return r.results.port_name(r.reaction.port); }, "port"},
       {"held_s", "that blame.csv has of congestion control of these queue pairs",
        [](const Row& r) { return r.reaction.held; }, "held_seconds"},
       {"queue_pairs", "that were held back", [](const Row& r) { return r.reaction.queue_pairs; },
        "queue_pairs"},
       {"ecn_marks", "of the port, of all jobs",
        [](const Row& r) { return r.results.ports[r.reaction.port.value()].counters.ecn_marked; },
        "ecn_marks"},
       {"paused_s", "of the port: what queues while it is paused is not of too many flows",
        [](const Row& r) { return r.results.ports[r.reaction.port.value()].counters.paused_time; },
        "paused_seconds"},
       {"others_share",
        "of the time that the port sent data while packets of critical paths waited there: for "
        "other jobs",
        [](const Row& r) { return ratio(r.reaction.others_share); }, "others_share"},
       {"other_job", "that of them that sent most; empty: none",
        [](const Row& r) {
          const bool is_there = r.reaction.others_share > 0;
          return is_there ? r.results.jobs[r.reaction.other_job].name : std::string();
        },
        "other_job"},
       {"other_job_share", "for that one",
        [](const Row& r) { return ratio(r.reaction.other_job_share); }, "other_job_share"},
       {"load_ratio",
        "bytes of the port over the mean of the links beside it; empty: it does not join switches",
        [](const Row& r) {
          const double load = r.reaction.load_ratio;
          return load > 0 ? std::optional(ratio(load)) : std::nullopt;
        },
        "load_ratio"}},
      [](const Results& r, const auto& visit) {
        for (const ReactionResult& one : r.reactions) visit({r, r.jobs[one.job], one});
      },
      [](const Results& r) { return !r.reactions.empty(); },
      false,
      false};
  return table;
}

}  // namespace weft::scenarios
