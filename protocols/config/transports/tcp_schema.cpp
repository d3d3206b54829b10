#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "protocols/config/transports/shared_keys.hpp"
#include "protocols/config/transports/tcp_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {
namespace {

schema::Object<TcpConfig> tcp_ack_schema() {
  return schema::describe<TcpConfig>("acknowledgements", "how receivers acknowledge")
      .field("every", &TcpConfig::ack_every,
             "segments per ACK; what comes out of order, or fills a gap, is acknowledged at once")
      .source("RFC 5681, 4.2: at least every second full-sized segment")
      .range(1, 1'000)
      .field("delay", &TcpConfig::ack_delay,
             "the longest time that an ACK waits for this number of segments")
      .matters_if([](const TcpConfig& tcp) { return tcp.ack_every > 1; },
                  "with more than one segment per ACK (`every`)")
      .source(
          "an estimate for data centres: well below the least time-out, or each lone segment "
          "is sent again; RFC 1122, 4.2.3.2, allows 500 ms")
      .at_least(1_us)
      .at_most(500_ms)
      .field("last", &TcpConfig::acks_last,
             "whether the last segment of a message is acknowledged at once")
      .matters_if([](const TcpConfig& tcp) { return tcp.ack_every > 1; },
                  "with more than one segment per ACK (`every`)")
      .source("Linux acknowledges pushed data as it is read")
      .field("priority", &TcpConfig::ack_class,
             "class of ACKs; `same`: that of the data they answer")
      .source("both directions of a connection have one DSCP");
}

schema::Object<TcpConfig> tcp_timeout_schema() {
  return schema::describe<TcpConfig>("time-out", "when the oldest segment is sent again (RFC 6298)")
      .field("min", &TcpConfig::min_timeout, "whatever the round trips were")
      .formerly("least")
      .source(
          "10 ms as in Alizadeh et al., DCTCP, SIGCOMM 2010, section 4; RFC 6298 has 1 s, Linux "
          "200 ms")
      .at_least(1_us)
      .field("max", &TcpConfig::max_timeout, "it doubles up to this with each one in a row")
      .formerly("most")
      .source("RFC 6298, 2.5")
      .at_least(1_ms)
      .field("retries", &TcpConfig::retry_limit, "in a row until the connection fails")
      .source("Linux, tcp_retries2")
      .range(0, 1'000);
}

/// The names of the controls that TCP can run.
std::string accepted_controls() {
  std::vector<std::string> names;
  congestion::ControlSpecs::for_each([&]<class C>() {
    constexpr congestion::Needs requirements = C::kRequirements;
    if (!requirements.notices && !requirements.telemetry && !requirements.grants &&
        !requirements.contexts)
      names.emplace_back(C::kName);
  });
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 == names.size() ? " and " : ", ";
    list += names[i];
  }
  return list;
}

void check_tcp(const TcpConfig& tcp, std::vector<schema::Problem>& problems) {
  const congestion::Needs needs = congestion::requirements_of(tcp.congestion_control);
  if (needs.notices || needs.telemetry || needs.grants || needs.contexts) {
    const std::string missing = needs.notices  ? "notifications of congestion (CNPs) from receivers"
                                : needs.grants ? "credit granted by receivers"
                                : needs.contexts ? "windows in bytes per destination, as uec has"
                                                 : "telemetry of switches in its packets";
    problems.push_back(
        {"congestion_control", std::string("is ") + congestion::title_of(tcp.congestion_control) +
                                   ", which needs " + missing + "; TCP has none; with it go " +
                                   accepted_controls()});
  }
  if (tcp.ack_delay >= tcp.min_timeout) {
    problems.push_back({"ack.delay",
                        "is no less than timeout.min; a lone segment would be sent "
                        "again before its ACK goes"});
  }
  if (tcp.max_timeout < tcp.min_timeout) {
    problems.push_back({"timeout.max", "is less than timeout.min"});
  }
  if (std::string problem = encapsulation_problem(tcp.encapsulation); !problem.empty()) {
    problems.push_back({"encapsulation", std::move(problem)});
  }
  const Bytes packet = tcp.mtu + tcp.framing;
  if (packet > kMaxPacket) {
    problems.push_back({"mtu", "makes packets of " + std::to_string(packet.count()) +
                                   " B with their framing; at most " +
                                   std::to_string(kMaxPacket.count()) + " B are possible"});
  }
}

}  // namespace

TransportTraits TcpConfig::traits() const {
  // An Ethernet frame has 46 B of payload at least.
  const Bytes ack = std::max(headers(), 46_B);
  TransportTraits traits;
  traits.format = {.payload = mtu - headers(),
                   .header = headers() + framing,
                   .ttl = ttl,
                   .encapsulation = encapsulation};
  traits.is_acknowledged = true;
  traits.is_stream = true;
  traits.sacks = sack;
  traits.ack_size = ack + framing;
  traits.ack_every = ack_every;
  traits.ack_delay = ack_delay;
  traits.acks_last = acks_last;
  traits.ack_class = ack_class;
  traits.window = window == 0 ? kMaxSegments : window;
  traits.retransmit_timeout = min_timeout;
  traits.max_timeout = max_timeout;
  traits.retry_limit = retry_limit;
  traits.queue_pairs = queue_pairs;
  traits.congestion_control = congestion_control;
  return traits;
}

schema::Object<TcpConfig> TcpConfig::schema(LinkLayer layer) {
  return schema::describe<TcpConfig>("TCP", "TCP, for storage and management in lossy classes")
      .field("mtu", &TcpConfig::mtu,
             "of IP: a full segment with its headers, which take 52 B of it")
      .source("jumbo frames, which storage networks use; Ethernet's own is 1500 B")
      .at_least(128_B)
      .at_most(64_KiB)
      .field("framing", &TcpConfig::framing, "what a packet occupies the wire with besides its MTU")
      .source("Ethernet: preamble 8 B, header 14, FCS 4, gap 12")
      .at_most(1_KiB)
      .words("encapsulation", &TcpConfig::encapsulation, encapsulation_doc())
      .source("none")
      .field("timestamps", &TcpConfig::timestamps, "whether segments have that option, of 12 B")
      .source("RFC 7323; on in Linux")
      .field("ttl", &TcpConfig::ttl, "switches a packet crosses at most")
      .source("the usual initial TTL of IP hosts")
      .range(1, 255)
      .group("ack", tcp_ack_schema(), "acknowledgements")
      .field("sack", &TcpConfig::sack,
             "selective acknowledgements; without: NewReno's recovery, a loss per round trip")
      .source("RFC 2018, RFC 6675; on in Linux")
      .field("window", &TcpConfig::window, "segments that a receiver has room for; 0: 65,535")
      .source("receivers grow their buffers")
      .range(0, TcpConfig::kMaxSegments)
      .group("timeout", tcp_timeout_schema(), "retransmission time-out")
      .field("queue_pairs", &TcpConfig::queue_pairs,
             "connections per pair of processes; messages take them in turn")
      .source("one connection per pair of processes")
      .range(1, 1'024)
      .object("congestion_control", &TcpConfig::congestion_control,
              congestion::control_schema(default_config(layer).congestion_control),
              "how senders set their windows")
      .source("the default of Linux, Windows and macOS (RFC 9438, 1)")
      .check(check_tcp);
}

}  // namespace weft::protocols
