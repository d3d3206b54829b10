#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocols/config/transports/delivery.hpp"
#include "protocols/config/transports/transport.hpp"
#include "simcore/base/units.hpp"
#include "simcore/schema/schema_builder.hpp"

/// What the keys of several transports share.
namespace weft::protocols {

/// What operators put around packets, and the bytes that it adds to each on the wire.
struct Encapsulation {
  const char* name;
  Bytes size;
  const char* parts;  ///< what the bytes are, and who says so
};

/// All of them.
[[nodiscard]] std::span<const Encapsulation> encapsulations();

/// What those of the names add to a packet; a name may come more than once, as tags in tags do.
/// Names that are none add nothing.
[[nodiscard]] Bytes encapsulation_size(const std::vector<std::string>& names);

/// What the key means, and what each name adds.
[[nodiscard]] std::string encapsulation_doc();

/// What is wrong with a list of names; empty if nothing is.
[[nodiscard]] std::string encapsulation_problem(const std::vector<std::string>& names);

}  // namespace weft::protocols

/// Keys of the transports that deliver packets as Ultra Ethernet does (PacketDelivery), each stated
/// once: `uec` and `mrc` include them, each with its own source. `Config` has members of these
/// names.
namespace weft::protocols::delivery_keys {

template <class Config>
[[nodiscard]] Config& self(Config& config) {
  return config;
}

template <class Config>
[[nodiscard]] schema::Object<Config> ack_bytes(const std::string& source) {
  return schema::describe<Config>("", "")
      .field("bytes", &Config::ack_bytes,
             "of payload that make an ACK; what asks for one, ends a message or is marked has one "
             "at once")
      .source(source)
      .at_least(1_B)
      .at_most(1_MiB);
}

template <class Config>
[[nodiscard]] schema::Object<Config> ack_every_packet(const std::string& source) {
  return schema::describe<Config>("", "")
      .field("every_packet", &Config::acks_all, "whether every packet has one")
      .source(source);
}

/// `doc`: what has this size, and what `auto` makes of it.
template <class Config>
[[nodiscard]] schema::Object<Config> ack_size(const std::string& doc, const std::string& source) {
  return schema::describe<Config>("", "")
      .field("size", &Config::ack_size, doc)
      .source(source)
      .special("auto", std::nullopt)
      .at_least(1_B)
      .at_most(4_KiB);
}

template <class Config>
[[nodiscard]] schema::Object<Config> ack_priority(const std::string& source) {
  return schema::describe<Config>("", "")
      .field("priority", &Config::ack_class,
             "class of ACKs and NACKs; `highest`: that of highest priority; `same`: that of the "
             "data")
      .source(source);
}

template <class Config>
[[nodiscard]] schema::Object<Config> trimming(const std::string& source) {
  return schema::describe<Config>("", "")
      .field("trimming", &Config::uses_trimming,
             "whether switches may trim its packets, for which receivers send NACKs")
      .source(source);
}

/// `connection`: what fails then, `context` or `connection`.
template <class Config>
[[nodiscard]] schema::Object<Config> nack_retries(const std::string& connection,
                                                  const std::string& source) {
  return schema::describe<Config>("", "")
      .field("nack_retries", &Config::nack_retries,
             "NACKs of a packet until its " + connection + " fails; 31: without end")
      .source(source)
      .range(0, PacketDelivery::kEndless);
}

template <class Config>
[[nodiscard]] schema::Object<Config> psn_window(const std::string& source) {
  return schema::describe<Config>("", "")
      .field("psn_window", &Config::psn_window,
             "packets from the first that is missing on that may be sent")
      .source(source)
      .range(1, 32'640);
}

template <class Config>
[[nodiscard]] schema::Object<Config> tracked(const std::string& source) {
  return schema::describe<Config>("", "")
      .field("tracked", &Config::tracked,
             "packets from the first that is missing on that receivers keep track of; those beyond "
             "are dropped, with a NACK (NO_BITMAP); `psn_window`: all that may be sent")
      .source(source)
      .special("psn_window", std::nullopt)
      .range(1, 32'640);
}

/// `what`: what they are called, in front of `per connection`.
template <class Config>
[[nodiscard]] schema::Object<Config> queue_pairs(const std::string& what,
                                                 const std::string& source) {
  return schema::describe<Config>("", "")
      .field("queue_pairs", &Config::queue_pairs,
             what + "per connection, which share its window; messages take them in turn")
      .source(source)
      .range(1, 1'024);
}

template <class Config, class HasWindow>
[[nodiscard]] schema::Object<Config> counted_header(HasWindow has_window,
                                                    const std::string& source) {
  return schema::describe<Config>("", "")
      .field("counted_header", &Config::counted_header,
             "bytes of a packet besides its payload, as windows count")
      .matters_if(has_window, "with a congestion control")
      .source(source)
      .at_most(1_KiB);
}

template <class Config>
[[nodiscard]] schema::Object<Config> mtu(const std::string& source) {
  return schema::describe<Config>("", "")
      .field("mtu", &Config::mtu, "payload of a full packet")
      .source(source)
      .at_least(64_B)
      .at_most(9000_B);
}

template <class Config>
[[nodiscard]] schema::Object<Config> headers(const std::string& doc, const std::string& source) {
  return schema::describe<Config>("", "")
      .field("header", &Config::header, doc)
      .source(source)
      .special("auto", std::nullopt)
      .at_least(1_B)
      .at_most(1_KiB)
      .words("encapsulation", &Config::encapsulation, encapsulation_doc())
      .source("none")
      .field("ttl", &Config::ttl, "switches a packet crosses at most")
      .source("the usual initial TTL of IP hosts")
      .range(1, 255);
}

/// Windows per plane are of a control that counts bytes.
template <class Config>
void check_plane_windows(const Config& config, std::vector<schema::Problem>& problems) {
  if (!config.planes.has_window_per_plane()) return;
  if (congestion::requirements_of(config.congestion_control).contexts) return;
  problems.push_back({"plane_windows",
                      "needs congestion_control: nscc, whose windows are in bytes per destination; "
                      "set that, or plane_windows: shared"});
}

/// What no key by itself is to blame for: tunnels that are unknown, packets that are too large.
template <class Config>
void check_packets(const Config& config, std::vector<schema::Problem>& problems) {
  if (std::string problem = encapsulation_problem(config.encapsulation); !problem.empty()) {
    problems.push_back({"encapsulation", std::move(problem)});
  }
  if (config.tracked && *config.tracked > config.psn_window) {
    problems.push_back({"recovery.tracked", "is more than the " +
                                                std::to_string(config.psn_window) +
                                                " packets of psn_window, beyond which nothing is "
                                                "sent"});
  }
  check_plane_windows(config, problems);
  const Bytes packet = config.traits().full_packet();
  if (packet > kMaxPacket) {
    problems.push_back({"mtu", "makes packets of " + std::to_string(packet.count()) +
                                   " B with their headers; at most " +
                                   std::to_string(kMaxPacket.count()) + " B are possible"});
  }
}

}  // namespace weft::protocols::delivery_keys
