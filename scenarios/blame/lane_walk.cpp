#include "scenarios/blame/lane_walk.hpp"

#include <algorithm>
#include <tuple>

namespace weft::scenarios {

using collectives::Span;
using collectives::Step;
using collectives::Workload;

namespace {

Cause cause_of(Step::Work work) {
  switch (work) {
    case Step::Work::kCompute:
      return Cause::kCompute;
    case Step::Work::kExcess:
      return Cause::kStraggler;
    case Step::Work::kOther:
      return Cause::kSchedule;
    default:
      return Cause::kProtocol;
  }
}

}  // namespace

bool LaneWalk::reaches_gap() {
  while (at_.now > begin_) {
    const auto span = spans().last(at_.now);
    if (!span || span->end < at_.now) return true;
    was_woken_ = span->kind == Span::Kind::kLane && events_ < job_.lanes;
    if (was_woken_) {
      at_.lane = span->ordinal;
      ++events_;
      continue;
    }
    events_ = 0;
    follow(*span);
  }
  return false;
}

void LaneWalk::pass_gap() {
  const auto span = spans().last(at_.now);
  charge(span ? span->end : begin_, Cause::kSchedule, own_rank());
}

bool LaneWalk::follow_delivery() {
  const Workload& workload = run_.workload;
  for (std::uint32_t c = 0; c < workload.connections().size(); ++c) {
    const ConnectionId connection(c);
    const Connection& to = workload.connections()[c];
    if (to.destination != job_.process(at_.rank) || to.kind != Connection::Kind::kUnicast) continue;
    const std::uint32_t sender = workload.rank_of(workload.origin_of(connection));
    const std::uint32_t lane = workload.lane_of(connection);
    const Picoseconds seen = job_.program->transfers().receive_latency({at_.rank, lane}, sender);
    const MessageLog::Message* message = run_.messages.delivered_at(connection, at_.now - seen);
    if (message == nullptr) continue;
    charge(message->delivered, Cause::kProtocol, own_rank());
    go_back(connection, *message);
    return true;
  }
  return false;
}

void LaneWalk::charge(Picoseconds begin, Cause cause, Culprit culprit) {
  begin = std::max(begin, begin_);
  if (begin >= at_.now) return;
  charges_.push_back({.begin = begin, .end = at_.now, .cause = cause, .culprit = culprit});
  at_.now = begin;
}

void LaneWalk::follow(const Span& span) {
  switch (span.kind) {
    case Span::Kind::kWork:
      charge(span.begin, cause_of(span.work), own_rank());
      return;
    case Span::Kind::kControlEvent: {
      const std::uint32_t sender = span.ordinal;
      charge(at_.now - run_.control_latency, Cause::kProtocol, own_rank());
      at_.rank = sender;
      return;
    }
    case Span::Kind::kAcknowledgement:
      if (const auto* message = run_.messages.acknowledged_at(span.connection, at_.now)) {
        charge(message->delivered, Cause::kProtocol, own_rank());
        go_back(span.connection, *message);
        return;
      }
      break;
    case Span::Kind::kReceive:
      if (receive(span)) return;
      break;
    case Span::Kind::kLane:  // a circle
      break;
  }
  charge(span.begin, Cause::kProtocol, own_rank());
}

bool LaneWalk::receive(const Span& span) {
  const Workload& workload = run_.workload;
  ConnectionId connection = span.connection;
  const Connection& c = workload.connections()[connection.value()];
  const MessageLog::Message* message = nullptr;
  if (c.kind == Connection::Kind::kReduce) {
    std::tie(connection, message) = last_of_sum(c, connection, span.ordinal);
  } else {
    message = run_.messages.of(connection, span.ordinal);
  }
  if (message == nullptr) return false;
  const std::uint32_t sender = workload.rank_of(workload.origin_of(connection));
  charge(at_.now - job_.program->transfers().receive_latency({at_.rank, at_.lane}, sender),
         Cause::kProtocol, own_rank());
  go_back(connection, *message);
  if (const std::uint32_t relay = workload.relay_of(connection); relay != Workload::kNoRelay) {
    // Chunks leave a relay in the order in which they come.
    const ConnectionId first = workload.relays()[relay].first;
    const MessageLog::Message* leg = run_.messages.of(first, span.ordinal);
    if (leg == nullptr) return true;
    charge(leg->delivered, Cause::kProtocol, own_rank());
    go_back(first, *leg);
  }
  if (workload.carries_read_data(connection)) follow_request(connection);
  return true;
}

void LaneWalk::follow_request(ConnectionId data) {
  const Workload& workload = run_.workload;
  // A NIC responds, and a relay forwards, as soon as a request has come.
  ConnectionId leg = workload.request_of(data);
  const std::uint32_t relay = workload.relay_of(leg);
  if (relay != Workload::kNoRelay) leg = workload.relays()[relay].second;
  while (const MessageLog::Message* request = run_.messages.delivered_at(leg, at_.now)) {
    go_back(leg, *request);
    if (!workload.is_second_leg(leg)) return;
    leg = workload.relays()[relay].first;
  }
}

std::pair<ConnectionId, const MessageLog::Message*> LaneWalk::last_of_sum(
    const Connection& sum, ConnectionId own, std::uint32_t ordinal) const {
  std::pair<ConnectionId, const MessageLog::Message*> last{own, nullptr};
  const std::uint32_t owner = run_.workload.rank_of(sum.destination);
  for (const ProcessId member : run_.workload.groups()[sum.group].members) {
    const ConnectionId connection =
        run_.workload.reduction(member, owner, run_.workload.lane_of(own));
    const MessageLog::Message* message = run_.messages.of(connection, ordinal);
    if (message == nullptr) continue;
    if (last.second == nullptr || message->posted > last.second->posted) {
      last = {connection, message};
    }
  }
  return last;
}

void LaneWalk::go_back(ConnectionId connection, const MessageLog::Message& message) {
  const Picoseconds from = std::max(begin_, message.posted);
  if (from < at_.now) {
    messages_.push_back({connection, message, from, at_.now});
    at_.now = from;
  }
  at_.rank = run_.workload.rank_of(run_.workload.origin_of(connection));
  at_.lane = run_.workload.lane_of(connection);
}

}  // namespace weft::scenarios
