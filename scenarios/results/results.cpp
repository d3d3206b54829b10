#include "scenarios/results/results.hpp"

#include "simcore/base/digest.hpp"

namespace weft::scenarios {

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFinished:
      return "finished";
    case Outcome::kHorizon:
      return "horizon";
    case Outcome::kStuck:
      return "stuck";
    case Outcome::kDeadlocked:
      return "deadlocked";
    case Outcome::kStalled:
      return "stalled";
    case Outcome::kInterrupted:
      return "interrupted";
  }
  return "unknown";
}

std::string Results::digest() const {
  Digest sha;
  for_each_table(*this, [&](const auto& table) {
    if (table.is_digested) table.add_to(sha, *this);
  });
  for (const MessagePhase& phase : phases) phase.add_to(sha);
  packet_latency.add_to(sha);
  return sha.hex();
}

std::string root_name(const Results& r, const protocols::PauseStorm& storm) {
  switch (storm.root) {
    case protocols::PauseStorm::Root::kEgress:
      return r.port_name(storm.ports.front());
    case protocols::PauseStorm::Root::kNic:
      return "NIC of " + r.ports[storm.ports.front().value()].peer_node;
    case protocols::PauseStorm::Root::kCycle:
      break;
  }
  std::string text = "cycle of";
  for (const PortId port : storm.ports) text += " " + r.port_name(port);
  return text;
}

}  // namespace weft::scenarios
